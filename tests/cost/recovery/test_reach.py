"""How far a formula reaches: what happens above the sizes it was fitted on."""

import re

import pytest
import torch
from torch import Tensor, nn

from workings.cost.cost import Cost, cost
from workings.errors import WorkingsError


class Windowed(nn.Module):
    """Scores of all tokens up to `window`, of the first ones beyond, of fewer beyond 1,000."""

    def __init__(self, d: int, window: int = 128) -> None:
        super().__init__()
        self.layer, self.window = nn.Linear(d, d, bias=False), window

    def forward(self, x: Tensor) -> Tensor:
        if len(x) <= self.window:
            return x @ x.T
        return x[: 64 if len(x) <= 1000 else 32] @ x.T


@pytest.fixture(scope="module")
def windowed() -> Cost:
    return cost(Windowed, inputs=lambda n, d: torch.empty(n, d))


def test_a_count_that_departs_says_from_which_size(windowed: Cost) -> None:
    assert windowed["forward"].departs == {"n": 129}
    assert windowed["params"].departs == {}
    assert re.search(r"forward,.*: the formula does not hold at n = 129, nor", str(windowed))
    assert "Every formula is exact" not in str(windowed)


def test_nothing_is_said_about_growth_beyond_it(windowed: Cost) -> None:
    growth = windowed.claim("O(n^2 d)")
    assert growth.verdict == "undecided"
    assert "departs" in growth.evidence
    assert windowed.claim("O(d^2)", "params").verdict == "holds and tight"


@pytest.mark.parametrize(
    ("n", "rows"), [(100, 100), (128, 128), (129, 64), (1000, 64), (1001, 32), (3000, 32)]
)
def test_counts_at_sizes_are_counted_there(windowed: Cost, n: int, rows: int) -> None:
    assert windowed.at(n=n, d=6)["forward"] == rows * n * 6


def test_a_module_without_a_departure_is_exact_up_to_where_it_was_tried() -> None:
    result = cost(lambda d: nn.Linear(d, d), inputs=lambda n, d: torch.empty(n, d))
    assert result.tried == {"d": 100_003, "n": 100_003}
    assert "Every formula is exact" in str(result)
    assert "up to d = 100,003, n = 100,003" in str(result)
    assert result.at(n=10**7, d=3)["forward"] == 9 * 10**7  # far beyond: by the formula


class Even(nn.Module):
    """Refuses an odd width."""

    def __init__(self, d: int) -> None:
        super().__init__()
        if d % 2:
            raise ValueError(f"d must be even, not {d}")
        self.layer = nn.Linear(d, d // 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)


class Small(nn.Module):
    """Refuses a small width; nothing else."""

    def __init__(self, d: int) -> None:
        super().__init__()
        if d < 5 or d in (9, 33, 129):
            raise ValueError("refused")
        self.layer = nn.Linear(d, d)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)


def test_a_restriction_is_the_modules_own() -> None:
    even = cost(Even, inputs=lambda n, d: torch.empty(n, d))
    assert even.spec.units == {"d": 2}
    with pytest.raises(WorkingsError, match="multiple of 2"):
        even.at(n=3, d=7)
    small = cost(Small, inputs=lambda n, d: torch.empty(n, d))
    assert small.spec.units == {}
    assert small.at(n=3, d=7)["forward"] == 3 * 7 * 7


def test_a_word_is_no_size() -> None:
    args = "in_channels=c,out_channels=c,kernel_size=3,padding=same"
    result = cost("torch.nn:Conv1d", args=args, inputs=["b,c,t"])
    assert result.symbols == ("c", "b", "t")
    assert str(result["forward"]) == "3·c²·b·t"


