"""The learner: each optimizer and schedule against its definition."""

import math
from typing import Any

import pytest
import torch
from torch import nn

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
