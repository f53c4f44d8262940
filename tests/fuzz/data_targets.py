"""Fuzz targets of data: every format of every task, up to the first batch."""

import gzip
import io
import itertools
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import soundfile
from PIL import Image

from tests.data.readers import pickled
from tests.fuzz import mutate
from tests.fuzz.target import Target
from tests.tasks.speech.speech_sets import RATE, tone
from tests.tasks.summary import sources
from workings.data.readers import tar_archive
from workings.run import config as configs

SEPARATOR = b"\n=====\n"  # between the files of an input that has several
BOOK = "\n".join(f"the {a} fox saw the {b} ." for a in "abcdef" for b in "uvwxyz").encode() + b"\n"

NODES = "abcdefghijkl"
PAIRS = [*itertools.pairwise(NODES), *zip(NODES, NODES[3:], strict=False)]
GRAPHML = (
    """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="class" attr.type="string"/>
<key id="d1" for="node" attr.name="f" attr.type="double"/>
<key id="d2" for="edge" attr.name="weight" attr.type="double"/>
<graph edgedefault="undirected">
"""
    + "".join(
        f'<node id="{n}"><data key="d0">{"xy"[i % 2]}</data><data key="d1">{i}.5</data></node>\n'
        for i, n in enumerate(NODES)
    )
    + "".join(f'<edge source="{a}" target="{b}"><data key="d2">2</data></edge>\n' for a, b in PAIRS)
    + "</graph></graphml>\n"
).encode()
GML = (
    "graph [ directed 0\n"
    + "".join(f'node [ id {i} label "{n}" value {i % 2} f {i}.5 ]\n' for i, n in enumerate(NODES))
    + "".join(
        f"edge [ source {NODES.index(a)} target {NODES.index(b)} weight 2 ]\n" for a, b in PAIRS
    )
    + "]\n"
).encode()
EDGES = "".join(f"{a} {b} 1.5\n" for a, b in PAIRS).encode() + b"# a comment\n7 8 1\n8 9 2\n"
TABLES = SEPARATOR.join(
    [
        b"source,target,weight\na,b,1\nb,c,2\nc,d,0.5\n",
        b"id,label,split,f1,f2\na,x,train,1,2\nb,y,train,0,1\nc,x,valid,1,1\nd,y,test,0,0\n",
    ]
)
PIXELS = b"".join(
    b",".join(b"%d" % ((i * 7 + j) % 256) for j in range(16)) + b",%d\n" % (i % 2)
    for i in range(20)
)


def read_data(task: str, data: dict[str, Any], train: dict[str, Any] | None = None) -> None:
    """What training does before its first step: the data read, described, a batch made."""
    values = {"task": task, "data": data, "train": train or {}}
    loaded = configs.resolve(values).build_task()
    loaded.describe()
    loaded.checksum()
    loaded.sizes()
    for _ in zip(range(2), loaded.batches(0, 0), strict=False):
        pass
    loaded.assets()


def write(folder: Path, name: str, content: bytes) -> str:
    """A file of an input; its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return str(path)


def fuzz_text(content: bytes, folder: Path) -> None:
    """A text is tokenised by words and by characters."""
    path = write(folder, "book.txt", content)
    small = {"batch": 2, "window": 4}
    read_data("language", {"train": path, "level": "char", "vocabulary": 100}, small)
    read_data("language", {"train": path, "min_count": 1, "sentences": True}, small)


def images(name: str) -> Callable[[bytes, Path], None]:
    """Read a file of images under that name."""

    def fuzz_images(content: bytes, folder: Path) -> None:
        read_data("images", {"train": write(folder, name, content)})

    return fuzz_images


def fuzz_idx(content: bytes, folder: Path) -> None:
    """IDX files of images and of labels are read."""
    pixels, _, labels = content.partition(SEPARATOR)
    files = [write(folder, "train-images-idx3-ubyte", pixels)]
    files.append(write(folder, "train-labels-idx1-ubyte", labels))
    read_data("images", {"train": files})


def fuzz_pictures(content: bytes, folder: Path) -> None:
    """A folder of pictures with one picture of a stranger's is read."""
    for name in ("a/1.png", "a/2.png", "a/3.png", "b/2.png", "b/3.png", "b/4.png"):
        write(folder / "pictures", name, PICTURES[0])
    write(folder / "pictures", "b/1.jpg", content)
    read_data("images", {"train": str(folder / "pictures"), "resize": 8})


def graph(name: str) -> Callable[[bytes, Path], None]:
    """Read a graph's file under that name, with and without weights."""

    def fuzz_graph(content: bytes, folder: Path) -> None:
        path = write(folder, name, content)
        read_data("graph", {"path": path, "weighted": True, "predict": "edges"})
        if not name.endswith(".edges"):  # which has no labels
            read_data("graph", {"path": path, "directed": True})

    return fuzz_graph


