"""Claim sets as files: TOML, the blocks of a Markdown file, and what is wrong with them."""

from pathlib import Path

import pytest

from workings.claims.sets import from_markdown, from_toml, read
from workings.errors import WorkingsError

GOOD = r"""
title = "one"
equations = ['z = x W']
[symbols]
x = "1 x d"
W = "d x n"
[[claims]]
name = "first"
claim = '\frac{\partial z}{\partial x} = W^T'
[[claims]]
claim = 'z = x W'
at = "step t only"
"""


def test_a_file_of_claims(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(GOOD)
    claims = read(path)
    assert claims == from_toml(GOOD)
    assert claims.symbols == {"x": "1 x d", "W": "d x n"}
    assert claims.equations == ("z = x W",)
    assert [claim.name for claim in claims.claims] == ["first", ""]
    assert claims.claims[0].claim == r"\frac{\partial z}{\partial x} = W^T"
    assert claims.claims[1].at == "step t only"


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_the_blocks_of_a_write_up_are_one_set(tmp_path: Path, fence: str) -> None:
    first, _, rest = GOOD.partition("[[claims]]")
    text = (
        f"# A write-up\n{fence}claims\n{first}{fence}\ntext\n```python\nclaim = 1\n```\n"
        f"{fence}claims\n[[claims]]{rest}{fence}\n"
    )
    path = tmp_path / "w.md"
    path.write_text(text)
    assert read(path) == from_toml(GOOD)


def test_a_later_block_adds_and_may_not_say_otherwise() -> None:
    block = "```claims\n[symbols]\nx = \"1 x d\"\n[[claims]]\nclaim = 'x = x'\n```\n"
    same = from_markdown(block + block, "w.md")
    assert len(same.claims) == 2
    with pytest.raises(WorkingsError, match=r"block 2: symbols\.x"):
        from_markdown(block + block.replace("1 x d", "d x 1"), "w.md")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "has no [[claims]]"),
        ("claims = []", "has no [[claims]]"),
        ("this is not TOML", "is not TOML"),
        ("a = ", "is not TOML"),
        ("x = 1\nx = 2", "is not TOML"),
        ("\x00", "is not TOML"),
        ("[" * 100_000, "is not TOML"),
        ("a = " + "[" * 50_000, "is nested too deeply"),
        ("[[claims]]\n", "claim 1: one of claim, count"),
        ("[[claims]]\nname = 'q'\n", "claim q: one of"),
        ("[[claims]]\nclaim = ''\n", "one of"),
        ("[[claims]]\nclaim = '1=1'\ncount = '3'\n", "claim and count"),
        ("[[claims]]\nclaim = 7\n", "claim"),
        ("[[claims]]\nclam = 'x'\n", "claim 1: clam: unknown key (did you mean claim?)"),
        ("symbls = {}\n[[claims]]\nclaim='1=1'\n", "symbls: unknown key (did you mean symbols?)"),
        ("steps = -1\n[[claims]]\nclaim='1=1'\n", "steps"),
        ("steps = 100\n[[claims]]\nclaim='1=1'\n", "steps"),
        ("steps = 1.5\n[[claims]]\nclaim='1=1'\n", "steps"),
        ("[[claims]]\nclaim='1=1'\nat='sometimes'\n", "at"),
        ("[[claims]]\nclaim='1=1'\npartials='some'\n", "partials"),
        ("[[claims]]\nclaim='1=1'\nlayout='mixed'\n", "layout"),
        ("[symbols]\nx = 3\n[[claims]]\nclaim='1=1'\n", "symbols.x"),
        ("[symbols]\nx.y = '1 x d'\n[[claims]]\nclaim='1=1'\n", "symbols.x"),
        ("equations = 'z = x'\n[[claims]]\nclaim='1=1'\n", "equations"),
        ("equations = [1]\n[[claims]]\nclaim='1=1'\n", "equations"),
        ("claims = 3\n", "claims"),
        ("claims = ['a = b']\n", "claims"),
    ],
)
def test_what_is_wrong_is_one_line(text: str, expected: str) -> None:
    with pytest.raises(WorkingsError) as caught:
        from_toml(text, "c.toml")
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_markdown_without_blocks() -> None:
    for text in ("# nothing", "```toml\n[[claims]]\n```", "", "``` claimss"):
        with pytest.raises(WorkingsError, match="```claims block"):
            from_markdown(text, "w.md")
    with pytest.raises(WorkingsError, match="block 2"):
        from_markdown("```claims\n```\n```claims\nx = \n```\n", "w.md")


def test_two_claims_of_one_name_are_refused() -> None:
    twice = "[[claims]]\nname='q'\nclaim='1=1'\n" * 2
    with pytest.raises(WorkingsError, match="q"):
        from_toml(twice)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(WorkingsError, match="no such file"):
        read(tmp_path / "none.toml")
    with pytest.raises(WorkingsError):
        read(tmp_path)
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(WorkingsError, match="UTF-8"):
        read(tmp_path / "b.toml")
    (tmp_path / "big.toml").write_text("#" * 2_000_001)
    with pytest.raises(WorkingsError, match="2,000,000"):
        read(tmp_path / "big.toml")
    (tmp_path / "c.toml").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert read(tmp_path / "c.toml") == from_toml(GOOD)
