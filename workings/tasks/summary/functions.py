"""Python functions as snippets: parsed with `ast` and `tokenize`, never imported or executed."""

import ast
import io
import keyword
import tokenize
import warnings
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from workings.files import read_file
from workings.tasks.summary.snippet import NAME, NUMBER, STRING, Snippet, pairs
from workings.tasks.summary.subwords import first_sentence, same_identifier, subwords, words
from workings.tasks.summary.syntax_edges import Position, TokenTree

Target = Literal["name", "docstring"]
KINDS = ("next token", "child", "last use", "computed from")
LARGEST_SOURCE = 4_000_000  # bytes of a file of source
LONGEST = 5_000  # tokens of a function that are read
DEEPEST = 200  # levels of a syntax tree: what is deeper was not written by hand

_LEFT_OUT = (
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
)
# From Python 3.12 on the parts of an f-string are tokens: they are taken for one, as before.
_OPENS = {getattr(tokenize, name, -1) for name in ("FSTRING_START", "TSTRING_START")} - {-1}
_CLOSES = {getattr(tokenize, name, -1) for name in ("FSTRING_END", "TSTRING_END")} - {-1}

Function = ast.FunctionDef | ast.AsyncFunctionDef


class NotParsed(ValueError):
    """Source that Python's own parser does not take; the message says why."""


@dataclass(frozen=True)
class Token:
    """A token of a file: its kind, text and position."""

    kind: int
    text: str
    start: Position


def of_file(path: Path, target: Target, least: int, project: str, module: str) -> list[Snippet]:
    """The functions of a file; NotParsed where it has none that can be read."""
    try:
        content = read_file(path, LARGEST_SOURCE)
    except OSError as error:
        raise NotParsed(error.strerror or str(error)) from None
    return list(of_source(content, target, least, project, module))


def of_source(
    content: bytes, target: Target | None, least: int, project: str = "", module: str = ""
) -> Iterator[Snippet]:
    """The functions of a source that have `least` statements or more besides the docstring.

    target: what the summary is, the function's name or its docstring's first sentence; a function
    without one is left out. None: no summary is wanted.
    """
    tree, tokens = parsed(content)
    starts = [token.start for token in tokens]
    for label, function in _functions(tree):
        body = function.body[1:] if _has_docstring(function) else function.body
        if sum(isinstance(node, ast.stmt) for each in body for node in ast.walk(each)) < least:
            continue
        summary = _summary(function, target) if target else ()
        if summary or not target:
            nodes, edges, cut = _snippet(function, tokens, starts)
            where = (label, function.lineno, project, module)
            yield Snippet(nodes, edges, summary, *where, cut=cut)


def parsed(content: bytes) -> tuple[ast.Module, list[Token]]:
    """The syntax tree of a source, and its tokens."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        text = io.TextIOWrapper(io.BytesIO(content), encoding).read()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a stranger's string
            tree = ast.parse(text)
        _refuse_deep(tree)
        return tree, _tokens(text)
    except (SyntaxError, ValueError, LookupError, tokenize.TokenError) as error:
        raise NotParsed(str(error).partition("\n")[0] or type(error).__name__) from None
    except (RecursionError, MemoryError):
        raise NotParsed("is nested too deeply") from None


def _refuse_deep(tree: ast.AST) -> None:
    level, depth = [tree], 0
    while level:
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        depth += 1
        if depth > DEEPEST:
            raise ValueError("is nested too deeply")


def _tokens(text: str) -> list[Token]:
    lines = text.split("\n")
    tokens: list[Token] = []
    inside = 0  # f-strings that are open
    for kind, string, (line, column), _, _ in tokenize.generate_tokens(io.StringIO(text).readline):
        inside += kind in _OPENS
        if kind not in _LEFT_OUT and not (inside and tokens and tokens[-1].kind in _OPENS):
            prefix = lines[line - 1][:column]
            bytes_before = column if prefix.isascii() else len(prefix.encode())
            tokens.append(Token(kind, string, (line, bytes_before)))
        inside -= kind in _CLOSES
        if kind in _CLOSES and not inside:
            tokens[-1] = Token(tokenize.STRING, "", tokens[-1].start)
    return tokens


def is_special(label: str) -> bool:
    """Whether a qualified name is that of a special method, such as __init__."""
    name = label.rpartition(".")[2]
    return name.startswith("__") and name.endswith("__") and len(name) > 4


def _functions(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    """Every function of a module with its qualified name, also methods and inner functions."""
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    collected = []
    while waiting:
        prefix, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, Function | ast.ClassDef):
                inner = f"{prefix}{child.name}."
            if isinstance(child, Function):
                collected.append((inner[:-1], child))
            waiting.append((inner, child))
    yield from sorted(collected, key=lambda each: each[1].lineno)


def _has_docstring(function: Function) -> bool:
    first = function.body[0]
    return (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )


def _summary(function: Function, target: Target) -> tuple[str, ...]:
    if target == "name":
        return subwords(function.name)
    return words(first_sentence(ast.get_docstring(function) or ""))


def _snippet(
    function: Function, tokens: Sequence[Token], starts: Sequence[Position]
) -> tuple[tuple[str, ...], dict[str, np.ndarray], int]:
    """Tokens, decorators first and without the docstring, the edges, and how many are cut off."""
    first = bisect_left(starts, (function.lineno, function.col_offset))
    for decorator in function.decorator_list:
        at = bisect_left(starts, (decorator.lineno, decorator.col_offset))
        first = min(first, at - 1)  # the @ before it
    end = bisect_left(starts, (function.end_lineno or 0, function.end_col_offset or 0))
    cut, end = max(0, end - first - LONGEST), min(end, first + LONGEST)
    tree = TokenTree(function, starts, first, LONGEST)
    silent = tree.spans[function.body[0]] if _has_docstring(function) else None
    nodes: list[str] = []
    node_of: dict[int, int] = {}  # the first node of each token
    for number, token in enumerate(tokens[first:end]):
        if silent is None or not silent[0] <= number < silent[1]:
            node_of[number] = len(nodes)
            nodes += _parts(token, function.name)
    collected = {"child": tree.children(), "last use": tree.last_uses()}
    collected["computed from"] = tree.computed_from()
    edges = {"next token": pairs([(n, n + 1) for n in range(len(nodes) - 1)])}
    for kind, those in collected.items():
        known = [(node_of[a], node_of[b]) for a, b in those if a in node_of and b in node_of]
        edges[kind] = pairs(known)
    return tuple(nodes), edges, cut


def _parts(token: Token, name: str) -> tuple[str, ...]:
    """The nodes of a token: an identifier's sub-words; the function's own name is never shown."""
    if token.kind == tokenize.STRING:
        return (STRING,)
    if token.kind == tokenize.NUMBER:
        return (token.text if len(token.text) <= 2 else NUMBER,)
    if token.kind == tokenize.NAME and not keyword.iskeyword(token.text):
        if same_identifier(token.text, name):
            return (NAME,)
        return subwords(token.text) or (token.text,)
    return (token.text.lower(),)
