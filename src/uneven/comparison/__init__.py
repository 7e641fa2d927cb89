"""Comparisons of methods on a table: reading, encoding, cross-validation, results.

Names are loaded when they are first used: reading and checking the header of a table needs neither
pandas nor scikit-learn.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "plan": ["compare"],
    "crossval": ["cross_validate", "fit_method"],
    "diagnosis": ["diagnose_views", "has_views"],
    "errors": ["InputError"],
    "inputs": ["TableClassifier"],
    "noise": ["LabelNoise", "label_noise", "read_label_columns"],
    "labelfile": ["LabelFile", "read_label_file", "write_label_file"],
    "labelled": ["LabelledTable", "labelled_table"],
    "measures": ["MEASURES", "Measure", "choose_measure"],
    "methods": [
        "METHODS",
        "Method",
        "Settings",
        "build_pipeline",
        "choose_methods",
        "default_methods",
        "explains_itself",
        "knows_noise",
    ],
    "noisefile": ["NoiseFile", "read_noise_file", "read_noise_matrix", "write_noise_matrix"],
    "problem": ["Features", "Problem", "check_folds", "in_views", "make_problem", "take_features"],
    "progress": ["Observer", "Progress"],
    "results": ["SCHEMA", "Comparison", "FoldError", "MethodResult"],
    "schema": ["Column", "Schema"],
    "stacked": ["STACK", "stack_methods"],
    "summaries": ["DataSummary", "NoiseSummary", "Share", "StackSummary", "ViewSummary"],
    "tables": ["file_digest", "read_table"],
    "outcome": ["Verdict", "verdict"],
    "viewfile": ["views_of_table"],
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'uneven.comparison' has no attribute {name!r}")
    return getattr(import_module(f"uneven.comparison.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
