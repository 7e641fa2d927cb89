"""What every test and every runnable page shares."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _no_open_figures() -> Iterator[None]:
    """Close what examples have drawn, before matplotlib warns of too many figures."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
