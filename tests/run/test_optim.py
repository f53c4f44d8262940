"""The learner: each optimizer and schedule against its definition."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from workings.json_files import WrongJson
from workings.run.optim import Learner
from workings.tasks.config import TrainConfig


def learner(steps: int = 100, **train: Any) -> Learner:
    torch.manual_seed(0)
    return Learner(nn.Linear(3, 1, bias=False).double(), TrainConfig(**train), steps)


def gradient_step(one: Learner, step: int, scale: float = 1.0) -> None:
    one.backward(scale * (one.model.weight**2).sum())  # type: ignore[operator]
    one.step(step)


def test_constant() -> None:
    assert {learner(lr=0.3).lr(step) for step in (0, 1, 99)} == {0.3}


def test_warmup_is_linear_and_reaches_lr() -> None:
    one = learner(lr=0.5, warmup=5)
    assert [one.lr(step) for step in range(7)] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.5])


def test_cosine_goes_from_lr_to_its_end() -> None:
    one = learner(steps=110, lr=1.0, lr_end=0.2, warmup=10, schedule="cosine")
    assert one.lr(10) == pytest.approx(1.0)
    assert one.lr(60) == pytest.approx(0.6)
    assert one.lr(110) == pytest.approx(0.2)
    assert all(one.lr(step) > one.lr(step + 1) for step in range(10, 109))


def test_plateau_decays_after_waiting() -> None:
    one = learner(lr=1.0, schedule="plateau", decay=0.5, wait=1)
    rates = []
    for improved in (True, False, False, False, True, False, False):
        one.observe(improved)
        rates.append(one.lr(0))
    assert rates == [1, 1, 0.5, 0.5, 0.5, 0.5, 0.25]


@pytest.mark.parametrize(
    ("train", "reference"),
    [
        ({"optimizer": "sgd", "lr": 0.1}, lambda w: torch.optim.SGD(w, 0.1)),
        (
            {"optimizer": "sgd", "lr": 0.1, "momentum": 0.9, "weight_decay": 0.01},
            lambda w: torch.optim.SGD(w, 0.1, momentum=0.9, weight_decay=0.01),
        ),
        ({"optimizer": "adam", "lr": 0.1}, lambda w: torch.optim.Adam(w, 0.1)),
        (
            {"optimizer": "adamw", "lr": 0.1, "weight_decay": 0.2},
            lambda w: torch.optim.AdamW(w, 0.1, weight_decay=0.2),
        ),
    ],
)
def test_steps_are_the_optimizers_own(train: dict[str, Any], reference: Any) -> None:
    one, other = learner(**train), learner()
    optimizer = reference(other.model.parameters())
    for step in range(5):
        gradient_step(one, step)
        optimizer.zero_grad()
        (other.model.weight**2).sum().backward()  # type: ignore[operator]
        optimizer.step()
    torch.testing.assert_close(one.model.weight, other.model.weight)


def test_clip_limits_the_norm_of_the_step() -> None:
    one = learner(optimizer="sgd", lr=1.0, clip=0.25)
    before = one.model.weight.detach().clone()
    gradient_step(one, 0, scale=1e6)
    assert torch.linalg.norm(one.model.weight - before).item() == pytest.approx(0.25, rel=1e-5)


def test_asgd_evaluates_the_mean_of_the_weights_since_it_began() -> None:
    one = learner(optimizer="asgd", lr=0.1)
    weight = one.model.weight
    gradient_step(one, 0)
    one.observe(True)
    with one.evaluating():
        assert not one.average
    one.observe(False)  # averaging begins with these weights
    seen = [weight.detach().clone()]
    for step in range(1, 5):
        gradient_step(one, step)
        seen.append(weight.detach().clone())
    with one.evaluating():
        torch.testing.assert_close(weight.detach(), torch.stack(seen).mean(0))
        assert not one.model.training
    assert torch.equal(weight, seen[-1])
    assert one.model.training


def test_a_learner_that_loads_goes_on_as_the_one_that_saved() -> None:
    train = {"lr": 0.1, "schedule": "plateau", "wait": 0}
    one, other = learner(**train), learner(**train)
    for step in range(3):
        gradient_step(one, step)
    one.observe(True)
    one.observe(False)
    tensors: dict[str, torch.Tensor] = {}
    state = one.state(tensors)
    with torch.no_grad():
        other.model.weight.copy_(one.model.weight)  # type: ignore[operator]
    other.load(state, tensors)
    for step in range(3, 6):
        gradient_step(one, step)
        gradient_step(other, step)
    assert torch.equal(one.model.weight, other.model.weight)
    assert other.lr(9) == one.lr(9) == pytest.approx(0.05)
    assert math.isclose(other.factor, 0.5)


def saved_by_adam() -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """What a learner of one weight remembers after a step."""
    one, tensors = learner(optimizer="adam"), dict[str, torch.Tensor]()
    gradient_step(one, 0)
    return one.state(tensors), tensors


def group(state: dict[str, Any]) -> dict[str, Any]:
    """The options of the optimizer in a stored state, where they can be changed."""
    return {pair[0]: pair for pair in state["optimizer"]["dict"][1][1]["list"][0]["dict"]}


def kept(state: dict[str, Any]) -> dict[str, Any]:
    """What is kept of the weight."""
    return {pair[0]: pair for pair in state["optimizer"]["dict"][0][1]["dict"][0][1]["dict"]}


# A fused step writes to a moment without a look at its size: beyond a smaller one, into memory
# that is not its own.
MOMENTS: dict[str, Callable[[dict[str, Any]], None]] = {
    "a moment of one number": lambda s: kept(s)["exp_avg"].__setitem__(
        1, {"tensor": "optimizer.state.0.step"}
    ),
    "a moment without a tensor": lambda s: kept(s)["exp_avg"].__setitem__(1, 3),
    "no moment": lambda s: kept(s)["exp_avg"].__setitem__(1, None),
    "a moment in the step's place": lambda s: kept(s)["step"].__setitem__(
        1, {"tensor": "optimizer.state.0.exp_avg"}
    ),
    "one tensor twice": lambda s: kept(s)["exp_avg_sq"].__setitem__(
        1, {"tensor": "optimizer.state.0.exp_avg"}
    ),
    "weights in another order": lambda s: group(s)["params"].__setitem__(1, {"list": [1]}),
    "no weights": lambda s: group(s)["params"].__setitem__(1, {"list": []}),
    "a weight that is true": lambda s: s["optimizer"]["dict"][0][1]["dict"][0].__setitem__(0, True),
}


@pytest.mark.parametrize("harm", MOMENTS)
def test_a_state_that_is_not_of_these_weights_is_refused(harm: str) -> None:
    state, tensors = saved_by_adam()
    MOMENTS[harm](state)
    with pytest.raises(WrongJson, match=r"learner\.optimizer"):
        learner(optimizer="adam").load(state, tensors)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("option", "value"),
    [("amsgrad", True), ("differentiable", True), ("maximize", True), ("weight_decay", 1e300)],
)
def test_how_it_steps_is_the_configs_to_say(option: str, value: object) -> None:
    state, tensors = saved_by_adam()
    group(state)[option][1] = value
    one, other = learner(optimizer="adam"), learner(optimizer="adam")
    one.load(state, tensors)  # type: ignore[arg-type]
    other.load(*saved_by_adam())  # type: ignore[arg-type]
    for each in (one, other):
        gradient_step(each, 1)
    assert torch.equal(one.model.weight, other.model.weight)
