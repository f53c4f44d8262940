"""Numbers that a module's code names, wherever it names them."""

from functools import partial

from torch import Tensor, nn

from workings.cost.recovery.own_numbers import as_products, as_sizes, own_numbers

AT_THE_TOP = 1001


def called(n: int) -> bool:
    return n > 1002


def maker(enclosed: int) -> type[nn.Module]:
    class Named(nn.Module):
        def __init__(self, given: int = 1004) -> None:
            super().__init__()
            self.attribute = 1005
            self.pair = (1006, "word")
            self.layer = nn.Linear(1007, 2)  # a size, in one of PyTorch's own modules
            self.flag = True

        def forward(self, x: Tensor) -> Tensor:
            n = len(x)
            is_long = any(n > limit for limit in (1008, AT_THE_TOP))
            return x if is_long or called(n) or n > enclosed else self.layer(x)

        @staticmethod
        def small(x: Tensor) -> bool:
            return len(x) < 3 or len(x) > 1009

    return Named


def test_numbers_of_the_code_and_the_attributes() -> None:
    numbers = own_numbers(nn.Sequential(maker(1003)()))
    assert numbers == [1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009]


def test_pytorchs_own_modules_have_none() -> None:
    assert own_numbers(nn.Sequential(nn.Linear(100, 200), nn.Dropout(0.5))) == []


class Limits:
    width = 2001


class Everywhere(nn.Module):
    LIMIT = 2002

    def __init__(self) -> None:
        super().__init__()
        self.config = {"window": [2003], "limits": Limits()}
        self.config["limits"].depth = 2004  # type: ignore[attr-defined]
        self.pick = partial(called, 2005)
        self.is_long = lambda n: n > 2e6
        self.beyond = [10**400, float("inf")]

    @property
    def longest(self) -> int:
        return 2006

    def forward(self, x: Tensor) -> Tensor:
        return x if len(x) > 2.007e3 else -x


def test_numbers_in_configs_properties_classes_and_floats() -> None:
    found = own_numbers(Everywhere())
    assert {*range(2001, 2008), 1002, 2_000_000} <= {*found}


def test_which_numbers_are_sizes_and_which_may_be_products_of_them() -> None:
    assert as_sizes([300, 10**9]) == [300]
    assert as_products([10_000, 2**20]) == [23, 101, 103, 1025]
