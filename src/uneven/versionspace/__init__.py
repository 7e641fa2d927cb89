"""The version space: what labels leave of all linear classifiers, its centres and its volume.

References
----------
U. Louche (2016), *From confusion noise to active learning: playing on label availability in linear
classification problems*, PhD thesis, Aix-Marseille Université: "the source" of these files.
"""

from uneven.versionspace.bayes_point import BayesPointClassifier
from uneven.versionspace.bayes_vote import (
    BayesPoint,
    bayes_point,
    bayes_strategy,
    is_bayes_line,
)
from uneven.versionspace.centres import ChebyshevCentre, analytic_centre, chebyshev_centre
from uneven.versionspace.compression import (
    CompressionPerceptron,
    Localisation,
    fed_perceptron,
    localise,
    verify_compression,
    verify_process_scheme,
)
from uneven.versionspace.cone import (
    EmptyVersionSpaceError,
    project_on_cone,
    redundant_cuts,
    support,
)
from uneven.versionspace.cutting_planes import (
    CuttingPlaneClassifier,
    CuttingPlaneRun,
    cutting_planes,
)
from uneven.versionspace.error_oracles import (
    ORACLES,
    error_rule,
    first_error,
    largest_error,
    priorities,
    random_error,
    smallest_error,
)
from uneven.versionspace.exact import ExactCentre, exact_centre
from uneven.versionspace.gravity import centre_of_gravity
from uneven.versionspace.propagation import Propagation, propagate, propagate_gram
from uneven.versionspace.samplers import (
    BilliardRun,
    HamiltonianRun,
    billiard,
    hamiltonian,
    hit_and_run,
)
from uneven.versionspace.space import VersionSpace
from uneven.versionspace.span import Span, span_of
from uneven.versionspace.structural_svm import CuttingPlaneSVC, OneSlack, one_slack
from uneven.versionspace.volume import log_volume

__all__ = [
    "ORACLES",
    "BayesPoint",
    "BayesPointClassifier",
    "BilliardRun",
    "ChebyshevCentre",
    "CompressionPerceptron",
    "CuttingPlaneClassifier",
    "CuttingPlaneRun",
    "CuttingPlaneSVC",
    "EmptyVersionSpaceError",
    "ExactCentre",
    "HamiltonianRun",
    "Localisation",
    "OneSlack",
    "Propagation",
    "Span",
    "VersionSpace",
    "analytic_centre",
    "bayes_point",
    "bayes_strategy",
    "billiard",
    "centre_of_gravity",
    "chebyshev_centre",
    "cutting_planes",
    "error_rule",
    "exact_centre",
    "fed_perceptron",
    "first_error",
    "hamiltonian",
    "hit_and_run",
    "is_bayes_line",
    "largest_error",
    "localise",
    "log_volume",
    "one_slack",
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
