"""The recurrent language model: sizes, tied weights, loss, independence of rows, dropout."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.nn.recurrent import GRU, LSTM, RNN, RecurrentLanguageModel
from workings.tree import map_tensors

CELLS: list[type[nn.Module]] = [RNN, LSTM, GRU]
PLACES = ("input", "between", "output")
V, B, T = 13, 4, 7

every_cell = pytest.mark.parametrize("cell", CELLS)


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def model_of(cell: type[nn.Module], **options: Any) -> nn.Module:
    sizes = {"embed": 6, "hidden": 5, "layers": 2, **options}
    model = RecurrentLanguageModel(V, cell=cell, **sizes).double()
    nn.init.normal_(model.output.bias)
    return model


def tokens(rows: int = B, steps: int = T) -> Tensor:
    return torch.randint(V, (rows, steps))


@every_cell
def test_logits_are_the_output_layer_of_the_features(cell: type[nn.Module]) -> None:
    model = model_of(cell)
    x_BT = tokens()
    h_TBD, _ = model.features(x_BT)
    logits_BTV, _ = model(x_BT)
    expected = h_TBD @ model.output.weight.t() + model.output.bias
    torch.testing.assert_close(logits_BTV, expected.transpose(0, 1))


@every_cell
def test_the_loss_is_the_cross_entropy_of_the_logits(cell: type[nn.Module]) -> None:
    model = model_of(cell)
    x_BT, y_BT = tokens(), tokens()
    _, state = model(tokens())
    loss, after = model.loss(x_BT, y_BT, state)
    logits_BTV, expected_after = model(x_BT, state)
    expected = F.cross_entropy(logits_BTV.flatten(0, 1), y_BT.flatten())
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(after, expected_after)
    weights = list(model.parameters())
    found = torch.autograd.grad(loss, weights, retain_graph=True)
    for one, other in zip(found, torch.autograd.grad(expected, weights), strict=True):
        torch.testing.assert_close(one, other)


@every_cell
def test_a_batch_of_one_is_the_row_of_a_batch(cell: type[nn.Module]) -> None:
    model = model_of(cell, dropout_input=0.5, dropout_between=0.5, dropout_output=0.5).eval()
    x_BT = tokens()
    logits_BTV, _ = model(x_BT)
    for row in range(B):
        torch.testing.assert_close(model(x_BT[row : row + 1])[0][0], logits_BTV[row])


@every_cell
def test_a_token_changes_no_logits_before_it(cell: type[nn.Module]) -> None:
    model = model_of(cell)
    x_BT = tokens()
    changed = x_BT.clone()
    changed[:, 4] = (changed[:, 4] + 1) % V
    before, after = model(x_BT)[0], model(changed)[0]
    torch.testing.assert_close(after[:, :4], before[:, :4], rtol=0, atol=0)
    assert (after[:, 4:] != before[:, 4:]).all()


@every_cell
def test_a_carried_state_makes_two_windows_one(cell: type[nn.Module]) -> None:
    model = model_of(cell)
    x_BT = tokens()
    first, state = model(x_BT[:, :3])
    second, last = model(x_BT[:, 3:], map_tensors(Tensor.detach, state))
    whole, whole_last = model(x_BT)
    torch.testing.assert_close(torch.cat([first, second], 1), whole)
    torch.testing.assert_close(last, whole_last)


@every_cell
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("few", [0, 10_000])
def test_one_token_at_a_time_has_the_logits_of_the_window(
    cell: type[nn.Module], tied: bool, few: int
) -> None:
    model = model_of(cell, tied=tied).eval()
    step = model.stepper(few)
    assert (step.table is None) is (few == 0)
    x_BT = tokens()
    logits_BTV, _ = model(x_BT)
    for t in range(T):
        torch.testing.assert_close(step(x_BT[:, t]), logits_BTV[:, t])


@every_cell
def test_tied_weights_are_one_parameter(cell: type[nn.Module]) -> None:
    tied, untied = (model_of(cell, hidden=6, tied=tied) for tied in (True, False))
    assert tied.output.weight is tied.embedding.weight
    sizes = [sum(p.numel() for p in model.parameters()) for model in (tied, untied)]
    assert sizes[1] - sizes[0] == V * 6


def test_a_step_on_tied_weights_moves_both() -> None:
    model = model_of(RNN, tied=True)
    model.loss(tokens(), tokens(), None)[0].backward()
    torch.optim.SGD(model.parameters(), lr=1.0).step()
    torch.testing.assert_close(model.output.weight, model.embedding.weight, rtol=0, atol=0)


@every_cell
def test_the_last_layer_of_tied_weights_is_as_wide_as_the_embedding(
    cell: type[nn.Module],
) -> None:
    model = model_of(cell, embed=6, hidden=9, layers=2, tied=True)
    h_TBD, _ = model.features(tokens())
    assert h_TBD.shape == (T, B, 6)


def seen(model: nn.Module, x_BT: Tensor) -> dict[str, Tensor]:
    """What the first layer, the second layer and the output layer are given."""
    given: dict[str, Tensor] = {}
    hooks = [
        module.register_forward_pre_hook(
            lambda _, args, place=place: given.__setitem__(place, args[0].detach())
        )
        for place, module in zip(PLACES, [*model.layers, model.output], strict=True)
    ]
    model(x_BT)
    for hook in hooks:
        hook.remove()
    return given


@every_cell
@pytest.mark.parametrize("place", PLACES)
def test_each_dropout_drops_at_its_own_place(cell: type[nn.Module], place: str) -> None:
    model = model_of(cell, hidden=40, embed=40, **{f"dropout_{place}": 0.5})
    dropped = {where: (h == 0).double().mean() for where, h in seen(model, tokens()).items()}
    assert 0.4 < dropped.pop(place) < 0.6
    assert list(dropped.values()) == [0, 0]


@every_cell
def test_nothing_is_dropped_in_evaluation(cell: type[nn.Module]) -> None:
    plain = model_of(cell)
    dropping = model_of(cell, **{f"dropout_{place}": 0.5 for place in PLACES}).eval()
    dropping.load_state_dict(plain.state_dict())
    x_BT = tokens()
    torch.testing.assert_close(dropping(x_BT)[0], plain(x_BT)[0], rtol=0, atol=0)


@pytest.mark.parametrize("place", PLACES)
def test_a_locked_mask_serves_the_whole_window(place: str) -> None:
    options = {"embed": 40, "hidden": 40, f"dropout_{place}": 0.5}
    for locked in (True, False):
        model = model_of(RNN, dropout_locked=locked, **options)
        dropped_TBD = seen(model, tokens())[place] == 0
        assert dropped_TBD.any()
        assert bool((dropped_TBD == dropped_TBD[0]).all()) is locked


def test_a_bound_replaces_glorots_at_both_ends_of_the_model() -> None:
    model = RecurrentLanguageModel(90, 40, 60, cell=RNN, init=0.7)
    for weight in (model.embedding.weight, model.output.weight):
        assert 0.68 < weight.abs().max() <= 0.7


def losses(**options: int) -> tuple[float, float, float]:
    """Of the same weights and batch: in training, in evaluation, and from the whole softmax."""
    torch.manual_seed(1)
    model = model_of(RNN, **options)
    x_BT, y_BT = tokens(2, 2), tokens(2, 2)
    exact = F.cross_entropy(model(x_BT)[0].flatten(0, 1), y_BT.flatten())
    found = [model.train(on).loss(x_BT, y_BT, None)[0].item() for on in (True, False)]
    return found[0], found[1], exact.item()


def test_a_sampled_softmax_is_for_training_only() -> None:
    training, evaluation, exact = losses(softmax_sampled=2, softmax_kept=1)
    assert training != pytest.approx(exact, rel=1e-3)
    assert evaluation == pytest.approx(exact)


@pytest.mark.parametrize("options", [(V, 0), (1, V), (0, 1)])
def test_a_softmax_with_every_type_in_it_is_exact(options: tuple[int, int]) -> None:
    sampled, kept = options
    training, _, exact = losses(softmax_sampled=sampled, softmax_kept=kept)
    assert training == pytest.approx(exact)


def test_a_dropped_type_is_dropped_wherever_it_is_read() -> None:
    model = model_of(RNN, dropout_types=0.5)
    x_BT = torch.arange(V).repeat(2, 3)
    torch.manual_seed(1)
    e_BTd = seen(model, x_BT)[PLACES[0]].transpose(0, 1)
    dropped_BTV = (e_BTd == 0).all(2).view(2, 3, V)
    assert (dropped_BTV == dropped_BTV[0, 0]).all()
    assert 0 < dropped_BTV[0, 0].sum() < V
    kept = ~dropped_BTV.view(2, -1)
    torch.testing.assert_close(e_BTd[kept], 2 * model.embedding(x_BT)[kept])
    torch.testing.assert_close(model.eval()._embedded(x_BT), model.embedding(x_BT))
