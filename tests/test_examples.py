"""The example scripts run as a user would run them and show what they promise.

One of them is started as a program of its own; the others share this process, which has the
packages at hand already.
"""

import importlib
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib import pyplot as plt
from threadpoolctl import threadpool_limits

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def printed(tmp_path, monkeypatch, capsys):
    """What a script prints in an empty folder; one OpenMP thread, since waiting ones spin."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    importlib.import_module("sklearn.ensemble")  # loads the OpenMP that is limited below

    def run(script, *args):
        monkeypatch.setattr(sys, "argv", [script, *args])
        with threadpool_limits(1), plt.rc_context():
            runpy.run_path(str(EXAMPLES / script), run_name="__main__")
        plt.close("all")
        return capsys.readouterr().out

    return run


def test_every_example_is_tested():
    tested = set(re.findall(r"\w+\.py", Path(__file__).read_text())) - {Path(__file__).name}
    assert {path.name for path in EXAMPLES.glob("*.py")} <= tested


@pytest.mark.slow
def test_rare_classes(printed, tmp_path):
    out = printed("rare_classes.py", "picture.png")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0][2:] == ["rows", "CoMBo", "NormCoMBo", "forest"]
    sizes = [int(line[1]) for line in lines[1:11]]
    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (10, 174)
    plain, norm, forest = map(float, lines[11][2:])
    assert 0.0 < norm < plain - 0.05
    assert norm < forest - 0.2
    assert float(lines[12][2]) > 0.85
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_class_costs_as_a_program(tmp_path):
    done = subprocess.run(
        [sys.executable, EXAMPLES / "class_costs.py"],
        cwd=tmp_path,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    out = done.stdout
    found = re.findall(r"(\d+) urgent cases sent home, mean cost ([\d.]+)", out)
    (alike, alike_price), (costly, costly_price) = found
    assert int(costly) < 0.2 * int(alike)
    assert float(costly_price) < float(alike_price)


def test_views_in_a_pipeline(printed):
    out = printed("views_in_a_pipeline.py")
    assert float(re.search(r"held-out rows: ([\d.]+)", out)[1]) < 0.4
    lines = out.split("which columns support which class\n")[1].splitlines()
    classes = lines[0].split()
    share = {name: dict(zip(classes, map(float, row))) for name, *row in map(str.split, lines[1:4])}
    assert list(share) == ["numbers", "channel", "words"]
    assert share["words"]["danger"] == max(share["words"].values()) > 0.5
    assert share["numbers"]["complaint"] == max(share["numbers"].values())
    for name in classes:
        assert abs(sum(view[name] for view in share.values()) - 1.0) < 0.02
    assert re.search(r"strongest columns for danger: words__(smoke|burnt|spark|smell|shock)", out)


@pytest.mark.slow
def test_dialogues(printed):
    out = printed("dialogues.py")
    table, told = out.split("\n\n")
    rows = {line[:18].strip(): line[18:].split() for line in table.splitlines()[1:]}
    accuracy = {name: (float(row[0]), float(row[2])) for name, row in rows.items()}
    for view in ("turns", "prosody", "entities"):
        spoken, recognised = accuracy[f"{view} alone"]
        assert spoken == recognised < 0.7
    for view in ("users", "operators"):
        spoken, recognised = accuracy[f"{view} alone"]
        assert spoken > recognised + 0.1
    best_view = [max(row) for row in zip(*(accuracy[name] for name in rows if "alone" in name))]
    assert accuracy["µCoMBo"][0] > best_view[0]
    assert accuracy["µCoMBo"][1] > best_view[1]
    assert float(rows["µCoMBo"][1]) > float(rows["MuMBo"][1])
    assert len(told.splitlines()) == 10
    assert re.search(
        r"^traffic .*% users .*% operators .* (users|operators|entities|prosody)__", told, re.M
    )


@pytest.mark.slow
def test_text_categories_numbers(printed):
    out = printed("text_categories_numbers.py")
    assert int(re.search(r"(\d+) % of the cells stored", out)[1]) < 30
    verdict = {line.split()[0]: line.split()[-1] for line in out.splitlines()[3:6]}
    assert verdict == {"words": "imbalanced", "account": "weak", "measured": "strong"}
    found = dict(re.findall(r"^(\w+Classifier) +([\d.]+) *$", out, flags=re.MULTILINE))
    assert set(found) == {"ComboClassifier", "MumboClassifier", "MuComboClassifier"}
    assert f"chosen: {max(found, key=lambda name: float(found[name]))}\n" in out
    assert float(re.search(r"G-mean on held-out rows: ([\d.]+)", out)[1]) > 0.85
    lines = out.split("which columns support which class\n")[1].splitlines()
    share = {name: list(map(float, row)) for name, *row in map(str.split, lines[1:4])}
    assert lines[0].split() == ["break-in", "invoice", "outage", "question"]
    assert share["words"][1] == max(share["words"])
    assert share["measured"][0] > 0.5 > share["account"][0]
    assert "break-in: measured__failed_logins" in out


@pytest.mark.slow
def test_large_table(printed):
    out = printed("large_table.py")
    assert "early stopping, best after" in out
    assert re.search(r"^settled: early_stopping 1, .*max_leaves \d+", out, re.M)
    rows = re.findall(r"^(on time|late|damaged|lost) +(\d+) +([\d.]+)$", out, re.M)
    recalls = {name: float(recall) for name, _, recall in rows}
    assert list(recalls) == ["lost", "damaged", "late", "on time"]
    assert min(recalls.values()) > 0.55
    found, guessed = map(float, re.search(r"log-loss ([\d.]+), .* ([\d.]+)$", out, re.M).groups())
    assert found < 0.65 * guessed
    assert int(re.search(r"bring (\d+)% of", out)[1]) > 20


def test_noisy_labels(printed):
    out = printed("noisy_labels.py")
    assert "205 clean rows" in out
    rows = re.findall(r"^(ignores|models).* ([\d.]+) +(-?[\d.]+) ± ([\d.]+) +([\d.]+)$", out, re.M)
    found = {name: list(map(float, row)) for name, *row in rows}
    assert found["models"][3] < 0.7 * found["ignores"][3]
    for seen, estimated, error, real in found.values():
        assert abs(estimated - real) < 2 * error < abs(seen - real)


@pytest.mark.slow
def test_few_labels(printed):
    out = printed("few_labels.py")
    rows = re.findall(r"^(\D+) (0\.\d+)$", out, re.M)
    rough, alone, known, dropped, _ = (float(error) for _, error in rows)
    assert known < min(rough, alone) - 0.01
    assert known < dropped < min(rough, alone)
    assert "noise matrix from out-of-fold predictions of GaussianNB on 150 rows" in out


@pytest.mark.slow
def test_version_space(printed, tmp_path):
    out = printed("version_space.py", "picture.png")
    rows = re.findall(r"^([^\d\n]+?) +([\d.]+)° +(\d+) : (\d+)$", out, re.M)
    angle = {name: float(degrees) for name, degrees, _, _ in rows}
    split = {name: int(part) for name, _, part, _ in rows}
    assert split["gravity"] == split["gravity, propagated"] == 45
    assert split["Chebyshev"] == 6
    assert angle["Chebyshev"] == 25.6
    assert angle["gravity, propagated"] < 0.5
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_active_learning(printed, tmp_path):
    out = printed("active_learning.py", "picture.png")
    assert "30 labels, 10 digits seen" in out
    rows = re.findall(r"^(centre of gravity|random) +([\d. ]+)$", out, re.M)
    found = {name: list(map(float, scores.split())) for name, scores in rows}
    gravity, random = found["centre of gravity"], found["random"]
    assert gravity[0] == random[0]
    assert gravity[2] > random[2] + 0.02
    assert gravity[-1] > random[-1] + 0.02
    assert gravity[-1] > 0.96
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_many_classifiers(printed, tmp_path):
    out = printed("many_classifiers.py", "picture.png")
    table = re.findall(r"^(mean of all|stack, \w+) +(\d+) +([\d.]+) +\d+$", out, re.MULTILINE)
    asked = {name: int(n) for name, n, _ in table}
    error = {name: float(value) for name, _, value in table}
    assert asked["mean of all"] == asked["stack, l2"] == 38
    assert 1 <= asked["stack, group"] <= 30
    assert error["stack, group"] < error["mean of all"] - 1.0
    assert error["stack, l2"] < error["mean of all"] - 0.5
    kept = re.search(r"^kept: (.+)$", out, re.MULTILINE).group(1)
    assert len(kept.split(", ")) == asked["stack, group"]
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_compare_in_python(printed, tmp_path):
    out = printed("compare_in_python.py", "report.html")
    assert "has the lowest confusion norm" in out
    lines = out.splitlines()
    table = lines[lines.index("recalls of the rarest digits") :]
    assert {line.split()[0] for line in table[3:6]} == {"neighbours", "combo", "forest"}
    wrong, rows = map(int, re.search(r"(\d+) of (\d+) rows are misclassified", out).groups())
    assert 0 < wrong < rows / 20
    assert (tmp_path / "report.html").read_text("utf-8").startswith("<!doctype html>")


def test_an_exported_model_predicts_without_the_library(tmp_path, monkeypatch, capsys):
    """examples/predict_onnx.py, as the Dockerfile runs it."""
    pytest.importorskip("onnxruntime")
    from tests.persistence.corpus import FOLDER, table
    from uneven import export_onnx
    from uneven.persistence.model_file import load_model

    model = load_model(FOLDER / "logistic_regression.skops")[0]
    rows = table()[0]
    export_onnx(model, tmp_path / "model.onnx")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    monkeypatch.setattr(sys, "argv", ["predict_onnx.py", str(tmp_path / "model.onnx")])
    with (tmp_path / "rows.csv").open() as source:
        monkeypatch.setattr(sys, "stdin", source)
        runpy.run_path(str(EXAMPLES / "predict_onnx.py"), run_name="__main__")
    head, *lines = (line.split(",") for line in capsys.readouterr().out.splitlines())
    assert head == ["label", *model.classes_]
    assert [line[0] for line in lines] == model.predict(rows).tolist()
    told = [[float(share) for share in line[1:]] for line in lines]
    assert abs(model.predict_proba(rows) - told).max() < 1e-9
