"""Ordinary calculus: claims about functions and matrices that a document writes out."""
