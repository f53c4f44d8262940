"""The run folder: every file in it, written atomically and checked when it is read back."""
