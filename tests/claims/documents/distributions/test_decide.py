r"""Identities of distributions: right ones hold, wrong ones never do."""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked

ELBO = r"\mathbb{E}_{q(z|x)}\left[\log \frac{p(x,z)}{q(z|x)}\right]"
GAP = r"D_{KL}(q(z|x) \| p(z|x))"
PAIRS = [
    ("the evidence and its bound", rf"\log p(x) = {ELBO} + {GAP}", rf"\log p(x) = {ELBO} - {GAP}"),
    ("in the other order", rf"\log p(x) = {ELBO} + {GAP}",
     rf"\log p(x) = {ELBO} + D_{{KL}}(p(z|x) \| q(z|x))"),
    ("a bound", rf"\log p(x) \geq {ELBO}", rf"\log p(x) \leq {ELBO}"),
    ("with parameters below",
     r"\log p_\theta(x) \ge \mathbb{E}_{q_\phi(z|x)}[\log p_\theta(x|z)] - KL(q_\phi(z|x)||p(z))",
     r"\log p_\theta(x) \ge \mathbb{E}_{q_\phi(z|x)}[\log p_\theta(x|z)] + KL(q_\phi(z|x)||p(z))"),
    ("Bayes's rule", r"p(z|x) \int p(x|z) p(z) dz = p(x|z) p(z)",
     r"p(z|x) \int p(x|z) p(z) dz = p(z|x) p(z)"),
    ("a mean for an integral", r"\int p(x|z) p(z) \, dz = \mathbb{E}_{z \sim p(z)}[p(x|z)]",
     r"\int p(x|z) p(z) \, dz = \mathbb{E}_{z \sim p(z)}[p(x,z)]"),
    ("without brackets, and \\over",
     r"\mathbb{E}_{q(\mathbf{w})} \log {{q(\mathbf{w})} \over {p(\mathbf{w}, \mathcal{D})}}"
     r" + \log p(\mathcal{D}) = \mathrm{KL}(q(\mathbf{w}) \mid\mid"
     r" p(\mathbf{w} \lvert \mathcal{D}))",
     r"\mathbb{E}_{q(\mathbf{w})} \log {{q(\mathbf{w})} \over {p(\mathbf{w}, \mathcal{D})}}"
     r" - \log p(\mathcal{D}) = \mathrm{KL}(q(\mathbf{w}) \mid\mid"
     r" p(\mathbf{w} \lvert \mathcal{D}))"),
    ("whatever is drawn from", r"\mathbb{E}_z[\log \frac{p(x|z) p(z)}{p(z|x)}] = \log p(x)",
     r"\mathbb{E}_z[\log \frac{p(x|z)}{p(z|x)}] = \log p(x)"),
    ("the score function",
     r"\nabla_\theta \mathbb{E}_{p_\theta(x)}[f(x)] ="
     r" \mathbb{E}_{p_\theta(x)}[f(x) \nabla_\theta \log p_\theta(x)]",
     r"\nabla_\theta \mathbb{E}_{p_\theta(x)}[f(x)] ="
     r" \mathbb{E}_{p_\theta(x)}[f(x) \nabla_\theta p_\theta(x)]"),
    ("a variance", r"2 \mathrm{Var}(X) = 2 \mathbb{E}[X^2] - 2 (\mathbb{E}[X])^2",
     r"2 \mathrm{Var}(X) = 2 \mathbb{E}[X^2] - \mathbb{E}[X]"),
    ("a variance of two", r"0 + \mathrm{Var}(aX + Y) = a^2 \mathrm{Var}(X) + \mathrm{Var}(Y) + 2a"
     r" \mathrm{Cov}(X, Y)",
     r"0 + \mathrm{Var}(aX + Y) = a^2 \mathrm{Var}(X) + \mathrm{Var}(Y)"),
    ("a mean of a product", r"\mathbb{E}[a X Y] = a \mathbb{E}[X Y]",
     r"\mathbb{E}[X Y] = \mathbb{E}[X] \mathbb{E}[Y]"),
]  # fmt: skip


def holds(folder: Path, formula: str) -> bool:
    """Whether a formula, with a density written out before it, is said to hold."""
    results = [each.result for each in checked(folder, f"$${formula}$$\n").claims]
    return bool(results) and all(each is not None and each.holds for each in results)


@pytest.mark.parametrize(
    ("right", "wrong"), [each[1:] for each in PAIRS], ids=[each[0] for each in PAIRS]
)
def test_identities_of_distributions(tmp_path: Path, right: str, wrong: str) -> None:
    assert holds(tmp_path, right)
    assert not holds(tmp_path, wrong)


def test_a_definition_is_put_in_for_its_name(tmp_path: Path) -> None:
    bound = (
        r"$$\mathcal{L}(\theta, \phi; x) = "
        r"\mathbb{E}_{q_\phi(z|x)}[\log p_\theta(x,z) - \log q_\phi(z|x)]$$"
    )
    gap = r"D_{KL}(q_\phi(z|x) \| p_\theta(z|x))"
    for sign, right in (("+", True), ("-", False)):
        text = rf"{bound} $$\log p_\theta(x) = \mathcal{{L}}(\theta, \phi; x) {sign} {gap}$$"
        result = checked(tmp_path, text).claims[-1].result
        assert result is not None
        assert result.holds == right


@pytest.mark.parametrize(
    "bound",
    [
        r"\int p(x) \log p(x) dx \le 0",  # a density may be above 1
        r"\log p(x) \geq \mathbb{E}_{q(z)}[\log p(x, z)]",
        r"\mathbb{E}_{q(z)}[\log p(x, z)] \le 5",  # a number that draws never come up to
    ],
)
def test_a_bound_that_holds_for_shares_alone_is_not_said_to_hold(
    tmp_path: Path, bound: str
) -> None:
    assert not holds(tmp_path, bound)
