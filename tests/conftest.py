"""Shared settings of the test suite."""

import os

from hypothesis import settings

settings.register_profile("uneven", deadline=None, max_examples=60)
settings.register_profile("ci", settings.get_profile("uneven"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "uneven")
