"""Two distributions: the library, and the published tables that plug into its command."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoints
from pathlib import Path

import uneven
import uneven.cli.app as app
import uneven_published.command

ROOT = Path(__file__).parents[2]


def read(path):
    return tomllib.loads((ROOT / path).read_text(encoding="utf-8"))


def test_without_the_distribution_the_command_says_what_to_install(uneven, monkeypatch):
    monkeypatch.setattr(app, "entry_points", lambda **words: EntryPoints())
    done = uneven("reproduce", "--list")
    assert done.code == 2
    assert done.complaint == "uneven reproduce needs uneven-published; pip install uneven-published"


def test_the_command_is_offered_as_an_entry_point():
    offered = read("published/pyproject.toml")["project"]["entry-points"]["uneven.commands"]
    assert offered == {"reproduce": uneven_published.command.__name__}


def test_the_library_is_packed_without_published_runs():
    packed = read("pyproject.toml")["tool"]["hatch"]["build"]["targets"]
    assert packed["wheel"]["packages"] == ["src/uneven"]
    assert not [path for path in (ROOT / "src").rglob("*.py") if "uneven_published" in _code(path)]


def _code(path):
    return path.read_text(encoding="utf-8")


def test_both_distributions_have_the_same_version():
    (needed,) = read("published/pyproject.toml")["project"]["dependencies"]
    assert needed == f"uneven[cli,plots]=={uneven.__version__}"
    assert read("published/pyproject.toml")["project"]["version"] == uneven.__version__
