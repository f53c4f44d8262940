"""Formulas: read from LaTeX or ASCII (`parse`), written back (`latex`), computed (`evaluate`)."""
