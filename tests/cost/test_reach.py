"""How far a formula reaches: what happens above the sizes it was fitted on."""

import pytest
import torch
from torch import Tensor, nn

from workings.cost.cost import Cost, cost
from workings.errors import WorkingsError


class Windowed(nn.Module):
    """Attention over all tokens up to `window`, in windows beyond."""

    def __init__(self, d: int, window: int = 128) -> None:
        super().__init__()
        self.layer, self.window = nn.Linear(d, d, bias=False), window

    def forward(self, x: Tensor) -> Tensor:
        if len(x) <= self.window:
            return (x @ x.T) @ x
        return torch.cat([(part @ part.T) @ part for part in x.split(self.window)])


@pytest.fixture(scope="module")
def windowed() -> Cost:
    return cost(Windowed, inputs=lambda n, d: torch.empty(n, d))


def test_a_count_that_departs_says_from_which_size(windowed: Cost) -> None:
    assert windowed["forward"].departs == {"n": 129}
    assert windowed["params"].departs == {}
    assert "forward: the formula does not hold from n = 129 on." in str(windowed)
    assert "Every formula is exact" not in str(windowed)


def test_nothing_is_said_about_growth_beyond_it(windowed: Cost) -> None:
    growth = windowed.claim("O(n^2 d)")
    assert growth.verdict == "undecided"
    assert "departs" in growth.evidence
    assert windowed.claim("O(d^2)", "params").verdict == "holds and tight"


@pytest.mark.parametrize("n", [100, 128, 129, 300, 1000])
def test_counts_at_sizes_are_counted_there(windowed: Cost, n: int) -> None:
    d = 6
    parts = [128] * (n // 128) + [n % 128] if n > 128 else [n]
    assert windowed.at(n=n, d=d)["forward"] == sum(2 * part * part * d for part in parts)


def test_a_module_without_a_departure_is_exact_up_to_where_it_was_tried() -> None:
    found = cost(lambda d: nn.Linear(d, d), inputs=lambda n, d: torch.empty(n, d))
    assert found.tried == {"d": 4097, "n": 4097}
    assert "Every formula is exact" in str(found)
    assert "up to d = 4,097, n = 4,097" in str(found)
    assert found.at(n=10**7, d=3)["forward"] == 9 * 10**7  # far beyond: by the formula


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
    found = cost("torch.nn:Conv1d", args=args, inputs=["b,c,t"])
    assert found.symbols == ("c", "b", "t")
    assert str(found["forward"]) == "3·c²·b·t"
