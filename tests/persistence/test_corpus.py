"""Kept model files: every one still loads, and answers as on the day it was made."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from tests.persistence.corpus import EXACT, FOLDER, MAKERS, NUMBERS, answers
from uneven.persistence.model_file import load_model
from uneven.utils.model_types import MODEL_TYPES

FILES = sorted(path.stem for path in FOLDER.glob("*.skops"))
NOT_MADE = {"remainder": "scikit-learn writes it before 1.7 only"}


@pytest.mark.parametrize("name", FILES)
def test_kept_files_answer_as_before(name):
    path = FOLDER / f"{name}.skops"
    before = json.loads(path.with_suffix(".json").read_text())
    rows = pd.DataFrame(before["rows"]).astype(dict.fromkeys(NUMBERS, float))
    now = answers(load_model(path)[0], rows)
    assert now["labels"] == before["labels"]
    if name in EXACT:
        assert now["scores"] == before["scores"]
    np.testing.assert_allclose(now["scores"], before["scores"], rtol=1e-12, atol=1e-12)


def test_every_kind_of_model_is_kept():
    missing = set(MAKERS) - set(FILES)
    assert not missing, f"run `python -m tests.persistence.corpus` for {sorted(missing)}"
    assert set(EXACT) <= set(FILES)


def types_in(node):
    if isinstance(node, dict):
        if node.get("__module__") == "uneven model type":
            yield node["__class__"]
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            yield from types_in(part)


def test_every_registered_type_is_in_a_kept_file():
    kept = set()
    for name in FILES:
        with zipfile.ZipFile(FOLDER / f"{name}.skops") as archive:
            kept.update(types_in(json.loads(archive.read("schema.json"))))
    ours = {name for name, kind in MODEL_TYPES.items() if not kind.home.startswith("tests.")}
    lost = kept - ours
    assert not lost, f"kept files name types that are not registered any more: {sorted(lost)}"
    never = ours - kept - set(NOT_MADE)
    assert not never, (
        f"no file under {FOLDER} holds {sorted(never)}: give corpus.py a model that does, and "
        "run `python -m tests.persistence.corpus`."
    )
