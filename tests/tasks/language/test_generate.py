"""Generated text: the same as the slow way, repeatable, and ended where it should."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.tasks.language.config import TextConfig
from workings.tasks.language.files import whole
from workings.tasks.language.generate import Sample, TextRequest, sample_texts
from workings.tasks.language.models import GRUConfig, LSTMConfig, RecurrentConfig, RNNConfig
from workings.tasks.language.sampling import Sampling
from workings.tasks.language.vocabulary import EOS, UNK, Vocabulary

KINDS = [RNNConfig, LSTMConfig, GRUConfig]
NEVER, ALWAYS = -1e4, 1e4


@pytest.fixture
def vocabulary(tmp_path: Path) -> Vocabulary:
    return vocabulary_of(tmp_path / "text.txt")


def vocabulary_of(path: Path, **options: Any) -> Vocabulary:
    path.write_text("the cat sat on a mat and the dog ran to them\n")
    config = TextConfig(train=(str(path),), min_count=1, **options)
    return Vocabulary.build([whole(path)], config)


def model_of(
    vocabulary: Vocabulary, kind: type[RecurrentConfig] = RNNConfig, **biases: float
) -> nn.Module:
    """Far from uniform, so that states matter; biases of the tokens named."""
    torch.manual_seed(1)
    model = kind(embed=8, hidden=10, dropout_output=0.5).build(len(vocabulary)).double()
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(3)
        for token, bias in biases.items():
            model.output.bias[vocabulary.ids[f"<{token}>"]] = bias
    return model


def run(model: nn.Module, vocabulary: Vocabulary, **options: Any) -> list[Sample]:
    defaults = {"prompt": None, "samples": 1, "length": 20, "seed": 1, "sampling": Sampling()}
    return sample_texts(model, vocabulary, TextRequest(**{**defaults, **options}))


def names(sample: Sample) -> list[str]:
    return [one["token"] for one in sample.tokens]


@pytest.mark.parametrize("kind", KINDS)
def test_a_carried_state_is_the_whole_prefix_run_again(
    vocabulary: Vocabulary, kind: type[RecurrentConfig]
) -> None:
    model = model_of(vocabulary, kind, eos=NEVER)
    (sample,) = run(model, vocabulary, prompt="the cat", sampling=Sampling(greedy=True))
    prefix = [vocabulary.start, *vocabulary.encode("the cat")]
    for one in sample.tokens:
        logits_V = model(torch.tensor([prefix]))[0][0, -1]
        assert one["token"] == vocabulary.types[logits_V.argmax()]
        assert one["probability"] == pytest.approx(logits_V.softmax(0).max().item())
        prefix.append(vocabulary.ids[one["token"]])
    assert len(sample.tokens) == 20


class Around(nn.Module):
    """A class of the user's: a forward pass and no more."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x_BT: Tensor, state: Any) -> tuple[Tensor, Any]:
        return self.inner(x_BT, state)


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_without_a_stepper_gives_the_same_text(
    vocabulary: Vocabulary, kind: type[RecurrentConfig]
) -> None:
    model = model_of(vocabulary, kind, eos=NEVER)
    options = {"prompt": "the cat", "samples": 3}
    fast, slow = (run(m, vocabulary, **options) for m in (model, Around(model)))
    assert [sample.text for sample in slow] == [sample.text for sample in fast]


def test_probabilities_are_the_models_own_whatever_the_filter(vocabulary: Vocabulary) -> None:
    model = model_of(vocabulary, eos=NEVER)
    sampling = Sampling(temperature=2.0, top_k=3, top_p=0.8)
    (sample,) = run(model, vocabulary, sampling=sampling, unknown=False)
    ids = [vocabulary.ids[name] for name in names(sample)]
    p_TV = model(torch.tensor([[vocabulary.start, *ids[:-1]]]))[0][0].softmax(1)
    expected = [p_TV[t, token].item() for t, token in enumerate(ids)]
    assert [one["probability"] for one in sample.tokens] == pytest.approx(expected)


def test_every_sample_has_its_own_state(vocabulary: Vocabulary) -> None:
    model = model_of(vocabulary, eos=NEVER)
    for sample in run(model, vocabulary, samples=4):
        ids = [vocabulary.ids[name] for name in names(sample)]
        p_TV = model(torch.tensor([[vocabulary.start, *ids[:-1]]]))[0][0].softmax(1)
        expected = [p_TV[t, token].item() for t, token in enumerate(ids)]
        assert [one["probability"] for one in sample.tokens] == pytest.approx(expected)


