"""The Cost page's formulas: their terms give what the module counts; own classes are guarded."""

import math
from fractions import Fraction
from pathlib import Path

import pytest

from tests.page.conftest import Server
from workings.errors import WorkingsError
from workings.page import costing

ATTENTION = {"model": "attention", "symbols": "", "args": "", "inputs": ""}


def test_the_terms_of_a_formula_give_what_is_counted() -> None:
    (found,) = costing.formulas(ATTENTION, False)
    sizes = {"n": 16, "d": 32, "h": 4}
    (counts,) = costing.counted(ATTENTION, False, sizes)
    for quantity, each in found["quantities"].items():
        (piece,) = each["pieces"]
        value = sum(
            Fraction(term["over"], term["under"])
            * math.prod(Fraction(sizes[s]) ** power for s, power in term["powers"].items())
            for term in piece["terms"]
        )
        assert value == counts[quantity], quantity
    assert found["quantities"]["forward"]["pieces"][0]["text"] == "2·n²·d + 4·n·d²"
    assert found["quantities"]["forward"]["pieces"][0]["math"].startswith("<math")
    assert found["multiples"] == [["d", "h"]]


def test_an_own_class_is_counted_only_where_it_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = {"model": "torch.nn:Linear", "symbols": "a,b", "inputs": "a"}
    own["args"] = "in_features=a,out_features=b"
    with pytest.raises(WorkingsError, match="--trust"):
        list(costing.formulas(own, False))
    (found,) = costing.formulas(own, True)
    assert found["quantities"]["params"]["pieces"][0]["text"] == "a·b + b"


def test_sizes_are_bounded_and_fit(server: Server) -> None:
    for sizes in ({"n": 0}, {"n": 10**8}, {"n": True}, {"n": "8"}, [], {"n": 8, "d": 6, "h": 4}):
        answer = server.post("/api/cost/counted", {"model": "attention", "sizes": sizes})
        assert answer.status == 400
        assert "\n" not in answer.json["error"]
    assert "no architecture" in server.post("/api/cost", {"model": "x"}).json["error"]
    assert "--trust" in server.post("/api/cost", {"model": "os:system"}).json["error"]
