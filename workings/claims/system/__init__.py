"""The equations of a set as a live model at random draws, with its derivatives."""
