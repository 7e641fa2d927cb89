"""The version space: what labels leave of all linear classifiers, its centres and its volume."""

from uneven.versionspace.compression import (
    CompressionPerceptron,
    verify_compression,
    verify_process_scheme,
)
from uneven.versionspace.cone import (
    EmptyVersionSpaceError,
    project_on_cone,
    redundant_cuts,
    support,
)
from uneven.versionspace.cutting_planes import CuttingPlaneRun, cutting_planes
from uneven.versionspace.error_oracles import (
    ORACLES,
    error_rule,
    first_error,
    largest_error,
    priorities,
    random_error,
    smallest_error,
)
from uneven.versionspace.localisation import Localisation, fed_perceptron, localise
from uneven.versionspace.propagation import Propagation, propagate, propagate_gram
from uneven.versionspace.space import VersionSpace
from uneven.versionspace.span import Span, span_of

__all__ = [
    "ORACLES",
    "CompressionPerceptron",
    "CuttingPlaneRun",
    "EmptyVersionSpaceError",
    "Localisation",
    "Propagation",
    "Span",
    "VersionSpace",
    "cutting_planes",
    "error_rule",
    "fed_perceptron",
    "first_error",
    "largest_error",
    "localise",
    "priorities",
    "project_on_cone",
    "propagate",
    "propagate_gram",
    "random_error",
    "redundant_cuts",
    "smallest_error",
    "span_of",
    "support",
    "verify_compression",
    "verify_process_scheme",
]
