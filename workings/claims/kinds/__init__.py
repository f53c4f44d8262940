"""One kind of claim a file: equalities, inequalities, shapes, counts, remainders."""
