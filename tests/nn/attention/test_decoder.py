from typing import Any

import pytest
import torch
from torch.nn import functional as F

from workings.errors import WorkingsError
from workings.nn.attention import AttentionLanguageModel

KINDS = ["softmax", "taylor"]
V, CONTEXT = 40, 12


def model(kind: str = "softmax", **changed: Any) -> AttentionLanguageModel:
    torch.manual_seed(0)
    values = {"attention": kind, "width": 16, "heads": 2, "layers": 2, "context": CONTEXT}
    return AttentionLanguageModel(V, **(values | changed)).double().eval()


def tokens(length: int, batch: int = 3) -> torch.Tensor:
    return torch.randint(V, (batch, length), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cuts", [[41], [5, 20, 1, 15], [1] * 41, [12, 12, 17], [24, 17]])
def test_a_value_does_not_depend_on_how_the_text_is_cut(kind: str, cuts: list[int]) -> None:
    net, x = model(kind), tokens(41)
    with torch.no_grad():
        expected, _ = net(x)
        parts, state = [], None
        for piece in x.split(cuts, 1):
            logits, state = net(piece, state)
            parts.append(logits)
    torch.testing.assert_close(torch.cat(parts, 1), expected)


@pytest.mark.parametrize("kind", KINDS)
def test_one_token_at_a_time_gives_what_the_whole_gives(kind: str) -> None:
    net, x = model(kind), tokens(30)
    with torch.no_grad():
        expected, _ = net(x)
        step = net.stepper(30)
        found = torch.stack([step(x[:, t]) for t in range(30)], 1)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_sees_its_block_up_to_itself_and_nothing_else(kind: str) -> None:
    net, x = model(kind), tokens(3 * CONTEXT, batch=1)
    hot = F.one_hot(x, V).double().requires_grad_()
    h = hot @ net.embedding.weight
    places = torch.arange(CONTEXT)
    rows = (h + net.positions(places).repeat(3, 1)).view(3, CONTEXT, -1)
    for layer in net.blocks:
        rows = layer(rows)
    at = CONTEXT + 4
    net.norm(rows.view(1, 3 * CONTEXT, -1))[0, at].sum().backward()
    assert hot.grad is not None
    seen = hot.grad[0].abs().sum(-1) > 0
    assert seen.nonzero().flatten().tolist() == list(range(CONTEXT, at + 1))
    torch.testing.assert_close(
        net.features(x)[0], net.dropout_output(net.norm(rows.view(1, 3 * CONTEXT, -1)))
    )


def test_the_loss_is_the_cross_entropy_of_the_logits() -> None:
    net, x, y = model(), tokens(2 * CONTEXT), tokens(2 * CONTEXT, 3).flip(1)
    logits, _ = net(x)
    expected = F.cross_entropy(logits.flatten(0, 1), y.flatten())
    found, _ = net.loss(x, y, None)
    torch.testing.assert_close(found, expected)
    ours = torch.autograd.grad(found, list(net.parameters()))
    theirs = torch.autograd.grad(expected, list(net.parameters()))
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_causal_and_add_up_to_one(kind: str) -> None:
    net, x = model(kind), tokens(9, 1)[0]
    found = net.weights(x)
    assert [tuple(layer.shape) for layer in found] == [(2, 9, 9)] * 2
    for layer in found:
        torch.testing.assert_close(layer.sum(-1), torch.ones(2, 9, dtype=torch.double))
        assert torch.equal(layer, layer.tril())


def test_training_in_windows_that_cut_a_block_is_refused() -> None:
    net, x = model(), tokens(5)
    net.train()
    _, state = net.loss(x, x, None)
    with pytest.raises(WorkingsError, match=r"train.window: must be a multiple of model.context"):
        net.loss(x, x, state)


def test_heads_must_divide_the_width() -> None:
    with pytest.raises(
        WorkingsError, match="width 10 with 3 heads: the heads must divide the width"
    ):
        model(width=10, heads=3)


def test_an_order_too_high_says_how_many_features() -> None:
    with pytest.raises(WorkingsError, match="M = "):
        model("taylor", width=256, heads=1, order=9)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("attention", "taylor"), ("order", 3), ("heads", 4), ("layers", 1), ("feedforward", 2),
        ("context", 6), ("tied", False), ("width", 32),
    ],
)  # fmt: skip
def test_every_field_changes_the_model(field: str, value: Any) -> None:
    kind = "taylor" if field == "order" else "softmax"
    changed = {} if field == "attention" else {field: value}
    with torch.no_grad():
        before = model(kind)(tokens(CONTEXT))[0]
        after = model("taylor" if field == "attention" else kind, **changed)(tokens(CONTEXT))[0]
    assert not torch.equal(before, after)


@pytest.mark.parametrize("field", ["dropout", "dropout_embedding", "dropout_output"])
def test_dropout_is_on_in_training_only(field: str) -> None:
    net, x = model(**{field: 0.5}), tokens(CONTEXT)
    with torch.no_grad():
        assert torch.equal(net(x)[0], net(x)[0])
        net.train()
        assert not torch.equal(net(x)[0], net(x)[0])


def test_a_sampled_softmax_trains_and_is_exact_in_evaluation() -> None:
    net, x = model(softmax_sampled=8, softmax_kept=10), tokens(CONTEXT)
    plain = model()
    torch.testing.assert_close(net.loss(x, x, None)[0], plain.loss(x, x, None)[0])
    net.train()
    assert net.loss(x, x, None)[0] != plain.loss(x, x, None)[0]
