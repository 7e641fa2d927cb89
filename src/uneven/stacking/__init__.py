"""Many classifiers: learn by margin how to join them, and drop those that add nothing."""

from uneven.stacking.ensembles import bagged_ensemble, make_ensemble, random_subspaces
from uneven.stacking.kernel.choice import KernelChoice, choose_kernel_parameters
from uneven.stacking.kernel.combiner import KernelCombiner, fit_kernel_combiner
from uneven.stacking.margin_stacking import MarginStackingClassifier
from uneven.stacking.out_of_fold.level_one import LevelOne, finish_members, level_one, score_members
from uneven.stacking.out_of_fold.members import FittedMember, Member
from uneven.stacking.rule_classifier import RuleClassifier
from uneven.stacking.solvers.multiresponse import mlr
from uneven.stacking.solvers.selection import select, select_then_refit
from uneven.stacking.solvers.solve import SelectionPath, solve, solve_path
from uneven.stacking.solvers.strength_choice import choose_strength
from uneven.stacking.stack_combiner import StackCombiner

__all__ = [
    "FittedMember",
    "KernelChoice",
    "KernelCombiner",
    "LevelOne",
    "MarginStackingClassifier",
    "Member",
    "RuleClassifier",
    "SelectionPath",
    "StackCombiner",
    "bagged_ensemble",
    "choose_kernel_parameters",
    "choose_strength",
    "finish_members",
    "fit_kernel_combiner",
    "level_one",
    "make_ensemble",
    "mlr",
    "random_subspaces",
    "score_members",
    "select",
    "select_then_refit",
    "solve",
    "solve_path",
]
