"""Functions as tokens and edges: what is masked, what each kind of edge joins, what is refused."""

from pathlib import Path

import pytest

from workings.tasks.summary import packages
from workings.tasks.summary.functions import KINDS, NotParsed, is_special, of_source
from workings.tasks.summary.snippet import Snippet
from workings.tasks.summary.subwords import first_sentence, subwords, words


def only(source: str, target: str = "name", least: int = 1) -> Snippet:
    (snippet,) = of_source(source.encode(), target, least)  # type: ignore[arg-type]
    return snippet


def named(snippet: Snippet, kind: str) -> list[tuple[str, str]]:
    return [(snippet.tokens[a], snippet.tokens[b]) for a, b in snippet.edges[kind].tolist()]


def test_names_fall_into_subwords() -> None:
    assert subwords("parseHTMLPage_2") == ("parse", "html", "page", "2")
    assert subwords("__init__") == ("init",)
    assert subwords("_") == ()
    assert words("The first, URL-safe `one_two`.") == ("the", "first", "url", "safe", "one", "two")
    assert first_sentence("Read it. Then go.\n\nMore") == "Read it."
    assert first_sentence("No stop\n\nMore.") == "No stop"


def test_tokens_are_subwords_and_the_own_name_is_never_among_them() -> None:
    snippet = only(
        "@cache\ndef readFile(path, n=100):\n    'Doc of readFile.'\n    # readFile\n"
        "    return super().readFile(path[1], 'readFile', f'{readFile}')\n"
    )
    assert " ".join(snippet.tokens) == (
        "@ cache def <name> ( path , n = <number> ) : return super ( ) . <name> ( path [ 1 ] , "
        "<string> , <string> )"
    )
    assert snippet.summary == ("read", "file")
    assert (snippet.label, snippet.line) == ("readFile", 2)


def test_edges_of_the_syntax_tree_join_the_tokens_that_stand_for_its_nodes() -> None:
    snippet = only("def f(a, b):\n    c = a + b.x\n    return g(c)\n")
    assert named(snippet, "child") == [
        *(("def", "a"), ("def", "b"), ("def", "="), ("def", "return")),
        *(("=", "c"), ("=", "+"), ("+", "a"), ("+", "x"), ("x", "b")),
        *(("return", "("), ("(", "g"), ("(", "c")),
    ]
    assert named(snippet, "next token")[:3] == [("def", "<name>"), ("<name>", "("), ("(", "a")]


def test_edges_of_the_data_flow() -> None:
    snippet = only(
        "def f(a, s):\n    b = a * s.x\n    for i in b:\n        s.x += i\n    return a\n"
    )
    assert set(named(snippet, "computed from")) == {
        *(("b", "a"), ("b", "s"), ("b", "x")),
        *(("i", "b"), ("x", "i"), ("s", "i")),
    }
    tokens, last = snippet.tokens, dict(snippet.edges["last use"].tolist())
    places = [n for n, token in enumerate(tokens) if token == "a"]
    assert last[places[1]] == places[0]
    assert last[places[2]] == places[1]
    assert tuple(snippet.edges) == KINDS


def test_characters_outside_ascii_move_no_edge() -> None:
    plain, odd = only("def f(a):\n    b = 'x'; c = a\n"), only("def f(a):\n    b = 'é𝛼'; c = a\n")
    assert plain == odd.__class__(**{**vars(odd), "edges": plain.edges})
    for kind in KINDS:
        assert plain.edges[kind].tolist() == odd.edges[kind].tolist()


def test_what_is_a_function_and_what_is_too_short() -> None:
    source = (
        "class A:\n    def __init__(self):\n        self.a = 1\n        self.b = 2\n"
        "    async def go(self):\n        def inner():\n            x = 1\n            return x\n"
        "        return inner\n    def short(self): return 1\n"
    )
    snippets = list(of_source(source.encode(), "name", 2))
    assert [each.label for each in snippets] == ["A.__init__", "A.go", "A.go.inner"]
    assert [is_special(each.label) for each in snippets] == [True, False, False]
    with_docs = "def f():\n    'Say hello. Or not.'\n    return 1\ndef g(): return 2\n"
    (documented,) = of_source(with_docs.encode(), "docstring", 1)
    assert documented.summary == ("say", "hello")
    assert "hello" not in documented.tokens


@pytest.mark.parametrize(
    "content",
    [
        b"def f(:\n",
        b"def f():\n    x = (\n",
        b"\xff\xfe\x00",
        b"# coding: nonsense\n",
        b"x = 'a\x00b'\n",
        b"def f():\n" + b"    x = " + b"(" * 5000 + b")" * 5000,
        b"x = " + b"-" * 100_000 + b"1\n",
        b"def f():\n  x\n y\n",
    ],
)
def test_what_does_not_parse_is_said_in_one_line(content: bytes) -> None:
    with pytest.raises(NotParsed, match=r"^.+$"):
        list(of_source(content, "name", 1))


def test_nothing_of_a_source_is_executed(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    source = f"open({str(mark)!r}, 'w')\ndef f(x=open({str(mark)!r}, 'w')):\n    return x\n"
    assert only(source).summary == ("f",)
    assert not mark.exists()


def test_the_standard_library_is_found_without_its_tests() -> None:
    found = packages.standard_library()
    projects = {project for project, _, _ in found}
    assert {"json", "argparse", "asyncio"} <= projects
    assert not {"test", "site-packages"} & projects
    assert ("json", "json.decoder") in {(project, module) for project, module, _ in found}
    assert all("tests" not in path.parts for _, _, path in found)
