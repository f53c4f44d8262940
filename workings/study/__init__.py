"""Studies: runs side by side, published figures beside the measured ones."""
