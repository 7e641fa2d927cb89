"""The package itself: its public names, and what importing it costs."""

import ast
import os
import re
import subprocess
import sys
import tomllib
import zipfile
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


def test_one_version_everywhere():
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/uneven/__init__.py"
    published = tomllib.loads((root / "published" / "pyproject.toml").read_text())["project"]
    assert published["version"] == uneven.__version__
    assert f"uneven[cli,plots]=={uneven.__version__}" in published["dependencies"]
    assert f"\nversion: {uneven.__version__}\n" in (root / "CITATION.cff").read_text()
    newest = re.search(r"^## \[(.+?)\]", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert newest[1] == uneven.__version__


def test_no_run_has_left_tables_or_models_in_the_root():
    root = Path(__file__).parents[1]
    endings = {".csv", ".parquet", ".xlsx", ".skops", ".onnx", ".sqlite", ".jsonl"}
    assert [path.name for path in root.iterdir() if path.suffix in endings] == []


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


@pytest.mark.slow
def test_the_package_runs_from_a_zip_archive(tmp_path):
    archive = tmp_path / "library.zip"
    root = Path(uneven.__file__).parent
    with zipfile.ZipFile(archive, "w") as packed:
        for path in root.rglob("*.py*"):
            if path.suffix in (".py", ".pyi"):
                packed.write(path, path.relative_to(root.parent))
    code = (
        "import uneven; from uneven.utils.registry import read_declarations as read;"
        "print(uneven.__file__, uneven.compare.__module__, read('method', 'name')[0]['name'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(archive), "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    file, module, name = done.stdout.split()
    assert file.startswith(str(archive))
    assert (module, name) == ("uneven.comparison.comparing", "uneven")
