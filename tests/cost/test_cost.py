"""A cost as a whole: its page, its data, its table, and what it refuses."""

import json

import pytest
import torch
from torch import Tensor, nn

import workings
from workings.cost.cost import Cost, cost
from workings.cost.format import aligned, count_text, seconds_text
from workings.cost.quantities import QUANTITIES
from workings.errors import WorkingsError


@pytest.fixture(scope="module")
def attention() -> Cost:
    return cost("attention", {"n": 512, "d": 64, "h": 8})


@pytest.fixture(scope="module")
def strided() -> Cost:
    return cost("torch.nn:Conv1d", args="in_channels=c,out_channels=c,kernel_size=3,stride=2",
                inputs=["1,c,n"])  # fmt: skip


class Bits(nn.Module):
    """As many weights as the size has binary digits."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n.bit_length()))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight.sum()


@pytest.fixture(scope="module")
def bits() -> Cost:
    return cost(Bits, inputs=lambda n: torch.empty(n))


def test_it_is_there_from_python() -> None:
    assert workings.cost("rnn").total == cost("rnn").total


def test_the_values_at_a_size_are_those_counted_there(attention: Cost) -> None:
    n, d, h = 512, 64, 8
    result = attention.at(n=n, d=d, h=h)
    assert result["params"] == 4 * d * d
    assert result["forward"] == 4 * n * d * d + 2 * n * n * d
    assert result["operations"] == result["forward"] + result["elementwise"] + result["moved"]


def test_where_a_formula_fails_the_size_is_counted(attention: Cost) -> None:
    assert attention["moved"].fails
    assert attention.at(n=5, d=6, h=1)["moved"] == 0
    assert attention.at(n=5, d=6, h=2)["moved"] == 30


def test_the_page_has_formulas_growth_values_and_the_proof(attention: Cost) -> None:
    page = str(attention)
    for expected in (
        "n tokens, d width, h heads; d a multiple of h",
        "params                = 4·d²             parameters",
        "forward               = 2·n²·d + 4·n·d²  multiply-adds",
        "forward               n²·d + n·d²    n²    d²     1",
        "n = 512, d = 64, h = 8  16,384   41.9 M",
        "9.18 MB",
        "exact at 7 or more sizes",
        "moved: not where n = 1 or h = 1 or d = h.",
    ):
        assert expected in page


def test_the_layers_add_up_to_the_total(attention: Cost) -> None:
    sizes = {"n": 7, "d": 12, "h": 3}
    for quantity in QUANTITIES:
        parts = [
            result[quantity](sizes) for result in attention.layers.values() if quantity in result
        ]
        assert sum(parts) == attention[quantity](sizes)  # type: ignore[arg-type]
    assert str(attention.layers[""]["forward"]) == "2·n²·d"
    assert str(attention.layers["query"]["params"]) == "d²"


def test_rounding_is_shown_as_one_formula(strided: Cost) -> None:
    assert "= 3·c²·⌈n/2⌉ - 3·c² " in str(strided)
    assert strided.at(c=2, n=9)["forward"] == 4 * 2 * 2 * 3
    assert str(strided.order("forward")) == "c²·n"


def test_without_a_formula_there_are_numbers(bits: Cost) -> None:
    assert bits["params"].kind == "numeric"
    page = str(bits)
    assert "(no polynomial in n, nor in rounded quotients of it)" in page
    assert "3 at n = 5; 4 at n = 11; 5 at n = 16" in page
    assert bits.at(n=1000)["params"] == 10
    assert bits.claim("O(n)", "params").verdict == "undecided"


def test_the_data_are_json_and_complete(attention: Cost, bits: Cost) -> None:
    data = json.loads(json.dumps(attention.to_dict()))
    forward = data["quantities"]["forward"]
    assert forward["formula"] == "2·n²·d + 4·n·d²"
    assert forward["pieces"][0]["latex"] == "2 n^2 d + 4 n d^2"
    assert forward["order"] == "n²·d + n·d²"
    assert forward["degrees"] == {"n": 2, "d": 2, "h": 0}
    assert len(forward["proven"]) >= 4
    assert data["at"][0]["counts"]["params"] == 16_384
    assert data["multiples"] == [["d", "h"]]
    assert data["layers"]["output"]["params"]["formula"] == "d²"
    none = json.loads(json.dumps(bits.to_dict()))["quantities"]["params"]
    assert none["formula"] is None
    assert none["values"][0] == {"sizes": {"n": 5}, "value": 3}


def test_a_notebook_shows_tables(attention: Cost) -> None:
    html = attention._repr_html_()
    assert html.count("<table>") == html.count("</table>") == 4
    assert '<td style="text-align:left">2·n²·d + 4·n·d²</td>' in html
    own = cost(lambda d: nn.Linear(d, d))
    object.__setattr__(own.spec, "name", "<script>")
    assert "<script>" not in own._repr_html_()


def test_parameters_alone_without_inputs() -> None:
    result = cost(lambda d: nn.Linear(d, d), ["d"])
    assert list(result.total) == ["params"]
    assert "forward" not in str(result)
    with pytest.raises(WorkingsError, match="nothing is counted as 'forward'; there is: params"):
        result.claim("O(d)")


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"n": 5}, "give a size of d, h too"),
        ({"n": 5, "d": 7, "h": 2}, "d must be a multiple of h"),
        ({"n": 5, "d": 8, "h": 2, "q": 3}, "q is not a symbol here"),
        ({"n": 0, "d": 8, "h": 2}, "n = 0: a size is a whole number"),
    ],
)
def test_sizes_that_are_refused(attention: Cost, sizes: dict[str, int], message: str) -> None:
    with pytest.raises(WorkingsError, match=message):
        attention.at(**sizes)


def test_a_size_that_is_held_is_said_to_be() -> None:
    result = cost("attention", args="h=8")
    with pytest.raises(WorkingsError, match="h is held at 8 here"):
        result.at(n=5, d=8, h=2)
    with pytest.raises(WorkingsError, match=r"d must be a multiple of 8 \(got 12\)"):
        result.at(n=5, d=12)


def test_claims_that_are_refused(attention: Cost) -> None:
    with pytest.raises(WorkingsError, match=r"'forwrad' \(did you mean forward\?\)"):
        attention.claim("O(n)", "forwrad")
    with pytest.raises(WorkingsError, match="fixed: no symbol 'q'; there is: n, d, h"):
        attention.claim("O(n)", fixed=["q"])


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (224_892, "", "224,892"),
        (9_999_999, "", "9,999,999"),
        (10_000_000, "", "10 M"),
        (3_700_000_000, "", "3.7 G"),
        (512, "B", "512 B"),
        (9_043_968, "B", "9.04 MB"),
        (None, "", "–"),
    ],
)
def test_counts_have_units(value: int | None, unit: str, expected: str) -> None:
    assert count_text(value, unit) == expected


def test_seconds_have_units() -> None:
    shown = [seconds_text(s) for s in (1.5, 0.0123, 4.2e-5, None)]
    assert shown == ["1.5 s", "12.3 ms", "42 µs", "–"]


def test_tables_are_aligned() -> None:
    assert aligned([["a", "1"], ["bcd", "10"]], 1, "  ") == "  a     1\n  bcd  10"
    assert aligned([]) == ""


def test_an_unknown_operation_leaves_the_rest_and_says_why() -> None:
    class Exponential(nn.Module):
        def __init__(self, d: int) -> None:
            super().__init__()
            self.layer = nn.Linear(d, d)

        def forward(self, x: Tensor) -> Tensor:
            return torch.linalg.matrix_exp(self.layer(x))

    result = cost(lambda d: Exponential(d), inputs=lambda d: torch.empty(d, d))
    assert str(result["params"]) == "d² + d"
    assert "memory" in result.total
    assert "forward" not in result.total
    assert result.layers["layer"].keys() >= {"params", "memory"}
    with pytest.raises(WorkingsError, match=r"forward: not counted: aten\.linalg_matrix_exp"):
        result["forward"]
    assert "Every formula" not in str(result)
    assert "forward, backward, elementwise, " in str(result)
