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
from uneven.metrics.per_class import (
    PerClassTable,
    class_recalls,
    geometric_mean_recall,
    imbalance_ratio,
    mean_recall,
    per_class_table,
    worst_recall,
)
from uneven.metrics.scores import MaucScorer, margin_error, margins, mauc, pairwise_auc
from uneven.metrics.scoring import LOWER_IS_BETTER, get_scorer, scorers
from uneven.metrics.significance import (
    PairedTest,
    RankTest,
    average_ranks,
    critical_difference,
    five_by_two,
    five_by_two_f_test,
    five_by_two_t_test,
    friedman_test,
    groups_alike,
    signed_rank_test,
)

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
