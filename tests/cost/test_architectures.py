"""Every named architecture: its formulas against those written down by hand."""

import pytest

from workings.cost.architectures import ARCHITECTURES
from workings.cost.cost import Cost, cost
from workings.errors import WorkingsError
from workings.formula.sizes import parse_sizes

# params, forward multiply-adds, backward multiply-adds. A product x W has two gradients of its own
# size; the gradient of an input that needs none is not made, nor is that of a state before the
# first step that torch starts from zeros.
RECURRENT = {gates: f"{gates}*L*(N_h^2 + N_h*N_i)" for gates in (1, 3, 4)}
LANGUAGE = "B*T*(4*(D^2 + D*d) + D*V)"
M = "(1 + D + D*(D+1)/2)"
# 3×3 kernels on 28×28 and 12×12; or on 14×14 and 6×6.
POOL = "(9*8*28*28 + 9*8*16*12*12)"
STRIDE = "(9*8*14*14 + 9*8*16*6*6)"
FULL = "(576*320 + 320*120 + 120*C)"
BY_HAND = {
    "rnn": ("N_h^2 + N_h*N_i + N_h", RECURRENT[1], f"2*{RECURRENT[1]}"),
    "torch-rnn": ("N_h^2 + N_h*N_i + 2*N_h", RECURRENT[1], f"2*{RECURRENT[1]} - N_h^2"),
    "lstm": ("4*N_h^2 + 4*N_h*N_i + 8*N_h", RECURRENT[4], f"2*{RECURRENT[4]} - 4*N_h^2"),
    "gru": ("3*N_h^2 + 3*N_h*N_i + 6*N_h", RECURRENT[3], f"2*{RECURRENT[3]} - 3*N_h^2"),
    "lstm-output": (
        "4*N_h^2 + 4*N_h*N_i + 8*N_h + N_h*N_o + N_o",
        f"{RECURRENT[4]} + L*N_h*N_o",
        f"2*{RECURRENT[4]} - 4*N_h^2 + 2*L*N_h*N_o",
    ),
    "lstm-lm": (
        "V*d + 4*(D^2 + d*D + 2*D) + D*V + V",
        LANGUAGE,
        f"2*{LANGUAGE} - 4*B*D^2",
    ),
    # Embedding (tied), positions, 4 d² of attention and 8 d² of feed-forward with biases, norms.
    "attention-lm": (
        "V*d + T*d + 12*d^2 + 5*d + 6*d + V",
        "B*T*(12*d^2 + V*d) + 2*B*T^2*d",
        "2*B*T*(12*d^2 + V*d) + 4*B*T^2*d",
    ),
    "attention": ("4*d^2", "4*n*d^2 + 2*n^2*d", "8*n*d^2 + 4*n^2*d"),
    "attention-core": ("0", "2*n^2*d", "4*n^2*d"),
    # Φ(K)ᵀV and Φ(Q)(·), M·D each a token, and the normaliser. Back, ∂/∂(Σφ(k)) is a sum, not a
    # product, for the normaliser's matrix: an outer product.
    "taylor": ("0", f"2*L*{M}*D + L*{M}", f"4*L*{M}*D + L*{M}"),
    "cnn-pool": (
        "80 + 1168 + 184640 + 38520 + 121*C",
        f"B*({POOL} + {FULL})",
        f"B*(2*{POOL} - 9*8*28*28 + 2*{FULL})",
    ),
    "cnn-stride": (
        "80 + 1168 + 184640 + 38520 + 121*C",
        f"B*({STRIDE} + {FULL})",
        f"B*(2*{STRIDE} - 9*8*14*14 + 2*{FULL})",
    ),
    "gcn": ("F*C", "N*F*C + E*C", "N*F*C + E*C"),
    "gat": ("F*C + 2*C", "N*F*C + 2*N*C", "N*F*C + 2*N*C"),
    # Every relation has two gradients: of its matrix, and along its edges.
    "rgcn": ("(R+1)*F*C + C", "(R+1)*N*F*C + R*E*C", "(R+1)*N*F*C + R*E*C"),
    # Two linear layers, each with a bias and the scale and shift of a batch norm.
    "gin": ("F*C + C^2 + 6*C", "N*F*C + N*C^2 + E*F", "N*F*C + 2*N*C^2"),
}


def test_none_is_left_out() -> None:
    """But two that are layers from above with the embedding and output that `lstm-lm` has."""
    assert set(ARCHITECTURES) - set(BY_HAND) == {"rnn-lm", "gru-lm"}


@pytest.mark.parametrize("name", BY_HAND)
def test_the_formulas_are_those_written_by_hand(name: str) -> None:
    found = cost(name)
    for quantity, text in zip(("params", "forward", "backward"), BY_HAND[name], strict=True):
        formula = found[quantity]
        assert formula.polynomial == parse_sizes(text).polynomial(), f"{quantity} = {formula}"
        assert len(formula.proven) >= 4
    for quantity in ("elementwise", "elementwise_backward", "moved", "memory", "operations"):
        assert found[quantity].kind == "exact"