def fuzz_graph_set(content: bytes, folder: Path) -> None:
    """JSON lines, a graph each, are read."""
    read_data("graph", {"path": write(folder, "set.jsonl", content), "predict": "graphs"})


def fuzz_folds(content: bytes, folder: Path) -> None:
    """A set of graphs with its folds is read: the file of graphs, a test fold, a training fold."""
    graphs, _, folds = content.partition(SEPARATOR)
    test, _, train = folds.partition(SEPARATOR)
    write(folder / "SET", "SET.txt", graphs)
    write(folder / "SET", "10fold_idx/test_idx-1.txt", test)
    write(folder / "SET", "10fold_idx/train_idx-1.txt", train)
    read_data("graph", {"path": str(folder / "SET"), "predict": "graphs"})


def fuzz_tables(content: bytes, folder: Path) -> None:
    """A folder of edges.csv and nodes.csv is read."""
    edges, found, nodes = content.partition(SEPARATOR)
    write(folder / "graph", "edges.csv", edges)
    if found:
        write(folder / "graph", "nodes.csv", nodes)
    read_data("graph", {"path": str(folder / "graph"), "weighted": True})


def fuzz_planetoid(content: bytes, folder: Path) -> None:
    """A folder of Planetoid's files with one of a stranger's is read; the first line names it."""
    part, _, body = content.partition(b"\n")
    for name, whole in PLANETOID.items():
        write(folder / "set", f"ind.toy.{name}", body if name == part.decode("latin-1") else whole)
    read_data("graph", {"path": str(folder / "set")})


def fuzz_sound(content: bytes, folder: Path) -> None:
    """A folder in LJ Speech's format with one sound file of a stranger's is read."""
    for name, text in (("a", "ab"), ("b", "cab"), ("c", "bad"), ("d", "add")):
        write(folder / "speech", f"wavs/{name}.wav", content if name == "b" else sound(text))
    write(folder / "speech", "metadata.csv", b"a|ab\nb|cab\nc|bad\nd|add\n")
    read_data("speech", {"path": str(folder / "speech"), "rate": RATE})


def summaries(name: str) -> Callable[[bytes, Path], None]:
    """Functions or texts with their summaries, in a file of this name."""

    def fuzz_summaries(content: bytes, folder: Path) -> None:
        path = write(folder / "summary", name, content)
        read_data("summary", {"path": path, "min_count": 1, "min_statements": 1})

    return fuzz_summaries


def speech(table: str) -> Callable[[bytes, Path], None]:
    """Read a table of transcripts under that name."""

    def fuzz_speech(content: bytes, folder: Path) -> None:
        for name in "abcd":
            write(folder / "speech", f"wavs/{name}.wav", sound("cab"))
        path = write(folder / "speech", table, content)
        read_data("speech", {"path": path if "clips" in table else str(folder / "speech")})

    return fuzz_speech


def fuzz_tar(content: bytes, folder: Path) -> None:
    """An archive is unpacked into one folder."""
    path = write(folder, "set.tar", content)
    tar_archive.unpack(Path(path), folder / "unpacked")


def sound(text: str, kind: str = "WAV") -> bytes:
    """A short sound file."""
    file = io.BytesIO()
    soundfile.write(file, tone(text), RATE, format=kind)
    return file.getvalue()


def picture(kind: str, mode: str) -> bytes:
    """A small picture file."""
    file = io.BytesIO()
    Image.effect_noise((9, 7), 40).convert(mode).save(file, kind)
    return file.getvalue()


