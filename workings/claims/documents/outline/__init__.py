"""What a document states: its declarations, definitions and claims, in order."""
