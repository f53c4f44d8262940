"""Tree to text: LaTeX, MathML, and plain text with Unicode's signs."""