METHODS = (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def npz(arrays: dict[str, np.ndarray], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A NumPy archive, compressed by any method that an archive knows."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, np.asarray(array))
    return file.getvalue()


def tar() -> bytes:
    """An archive of one folder with two files."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name in ("set/a.txt", "set/b.txt"):
            entry = tarfile.TarInfo(name)
            entry.size = 5
            archive.addfile(entry, io.BytesIO(b"12345"))
    return file.getvalue()


IDX_IMAGES = struct.pack(">HBBIII", 0, 8, 3, 20, 4, 4) + bytes(i % 256 for i in range(320))
IDX_LABELS = struct.pack(">HBBI", 0, 8, 1, 20) + bytes(i % 2 for i in range(20))
IDX = [
    IDX_IMAGES + SEPARATOR + IDX_LABELS,
    gzip.compress(IDX_IMAGES, mtime=0) + SEPARATOR + gzip.compress(IDX_LABELS, mtime=0),
]
IMAGE_ARRAYS = {
    "train_images": np.arange(20 * 16, dtype=np.uint8).reshape(20, 4, 4),
    "train_labels": np.arange(20, dtype=np.int64) % 2,
    "test_images": np.arange(4 * 16, dtype=np.uint8).reshape(4, 4, 4),
    "test_labels": np.arange(4, dtype=np.int64)[:, None] % 2,
}
GRAPH_ARRAYS = {
    "edge_index": np.array([[*range(12)] * 2, [*range(1, 12), 0, *range(2, 12), 0, 1]]),
    "edge_weight": np.ones(24),
    "x_indptr": np.arange(13),
    "x_indices": np.arange(12) % 3,
    "x_data": np.ones(12, np.float32),
    "x_shape": np.array([12, 3]),
    "y": np.arange(12) % 2,
    "train_idx": np.arange(8),
    "val_idx": np.array([8, 9]),
    "test_idx": np.array([10, 11]),
}
PICTURES = [
    picture("PNG", "L"),
    picture("JPEG", "RGB"),
    picture("BMP", "RGB"),
    picture("WEBP", "RGB"),
    picture("PNG", "RGBA"),
    picture("PNG", "P"),
]
SOUNDS = [sound("cab"), sound("cab", "FLAC"), sound("cab", "OGG"), sound("cab", "AIFF")]
_EYE = np.eye(2, dtype="<i4")
PLANETOID = {
    "x": pickled.whole(pickled.matrix(np.array([[1.0, 0, 2], [0, 1, 0]]))),
    "allx": pickled.whole(pickled.matrix(np.array([[1.0, 0, 2], [0, 1, 0], [0, 0, 1]]))),
    "tx": pickled.whole(pickled.matrix(np.array([[5.0, 0, 0], [0, 0, 3]]))),
    "y": pickled.whole(pickled.array(_EYE[[0, 1]])),
    "ally": pickled.whole(pickled.array(_EYE[[0, 1, 0]])),
    "ty": pickled.whole(pickled.array(_EYE[[1, 0]])),
    "graph": pickled.whole(pickled.lists({0: [1, 2], 1: [0], 2: [0], 3: [4], 4: [3]})),
    "test.index": b"4\n3\n",
}


def make_npz(arrays: dict[str, np.ndarray]) -> Callable[[Random], bytes]:
    """An archive with arrays of other types, shapes, values and names, or with changed bytes."""

    def make(random: Random) -> bytes:
        changed = dict(arrays)
        for _ in range(random.choice((1, 1, 2))):
            key = random.choice(list(changed))
            array = np.atleast_1d(changed.pop(key))
            if array.dtype.kind == "U":  # a word, by the change before: no other type takes it
                array = np.zeros(2)
            match random.randrange(9):
                case 8:  # words, of any numbers in the place of characters
                    key = random.choice((key, "names", "classes", "text"))
                    numbers = array.ravel().astype("u4") + random.choice((65, 0xD800, 2**31))
                    array = numbers.view("<U1")
                case 0:
                    key = mutate.word(random)
                case 1:
                    array = array.astype(random.choice(("f4", "f8", "i1", "u8", "?", "U3", "c16")))
                case 2:
                    array = array.reshape(random.choice(((-1,), (1, -1), (-1, 1), (-1, 1, 1, 1))))
                case 3:
                    array = array[: random.randrange(3)]
                case 4:
                    array = np.array(random.choice((0, -1, 10**18, 0.5, float("nan"), "a", True)))
                case 5:
                    array = array.astype("f8") * random.choice((-1, 1e18, float("nan"), 0.5))
                case 6:
                    array = array.astype("i8")
                    odd = random.choice((-1, 10**9, 2**62, -(2**63), 300))
                    array = array.ravel()
                    array[random.randrange(array.size + 1) :] = odd
                case _:
                    continue
            changed[key] = array
        content = npz(changed or arrays, random.choice(METHODS))
        return mutate.bytes_(random, [content]) if random.random() < 0.3 else content

    return make


def make_planetoid(random: Random) -> bytes:
    """The name of one of Planetoid's files, and its content changed."""
    words = [b"cos\nsystem\n", b"R", b"(", b"t", b"}", b"]", b"u", b"\x85", b"2", b"0", b"b", b"."]
    name = random.choice(list(PLANETOID))
    return name.encode() + b"\n" + mutate.bytes_(random, [PLANETOID[name]], words)


def changed(*seeds: bytes, words: tuple[bytes, ...] = ()) -> Callable[[Random], bytes]:
    """Make inputs by changing the bytes, or the numbers, of one of these."""

    def make(random: Random) -> bytes:
        if random.random() < 0.3:
            return mutate.numbers(random, random.choice(seeds))
        return mutate.bytes_(random, seeds, words)

    return make


def target(
    name: str,
    use: Callable[[bytes, Path], None],
    *good: bytes,
    words: tuple[bytes, ...] = (),
    make: Callable[[Random], bytes] | None = None,
    share: float = 1.0,
) -> Target:
    """A target whose inputs are the good ones changed, unless `make` makes them."""
    return Target(name, make or changed(*good, words=words), use, good, share)


LINES = (b"\n", b",", b"|", b"\t", b"\n\n", b'"', b"#", b"\r")
MARKUP = (b"<node id='", b"</graph>", b"<key ", b"<!DOCTYPE x [", b"&a;", b"attr.type='int'")
LISTS = (b"[", b"]", b"node [", b"edge [", b"id ", b"label ", b'"', b"&#55296;")
LJ_SPEECH = b"a|ab|ab\nb|cab|cab\nc|bad\nd|add|\n"
CLIPS = b"path,text\nwavs/a.wav,ab\nwavs/b.wav,cab\nwavs/c.wav,bad\nwavs/d.wav,ad\n"
SNIPPETS = b"".join(
    b'{"tokens": ["def", "%s", "x"], "edges": {"k": [[0, 2]]}, "summary": "%s it"}\n' % (n, n)
    for n in (b"get", b"set", b"add", b"cut", b"put")
)
MARKS = (b"{", b"}", b"[", b"]", b",", b"\n", b"-1", b"NaN", b"1e999", b'"split": "test"')
MARKS += (rb"\ud800", b'"nodes": 1000000', b'"nodes": -5')
GRAPH_LINES = b"".join(
    b'{"edges": [[0, 1], [1, 2]], "tags": ["C", "N", "O"], "label": "%d"}\n' % (n % 2)
    for n in range(12)
)
GRAPH_FOLDS = (
    b"12\n"
    + b"".join(b"2 %d\n0 1 1\n1 1 0\n" % (n % 2) for n in range(12))
    + SEPARATOR
    + b"0\n1\n"
    + SEPARATOR
    + b"".join(b"%d\n" % n for n in range(2, 12))
)
TYPED = (
    b"source,target,relation,weight\n"
    + b"".join(b"n%d,n%d,r%d,1\n" % (n, (n + 1) % 12, n % 2) for n in range(12))
    + SEPARATOR
    + b"id,type,text,label\n"
    + b"".join(b"n%d,x,word %d,%d\n" % (n, n // 2, n % 2) for n in range(12))
)
SOURCE = sources.module("page").encode()
HEADLINES = b"one two\nA b. C!\n\nb\nC d.\n\nc\nE f\n"
TARGETS = [
    target("snippets", summaries("set.jsonl"), SNIPPETS, words=MARKS, share=0.5),
    target("python", summaries("code.py"), SOURCE, words=(*LINES, b"(", b"):", b"'"), share=0.5),
    target("headlines", summaries("texts.txt"), HEADLINES, words=LINES, share=0.5),
    target("text", fuzz_text, BOOK, BOOK[:200], "é 𝛼 b <unk> <eos> 1,000\n".encode() * 20),
    target("idx", fuzz_idx, *IDX),
    target("npz-images", images("set.npz"), npz(IMAGE_ARRAYS), make=make_npz(IMAGE_ARRAYS)),
    target("pictures", fuzz_pictures, *PICTURES),
    target("pixel-table", images("set.csv"), PIXELS, gzip.compress(PIXELS, mtime=0), words=LINES),
    target("graphml", graph("g.graphml"), GRAPHML, words=MARKUP),
    target("gml", graph("g.gml"), GML, words=LISTS),
    target("edge-list", graph("g.edges"), EDGES, words=LINES),
    target("graph-tables", fuzz_tables, TABLES, words=(*LINES, SEPARATOR)),
    target("typed-tables", fuzz_tables, TYPED, words=(*LINES, SEPARATOR)),
    target("graph-lines", fuzz_graph_set, GRAPH_LINES, words=MARKS),
    target("graph-folds", fuzz_folds, GRAPH_FOLDS, words=(*LINES, SEPARATOR, b"-1", b"2000000000")),
    target("npz-graph", graph("g.npz"), npz(GRAPH_ARRAYS), make=make_npz(GRAPH_ARRAYS)),
    target("planetoid", fuzz_planetoid, b"\n", make=make_planetoid),
    target("sound", fuzz_sound, *SOUNDS, share=0.5),
    target("lj-speech", speech("metadata.csv"), LJ_SPEECH, words=LINES, share=0.5),
    target("clip-table", speech("clips.csv"), CLIPS, words=LINES, share=0.5),
    target("tar", fuzz_tar, tar(), words=(b"../outside/keep.txt", b"/x", b"2", b"1")),
]
