"""Claims: statements about an architecture, checked against the live one."""
