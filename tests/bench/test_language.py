"""The benchmark compares the same mathematics on both sides, and its turns are turns."""

import dataclasses

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.bench import language, rows
from workings.bench.language import SIZES, Sizes
from workings.bench.ordinary_language import train_step
from workings.bench.sides import Side, Turn, median, race, ratio
from workings.run.optim import Learner
from workings.tasks.config import TrainConfig
from workings.tasks.language import stream
from workings.tasks.task import Carry
from workings.tree import map_tensors

SMALL = [dataclasses.replace(sizes, batch=3, window=4, embed=5, hidden=6) for sizes in SIZES]


@pytest.mark.parametrize("sizes", SMALL, ids=lambda sizes: sizes.name)
def test_both_sides_compute_the_same(sizes: Sizes) -> None:
    assert rows.tolerable({sizes.name: language.difference(sizes)})


def test_a_wrong_side_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from workings.nn import language as models

    real = models.linear_cross_entropy
    monkeypatch.setattr(models, "linear_cross_entropy", lambda *args: 1.001 * real(*args))
    assert not rows.tolerable({"x": language.difference(SMALL[0])})


def test_operations_are_those_of_the_products() -> None:
    sizes = SMALL[0]
    inner = sizes.embed * sizes.hidden + sizes.hidden**2 + sizes.hidden * language.V
    assert sizes.operations() == 2 * 3 * sizes.batch * sizes.window * inner


@pytest.mark.parametrize("sizes", SMALL, ids=lambda sizes: sizes.name)
def test_both_evaluations_give_the_same_loss(sizes: Sizes) -> None:
    torch.manual_seed(0)
    ours = sizes.ours(0.0).eval()
    theirs = sizes.ordinary(0.0).eval()
    theirs.copy(ours)
    ids = torch.arange(50)[None] % 7
    with torch.no_grad():
        expected = F.cross_entropy(theirs(ids[:, :-1])[0][0], ids[0, 1:])
        measured, _ = ours.loss(ids[:, :-1], ids[:, 1:], None)
    torch.testing.assert_close(measured, expected)


def test_an_evaluation_is_computed_at_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a run keeps of its last evaluation would be measured as if it were one."""
    tokens: list[int] = []
    real = stream.token_losses

    def count(model: nn.Module, x_BT: Tensor, y_BT: Tensor, carry: Carry) -> tuple[Tensor, Carry]:
        tokens.append(x_BT.numel())
        return real(model, x_BT, y_BT, carry)

    monkeypatch.setattr(stream, "token_losses", count)
    work = language.our_evaluation(SMALL[0], 50)
    work()
    work()
    assert sum(tokens) == 100


def _sleepless(amount: int):
    return lambda: sum(range(amount))


def test_a_race_gives_every_side_its_turns() -> None:
    sides = {"short": Side(_sleepless, (10,), True), "long": Side(_sleepless, (1_000_000,), False)}
    turns = race(sides, threads=1, rounds=3, seconds=0)
    assert [len(some) for some in turns.values()] == [3, 3]
    assert ratio(turns["long"], turns["short"]) > 10
    assert all(turn.peak > 1e6 for turn in turns["long"])


def test_ratio_is_the_median_of_ratios() -> None:
    slow = [Turn(4.0, 0), Turn(9.0, 0), Turn(100.0, 0)]
    fast = [Turn(2.0, 0), Turn(3.0, 0), Turn(1.0, 0)]
    assert ratio(slow, fast) == 3.0
    assert median(slow) == 9.0


def test_300_steps_end_where_the_ordinary_loop_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fast path is the same mathematics: in float64 the two trainings do not drift apart."""
    monkeypatch.setattr(language, "V", 40)
    for sizes in SMALL:
        torch.manual_seed(0)
        ours, theirs = sizes.ours(0.0).double().train(), sizes.ordinary(0.0).double().train()
        theirs.copy(ours)
        learner = Learner(ours, TrainConfig(lr=0.01), steps=300)
        batches = sizes.batches()
        their_step = train_step(theirs, torch.optim.Adam(theirs.parameters(), 0.01), batches)
        state = None
        for number in range(300):
            loss, state = ours.loss(batches[number % 7], batches[number % 7 + 1], state)
            learner.backward(loss)
            learner.step(number)
            state = map_tensors(torch.Tensor.detach, state)
            expected = their_step()
        assert loss.item() == pytest.approx(expected, rel=1e-8)
        after = sizes.ordinary(0.0).double()
        after.copy(ours)
        for name, weight in theirs.named_parameters():
            torch.testing.assert_close(after.get_parameter(name), weight, rtol=1e-6, atol=1e-8)


def test_a_step_of_full_size_is_as_exact_as_float32_can_be() -> None:
    """Row 12's sizes: loss and gradients in float32 against float64."""
    (sizes,) = (one for one in SIZES if one.name == "row-12")
    torch.manual_seed(0)
    single = sizes.ours(0.0)
    double = sizes.ours(0.0).double()
    double.load_state_dict(single.state_dict())
    x, y = sizes.batches()[:2]
    losses = []
    for model in (single, double):
        loss, _ = model.loss(x, y, None)
        loss.backward()
        losses.append(loss.item())
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)
    for (name, one), (_, two) in zip(
        single.named_parameters(), double.named_parameters(), strict=True
    ):
        error = (one.grad.double() - two.grad).abs().max() / two.grad.abs().max()
        assert error < 1e-4, name
