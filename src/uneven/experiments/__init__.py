"""Comparisons of methods on a table: reading, encoding, cross-validation."""

from uneven.experiments.crossval import MethodRun, cross_validate, fit_method
from uneven.experiments.diagnosis import diagnose_views, has_views
from uneven.experiments.errors import InputError
from uneven.experiments.label_noise import LabelNoise, label_noise, read_label_columns
from uneven.experiments.labelfile import LabelFile, read_label_file, write_label_file
from uneven.experiments.labelled import LabelledTable, labelled_table
from uneven.experiments.measures import MEASURES, MeasureRule, choose_measure
from uneven.experiments.methods import (
    METHODS,
    Method,
    Settings,
    build_pipeline,
    choose_methods,
    default_methods,
    explains_itself,
    knows_noise,
)
from uneven.experiments.noisefile import (
    NoiseFile,
    read_noise_file,
    read_noise_matrix,
    write_noise_matrix,
)
from uneven.experiments.problem import (
    Features,
    Problem,
    check_folds,
    in_views,
    make_problem,
    take_features,
)
from uneven.experiments.progress import Observer
from uneven.experiments.schema import Column, Schema
from uneven.experiments.stacked import STACK, stack_methods
from uneven.experiments.tables import file_digest, read_table
from uneven.experiments.viewfile import views_of_table

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
