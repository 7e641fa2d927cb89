"""The version space: what labels leave of all linear classifiers, its centres and its volume."""

from uneven.versionspace.cone import (
    EmptyVersionSpaceError,
    project_on_cone,
    redundant_cuts,
    support,
)
from uneven.versionspace.propagation import Propagation, propagate, propagate_gram
from uneven.versionspace.space import VersionSpace
from uneven.versionspace.span import Span, span_of

__all__ = [
    "EmptyVersionSpaceError",
    "Propagation",
    "Span",
    "VersionSpace",
    "project_on_cone",
    "propagate",
    "propagate_gram",
    "redundant_cuts",
    "span_of",
    "support",
]
