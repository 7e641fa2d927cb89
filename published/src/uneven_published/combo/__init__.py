"""S. Koço and C. Capponi's paper: CoMBo beside AdaBoost.MM."""

from uneven_published.combo.tables import EXHIBITS

__all__ = ["EXHIBITS"]
