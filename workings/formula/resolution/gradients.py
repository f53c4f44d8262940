"""What a derivative is of and by: ∇f by the arguments of f, ∇_z E W^T as a chain rule."""

from dataclasses import replace
from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.errors import NotRead
from workings.formula.printing.latex import latex
from workings.formula.resolution.calls import Calls
from workings.formula.resolution.shapes import is_matrix, is_vector

CUSTOMARY = ("x", "X", "w", "W", "\\theta")
"""what a gradient is taken by where nothing is said and one of these is in the formula"""


class Gradients(Calls):
    """Resolves derivatives."""

    def derivative(self, node: f.Derivative, bound: frozenset[str]) -> f.Node:
        """A derivative by a declared name, or by an entry of one."""
        of, every = self.taken_by(node.of, node.wrt, node.position)
        if (root := self.root_of_square(every, bound)) is not None:
            by_root = self.derivative(replace(node, of=of, wrt=root), bound)
            twice = f.product_of([f.Number(Fraction(2)), self.visit(root, bound)])
            return f.Quotient(by_root, twice)
        body = self.visit(of, bound)
        names = [self.by(each, node.position, bound) for each in every]
        if len(names) > 1:
            parts = tuple(self.checked(f.Derivative(body, each)) for each in names)
            notes = "the gradient as a column", "the gradient as a row"
            if self.choose("gradient of several", *notes):
                return f.Matrix((f.Row(parts),))
            return f.Matrix(tuple(f.Row((part,)) for part in parts))
        if node.open and isinstance(body, f.Product):
            return self.first_factors(node, body, names[0])
        derivative = self.checked(replace(node, of=body, wrt=names[0], open=False))
        is_transposed = isinstance(node.wrt, f.Transpose | f.TransposeOrPower)
        if is_transposed and is_matrix(self.shape(names[0])) and self.shape(body) == ():
            return f.Transpose(derivative)
        if not is_transposed and isinstance(self.visit(every[0], bound), f.Transpose):
            return f.Transpose(derivative)  # by w_k, a row of W as a column
        return derivative

    def root_of_square(self, every: tuple[f.Node, ...], bound: frozenset[str]) -> f.Node | None:
        r"""The number σ of a derivative by σ^2, which is that by σ, over 2σ; None of others."""
        match every:
            case (f.Power(f.Symbol() as root, f.Number(value)),) if value == 2:
                named = self.visit(root, bound)
                return root if self.shape(named) == () and isinstance(named, f.Reference) else None
        return None

    def hessian(self, node: f.Hessian, bound: frozenset[str]) -> f.Node:
        """A second derivative by declared names."""
        of, every = self.taken_by(node.of, node.first, node.position)
        body = self.visit(of, bound)
        self.checked(f.Derivative(body, f.Unsaid(""), position=node.position))
        if len(every) > 1:
            names = [self.by(each, node.position, bound) for each in every]
            rows = (
                f.Row(tuple(f.Hessian(body, by_row, by, node.position) for by in names))
                for by_row in names
            )
            return f.Matrix(tuple(rows))
        second = every[0] if isinstance(node.second, f.Unsaid) else node.second
        first, last = (self.by(each, node.position, bound) for each in (every[0], second))
        return f.Hessian(body, first, last, node.position)

    def by(self, wrt: f.Node, position: int, bound: frozenset[str]) -> f.Node:
        """What a derivative is taken by, looked up."""
        while isinstance(wrt, f.Transpose | f.TransposeOrPower):
            wrt = wrt.body
        if isinstance(wrt, f.Call) and wrt.function == "vec" and "vec" not in self.names.functions:
            return f.Call("vec", (self.by(wrt.arguments[0], position, bound),))
        named = self.visit(wrt, bound)
        if isinstance(named, f.Transpose) and isinstance(named.body, f.Index):
            named = named.body  # w_k, a row of W as a column
        whole = named.body if isinstance(named, f.Index) else named
        if not isinstance(whole, f.Reference):
            raise NotRead(self.text, position, "a derivative is taken by a declared name")
        return named

    def checked(self, node: f.Derivative) -> f.Derivative:
        """The derivative, which must not be of another."""
        if any(isinstance(part, f.Derivative | f.Hessian) for part in node.of.walk()):
            message = "a derivative of a derivative is not computed"
            raise NotRead(self.text, node.position, message, "write \\nabla^2 for a second one")
        return node

    # ∇ without what it is taken by

    def taken_by(self, of: f.Node, wrt: f.Node, position: int) -> tuple[f.Node, tuple[f.Node, ...]]:
        """What is differentiated, and by what: ∇f by the arguments of f, ∇(xᵀAx) by x."""
        if not isinstance(wrt, f.Unsaid):
            return of, (wrt,)
        functions = self.names.functions
        if isinstance(of, f.Symbol) and of.name in functions:
            parameters = functions[of.name].parameters
            arguments = tuple(f.Symbol(each, position=position) for each in parameters)
            of = f.Call(of.name, arguments, position=position)
        if isinstance(of, f.Call) and (
            of.function in functions or of.function in self.names.defined
        ):
            names = [each.name for each in of.arguments if isinstance(each, f.Symbol)]
            self.refuse_caught(of, names, position)
            known = [name for name in names if name in self.names.symbols]
            shapes = [self.names.shapes.get(name) for name in known]
            numbers = all(shape == () for shape in shapes)
            if len(known) == len(of.arguments):
                if len(known) == 1 or numbers:
                    return of, of.arguments
                if all(shape == () or is_vector(shape) for shape in shapes):
                    return of, self.by_all_or_one(of, known)
        name = self.customary(of)
        if not name:
            message = "what the gradient is taken by is not said"
            raise NotRead(self.text, position, message, "write \\nabla_x")
        self.choose("by", f"∇ as taken by {name}")
        return of, (f.Symbol(name, position=position),)

    def by_all_or_one(self, of: f.Call, arguments: list[str]) -> tuple[f.Node, ...]:
        """∇f(v, w) of vectors: by both, or by the one of them that is the customary one."""
        every = f"∇ as taken by {', '.join(arguments)}"
        name = self.customary(of)
        if name and self.choose("by", every, f"∇ as taken by {name}"):
            return (f.Symbol(name, position=of.position),)
        self.choose("by", every)
        return of.arguments

    def refuse_caught(self, of: f.Call, arguments: list[str], position: int) -> None:
        """∇g(y) is by the argument of g, at y: not read where g has a y of its own inside."""
        own = self.names.functions.get(of.function)
        if own is None:
            return
        others = set(arguments) - set(own.parameters)
        inside = {part.name for part in own.body.walk() if isinstance(part, f.Reference | f.Symbol)}
        if others & inside:
            name = min(others & inside)
            message = f"{name} is the argument and stands in the body of {of.function} too"
            raise NotRead(self.text, position, message, "write the gradient by another name")

    def customary(self, of: f.Node) -> str:
        """The one name in a formula that a gradient is taken by if nothing is said; or none."""
        leaves: set[str] = set()
        for part in of.walk():
            if isinstance(part, f.Symbol) and part.name in self.names.symbols:
                leaves |= set(self.names.leaves.get(part.name, [part.name]))
        if len(leaves) == 1:
            return leaves.pop()
        usual = [name for name in CUSTOMARY if name in leaves]
        return usual[0] if len(usual) == 1 else ""

    # A chain rule

    def first_factors(self, node: f.Derivative, body: f.Product, by: f.Node) -> f.Node:
        """∇_x of the whole product behind it; of its first factor where that is a chain rule.

        ∇_x x^T A x and d/dx x sin(x) are of the whole; ∇_z E W^T is the gradient of the loss E,
        times W^T.
        """
        whole = replace(node, of=body, wrt=by, open=False)
        first, rest = body.factors[0], body.factors[1:]
        if node.crossed:
            ways = "the derivative of the whole product", "that of the first factor, times the rest"
            if not self.choose("scope", *ways):
                return self.checked(whole)
            return f.Product((self.checked(replace(whole, of=first)), *rest))
        if not self.is_loss(first) or not self.is_slope(f.product_of(rest)):
            return self.checked(whole)
        shown = f"the gradient of {latex(first)}, times what follows"
        if self.choose("gradient", shown, f"the gradient of {latex(body)}"):
            return self.checked(whole)
        return f.Product((self.checked(replace(whole, of=first)), *rest))

    def is_loss(self, node: f.Node) -> bool:
        """Whether it is a number that an equation defines."""
        if isinstance(node, f.Call):
            return node.function in self.names.functions and self.shape(node) in ((), None)
        defined = isinstance(node, f.Reference) and node.name in self.names.defined
        return defined and self.shape(node) in ((), None)

    def is_slope(self, node: f.Node) -> bool:
        """Whether it is what a chain rule goes on with: a derivative, or no number."""
        derived = any(isinstance(part, f.Derivative | f.Hessian) for part in node.walk())
        return derived or self.shape(node) != ()