def test_the_same_seed_gives_the_same_texts_and_another_seed_others(
    vocabulary: Vocabulary,
) -> None:
    model = model_of(vocabulary)
    first, again, other = (run(model, vocabulary, samples=3, seed=s) for s in (1, 1, 2))
    assert first == again != other


def test_the_seed_alone_decides_not_the_random_state_around(vocabulary: Vocabulary) -> None:
    model = model_of(vocabulary)
    first = run(model, vocabulary)
    torch.manual_seed(99)
    before = torch.get_rng_state()
    assert run(model, vocabulary) == first
    assert torch.equal(torch.get_rng_state(), before)


def test_there_are_as_many_samples_as_asked_and_they_differ(vocabulary: Vocabulary) -> None:
    samples = run(model_of(vocabulary, eos=NEVER), vocabulary, samples=5)
    assert len(samples) == len({sample.text for sample in samples}) == 5


def test_a_text_stops_at_eos(vocabulary: Vocabulary) -> None:
    model = model_of(vocabulary, eos=ALWAYS)
    (sample,) = run(model, vocabulary, prompt="the cat")
    assert names(sample) == [EOS]
    assert sample.ended
    assert sample.text == "the cat"


def test_each_sample_stops_at_its_own_eos(vocabulary: Vocabulary) -> None:
    samples = run(model_of(vocabulary, eos=5.0), vocabulary, samples=20, length=12)
    assert len({len(sample.tokens) for sample in samples}) > 2
    for sample in samples:
        assert EOS not in names(sample)[:-1]
        assert sample.ended == (names(sample)[-1] == EOS)
        assert sample.ended or len(sample.tokens) == 12


@pytest.mark.parametrize("length", [1, 7])
def test_a_text_without_eos_has_the_length(vocabulary: Vocabulary, length: int) -> None:
    (sample,) = run(model_of(vocabulary, eos=NEVER), vocabulary, length=length)
    assert len(sample.tokens) == length
    assert not sample.ended


def test_the_text_is_the_prompt_and_what_follows(vocabulary: Vocabulary) -> None:
    (sample,) = run(model_of(vocabulary, eos=NEVER), vocabulary, prompt="The cat", length=3)
    assert sample.prompt == "The cat"
    assert sample.text == " ".join(["the cat", *names(sample)])


def test_characters_have_no_eos_and_run_to_the_length(tmp_path: Path) -> None:
    vocabulary = vocabulary_of(tmp_path / "text.txt", level="char")
    (sample,) = run(model_of(vocabulary), vocabulary, prompt="the", length=30)
    assert not sample.ended
    assert sample.text == "the" + "".join(names(sample))
    assert len(sample.tokens) == 30


def test_words_of_the_prompt_outside_the_vocabulary_are_reported(vocabulary: Vocabulary) -> None:
    (sample,) = run(model_of(vocabulary), vocabulary, prompt="the zebra met a yak")
    assert sample.unknown == ["zebra", "met", "yak"]
    assert sample.text.startswith("the <unk> <unk> a <unk>")


def test_without_a_prompt_nothing_is_unknown(vocabulary: Vocabulary) -> None:
    (sample,) = run(model_of(vocabulary), vocabulary)
    assert (sample.prompt, sample.unknown) == ("", [])


@pytest.mark.parametrize("prompt", ["", "  ", "\n"])
def test_an_empty_prompt_is_refused(vocabulary: Vocabulary, prompt: str) -> None:
    with pytest.raises(WorkingsError, match="--prompt: is empty"):
        run(model_of(vocabulary), vocabulary, prompt=prompt)


@pytest.mark.parametrize("wrong", [{"samples": 0}, {"length": 0}])
def test_nothing_to_generate_is_refused(vocabulary: Vocabulary, wrong: dict[str, int]) -> None:
    with pytest.raises(WorkingsError, match="must be at least 1"):
        run(model_of(vocabulary), vocabulary, **wrong)


@pytest.mark.parametrize("sampling", [Sampling(), Sampling(greedy=True), Sampling(top_k=2)])
def test_unk_is_chosen_only_when_it_is_wanted(vocabulary: Vocabulary, sampling: Sampling) -> None:
    model = model_of(vocabulary, unk=20.0, eos=NEVER)
    (with_unk,) = run(model, vocabulary, sampling=sampling, unknown=True)
    (without,) = run(model, vocabulary, sampling=sampling)
    assert UNK in names(with_unk)
    assert UNK not in names(without)


def test_dropout_is_off(vocabulary: Vocabulary) -> None:
    model = model_of(vocabulary, eos=NEVER).train()
    greedy = Sampling(greedy=True)
    first, second = (run(model, vocabulary, sampling=greedy) for _ in range(2))
    assert first == second
