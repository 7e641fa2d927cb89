"""Noise matrices on the command line: estimated, given to methods, undone in measures, shown."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import files_in
from uneven.cli import texts
from uneven.comparison import (
    MEASURES,
    METHODS,
    InputError,
    Settings,
    default_methods,
    knows_noise,
    label_noise,
    make_problem,
    read_noise_file,
    read_noise_matrix,
    write_noise_matrix,
)
from uneven.comparison.measures import CORRECTED, Answers
from uneven.comparison.results import Comparison
from uneven.noise import corrected_confusion, corrected_error, corrupt_labels, cyclic_noise
from uneven.persistence.model_file import load_model

pytestmark = pytest.mark.slow

NOISE = cyclic_noise(3, (0.25, 0.1))
CLASSES = ["ant", "bee", "cow"]
QUICK = ("--cv", 2, "--rounds", 8, "--n-jobs", 1)


def noisy_frame(n=360, seed=0, classes=CLASSES):
    """Three classes that two columns tell apart, with true labels and noisy ones."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(3), [n // 2, n // 3, n - n // 2 - n // 3])
    X = rng.normal(size=(n, 2)) * 0.7 + np.array([[0.0, 2.0], [2.0, 0.0], [-2.0, -2.0]])[truth]
    noisy = corrupt_labels(truth, NOISE, rng)
    names = np.array(classes)
    frame = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "label": names[noisy], "true": names[truth]})
    return frame.sample(frac=1.0, random_state=seed, ignore_index=True)


@pytest.fixture
def noisy(tmp_path):
    noisy_frame().to_csv(tmp_path / "t.csv", index=False)
    write_noise_matrix(NOISE, CLASSES, tmp_path / "noise.csv")
    return tmp_path


def load_results(folder):
    return Comparison.from_json((folder / "results.json").read_text(encoding="utf-8"))


def test_compare_corrects_what_the_noise_hides(uneven, noisy):
    words = ("-t", "label", "--drop", "true", "--noise-matrix", "noise.csv", *QUICK)
    done = uneven("compare", "t.csv", *words, "--methods", "uma,logistic_regression", "--out", "o")
    assert done.code == 0, done.err
    results = load_results(noisy / "o")
    assert results.metric == "corrected_balanced_accuracy"
    assert results.chosen.corrects == "balanced_accuracy"
    uma, baseline = results.methods
    assert (uma.knows_noise, baseline.knows_noise) == (True, False)
    assert not uma.errors
    assert uma.mean("accuracy") < 0.75 < 0.85 < uma.mean("corrected_accuracy")
    assert uma.mean("corrected_confusion_norm") < uma.mean("confusion_norm")
    assert min(uma.recalls()) > 0.8
    assert np.sum(uma.corrected) == pytest.approx(360)
    np.testing.assert_allclose(results.noise.matrix, NOISE)
    np.testing.assert_allclose(results.noise.recovered, [1 / 2, 1 / 3, 1 / 6], atol=0.08)
    assert results.noise.wrong_share == pytest.approx(0.35)
    assert "no noise matrix can be given to Logistic regression" in done.err
    assert "35% of the labels are wrong" in done.out
    assert "knows" in done.out
    page = (noisy / "o" / "report.html").read_text(encoding="utf-8")
    assert 'id="noise"' in page
    assert "Methods that use the noise matrix: UMA. The others treat the labels as correct." in page
    assert Comparison.from_json(results.to_json()) == results
    raw = json.loads((noisy / "o" / "results.json").read_text())
    assert raw["schema"] == 1
    assert set(raw["methods"][0]["scores"]) == {*MEASURES} | {
        f"corrected_{name}" for name in CORRECTED
    }


