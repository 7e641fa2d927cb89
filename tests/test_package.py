"""The package itself: its public names, and what importing it costs."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import uneven


def test_every_public_name_exists():
    for name in uneven.__all__:
        assert getattr(uneven, name) is not None
    assert set(uneven.__all__) <= set(dir(uneven))


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'Combo'"):
        uneven.Combo  # noqa: B018


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, uneven; print([m for m in ('numba', 'sklearn', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert version("uneven") == uneven.__version__


@pytest.mark.parametrize("package", ["uneven", "uneven.comparison"])
def test_names_are_those_of_the_stub(package):
    module = import_module(package)
    stub = ast.parse(Path(module.__file__).with_suffix(".pyi").read_text())
    lines = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    assert all(len(line.names) == 1 for line in lines), "one name in a line"
    for line in lines:
        (name,) = line.names
        assert name.name == name.asname, "type checkers re-export 'X as X' only"
        assert getattr(module, name.name) is getattr(import_module(line.module), name.name)
    assert set(module.__all__) - {"__version__"} == {line.names[0].name for line in lines}
