"""Shared settings of the test suite."""

import os

from hypothesis import settings

settings.register_profile("uneven", deadline=None, max_examples=60)
settings.register_profile("ci", settings.get_profile("uneven"), derandomize=True)
settings.register_profile("quick", settings.get_profile("uneven"), max_examples=10)
settings.load_profile(
    os.environ.get("UNEVEN_PROFILE") or ("ci" if os.environ.get("CI") else "uneven")
)
