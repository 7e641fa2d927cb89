"""The first idea: a cost matrix, the cost of each prediction for each example."""

from uneven.costs.matrices import (
    EDGE_CLIP,
    EDGE_TOLERANCE,
    TIE,
    edge,
    example_distribution,
    exponential_costs,
    is_edge_over_random,
    line_search_weight,
    uniform_baseline,
    vote_weight,
)

__all__ = [
    "EDGE_CLIP",
    "EDGE_TOLERANCE",
    "TIE",
    "edge",
    "example_distribution",
    "exponential_costs",
    "is_edge_over_random",
    "line_search_weight",
    "uniform_baseline",
    "vote_weight",
]