def test_corrected_measures_agree_with_the_truth_and_with_the_noise_room():
    frame = noisy_frame(9000)
    problem = make_problem(frame.drop(columns="true"), "label")
    noise = label_noise(problem, NOISE)
    truth, rng = frame["true"].to_numpy(), np.random.default_rng(1)
    wrong = rng.random(len(truth)) < np.where(truth == "cow", 0.6, 0.1)
    guess = np.where(wrong, rng.permutation(truth), truth)
    against = {
        name: Answers(labels, guess, np.zeros((len(guess), 3)), problem.classes)
        for name, labels in (("noisy", problem.y), ("true", truth))
    }
    for name in ("confusion_norm", "gmean", "balanced_accuracy", "accuracy"):
        real = MEASURES[name].value(against["true"])
        biased = MEASURES[name].value(against["noisy"])
        corrected = noise.measures[f"corrected_{name}"].value(against["noisy"])
        assert corrected == pytest.approx(real, abs=0.04), name
        assert abs(biased - real) > 0.1, name
    error = corrected_error(guess, problem.y, NOISE, classes=problem.classes)
    accuracy = noise.measures["corrected_accuracy"].value(against["noisy"])
    assert accuracy == pytest.approx(1.0 - error.value)
    rates = corrected_confusion(guess, problem.y, NOISE, classes=problem.classes).value
    counts = pd.crosstab(problem.y, guess).to_numpy(dtype=float)
    np.testing.assert_allclose(noise.rates(counts), rates, atol=1e-12)
    assert noise.probable_counts(counts).sum() == pytest.approx(9000)


def test_the_identity_corrects_nothing():
    problem = make_problem(noisy_frame().drop(columns="true"), "label")
    noise = label_noise(problem, np.eye(3))
    answers = Answers(problem.y, np.roll(problem.y, 1), np.zeros((360, 3)), problem.classes)
    for name in ("confusion_norm", "gmean", "balanced_accuracy", "accuracy"):
        corrected = noise.measures[f"corrected_{name}"].value(answers)
        assert corrected == pytest.approx(MEASURES[name].value(answers))


def test_methods_that_take_a_matrix_get_it_and_the_help_names_them():
    told = [name for name, method in METHODS.items() if knows_noise(method)]
    assert "uma" in told
    settings = Settings(noise_matrix=NOISE)
    from uneven.comparison.methods import make_classifier

    for name, method in METHODS.items():
        params = make_classifier(method, settings).get_params(deep=False)
        assert (params.get("noise_matrix") is NOISE) == (name in told)
    said = texts.fill_lists(texts.COMPARE).partition("use the noise matrix: ")[2]
    paragraph = said.partition(". Held-out")[0]
    assert paragraph.replace("\n", " ").replace(" ", "").split(",") == told


def test_uma_takes_part_only_where_there_is_noise():
    assert "uma" in default_methods(several_views=False, noisy=True)
    assert "uma" not in default_methods(several_views=True)


@pytest.mark.parametrize("method", ["uma", "combo"])
def test_fit_keeps_a_model_that_predicts(uneven, noisy, method):
    words = ("-t", "label", "--drop", "true", "--noise-matrix", "noise.csv", "--rounds", 5)
    done = uneven("fit", "t.csv", *words, "--method", method, "-o", "m.skops")
    assert done.code == 0, done.err
    model, card = load_model(noisy / "m.skops")
    if knows_noise(METHODS[method]):
        np.testing.assert_allclose(model[-1].noise_matrix, NOISE)
        assert card.params["noise_matrix"] == "3 x 3 numbers"
    done = uneven("predict", "m.skops", "t.csv")
    answers = np.array(done.out.split()[1:])
    assert np.mean(answers == noisy_frame()["true"]) > (0.9 if method == "uma" else 0.6)
    done = uneven("explain", "m.skops")
    assert done.code == 0
    assert "3 x 3 matrix; 35% of the labels of a class are wrong on average" in done.out


def test_uma_has_no_shares(uneven, noisy):
    words = ("-t", "label", "--drop", "true", "--method", "uma", "-o", "m.skops")
    assert uneven("fit", "t.csv", *words).code == 0
    done = uneven("predict", "m.skops", "t.csv", "--proba")
    assert done.code == 2
    assert "UMA predicts no class probabilities; leave --proba out." in done.complaint


def test_a_measure_that_cannot_be_corrected_says_so(uneven, noisy):
    words = ("-t", "label", "--drop", "true", "--noise-matrix", "noise.csv", *QUICK)
    done = uneven(
        "compare", "t.csv", *words, "--methods", "logistic_regression", "--metric", "mauc"
    )
    assert done.code == 0, done.err
    assert "MAUC cannot be corrected for the noise" in done.err
    assert load_results(noisy / "uneven-report").metric == "mauc"


