"""SECURITY.md: its lines have tests, and attacks that no other test makes are made here."""

import io
import json
import re
import resource
import socket
import subprocess
import sys
import zipfile
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomTreesEmbedding
from sklearn.feature_selection import VarianceThreshold

from tests.persistence.corpus import FOLDER
from uneven.cli import run
from uneven.datasets import make_balance_scale
from uneven.persistence.archive import dumps
from uneven.persistence.model_file import FORMAT, ModelFileError, load_model

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def forged(name, change, folder):
    """Path of a kept model file that was changed without asking the checks of `save_model`."""
    pipeline, card = load_model(FOLDER / f"{name}.skops")
    change(pipeline)
    content = {"format": FORMAT, "card": json.dumps(asdict(card)), "pipeline": pipeline}
    path = folder / "forged.skops"
    path.write_bytes(dumps(content))
    return path


def test_every_line_names_tests_that_exist():
    lines = re.findall(r"^\| ([A-Z]\d) \| (.+?) \| (.+) \|$", PAGE, re.MULTILINE)
    assert len(lines) >= 15
    assert len({line[0] for line in lines}) == len(lines)
    for number, _, tests in lines:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", tests)
        assert named, f"line {number} names no test"
        for path, name in named:
            assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), (number, name)


def test_f1_a_pickle_in_a_model_file_is_not_opened(tmp_path):
    with zipfile.ZipFile(FOLDER / "combo.skops") as old:
        parts = {name: old.read(name) for name in old.namelist()}
    array = next(name for name in parts if name.endswith(".npy"))
    stream = io.BytesIO()
    np.save(stream, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    path = tmp_path / "forged.skops"
    with zipfile.ZipFile(path, "w") as new:
        for name, part in (parts | {array: stream.getvalue()}).items():
            new.writestr(name, part)
    with pytest.raises(ModelFileError, match=r"claims .* cells of type object"):
        load_model(path)


def test_f2_helpers_in_private_attributes_are_refused(tmp_path):
    """A preprocessor that leaves one column lets compiled code read far outside of its rows."""

    def forge(pipeline):
        model = pipeline[-1]
        model._preprocessor = VarianceThreshold().fit(np.eye(4))
        model.n_features_in_ = 2**31 - 2
        model._predictors[0][0].nodes["feature_idx"][0] = 2**31 - 10

    path = forged("hist_gradient_boosting", forge, tmp_path)
    with pytest.raises(ModelFileError, match=r"refused|damaged"):
        load_model(path)
    path = forged(
        "hist_gradient_boosting", lambda m: setattr(m[-1], "_preprocessor", m[0]), tmp_path
    )
    with pytest.raises(ModelFileError, match="_preprocessor"):
        load_model(path)


def test_f3_trees_with_cycles_and_far_indices_are_refused(tmp_path):
    """A tree whose root is its own child never ends; as the indicator of an imputer, too."""

    def point_at_root(tree):
        state = tree.__getstate__()
        nodes = state["nodes"].copy()
        nodes["left_child"][0] = nodes["right_child"][0] = 0
        tree.__setstate__(state | {"nodes": nodes})

    def in_a_forest(pipeline):
        point_at_root(pipeline[-1].estimators_[0].tree_)

    def in_an_imputer(pipeline):
        imputer = pipeline[0].named_transformers_["numbers"][0]
        leaves = RandomTreesEmbedding(1).fit(np.eye(3))
        point_at_root(leaves.estimators_[0].tree_)
        imputer.add_indicator, imputer.indicator_ = True, leaves

    for name, forge in (("random_forest", in_a_forest), ("logistic_regression", in_an_imputer)):
        with pytest.raises(ModelFileError):
            load_model(forged(name, forge, tmp_path))


OPENED = """
import resource, sys
from uneven.persistence.model_file import ModelFileError, load_model
load_model(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    load_model(sys.argv[2])
except ModelFileError as error:
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(grown * (1 if sys.platform == "darwin" else 1024))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(resource, "getrusage"), reason="measures resident memory")
def test_f4_a_small_file_does_not_take_a_gigabyte(tmp_path):
    good = FOLDER / "combo.skops"
    path = tmp_path / "large.skops"
    with zipfile.ZipFile(good) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
        with new.open("zeros.npy", "w", force_zip64=True) as entry:
            np.lib.format.write_array_header_1_0(
                entry, {"descr": "<f8", "fortran_order": False, "shape": (2**26,)}
            )
            for _ in range(512):
                entry.write(bytes(2**20))
    assert path.stat().st_size < 2**20
    done = subprocess.run(
        [sys.executable, "-c", OPENED, str(good), str(path)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert int(done.stdout) < 2**26


def test_d2_fitting_and_predicting_open_no_connection(tmp_path, monkeypatch):
    def refuse(*words):
        raise AssertionError(f"a connection to {words[1:]} was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    scale = make_balance_scale(as_frame=True)
    table = tmp_path / "scale.csv"
    scale.data.assign(side=scale.target).to_csv(table, index=False)
    model = str(tmp_path / "m.skops")
    assert run(["fit", str(table), "-t", "side", "--method", "combo", "--out", model]) == 0
    assert run(["predict", model, str(table), "--out", str(tmp_path / "said.csv")]) == 0
