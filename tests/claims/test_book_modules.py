"""Every architecture computes the formula that the book states of it, and no other."""

import importlib
import inspect
import pkgutil

import pytest
from torch import nn

import workings.nn
from workings.claims import book
from workings.claims.book.layers import MODULES
from workings.claims.check import check_set
from workings.claims.kinds.number_claims import Models
from workings.claims.sets import Claim, ClaimSet
from workings.claims.verdict import Verdict
from workings.nn.dropout import Dropout

CHAPTERS = [name for name in book.CHAPTERS if name.startswith("modules")]
CLAIMS = {
    claim.name: (book.chapter(name), claim)
    for name in CHAPTERS
    for claim in book.chapter(name).claims
}
# What has no formula of its own, and why.
WITHOUT = {
    "SpeechModel": "the decoder of what the encoder gives, each of which has one",
    "GraphModel": "abstract",
    "LanguageModel": "abstract",
    "MultiHead": "abstract",
    "ResidualBlock": "its kernels and batch norms are held against PyTorch's in its tests",
    "ResNet": "a chain of residual blocks",
    "GraphReadout": "it pools by the numbers of the graphs; held against loops in its tests",
    "RecurrentChain": "recurrent cells along edges; held against PyTorch's in its tests",
    "RGCN": "a chain of relational convolutions",
    "NodeEmbedding": "a table",
    "RelationScores": "it takes edges by the numbers of their nodes; held by hand in its tests",
    "TextEncoder": "an LSTM over words by their numbers",
    "TextGraph": "a graph network of what the encoder gives",
    "BothWays": "two LSTMs, of which one has its formula, held against PyTorch's in its tests",
    "GatedSteps": "its edges are no tensor of a formula; held against loops in its tests",
    "SummaryEncoder": "the two before",
    "SummaryDecoder": "it copies words by their numbers; held by hand in its tests",
    "SummaryModel": "the decoder of what the encoder gives",
}


def verdict(part: ClaimSet, claim: Claim) -> Verdict:
    (result,) = check_set(part.model_copy(update={"claims": (claim,)}))
    return result.verdict


@pytest.mark.parametrize("name", CLAIMS)
def test_the_module_computes_its_formula(name: str) -> None:
    part, claim = CLAIMS[name]
    assert verdict(part, claim) is Verdict.HOLDS
    assert claim.ours


def architectures() -> dict[str, type[nn.Module]]:
    """Every module class that is defined in `workings.nn`, but for what is copied to exports."""
    classes = {}
    for info in pkgutil.walk_packages(workings.nn.__path__, "workings.nn."):
        if info.name.startswith("workings.nn.standalone"):
            continue
        for name, value in vars(importlib.import_module(info.name)).items():
            if inspect.isclass(value) and issubclass(value, nn.Module) and name[0] != "_":
                classes |= {name: value} if value.__module__ == info.name else {}
    return classes


def test_every_architecture_is_in_the_book_and_has_its_equation_in_its_docstring() -> None:
    proven: set[type] = set()
    for part, claim in CLAIMS.values():
        _, module = next(Models().live(claim, part)._built(0))
        proven |= {type(each) for each in module.modules()}
    classes = architectures()
    assert {name for name, each in classes.items() if each not in proven} == set(WITHOUT)
    for each in (set(classes.values()) & proven) - {Dropout}:  # which does nothing there
        assert each.__doc__ is not None
        assert "=" in each.__doc__, each.__name__


SLIPS = [
    ("attention-computes", r"\sqrt{d}", r"\sqrt{n}"),
    ("attention-heads-compute", "K_2", "K_1"),
    ("cross-attention-computes", " + b_V", ""),
    ("taylor-attention-computes", r"\frac{1}{2} S", "S"),
    ("taylor-features-compute", "W_K, 2)", "W_K, 1)"),
    ("mlp-computes", r"\mathrm{ReLU}", r"\tanh"),
    ("gcn-row-computes", r"\mathrm{diag}(A \mathbf{1}_n)^{-1} A", "A"),
    ("gcn-symmetric-computes", "A + I_n", "A"),
    ("gat-computes", r"(A + I_n)", "A"),
    ("gat-2-computes", r"(X W_1)^T", r"(X V_1)^T"),
    ("ggnn-computes", r"(1 - u_2)", "u_2"),
    ("convolution-computes", "K_{1,3}", "K_{3,1}"),
    ("convolution-pool-computes", "q - p", "p - q"),
    ("dense-layers-compute", " + c_2", ""),
    ("rnn-tanh-computes", r"\tanh", r"\sigma"),
    ("lstm-computes", "V_f", "V_i"),
    (
        "gru-computes",
        r"r^{(t)} \odot (h^{(t-1)} V_n + c_n)",
        r"(r^{(t)} \odot h^{(t-1)}) V_n + c_n",
    ),
    ("rnn-lm-computes", " + b_2", ""),
    ("recurrent-decoder-computes", r"h^{(t)} + a^{(t)}", "a^{(t)}"),
    ("attention-causal-computes", r" \odot \Lambda", ""),
    ("attention-lm-computes", "L^T", r"(L + x^T P)^T"),
    ("attention-decoder-computes", r"\sin(\tau \omega)", r"\cos(\tau \omega)"),
    ("speech-encoder-computes", "K_3", "K_1"),
]


@pytest.mark.parametrize(("name", "right", "wrong"), SLIPS)
def test_a_formula_with_a_slip_does_not_hold(name: str, right: str, wrong: str) -> None:
    part, claim = CLAIMS[name]
    where = tuple(text.replace(right, wrong) for text in claim.where)
    changed = {"computes": claim.computes.replace(right, wrong), "where": where}
    slipped = claim.model_copy(update=changed)
    assert slipped != claim
    assert verdict(part, slipped) not in (Verdict.HOLDS, Verdict.NOT_READ)


def test_the_modules_of_the_book_are_all_used() -> None:
    chapters = [book.chapter(name) for name in book.CHAPTERS]
    used = {claim.model for part in chapters for claim in part.claims}
    assert set(MODULES) <= used
