"""What every test and every runnable page shares."""

import gc
import os
import sys
from collections.abc import Iterator

import pytest
import sklearn

collect_ignore_glob = ["docs/generated/*", "docs/extensions/*", "docs/conf.py"]

JITTER = os.environ.get("UNEVEN_JITTER")

if JITTER:
    from tests import jitter

    jitter.install(int(JITTER))

    @pytest.fixture(autouse=True)
    def _rough_exponentials() -> None:
        """Let the modules that were imported since the last test round like another processor."""
        jitter.roughen(int(JITTER))


def pytest_collection_finish() -> None:
    """Take what is imported and collected out of the garbage collector's rounds."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _no_open_figures() -> Iterator[None]:
    """Close what examples have drawn, before matplotlib warns of too many figures."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


@pytest.fixture(autouse=True)
def _settings_of_scikit_learn_as_before() -> Iterator[None]:
    """Take back what examples have set for the whole process."""
    before = sklearn.get_config()
    yield
    sklearn.set_config(**before)
