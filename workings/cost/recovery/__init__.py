"""From counts to formulas: grids of sizes, interpolation, and how far a formula reaches."""
