"""Claims about numbers alone: float64 would not tell some of them apart, and others it would."""

import random
from pathlib import Path

import pytest

from tests.claims.documents.pages import checked
from workings.claims.documents.formats import message


def verdict(folder: Path, claim: str) -> str:
    (finding,) = checked(folder, f"$${claim}$$\n").claims
    return str(finding.verdict)


@pytest.mark.parametrize("seed", range(6))
def test_the_last_digit_of_a_long_product_counts(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    a, b = draw.randrange(10**8, 10**9), draw.randrange(10**9, 10**10)
    assert verdict(tmp_path, rf"{a} \cdot {b} = {a * b}") == "holds"
    assert verdict(tmp_path, rf"{a} \cdot {b} = {a * b + draw.choice([-1, 1])}") == "wrong value"


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("2^{40} = 1099511627776", True),
        ("2^{40} = 1099511627777", False),
        ("1 + 10^{-17} = 1", False),
        (r"\frac{1}{3} + \frac{1}{7} = \frac{10}{21}", True),
        (r"\frac{355}{113} - \frac{103993}{33102} = \frac{1}{3740526}", True),
        (r"\frac{355}{113} - \frac{103993}{33102} = \frac{1}{3740527}", False),
        (r"\lfloor 10^{17} / 3 \rfloor = 33333333333333333", True),
    ],
)
def test_fractions_are_exact(claim: str, holds: bool, tmp_path: Path) -> None:
    assert (verdict(tmp_path, claim) == "holds") == holds


@pytest.mark.parametrize(
    "number", [r"589{,}824", r"589\,824", r"589~824", r"589\ 824", "589,824", "589824"]
)
def test_thousands_are_parted_as_people_do(number: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, rf"768 \cdot 12 \cdot 64 = {number}") == "holds"
    assert verdict(tmp_path, rf"768 \cdot 12 \cdot 65 = {number}") != "holds"


def test_arithmetic_in_a_sentence_is_checked(tmp_path: Path) -> None:
    page = r"""It has $768 \cdot 12 = 9{,}216$ weights and $768 \times 13 = 9983$ more, with $k = 3$
and $2 + x = 5$; it is not true that $2 + 2 = 5$."""
    found = checked(tmp_path, page)
    assert [str(each.verdict) for each in found.claims] == ["holds", "wrong value"]
    assert found.claims[1].result.repair.formula.endswith("= 9984")


@pytest.mark.parametrize("seed", range(4))
def test_roots_logarithms_and_powers_by_their_laws(seed: int, tmp_path: Path) -> None:
    """By algebra: a law holds, and with one more in a number of 18 digits it does not."""
    draw = random.Random(seed)
    a, b = draw.randrange(10**8, 10**9), draw.randrange(10**8, 10**9)
    laws = [
        rf"\sqrt{{{a}}} \sqrt{{{b}}} = \sqrt{{PRODUCT}}",
        rf"\ln {a} + \ln {b} = \ln PRODUCT",
        rf"{a}^{{1/3}} \cdot {b}^{{1/3}} = PRODUCT^{{1/3}}",
    ]
    for law in laws:
        assert verdict(tmp_path, law.replace("PRODUCT", str(a * b))) == "holds"
        assert verdict(tmp_path, law.replace("PRODUCT", str(a * b + 1))) == "wrong value"


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        (r"e^{\pi \sqrt{163}} = 262537412640768744", False),
        (r"e^{-1000} = 0", False),
        (r"\tanh(20) = 1", False),
        (r"\mathrm{sigmoid}(40) = 1", False),
        (r"\sqrt{10^{20} + 1} = 10^{10}", False),
        (r"\sqrt{10^{20} + 1} - 10^{10} = \frac{1}{\sqrt{10^{20} + 1} + 10^{10}}", True),
        (r"\sin(\pi) = 0", True),
        (r"\cos(\pi / 3) = \frac{1}{2}", True),
        (r"\tanh(1) = \frac{e^2 - 1}{e^2 + 1}", True),
        (r"\ln 2 = 0.6931471805599453", True),
        (r"\log_2 8 = 3", True),
        (r"2^{2000} > 10^{600}", True),
        (r"\ln(1 + 10^{-20}) < 10^{-20}", True),
    ],
)
def test_what_is_no_fraction_is_decided_to_200_digits(
    claim: str, holds: bool, tmp_path: Path
) -> None:
    assert verdict(tmp_path, claim) == ("holds" if holds else "wrong value")


def test_a_difference_that_float64_has_no_number_for_is_shown(tmp_path: Path) -> None:
    (finding,) = checked(tmp_path, "$$e^{-1000} = 0$$\n").claims
    assert finding.result.evidence.why.endswith("the sides differ by 5.1e-435")


@pytest.mark.parametrize(
    "claim",
    [".5 + .5 = 1", r".25 \cdot 4 = 1", "3e8 / 1e6 = 300", "2e3 / 4e2 = 5", "5 / 1e1 = 0.5",
     r"2.5e3 \cdot 2 = 5000", r"0{,}125 \cdot 8 = 1", r"1{,}25 \cdot 4 = 5"],
)  # fmt: skip
def test_numbers_are_read_as_they_are_written(claim: str, tmp_path: Path) -> None:
    """In a sentence, where stops stand around formulas, and in a display."""
    for page in (f"So ${claim}$.", f"$${claim}$$"):
        (found,) = checked(tmp_path, page).claims
        assert str(found.verdict) == "holds"


@pytest.mark.parametrize("claim", ["60 000 / 100 = 600", "12 345 + 5 = 12 350", "1 1/2 + 1/2 = 2"])
def test_numbers_side_by_side_are_no_product(claim: str, tmp_path: Path) -> None:
    (found,) = checked(tmp_path, f"$${claim}$$").claims
    assert found.not_read


@pytest.mark.parametrize(
    "claim", [r"\sigma(40) = 1", r"\tanh(50) = 1", "e^{-800} = 0", r"\frac{1}{10^{400}} = 0",
              "170! = 171! / 172"],
)  # fmt: skip
def test_what_no_float_holds_has_a_verdict(claim: str, tmp_path: Path) -> None:
    (found,) = checked(tmp_path, f"$${claim}$$").claims
    assert found.wrong
    assert message(found)
