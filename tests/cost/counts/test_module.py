"""Modules by name and from Python, built at given sizes, and what is said when they cannot be."""

from pathlib import Path

import pytest
import torch
from torch import nn

from workings.cost.arguments import parse_args, parse_input
from workings.cost.cost import cost
from workings.cost.counts.module import spec, spec_of
from workings.cost.counts.samples import Refused
from workings.errors import WorkingsError

OWN = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width, depth=2, act="relu"):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.act = getattr(torch, act)

    def forward(self, x):
        for layer in self.layers:
            x = self.act(layer(x))
        return x

def factory(width) -> nn.Module:
    return nn.Linear(width, 1)

def number(width):
    return width
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of the user's, in the current folder, under a name of its own."""
    name = f"own_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    return name


def test_an_importable_class_with_arguments_in_sizes(own: str) -> None:
    found = cost(f"{own}:Net", args="width=2*d,depth=3", inputs=["n,2*d"])
    assert str(found["params"]) == "12·d² + 6·d"
    assert str(found["forward"]) == "12·d²·n"
    assert found.symbols == ("d", "n")


def test_the_number_of_layers_can_be_a_symbol(own: str) -> None:
    found = cost(f"{own}:Net", ["d", "k", "n"], args="width=d,depth=k,act=tanh", inputs="n,d")
    assert str(found["forward"]) == "d²·k·n"
    assert str(found.layers["layers.*"]["params"]) == "d²·k + d·k"
    assert "layers.0" not in found.layers


def test_a_factory_function_and_parameters_alone(own: str) -> None:
    found = cost(f"{own}:factory", args="width=w")
    assert str(found["params"]) == "w + 1"
    assert list(found.total) == ["params"]


def test_torchs_own_modules() -> None:
    found = cost("torch.nn:GRUCell", args="input_size=i,hidden_size=h", inputs=["1,i", "1,h"])
    assert str(found["params"].polynomial.ordered("hi")) == "3·h² + 3·h·i + 6·h"  # type: ignore[union-attr]
    assert str(found["forward"].polynomial.ordered("hi")) == "3·h² + 3·h·i"  # type: ignore[union-attr]


def test_what_divides_what_is_found_out_and_kept() -> None:
    args = "embed_dim=d,num_heads=h,bias=false"
    found = cost("torch.nn:MultiheadAttention", args=args, inputs=["n,d"] * 3)
    assert found.spec.multiples == (("d", "h"),)
    assert found["forward"].polynomial == cost("attention")["forward"].polynomial
    eight = cost("torch.nn:MultiheadAttention", args="embed_dim=d,num_heads=8", inputs=["n,d"] * 3)
    assert eight.spec.units == {"d": 8}


def test_symbols_of_a_named_architecture_can_be_renamed_tied_and_fixed() -> None:
    renamed = cost("attention", ["L", "D"], args="n=L,d=D,h=1")
    assert str(renamed["forward"]) == "2·L²·D + 4·L·D²"
    assert renamed.spec.held == {"h": 1}
    tied = cost("rnn", args="N_i=N_h")
    assert str(tied["params"]) == "2·N_h² + N_h"
    linear = cost("taylor", ["n", "d"], args="L=n,D=d")
    assert linear.claim("O(n M d)").verdict == "holds and tight"


def test_symbols_that_are_not_asked_for_are_held() -> None:
    found = cost("lstm", ["N_i", "N_h"])
    assert found.symbols == ("N_h", "N_i")
    assert found.spec.held == {"L": 1}
    assert str(found["params"]) == "4·N_h² + 4·N_h·N_i + 8·N_h"


def test_functions_of_sizes() -> None:
    found = cost(lambda d: nn.Linear(d, d), inputs=lambda n, d: torch.empty(n, d, device="meta"))
    assert found.symbols == ("d", "n")
    assert str(found["params"]) == "d² + d"
    assert str(found["forward"]) == "d²·n"
    once = cost(lambda d: nn.Linear(d, d), inputs=lambda n, d: torch.empty(n, d), input_grad=False)
    assert str(once["backward"]) == "d²·n"


