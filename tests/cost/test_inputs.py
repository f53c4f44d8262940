"""Inputs as modules take them: by name, in lists, with values that decide what is done."""

import torch
from torch import Tensor, nn

from workings.cost.cost import cost


class ByName(nn.Module):
    """A linear layer whose input goes by its name."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d, d, bias=False)

    def forward(self, *, x: Tensor) -> Tensor:
        return self.linear(x)


def test_inputs_may_go_by_name() -> None:
    found = cost(ByName, inputs=lambda n, d: {"x": torch.empty(n, d)})
    assert str(found["forward"]) == "d²·n"
    assert str(found["backward"]) == "2·d²·n"


class Stacked(nn.Module):
    """A product with each of a list's tensors."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(d, 2))

    def forward(self, xs: list[Tensor]) -> Tensor:
        return torch.stack([x @ self.weight for x in xs])


def test_the_backward_pass_goes_on_to_tensors_in_a_list() -> None:
    found = cost(Stacked, inputs=lambda n, d: ([torch.empty(n, d), torch.empty(n, d)],))
    assert str(found["forward"]) == "4·d·n"
    assert str(found["backward"]) == "8·d·n"


class Packed(nn.Module):
    """An LSTM over a packed sequence, whose lengths are values."""

    def __init__(self, h: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, h, batch_first=True)

    def forward(self, x_BTD: Tensor, lengths_B: Tensor) -> Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(x_BTD, lengths_B, batch_first=True)
        output: Tensor = self.lstm(packed)[1][0]
        return output


def test_whole_layers_come_apart_on_real_tensors_too() -> None:
    def inputs(n: int) -> tuple[Tensor, Tensor]:
        return torch.randn(2, n, 3), torch.tensor([n, n])

    found = cost(Packed, inputs=inputs)
    assert found.real
    assert found["forward"]({"n": 7, "h": 5}) == 2 * 7 * 4 * 5 * (3 + 5)


def test_an_input_that_cannot_be_made_without_values_is_made_with_them() -> None:
    found = cost(
        lambda: Sparse(), inputs=lambda n, d: (torch.eye(n).to_sparse(), torch.randn(n, d))
    )
    assert found.real
    assert found["forward"]({"n": 9, "d": 4}) == 9 * 4


class Sparse(nn.Module):
    """A sparse matrix times a dense one."""

    def forward(self, a_NN: Tensor, x_ND: Tensor) -> Tensor:
        return torch.sparse.mm(a_NN, x_ND)
