"""Measures that a rare class cannot hide from, and scorers made of them."""

from uneven.metrics.confusion import (
    confusion_counts,
    confusion_norm,
    confusion_rate,
    confusion_rates,
    error_matrix,
    gibbs_error_matrix,
    matrix_norm,
)
from uneven.metrics.imbalance import imbalance_ratio
from uneven.metrics.margin import margin_error, margins
from uneven.metrics.paired import (
    PairedTest,
    five_by_two,
    five_by_two_f_test,
    five_by_two_t_test,
    signed_rank_test,
)
from uneven.metrics.per_class import PerClassTable, per_class_table
from uneven.metrics.ranking import mauc, pairwise_auc
from uneven.metrics.ranks import (
    RankTest,
    average_ranks,
    critical_difference,
    friedman_test,
    groups_alike,
)
from uneven.metrics.recall import (
    class_recalls,
    geometric_mean_recall,
    mean_recall,
    worst_recall,
)
from uneven.metrics.scoring import LOWER_IS_BETTER, MaucScorer, get_scorer, scorers

__all__ = [
    "LOWER_IS_BETTER",
    "MaucScorer",
    "PairedTest",
    "PerClassTable",
    "RankTest",
    "average_ranks",
    "class_recalls",
    "confusion_counts",
    "confusion_norm",
    "confusion_rate",
    "confusion_rates",
    "critical_difference",
    "error_matrix",
    "five_by_two",
    "five_by_two_f_test",
    "five_by_two_t_test",
    "friedman_test",
    "geometric_mean_recall",
    "get_scorer",
    "gibbs_error_matrix",
    "groups_alike",
    "imbalance_ratio",
    "margin_error",
    "margins",
    "matrix_norm",
    "mauc",
    "mean_recall",
    "pairwise_auc",
    "per_class_table",
    "scorers",
    "signed_rank_test",
    "worst_recall",
]
