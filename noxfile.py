"""Tests with the lowest declared and with the newest versions of everything: ``nox``.

``nox -s lowest`` installs exactly the versions that pyproject.toml declares as the oldest ones, so
that a bound that is too low fails. ``nox -s newest`` takes what the index has, pre-releases too
with ``nox -s newest -- --pre``. Both load every kept model file, with whatever scikit-learn
they have, and run the command line.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import nox

nox.options.sessions = ["lowest", "newest"]
nox.options.reuse_existing_virtualenvs = True

TESTED = [
    "tests/persistence/test_corpus.py",
    "tests/persistence/test_onnx.py",
    "tests/cli/test_models.py",
    "tests/cli/test_program.py",
    "tests/cli/test_stream.py",
    "tests/comparison/test_readings.py",
    "tests/comparison/test_tables.py",
    "tests/comparison/test_messy_tables.py",
    "tests/boosting/test_classifiers.py",
]
"""What tells most about versions in little time."""

EXTRAS = "cli,excel,onnx,plots"
TOOLS = ["pytest", "pytest-xdist", "hypothesis"]


def declared(*extras: str) -> list[str]:
    """Requirements of the library and of some extras, as pyproject.toml states them."""
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    found = [*project["dependencies"], *(one for extra in extras for one in optional[extra])]
    return [one for one in found if not one.startswith("uneven")]


def runtime() -> str:
    """The requirement of the tests that runs exported models."""
    return next(one for one in declared("test") if one.startswith("onnxruntime"))


def oldest(requirements: list[str]) -> list[str]:
    """The lowest version of each requirement: ``typer>=0.19`` becomes ``typer==0.19``."""
    return [re.sub(r">=\s*", "==", one.split(",")[0]) for one in requirements]


@nox.session(python=["3.11"])
def lowest(session: nox.Session) -> None:
    """The oldest versions that are declared."""
    session.install(*oldest([*declared(*EXTRAS.split(",")), runtime()]), *TOOLS)
    session.install("--no-deps", "--editable", ".")
    session.env["NUMBA_CACHE_DIR"] = str(Path(session.create_tmp()).resolve())
    session.run("python", "-m", "pytest", "-q", "-n", "2", *TESTED, *session.posargs)


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def newest(session: nox.Session) -> None:
    """The newest versions of the index, on every Python that is there."""
    early = [word for word in session.posargs if word == "--pre"]
    session.install("--upgrade", *early, *declared(*EXTRAS.split(",")), runtime(), *TOOLS)
    session.install("--no-deps", "--editable", ".")
    session.run("python", "-m", "pytest", "-q", "-n", "2", *TESTED)
