"""Comparisons of methods on a table: reading, encoding, cross-validation."""

from uneven.comparison.crossval import MethodRun, cross_validate, fit_method
from uneven.comparison.diagnosis import diagnose_views, has_views
from uneven.comparison.errors import InputError
from uneven.comparison.label_noise import LabelNoise, label_noise, read_label_columns
from uneven.comparison.labelfile import LabelFile, read_label_file, write_label_file
from uneven.comparison.labelled import LabelledTable, labelled_table
from uneven.comparison.measures import MEASURES, MeasureRule, choose_measure
from uneven.comparison.methods import (
    METHODS,
    Method,
    Settings,
    build_pipeline,
    choose_methods,
    default_methods,
    explains_itself,
    knows_noise,
)
from uneven.comparison.noisefile import (
    NoiseFile,
    read_noise_file,
    read_noise_matrix,
    write_noise_matrix,
)
from uneven.comparison.problem import (
    Features,
    Problem,
    check_folds,
    in_views,
    make_problem,
    take_features,
)
from uneven.comparison.progress import Observer
from uneven.comparison.schema import Column, Schema
from uneven.comparison.stacked import STACK, stack_methods
from uneven.comparison.tables import file_digest, read_table
from uneven.comparison.viewfile import views_of_table

__all__ = [
    "MEASURES",
    "METHODS",
    "STACK",
    "Column",
    "Features",
    "InputError",
    "LabelFile",
    "LabelNoise",
    "LabelledTable",
    "MeasureRule",
    "Method",
    "MethodRun",
    "NoiseFile",
    "Observer",
    "Problem",
    "Schema",
    "Settings",
    "build_pipeline",
    "check_folds",
    "choose_measure",
    "choose_methods",
    "cross_validate",
    "default_methods",
    "diagnose_views",
    "explains_itself",
    "file_digest",
    "fit_method",
    "has_views",
    "in_views",
    "knows_noise",
    "label_noise",
    "labelled_table",
    "make_problem",
    "read_label_columns",
    "read_label_file",
    "read_noise_file",
    "read_noise_matrix",
    "read_table",
    "stack_methods",
    "take_features",
    "views_of_table",
    "write_label_file",
    "write_noise_matrix",
]
