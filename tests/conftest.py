"""Shared settings of the test suite."""

import os

import pytest
from hypothesis import settings

from tests.browser import find_browser, open_browser
from uneven.utils import parallel

settings.register_profile("uneven", deadline=None, max_examples=30)
settings.register_profile("thorough", settings.get_profile("uneven"), max_examples=200)
settings.register_profile("ci", settings.get_profile("uneven"), derandomize=True)
settings.register_profile("quick", settings.get_profile("uneven"), max_examples=10)
settings.load_profile(
    os.environ.get("UNEVEN_PROFILE") or ("ci" if os.environ.get("CI") else "uneven")
)


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch):
    """As many threads as a test asks for, on a machine with fewer cores, too."""
    monkeypatch.setattr(parallel, "cpu_count", lambda: 8)


@pytest.fixture(scope="session")
def browser():
    """One browser for all pages: a process cannot drive two of them."""
    if find_browser() is None:
        said = "no Chromium found; run: python -m tests.browser --install"
        if os.environ.get("CI"):
            pytest.fail(said)
        pytest.skip(said)
    with open_browser() as running:
        yield running
