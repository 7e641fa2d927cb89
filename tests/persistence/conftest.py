"""The table and the command line of the tests of the command line."""

from tests.cli.conftest import frame, small_baselines, table, uneven

__all__ = ["frame", "small_baselines", "table", "uneven"]