@pytest.fixture(scope="module")
def attention() -> Cost:
    return cost("attention")


def test_the_softmax_of_every_head_and_the_concatenation(attention: Cost) -> None:
    # Queries and keys by the root of the scale each, then five passes over the scores.
    assert str(attention["elementwise"]) == "5·n²·h + 2·n·d"
    assert str(attention["moved"]) == "n·d"  # not h
    # q and k scaled, v, the softmax's output, z twice and the input; scores are not kept.
    assert str(attention["memory"]) == "4·n²·h + 24·n·d"


def test_without_an_output_projection() -> None:
    found = cost("attention", args={"output": False})
    assert str(found["params"]) == "3·d²"
    assert str(found["forward"]) == "2·n²·d + 3·n·d²"


def test_224_892_parameters_in_both_convolutional_networks() -> None:
    for name in ("cnn-pool", "cnn-stride"):
        found = cost(name)
        assert found.at(B=8, C=4)["params"] == 224_892
        assert found.spec.held == {"s": 28}


@pytest.mark.parametrize("name", ["cnn-pool", "cnn-stride"])
def test_the_side_of_an_image_gives_one_formula_for_each_residue(name: str) -> None:
    found = cost(name, ["s"])
    assert found["params"].kind == "piecewise"
    assert found["params"]({"s": 28}) == 224_892
    halved = (lambda s: (s // 2 - 2) // 2) if name == "cnn-pool" else (lambda s: (s - 1) // 4)
    for side in (20, 21, 22, 23, 101):
        expected = 80 + 1168 + (16 * halved(side) ** 2 + 1) * 320 + 321 * 120 + 121 * 4
        assert found.at(s=side)["params"] == expected


def test_depth_and_tied_weights_are_options() -> None:
    found = cost("lstm-lm", ["D"], args={"V": 100, "d": 10, "T": 2, "B": 1, "layers": 2})
    by_hand = "100*10 + 4*(D^2 + 10*D + 2*D) + 4*(2*D^2 + 2*D) + 101*D + 100"
    expected = parse_sizes(by_hand.replace("101*D", "100*D")).polynomial()
    assert found["params"].polynomial == expected


@pytest.mark.parametrize(
    ("name", "bound", "counted", "fixed", "verdict"),
    [
        ("attention", "O(n^2 d)", "forward", ["h"], "too small"),
        ("attention-core", "O(n^2 d)", "forward", [], "holds and tight"),
        ("attention-core", "O(n^2 d)", "operations", [], "holds and tight"),
        ("attention", "O(n^2 (d + h) + n d^2)", "operations", [], "holds and tight"),
        ("attention", "O(n^2 (d + h) + n d^2)", "forward", [], "holds and tight"),
        ("attention", "O(n^2 d)", "operations", [], "too small"),
        ("attention", "O(h)", "moved", [], "too small"),
        ("attention", "O(n d)", "moved", [], "holds and tight"),
        ("taylor", "O(L M D)", "forward", [], "holds and tight"),
        ("taylor", "O(L M D)", "operations", [], "holds and tight"),
        ("taylor", "O(L^2)", "forward", ["D"], "holds, not tight"),
        ("taylor", "O(L^2)", "forward", [], "too small"),
        ("taylor", "O(L)", "operations", ["D"], "holds and tight"),
    ],
)
def test_orders_of_growth_that_people_have_claimed(
    name: str, bound: str, counted: str, fixed: list[str], verdict: str
) -> None:
    assert cost(name).claim(bound, counted, fixed).verdict == verdict


def test_what_the_claims_lack_or_exceed(attention: Cost) -> None:
    small = attention.claim("O(n^2 d)", fixed=["h"])
    assert [str(term) for term in small.missing] == ["n·d²"]
    loose = cost("taylor").claim("O(L^2)", fixed=["D"])
    assert str(loose.factor) == "L"


def test_every_architecture_names_the_symbols_of_its_factory() -> None:
    for name, known in ARCHITECTURES.items():
        assert set(known.shown) <= set(known.symbols), name
        assert {s for pair in known.multiples for s in pair} <= set(known.symbols), name


def test_a_symbol_that_is_not_there_is_named() -> None:
    with pytest.raises(WorkingsError, match=r"no symbol 'N_x' .*there is: L, N_h, N_i"):
        cost("lstm", ["N_x"])


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_named_architecture_runs_with_values(name: str) -> None:
    known = ARCHITECTURES[name]
    sizes = {symbol: 28 if symbol == "s" else 6 for symbol in known.symbols}
    module, inputs, _ = known.build(**sizes)
    assert inputs is not None
    output = module(*inputs)
    first = output[0] if isinstance(output, tuple) else output
    assert first.isfinite().all()
