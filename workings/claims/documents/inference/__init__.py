"""Shapes that nobody declared, from how the equations use their symbols."""
