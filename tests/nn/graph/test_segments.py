"""Softmax and weighted sums over segments of edges against a loop over nodes."""

import pytest
import torch

from tests.nn.graph.graphs import random_edges
from workings.nn.graph.segments import Segments, segment_softmax, weighted_sum
from workings.nn.graph.segments import attend_along_edges as attend

N, H, D = 9, 3, 4


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


@pytest.fixture
def segments() -> Segments:
    """With a node that has no edges at all."""
    return Segments(random_edges(N, directed=True))


def of_node(segments: Segments, node: int) -> torch.Tensor:
    return (segments.target_E == node).nonzero()[:, 0]


def test_softmax_is_that_of_each_segment(segments: Segments) -> None:
    score_EH = torch.randn(len(segments.source_E), H, dtype=torch.double, requires_grad=True)
    found_EH = segment_softmax(score_EH, segments)
    for node in range(N):
        edges = of_node(segments, node)
        torch.testing.assert_close(found_EH[edges], score_EH[edges].softmax(0))
    assert torch.autograd.gradcheck(lambda s: segment_softmax(s, segments), (score_EH,))


def test_softmax_of_large_scores(segments: Segments) -> None:
    score_EH = 1e5 * torch.randn(len(segments.source_E), H, dtype=torch.double)
    assert torch.isfinite(segment_softmax(score_EH, segments)).all()


def test_weighted_sum_is_that_of_each_node(segments: Segments) -> None:
    alpha_EH = torch.rand(len(segments.source_E), H, dtype=torch.double, requires_grad=True)
    h_NHD = torch.randn(N, H, D, dtype=torch.double, requires_grad=True)
    found_NHD = weighted_sum(alpha_EH, h_NHD, segments)
    for node in range(N):
        edges = of_node(segments, node)
        taken = alpha_EH[edges, :, None] * h_NHD[segments.source_E[edges]]
        torch.testing.assert_close(found_NHD[node], taken.sum(0))
    assert found_NHD[-1].abs().sum() == 0
    inputs = (alpha_EH, h_NHD)
    assert torch.autograd.gradcheck(lambda a, h: weighted_sum(a, h, segments), inputs)


def test_highest_is_the_largest_neighbour(segments: Segments) -> None:
    s_NH = torch.randn(N, H, dtype=torch.double) - 5
    found_NH = segments.highest(s_NH)
    for node in range(N):
        edges = of_node(segments, node)
        if len(edges):
            expected = s_NH[segments.source_E[edges]].amax(0)
            torch.testing.assert_close(found_NH[node], expected)


def test_sums_over_edges_by_either_end(segments: Segments) -> None:
    value_EH = torch.randn(len(segments.source_E), H, dtype=torch.double)
    into, outof = segments.into(torch.double), segments.outof(torch.double)
    zeros = torch.zeros(N, H, dtype=torch.double)
    expected = zeros.index_add(0, segments.target_E, value_EH)
    torch.testing.assert_close(into @ value_EH, expected)
    expected = zeros.index_add(0, segments.source_E, value_EH)
    torch.testing.assert_close(outof @ value_EH, expected)


def test_attend_is_softmax_then_sum_and_its_backward_autograds(segments: Segments) -> None:
    h_NHD = torch.randn(N, H, D, dtype=torch.double, requires_grad=True)
    to_NH = torch.randn(N, H, dtype=torch.double, requires_grad=True)
    from_NH = torch.randn(N, H, dtype=torch.double, requires_grad=True)
    score_EH = to_NH[segments.target_E] + from_NH[segments.source_E]
    alpha_EH = segment_softmax(torch.nn.functional.leaky_relu(score_EH, 0.2), segments)
    expected_NHD = weighted_sum(alpha_EH, h_NHD, segments)
    found_NHD = attend(h_NHD, to_NH, from_NH, segments, 0.2, 0.0)
    torch.testing.assert_close(found_NHD, expected_NHD)
    inputs, g_NHD = (h_NHD, to_NH, from_NH), torch.randn(N, H, D, dtype=torch.double)
    for one, other in zip(
        torch.autograd.grad(found_NHD, inputs, g_NHD),
        torch.autograd.grad(expected_NHD, inputs, g_NHD),
        strict=True,
    ):
        torch.testing.assert_close(one, other)


def test_attend_with_dropout_is_differentiated_through_the_same_mask(segments: Segments) -> None:
    h_NHD = torch.randn(N, H, D, dtype=torch.double, requires_grad=True)
    to_NH = torch.randn(N, H, dtype=torch.double, requires_grad=True)
    from_NH = torch.randn(N, H, dtype=torch.double, requires_grad=True)

    def run(h: torch.Tensor, to: torch.Tensor, fro: torch.Tensor) -> torch.Tensor:
        torch.manual_seed(7)
        return attend(h, to, fro, segments, 0.2, 0.5)

    assert torch.autograd.gradcheck(run, (h_NHD, to_NH, from_NH))
    assert not torch.allclose(
        run(h_NHD, to_NH, from_NH), attend(h_NHD, to_NH, from_NH, segments, 0.2, 0.0)
    )