def test_numbers_in_the_table_and_two_classes(uneven, tmp_path):
    frame = noisy_frame(classes=[0, 1, 1]).drop(columns="true")
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "n.json").write_text('{"0": {"0": 0.8, "1": 0.2}, "1.0": {"1.0": 0.9, "0": 0.1}}')
    words = ("-t", "label", "--noise-matrix", "n.json", *QUICK, "--methods", "uma,combo")
    done = uneven("compare", "t.csv", *words)
    assert done.code == 2
    assert "it has 3 rows and 2 columns next to its names" in done.complaint
    (tmp_path / "n.json").write_text('{"0": {"0": 0.8, "1": 0.2}, "1": {"1": 0.9, "0": 0.1}}')
    done = uneven("compare", "t.csv", *words)
    assert done.code == 0, done.err
    assert all(not m.errors for m in load_results(tmp_path / "uneven-report").methods)


SINGULAR = "observed,ant,bee,cow\nant,.5,.5,0\nbee,.5,.5,0\ncow,0,0,1\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (SINGULAR, "classes 'ant' and 'bee' get the same labels"),
        ("observed,ant,bee,cow\nant,.5,.5,.5\nbee,.5,.5,.5\ncow,0,0,0\n", "'cow' is never given"),
        ("observed,ant,bee,cow\nant,.8,.2,0\nbee,.1,.6,.3\ncow,0,.1,.9\n", "transposed"),
        ("observed,ant,bee\nant,.8,.1\nbee,.2,.9\n", "lacks 'cow'"),
        (None, "there is no such file"),
    ],
)
@pytest.mark.parametrize("command", ["compare", "fit"])
def test_wrong_matrices_stop_before_the_work(uneven, noisy, content, says, command):
    (noisy / "noise.csv").unlink()
    if content is not None:
        (noisy / "noise.csv").write_text(content)
    before = files_in(noisy)
    done = uneven(command, "t.csv", "-t", "label", "--noise-matrix", "noise.csv")
    assert done.code == 2
    assert done.complaint.startswith("--noise-matrix noise.csv: ")
    assert says in done.complaint
    assert files_in(noisy) == before


def test_the_demo_takes_no_noise_matrix(uneven, noisy):
    done = uneven("compare", "--demo", "--noise-matrix", "noise.csv")
    assert done.code == 2
    assert "leave out --noise-matrix" in done.complaint


def test_singular_matrices_name_their_classes():
    problem = make_problem(noisy_frame().drop(columns="true"), "label")
    with pytest.raises(InputError, match="Merge these classes"):
        label_noise(problem, np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1.0]]), "n.csv")


@pytest.mark.parametrize("name", ["noise.csv", "noise.json", "noise.parquet"])
def test_what_noise_writes_compare_reads(uneven, noisy, name):
    frame = noisy_frame(3000)
    frame.loc[frame.groupby("true").cumcount() >= 500, "true"] = None
    frame.to_csv(noisy / "t.csv", index=False)
    done = uneven("noise", "t.csv", "--observed", "label", "--clean", "true", "--out", name)
    assert done.code == 0, done.err
    found = read_noise_matrix(noisy / name, np.array(CLASSES))
    np.testing.assert_allclose(found, NOISE, atol=0.08)
    assert "1500 clean rows" in done.out
    (share,) = re.findall(r"^ ant +\d+ +([0-9.]+)%", done.out, re.MULTILINE)
    assert float(share) == pytest.approx(50.0, abs=3.0)
    command = f"--target label --drop true --noise-matrix {name}"
    assert command in done.out
    if name == "noise.json":
        words = (*command.split(), *QUICK, "--methods", "logistic_regression")
        assert uneven("compare", "t.csv", *words).code == 0


