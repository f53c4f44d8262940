"""What the trees of a claim say before they have a value: steps ahead, nested sums, inverses."""

from workings.formula import nodes as f


def steps_ahead(node: f.Node) -> int:
    """How many steps h_{t+1} is behind the step that is looked at."""
    match node:
        case f.Reference(_, _, f.Sum((f.Variable(), f.Number(offset)))):
            return max(0, int(offset))
    return 0


def index_depth(node: f.Node) -> int:
    """How many indices of sums run inside each other."""
    own = sum(isinstance(child, f.Range) for child in node.children())
    return own + max((index_depth(child) for child in node.children()), default=0)


def whole_of(wrt: f.Node) -> f.Node:
    """The name that a derivative is taken by, where it is by an entry, or by vec of it."""
    if isinstance(wrt, f.Call):  # vec(X)
        return wrt.arguments[0]
    return wrt.body if isinstance(wrt, f.Index) else wrt


def may_invert(node: f.Node) -> bool:
    """Whether it may be the inverse of a matrix: a power that is not surely a positive one."""
    if isinstance(node, f.Call):
        return node.function == "adj"
    if not isinstance(node, f.Power) or isinstance(node.base, f.Constant):
        return False
    return not (isinstance(node.exponent, f.Number) and node.exponent.value > 0)
