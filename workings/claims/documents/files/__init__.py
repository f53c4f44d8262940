"""Documents as files: LaTeX, Markdown and notebooks as displays with positions."""
