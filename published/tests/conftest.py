from tests.cli.conftest import uneven

__all__ = ["uneven"]
