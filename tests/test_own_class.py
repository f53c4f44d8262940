"""Nothing that a file names is imported or called without trust."""

import sys
from pathlib import Path

import pytest
from torch import nn

import workings
from tests.command import command
from workings.errors import WorkingsError
from workings.own_class import import_class, locate

MODULE = """
from pathlib import Path
import torch
from torch import nn

Path("imported").touch()

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)

def build(width) -> nn.Module:
    return Net(width)

def untold(width):
    Path("called").touch()
    return Net(width)

def lies(width) -> "Path('evaluated').touch()":
    return Net(width)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module of somebody's, as the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "strangers_net", raising=False)
    (tmp_path / "strangers_net.py").write_text(MODULE)
    return tmp_path


def test_locating_a_module_does_not_run_it(here: Path) -> None:
    package = here / "strangers_package"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit")
    (package / "inner.py").write_text("raise SystemExit")
    assert locate("strangers_net:Net") == str(here / "strangers_net.py")
    assert locate("strangers_package.inner:Net") == str(package / "inner.py")
    assert locate("sys:exit") == "built-in"
    assert "not found" in locate("nonesuch.module:Net")
    assert not (here / "imported").exists()


def test_a_class_and_an_annotated_function_are_taken(here: Path) -> None:
    assert isinstance(import_class("strangers_net:Net")(width=3), nn.Module)
    assert isinstance(import_class("strangers_net:build")(width=3), nn.Module)


@pytest.mark.parametrize(
    "name",
    ["strangers_net:untold", "strangers_net:lies", "strangers_net:Path", "sys:exit", "os:abort"],
)
def test_what_does_not_say_that_it_is_a_module_is_never_called(here: Path, name: str) -> None:
    with pytest.raises(WorkingsError, match=r"neither a torch.nn.Module class nor a function"):
        import_class(name)
    assert not (here / "called").exists()


CLAIMS = [
    {"model": "subprocess:getoutput", "args": {"cmd": "'touch called'"}, "count": "1"},
    {"model": "sys:exit", "count": "1"},
    {"model": "posix:abort", "cost": "O(n)"},
    {"model": "strangers_net:Net", "args": {"width": "n"}, "count": "n^2 + n"},
    {"model": "lstm", "count": "= strangers_net:Net"},
    {
        "model": "strangers_net:Net",
        "args": {"width": "n"},
        "claim": r"W \in \mathbb{R}^{n \times n}",
        "parameter": "layer.weight",
    },
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: str(claim["model"]))
def test_a_claim_imports_nothing_without_trust(here: Path, claim: dict[str, object]) -> None:
    with pytest.raises(WorkingsError, match=r"would be imported from .*--trust"):
        workings.check(claims=[claim])
    assert {path.name for path in here.iterdir()} == {"strangers_net.py"}


def test_a_trusted_claim_is_checked(here: Path) -> None:
    (result,) = workings.check(claims=[CLAIMS[3]], trust=True)
    assert result.holds


def test_trust_does_not_call_what_is_no_module(here: Path) -> None:
    with pytest.raises(WorkingsError, match="neither"):
        workings.check(claims=[CLAIMS[0]], trust=True)
    assert not (here / "called").exists()


def test_a_claims_file_on_the_command_line(here: Path) -> None:
    Path("claims.toml").write_text('[[claims]]\nmodel = "sys:exit"\ncount = "1"\n')
    code, _, err = command("check", "claims.toml")
    assert code == 2
    assert err.count("\n") == 1
    assert "--trust" in err


def test_a_config_file_imports_nothing_without_trust(here: Path, book: Path) -> None:
    Path("config.toml").write_text('task = "language"\n[model]\nkind = "strangers_net:Net"\n')
    with pytest.raises(WorkingsError, match=r"config.toml: model.kind: .*net.py.*--trust"):
        workings.train("./config.toml")
    assert not (here / "imported").exists()
    assert not (here / "runs").exists()


@pytest.mark.parametrize("rows", ['base = "./own.toml"', 'set = { "model.kind" = "sys:exit" }'])
def test_a_study_imports_nothing_without_trust(here: Path, rows: str) -> None:
    Path("own.toml").write_text('task = "language"\n[model]\nkind = "sys:exit"\n')
    Path("study.toml").write_text(
        f'title = "t"\nmetric = "test.perplexity"\nbase = "language"\n[[row]]\nname = "a"\n{rows}\n'
    )
    with pytest.raises(WorkingsError, match="--trust"):
        workings.study("./study.toml")
    assert not (here / "studies").exists()


def test_the_current_folder_is_looked_into_last_once_a_class_is_imported(here: Path) -> None:
    sys.path[:] = [entry for entry in sys.path if entry not in ("", str(here))]
    import_class("strangers_net:Net")
    assert sys.path[-1] == str(here)
    assert str(here) not in sys.path[:-1]


def test_an_installed_class_imports_nothing_of_the_current_folder(
    here: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path_factory.mktemp("installed")
    (installed / "published_net.py").write_text(
        "try:\n    import strangers_net as extra\nexcept ImportError:\n    extra = None\n"
        "from torch import nn\n\nclass Net(nn.Module): ...\n"
    )
    sys.path[:] = [entry for entry in sys.path if entry not in ("", str(here))]
    monkeypatch.syspath_prepend(installed)
    assert issubclass(import_class("published_net:Net"), nn.Module)  # type: ignore[arg-type]
    assert not (here / "imported").exists()
    assert str(here) not in sys.path