class OnSizes(nn.Module):
    """A layer, and once more where `again` says so of the numbers of tokens and of features."""

    again = staticmethod(lambda n, d: False)

    def __init__(self, d: int) -> None:
        super().__init__()
        self.layer = nn.Linear(d, d, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        y = self.layer(x)
        return self.layer(y) if self.again(*x.shape) else y


class Band(OnSizes):
    again = staticmethod(lambda n, d: 200 <= n < 220)


class Multiples(OnSizes):
    again = staticmethod(lambda n, d: n % 50 == 0)


class Both(OnSizes):
    again = staticmethod(lambda n, d: n > 40 and d > 40)


class Area(OnSizes):
    again = staticmethod(lambda n, d: n * d > 10_000)


LIMIT = 6000


def is_long(n: int) -> bool:
    return n > LIMIT


class Farther(OnSizes):
    LIMIT = 1e5
    again = staticmethod(lambda n, d: n > Farther.LIMIT)


class Volume(OnSizes):
    again = staticmethod(lambda n, d: n * d > 2**20)


class Far(OnSizes):
    again = staticmethod(lambda n, d: is_long(n))


@pytest.mark.parametrize(
    ("module", "departs", "together"),
    [
        (Band, {"n": 200}, {}),
        (Multiples, {"n": 50}, {}),
        (Both, {}, {"d": 41, "n": 41}),
        (Area, {"d": 1667, "n": 2001}, {"d": 101, "n": 101}),
        (Far, {"n": 6001}, {}),
        (Farther, {"n": 100_001}, {}),
        (Volume, {}, {"d": 1025, "n": 1025}),
    ],
)
def test_what_is_said_of_sizes_is_so_at_all_of_them(
    module: type[OnSizes], departs: dict[str, int], together: dict[str, int]
) -> None:
    forward = cost(module, inputs=lambda n, d: torch.empty(n, d))["forward"]
    assert (forward.departs, forward.departs_together) == (departs, together)
    for n in (1, 7, 41, 50, 64, 100, 101, 200, 210, 300, 2001, 5000, 6001):
        for d in (2, 5, 41, 101, 400, 1667, 3000):
            claimed = forward({"n": n, "d": d})
            assert claimed in (None, n * d * d * (2 if module.again(n, d) else 1))


def test_a_departure_of_sizes_together_decides_nothing_about_growth() -> None:
    both = cost(Both, inputs=lambda n, d: torch.empty(n, d))
    assert both.claim("O(n d^2)").verdict == "undecided"
    assert "does not hold at d = 41, n = 41, nor is it claimed beyond" in str(both)


class AtMost(nn.Module):
    """Takes no more than 90 tokens."""

    def forward(self, x: Tensor) -> Tensor:
        if len(x) > 90:
            raise ValueError("at most 90 tokens")
        return x @ x.T


def test_sizes_that_the_module_refuses_are_named() -> None:
    limited = cost(AtMost, inputs=lambda n, d: torch.empty(n, d))
    assert limited.refused == {"n": (91, "ValueError: at most 90 tokens")}
    assert limited.tried["n"] == 90
    assert "From n = 91 on the module refuses: ValueError: at most 90 tokens" in str(limited)


def test_what_is_slow_is_tried_less_far_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workings.cost.recovery.reach.MOST_SECONDS", 0.0)
    result = cost(lambda d: nn.Linear(d, d), inputs=lambda n, d: torch.empty(n, d))
    assert result.tried == {"d": 64, "n": 64}
    assert "up to d = 64, n = 64" in str(result)


class Digits(OnSizes):
    """As many times as the number of tokens has digits."""

    def forward(self, x: Tensor) -> Tensor:
        for _ in str(len(x)):
            x = self.layer(x)
        return x


def test_a_logarithm_is_no_constant() -> None:
    digits = cost(Digits, inputs=lambda n, d: torch.empty(n, d))
    assert digits.claim("O(n d^2)").verdict == "undecided"


class Twice(nn.Module):
    """Other work where there are twice as many of one as of the other, or one more."""

    def __init__(self, more: bool) -> None:
        super().__init__()
        self.more = more

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        is_special = len(x) == (len(y) + 1 if self.more else 2 * len(y))
        return x @ y.T if is_special else x @ x.T


@pytest.mark.parametrize("more", [False, True])
def test_what_differs_where_sizes_are_related_has_no_formula(more: bool) -> None:
    related = cost(lambda: Twice(more), inputs=lambda n, m: (torch.empty(n, 4), torch.empty(m, 4)))
    assert related["forward"].kind == "numeric"


def test_a_kernel_is_at_most_as_wide_as_its_line() -> None:
    result = cost(lambda k: nn.Conv1d(2, 3, k), inputs=lambda n: torch.empty(1, 2, n))
    assert result.at_most == (("n", "k"),)
    assert str(result["forward"]) == "-6·k² + 6·k·n + 6·k"
    assert str(result.order("forward")) == "k·n"
    bound = result.claim("O(n k)")
    assert (bound.verdict, "where k = n" in bound.evidence) == ("holds, not tight", True)
    assert result.claim("O(n k)", fixed=["k"]).verdict == "holds and tight"
    assert result.claim("O(k^2)").verdict == "too small"
    assert result.claim("Ω(n k)").verdict == "too large"


def test_numbers_at_which_it_was_not_counted_are_said() -> None:
    class Values(OnSizes):
        again = staticmethod(lambda n, d: n > 5000)

        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x) * (1 if x.sum().item() else 2)

    values = cost(Values, inputs=lambda n, d: torch.ones(n, d))
    assert (values.own_numbers, values.unseen_numbers) == ((), (5000,))
    assert "Not counted at other numbers that its code names: 5,000." in str(values)