def test_noise_of_numbers_with_gaps(uneven, noisy):
    frame = noisy_frame(classes=[1, 2, 3])
    frame["true"] = frame["true"].where(np.arange(len(frame)) % 3 == 0)
    frame.to_csv(noisy / "t.csv", index=False)
    assert "3.0" in (noisy / "t.csv").read_text()
    assert uneven("noise", "t.csv", "--observed", "label", "--clean", "true").code == 0
    assert (noisy / "noise.csv").read_text().splitlines()[0].startswith("observed (rows: ")
    found = read_noise_file(noisy / "noise.csv", np.array([1, 2, 3]))
    np.testing.assert_array_equal(found.rows, frame["true"].value_counts().sort_index())


def test_noise_of_annotators(uneven, noisy):
    rng = np.random.default_rng(3)
    frame = noisy_frame(600)
    codes = frame["true"].map(CLASSES.index).to_numpy()
    names = np.array(CLASSES)
    for who in ("bob", "eve"):
        frame[who] = names[corrupt_labels(codes, cyclic_noise(3, (0.1, 0.1)), rng)]
    frame.drop(columns="true").to_csv(noisy / "t.csv", index=False)
    asked = ("noise", "t.csv", "--annotators", "label,bob,eve")
    done = uneven(*asked, "--observed", "label")
    assert done.code == 0, done.err
    found = read_noise_matrix(noisy / "noise.csv", names)
    np.testing.assert_allclose(found, NOISE, atol=0.1)
    assert "--target label --drop bob --drop eve" in done.out
    done = uneven(*asked, "-o", "most.csv")
    assert "the majority" in done.out
    most = read_noise_matrix(noisy / "most.csv", names)
    assert np.all(np.diag(most) > np.diag(found))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "give --observed and --clean"),
        (["--clean", "true"], "with --observed"),
        (["--observed", "label", "--clean", "label"], "both name 'label'"),
        (["--observed", "label", "--clean", "true", "--out", "n.xlsx"], "xlsx files are not"),
        (["--observed", "label", "--clean", "true", "--out", "t.csv"], "is the table itself"),
        (["--observed", "label", "--clean", "true", "--labels-out", "l.csv"], "--annotators"),
        (["--annotators", "label,true", "--labels-out", "l.txt"], "end with .csv or .parquet"),
        (["--annotators", "label,true", "--labels-out", "noise.csv"], "name two files"),
        (["--observed", "label", "--clean", "marked"], r"label '\?' is never given.*leave such"),
        (["--observed", "label", "--clean", "true", "--on-empty", "x"], "on-empty"),
        (["--observed", "label", "--laplace", "1"], "need rows to count"),
        (["--observed", "label", "--id", "x", "--clean", "true"], "or --observed and --id"),
        (["--observed", "lable", "--clean", "true"], "did you mean 'label'?"),
        (["--observed", "label", "--clean", "true", "--annotators", "x,y"], "or --annotators"),
        (["--annotators", "label"], "two columns or more"),
        (["--annotators", "label,true", "--observed", "x"], "one of the --annotators"),
        (["--observed", "label", "--clean", "true", "--out", "no/n.csv"], "a folder that exists"),
        (["--observed", "label", "--clean", "x"], "no row shows how class 'ant' is labelled"),
        (["--observed", "x", "--clean", "y"], "looks like regression"),
        (["--observed", "label", "--clean", "few"], "class 'cow'.*--on-empty identity"),
        (["--observed", "label", "--clean", "none"], "no row has both"),
        (["--observed", "label", "--clean", "true", "--confidence", "2"], "--confidence"),
    ],
)
def test_wrong_requests_for_noise(uneven, noisy, options, says):
    frame = noisy_frame()
    frame["few"] = frame["true"].where(frame["true"] != "cow")
    frame["none"] = None
    frame["marked"] = frame["true"].where(np.arange(len(frame)) % 2 == 0, "?")
    frame.to_csv(noisy / "t.csv", index=False)
    before = files_in(noisy)
    done = uneven("noise", "t.csv", *options)
    assert done.code == 2

    assert re.search(says, done.complaint), done.complaint
    assert files_in(noisy) == before


