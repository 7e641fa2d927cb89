"""Shared settings of the test suite."""

from hypothesis import settings

settings.register_profile("uneven", deadline=None, max_examples=60)
settings.load_profile("uneven")
