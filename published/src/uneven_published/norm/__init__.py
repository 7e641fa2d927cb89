"""Our own table: methods for rare classes beside each other, judged by the confusion norm."""

from uneven_published.norm.tables import EXHIBITS

__all__ = ["EXHIBITS"]
