r"""Gaussians in formulas: \mathbb{E}_{x \sim \mathcal{N}(\mu, \Sigma)}[…] and their divergence."""

from dataclasses import replace

from workings.formula import nodes as f
from workings.formula.errors import NotRead
from workings.formula.evaluation.gaussian import HIGHEST, degree
from workings.formula.resolution.fitting import SizesThatFit


class Distributions(SizesThatFit):
    """Resolves expectations over Gaussians and divergences."""

    def expectation(self, node: f.Expectation, bound: frozenset[str]) -> f.Node:
        """The mean of a polynomial of a Gaussian variable; another is not read."""
        name, names = node.variable, self.names
        mean = self.visit(node.mean, bound)
        known = (f.Reference(name, name),) if names.shapes.get(name) else ()
        covariance = self.covariance(node.covariance, (*known, mean), bound)
        shape = names.shapes.get(name, self.shape(mean))
        shapes = {**names.shapes} if shape is None else {**names.shapes, name: shape}
        inner = type(self)(replace(names, symbols={*names.symbols, name}, shapes=shapes), self.text)
        body = inner.visit(node.body, bound)
        self.notes |= inner.notes
        self.alternatives |= inner.alternatives
        used = [part.name for part in body.walk() if isinstance(part, f.Reference)]
        through = [each for each in used if each != name and name in names.leaves.get(each, ())]
        if through or degree(body, name) > HIGHEST:
            what = f"the mean of what is no polynomial in {name} of degree {HIGHEST} or less"
            raise NotRead(self.text, 0, f"{what} is not computed")
        return f.Expectation(name, mean, covariance, body)

    def covariance(self, node: f.Node, like: tuple[f.Node, ...], bound: frozenset[str]) -> f.Node:
        """Σ, or σ²I of the size that fits."""
        if not self.is_unsized(node, bound):
            return self.visit(node, bound)
        shaped = tuple(each for each in like if self.shape(each) != ())
        if not shaped:
            raise self.unknown_size(node, bound)
        return self.sized(node, shaped, bound)

    def divergence(self, node: f.Call, bound: frozenset[str]) -> f.Node:
        """KL of two distributions, or of two Gaussians."""
        gaussians = [
            each for each in node.arguments if isinstance(each, f.Call) and each.function == "N"
        ]
        if not gaussians:
            read = node.rebuilt(lambda child: self.visit(child, bound))
            if all(self.shape(each) == () for each in read.children()):
                message = "a divergence is of two distributions, and these are two numbers"
                raise NotRead(self.text, node.position, message)
            return read
        if len(gaussians) < 2 or any(len(each.arguments) != 2 for each in gaussians):
            message = "a divergence is of two distributions, or two Gaussians N(mean, covariance)"
            raise NotRead(self.text, node.position, message)
        means = [self.visit(each.arguments[0], bound) for each in gaussians]
        known = [each.arguments[1] for each in gaussians]
        sized = [self.visit(each, bound) for each in known if not self.is_unsized(each, bound)]
        like = (*means, *sized)
        parts = [
            part
            for mean, each in zip(means, known, strict=True)
            for part in (mean, self.covariance(each, like, bound))
        ]
        return f.Call("divergence of Gaussians", tuple(parts), position=node.position)