def test_a_default_is_no_symbol_unless_it_is_asked_for() -> None:
    def factory(d: int, k: int = 3) -> nn.Module:
        return nn.Linear(d, k)

    assert str(cost(factory)["params"]) == "3·d + 3"
    assert str(cost(factory, ["d", "k"])["params"]) == "d·k + k"


def test_a_model_with_values_is_counted_and_left_alone() -> None:
    model = nn.Linear(5, 3)
    before = model.weight.clone()
    found = cost(lambda: model, ["n"], inputs=lambda n: torch.randn(n, 5))
    assert str(found["forward"]) == "15·n"
    assert model.weight.device.type == "cpu"
    torch.testing.assert_close(model.weight, before)


def test_several_inputs_and_token_ids() -> None:
    class Pick(nn.Module):
        def __init__(self, V: int, d: int) -> None:
            super().__init__()
            self.embedding = nn.Embedding(V, d)

        def forward(self, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
            return self.embedding(x) @ w

    found = cost(lambda V, d: Pick(V, d), inputs=["long n", "d,k"])
    assert str(found["forward"].polynomial.ordered("ndk")) == "n·d·k"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("nosuch_package:Net", "", "cannot import 'nosuch_package' \\(ModuleNotFoundError"),
        ("torch.nn:Liner", "", "no class or function 'Liner' \\(did you mean Linear\\?\\)"),
        ("lstmm", "", "no architecture 'lstmm' \\(did you mean lstm\\?\\)"),
        ("torch.nn:Linear", "in_features=n", "Linear\\(in_features=n\\).*missing 1 required"),
        ("torch.nn:Linear", "in_features=n,out=2", "Linear\\(in_features=n, out=2\\).*'out'"),
        ("torch:eye", "n=n", "torch:eye is neither a torch.nn.Module class nor"),
    ],
)
def test_modules_that_cannot_be_built(name: str, args: str, message: str) -> None:
    with pytest.raises(WorkingsError, match=message) as error:
        cost(name, args=args or None)
    assert "\n" not in str(error.value)


def test_a_module_that_breaks_on_import_is_named(tmp_path: Path, own: str) -> None:
    (tmp_path / f"{own}_broken.py").write_text("1 / 0")
    with pytest.raises(WorkingsError, match=r"_broken' \(ZeroDivisionError"):
        cost(f"{own}_broken:Net")


def test_inputs_that_do_not_fit_are_an_error_with_the_reason(own: str) -> None:
    with pytest.raises(WorkingsError, match=r"Net\(width=d\): cannot be .* at d = 2, n = 6: Runt"):
        cost(f"{own}:Net", args="width=d", inputs=["n,d+1"])


def test_names_that_are_not_among_the_symbols() -> None:
    with pytest.raises(WorkingsError, match=r"n is not among the symbols; there is: d"):
        spec("torch.nn:Linear", ["d"], parse_args("in_features=d"), [parse_input("n,d")])
    with pytest.raises(WorkingsError, match=r"sizes: d is needed; given: n"):
        spec_of(lambda d: nn.Linear(d, d), ["n"], None)


def test_a_named_architecture_has_its_own_inputs() -> None:
    with pytest.raises(WorkingsError, match="has inputs of its own"):
        cost("lstm", inputs=["n,d"])
    with pytest.raises(WorkingsError, match="inputs must be shapes"):
        cost("lstm", inputs=lambda n: torch.empty(n))
    with pytest.raises(WorkingsError, match="args: are of a module that is named"):
        cost(lambda d: nn.Linear(d, d), args="a=1")


def test_sizes_that_are_no_whole_numbers_refuse() -> None:
    made = spec("torch.nn:Linear", None, parse_args("in_features=d/h,out_features=1"))
    with pytest.raises(Refused, match="d/h = 3/2"):
        made.make({"d": 3, "h": 2})
