"""A kept stack of the thesis: it still loads, and answers as on the day it was made."""

from pathlib import Path

from tests.persistence.corpus import add, compare, indicators, kept_types, stack
from uneven.utils.model_types import MODEL_TYPES
from uneven_published.sen.ensembles import diverse_ensemble

FOLDER = Path(__file__).parents[1] / "data" / "models"


def test_the_kept_stack_answers_as_before():
    compare(FOLDER / "stack_learners.skops")


def test_every_registered_type_is_kept():
    ours = {name for name, kind in MODEL_TYPES.items() if "uneven_published" in kind.home}
    assert ours
    assert ours <= kept_types(FOLDER) <= set(MODEL_TYPES)


if __name__ == "__main__":
    many = stack(diverse_ensemble(1, random_state=0), penalty="l2", strength=1e-2)
    add("stack_learners", {"stack_learners": (indicators, many, 3)}, FOLDER)