def test_a_class_without_checked_rows(uneven, noisy):
    frame = noisy_frame()
    frame["few"] = frame["true"].where(frame["true"] != "cow")
    frame.to_csv(noisy / "t.csv", index=False)
    asked = ("noise", "t.csv", "--observed", "label", "--clean", "few")
    done = uneven(*asked, "--on-empty", "identity")
    assert done.code == 0, done.err
    found = read_noise_file(noisy / "noise.csv", np.array(CLASSES))
    np.testing.assert_array_equal(found.matrix[:, 2], [0.0, 0.0, 1.0])
    assert found.rows[2] == 0.0
    assert "no row shows how 'cow' is labelled: the column is assumed" in done.err
    assert re.search(r"^ cow +0 +- +1.000 +assumed", done.out, re.MULTILINE)
    assert re.search(r"^ ant +\d+ +- ", done.out, re.MULTILINE)


def test_the_two_kinds_of_smoothing(uneven, noisy):
    classes = np.array(CLASSES)
    asked = ("noise", "t.csv", "--observed", "label", "--clean", "true")
    found = {}
    for option in ("--smoothing", "--laplace"):
        assert uneven(*asked, option, 1e6).code == 0
        found[option] = read_noise_matrix(noisy / "noise.csv", classes)
    np.testing.assert_allclose(found["--smoothing"], np.eye(3), atol=1e-3)
    np.testing.assert_allclose(found["--laplace"], np.full((3, 3), 1 / 3), atol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["labelled.csv", "labelled.parquet"])
def test_majority_labels_can_be_used(uneven, noisy, name):
    rng = np.random.default_rng(3)
    frame = noisy_frame(300)
    codes = frame.pop("true").map(CLASSES.index).to_numpy()
    for who in ("bob", "eve"):
        frame[who] = np.array(CLASSES)[corrupt_labels(codes, cyclic_noise(3, (0.1, 0.1)), rng)]
    frame["code"] = [f"{i % 7:03d}" for i in range(300)]
    frame.loc[5, ["label", "bob", "eve"]] = None
    frame.to_csv(noisy / "t.csv", index=False)
    asked = ("noise", "t.csv", "--annotators", "label,bob,eve")
    assert "--labels-out FILE" in uneven(*asked).out
    done = uneven(*asked, "--labels-out", name)
    assert done.code == 0, done.err
    assert done.err.count("no annotator labelled 1 of 300 items, which is left out") == 1
    assert "rows: checked rows that leave as much open" in done.out
    drops = "--drop label --drop bob --drop eve --drop likeliest --noise-matrix noise.csv"
    command = f"compare {name} --target majority {drops}"
    assert f"Use it with  uneven {command}" in done.out
    if name.endswith("csv"):
        table = pd.read_csv(noisy / name, dtype=str)
        assert table["code"].tolist() == frame["code"].tolist()
    else:
        table = pd.read_parquet(noisy / name)
    assert table["majority"].isna().to_numpy().nonzero()[0].tolist() == [5]
    votes = frame[["label", "bob", "eve"]].mode(axis=1)
    agreed = votes[1].isna() & votes[0].notna()
    assert (table["majority"] == votes[0])[agreed].all()
    assert np.mean(table["likeliest"] == np.array(CLASSES)[codes]) > 0.8
    done = uneven(*command.split(), *QUICK, "--methods", "logistic_regression")
    assert done.code == 0, done.err
    assert (
        "has a column 'majority' already"
        in uneven("noise", name, *asked[2:], "--labels-out", "again.csv").complaint
    )


def test_impossible_estimates_are_remarked(uneven, noisy):
    wrong = cyclic_noise(3, (0.4, 0.1))
    write_noise_matrix(wrong, CLASSES, noisy / "noise.csv", np.array([12.0, 12.0, 12.0]))
    words = ("-t", "label", "--drop", "true", "--noise-matrix", "noise.csv", *QUICK)
    done = uneven("compare", "t.csv", *words, "--methods", "uma,logistic_regression")
    assert done.code == 0, done.err
    results = load_results(noisy / "uneven-report")
    assert results.winner.mean(results.metric) > 1.0
    assert "above 1 cannot be" in done.err
    assert "does not fit these labels" in " ".join(done.err.split())
    page = (noisy / "uneven-report" / "report.html").read_text(encoding="utf-8")
    assert "comes out first, but its corrected balanced accuracy, 1." in page
    assert "costs little" not in page
    assert results.noise.rows == [12.0, 12.0, 12.0]
    assert results.winner.matrix_range[results.metric][0] < 1.0


