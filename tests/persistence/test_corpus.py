"""Kept model files: every one still loads, and answers as on the day it was made."""

from pathlib import Path

import pytest

from tests.persistence.corpus import EXACT, FOLDER, FOREIGN, MAKERS, compare, kept_types
from uneven.utils.model_types import MODEL_TYPES

FILES = sorted(path.stem for path in FOLDER.glob("*.skops"))
OLDER = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.glob("scikit-learn-*/*.skops"))
PUBLISHED = Path(__file__).parents[2] / "published" / "tests" / "data" / "models"


@pytest.mark.parametrize("name", FILES)
def test_kept_files_answer_as_before(name):
    compare(FOLDER / f"{name}.skops")


@pytest.mark.parametrize("name", OLDER)
def test_files_of_other_scikit_learn_versions_answer_as_before(name):
    compare(FOLDER / name)


def test_models_with_parts_of_scikit_learn_are_kept_for_its_oldest_version():
    assert {f"scikit-learn-1.6/{name}.skops" for name in FOREIGN} <= set(OLDER)


def test_every_kind_of_model_is_kept():
    missing = set(MAKERS) - set(FILES)
    assert not missing, f"run `python -m tests.persistence.corpus` for {sorted(missing)}"
    assert set(EXACT) <= set(FILES)


def test_every_registered_type_is_in_a_kept_file():
    ours = {name for name, kind in MODEL_TYPES.items() if not kind.home.startswith("tests.")}
    kept = kept_types(FOLDER)
    lost = kept - ours
    assert not lost, f"kept files name types that are not registered any more: {sorted(lost)}"
    never = ours - kept - kept_types(PUBLISHED)
    assert not never, (
        f"no file under {FOLDER} holds {sorted(never)}: give corpus.py a model that does, and "
        "run `python -m tests.persistence.corpus`."
    )
