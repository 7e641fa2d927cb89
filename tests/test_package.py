"""The package itself: its public names, and what importing it costs."""

import subprocess
import sys

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
