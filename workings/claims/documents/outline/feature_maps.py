r"""Feature maps and kernels that a document leaves open: \phi(x_n) is the n-th feature vector.

Of a \phi that is only ever taken of data points, and whose formula nobody needs, the values are
all that counts: \phi(x_n) is written \phi_n, the n-th row of the matrix \Phi, and k(x_i, x_j) is
written k_{ij}.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from workings.claims.documents.files.sources import Text
from workings.claims.documents.outline.plain_signs import replaced

_FONT = r"(?:\\(?:mathbf|boldsymbol|bm|vec|mathrm)\s*\{?\s*)?"
_OPEN, _CLOSE = r"\s*(?:\\left|\\bigl?|\\!)?\s*\(\s*", r"\s*(?:\\right|\\bigr?)?\s*\)"


def _index(group: str) -> str:
    """A subscript, or none."""
    return (
        rf"(?:_\s*(?:\{{\s*(?P<{group}>[a-zA-Z0-9*+-]+)\s*\}}|(?P<{group}_letter>[a-zA-Z0-9*])))?"
    )


def _point(group: str) -> str:
    """A data point: a letter in any font, with an index or without."""
    return rf"{_FONT}(?P<{group}_base>[a-z])\s*\}}?\s*{_index(group)}\s*\}}?"


_MAP = re.compile(
    rf"(?P<name>\\phi|\\varphi|\\psi)(?![A-Za-z])\s*{_index('part')}{_OPEN}{_point('of')}{_CLOSE}"
)
_KERNEL = re.compile(
    rf"(?<![A-Za-z\\])(?P<name>k|K|\\kappa){_OPEN}{_point('of')}\s*,\s*{_point('by')}{_CLOSE}"
)
_MAPS = (r"\phi", r"\varphi", r"\psi")
_KERNELS = ("k", "K", r"\kappa")
_DOTS = re.compile(r"\\[lcvd]?dots|\.\.\.")


def _calls(name: str) -> "re.Pattern[str]":
    """Every place in which a name has arguments, or a prime."""
    index = r"(?:_\s*(?:\{[^{}]*\}|\w))?"
    before = "" if name.startswith("\\") else r"(?<![A-Za-z\\])"
    return re.compile(
        rf"{before}{re.escape(name)}(?![A-Za-z])\s*{index}\s*(?:'|\^\s*\\prime|{_OPEN})"
    )


@dataclass(frozen=True)
class FeatureMaps:
    """The maps and kernels of a document of which only the values at its data points count."""

    maps: frozenset[str] = frozenset()
    kernels: frozenset[str] = frozenset()


def feature_maps(texts: Iterable[str]) -> FeatureMaps:
    """Those whose every call is of data points by which nothing is differentiated."""
    whole = list(texts)
    joined = "\n".join(whole)
    maps = {name for name in _MAPS if _is_open(name, _MAP, joined) and not _is_said(name, whole)}
    kernels = {name for name in _KERNELS if _is_open(name, _KERNEL, joined)}
    return FeatureMaps(frozenset(maps), frozenset(kernels))


def with_feature_names(text: Text, found: FeatureMaps) -> Text:
    r"""A formula in which \phi(x_n) is \phi_n, \phi_j(x_n) is \phi_{n,j}, k(x_i, x_j) is k_{ij}."""

    def feature(match: "re.Match[str]") -> str | None:
        if match["name"] not in found.maps:
            return None
        subs = [sub for sub in (_sub(match, "of"), _sub(match, "part")) if sub]
        return f"{match['name']}_{{{','.join(subs)}}}" if subs else f"{match['name']} "

    def entry(match: "re.Match[str]") -> str | None:
        first, second = _sub(match, "of"), _sub(match, "by")
        return f"{match['name']}_{{{first},{second}}}" if match["name"] in found.kernels else None

    text = replaced(text, _MAP, feature) if found.maps else text
    return replaced(text, _KERNEL, entry) if found.kernels else text


def _sub(match: "re.Match[str]", group: str) -> str:
    return match[group] or match[f"{group}_letter"] or ""


def _is_open(name: str, pattern: "re.Pattern[str]", texts: str) -> bool:
    """Whether every call of a name is of points, and no derivative is taken by these."""
    calls = [match for match in pattern.finditer(texts) if match["name"] == name]
    if not calls or len(_calls(name).findall(texts)) != len(calls):
        return False
    if len({bool(_sub(match, "of")) for match in calls}) > 1:
        return False  # \phi(x) beside \phi(x_n): \phi_n would be an entry of \phi
    points = {match["of_base"] for match in calls}
    if pattern is _KERNEL:
        points |= {match["by_base"] for match in calls}
        if not all(_sub(match, "of") and _sub(match, "by") for match in calls):
            return False
    by = rf"(?:\\partial|\\nabla\s*_\s*\{{?|d)\s*{_FONT}(?:{'|'.join(sorted(points))})(?![A-Za-z])"
    return len(points) == 1 and not re.search(by, texts)


def _is_said(name: str, texts: Iterable[str]) -> bool:
    r"""Whether a formula without dots says what the map is: \phi(x) = (1, x, x^2)."""
    for text in texts:
        left, equals, right = text.partition("=")
        match = _MAP.fullmatch(left.strip(" \t\r\n&"))
        if match and equals and match["name"] == name and not _DOTS.search(right):
            return True
    return False