def test_more_rows_behind_a_matrix_narrow_what_it_allows():
    frame = noisy_frame(3000)
    problem = make_problem(frame.drop(columns="true"), "label")
    half = np.where(np.arange(3000) % 2, frame["true"], "ant")
    counts = pd.crosstab(problem.y, half).to_numpy(dtype=float)
    answers = Answers(problem.y, half, np.zeros((3000, 3)), problem.classes)
    widths = []
    for size in (20.0, 200.0, 20000.0):
        noise = label_noise(problem, NOISE, rows=np.full(3, size))
        low, high = noise.matrix_range(counts)["corrected_accuracy"]
        assert low < noise.measures["corrected_accuracy"].value(answers) < high
        widths.append(high - low)
    assert widths[0] > 2 * widths[1] > 10 * widths[2] > 0.0
    assert label_noise(problem, NOISE).matrix_range(counts) == {}


@pytest.mark.parametrize("command", ["fit", "compare"])
@pytest.mark.parametrize("classes", [CLASSES, [0, 1, 2]])
def test_columns_of_checked_labels_are_pointed_out(uneven, noisy, command, classes):
    frame = noisy_frame(classes=classes)
    frame["true"] = frame["true"].where(np.arange(360) % 3 > 0)
    frame["count"] = np.random.default_rng(0).integers(0, 3, 360)
    frame.to_csv(noisy / "t.csv", index=False)
    write_noise_matrix(NOISE, classes, noisy / "noise.csv")
    words = (command, "t.csv", "-t", "label", "--noise-matrix", "noise.csv")
    option = "--method" if command == "fit" else "--methods"
    words += (option, "logistic_regression", *(QUICK if command == "compare" else ()))
    said = " ".join(uneven(*words).err.split())
    assert "column 'true' holds nothing but classes" in said
    assert "--drop true" in said
    assert "'count'" not in said
    assert "nothing but classes" not in " ".join(uneven(*words, "--drop", "true").err.split())


def test_uma_without_a_matrix_believes_the_labels(uneven, noisy):
    words = ("-t", "label", "--drop", "true")
    note = "UMA is meant for label noise with a known noise matrix; without --noise-matrix"
    done = uneven("fit", "t.csv", *words, "--method", "uma", "-o", "m.skops")
    assert note in done.err
    done = uneven("compare", "t.csv", *words, *QUICK, "--methods", "uma,logistic_regression")
    assert note in done.err
    done = uneven("fit", "t.csv", *words, "--method", "logistic_regression", "-o", "m.skops")
    assert "UMA" not in done.err


def test_the_noise_is_estimated_without_any_true_label(tmp_path, uneven):
    noisy_frame().drop(columns="true").to_csv(tmp_path / "t.csv", index=False)
    done = uneven("noise", "t.csv", "--observed", "label", "-o", "n.csv")
    assert done.code == 0, done.err
    assert "noisy labels of 360 rows alone" in done.out
    assert "no label is known to be right" in done.err
    found = read_noise_matrix(tmp_path / "n.csv", np.array(CLASSES))
    assert np.abs(found - NOISE).max() < 0.2


def test_the_noise_is_estimated_from_labels_given_again(tmp_path, uneven):
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(3), 80)
    answers = [corrupt_labels(truth, NOISE, rng) for _ in range(3)]
    frame = pd.DataFrame({"photo": np.tile(np.arange(240), 3), "label": np.concatenate(answers)})
    frame["label"] = np.array(CLASSES)[frame["label"]]
    frame.to_csv(tmp_path / "a.csv", index=False)
    words = ("noise", "a.csv", "--observed", "label", "-o", "n.csv")
    assert uneven(*words, "--id", "photo").code == 0
    found = read_noise_matrix(tmp_path / "n.csv", np.array(CLASSES))
    assert np.abs(found - NOISE).max() < 0.15
    frame.drop_duplicates("photo").to_csv(tmp_path / "a.csv", index=False)
    done = uneven(*words, "--id", "photo")
    assert done.code != 0
    assert "no 'photo' has two labels" in done.err
