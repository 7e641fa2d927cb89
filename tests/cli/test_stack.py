"""Stacks of methods: compared, fitted, kept in files, explained."""

import contextlib
import json
import re

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import make_frame
from uneven.comparison import (
    METHODS,
    STACK,
    Comparison,
    InputError,
    Settings,
    choose_methods,
    explains_itself,
    fit_method,
    knows_noise,
    make_problem,
    stack_methods,
)
from uneven.persistence.model_file import load_model

pytestmark = pytest.mark.slow

MEMBERS = ("combo", "adaboost_mm", "logistic_regression")
SMALL = ("--methods", ",".join(MEMBERS), "--rounds", 5, "--n-jobs", 1, "--cv", 2)


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """What a comparison with a stack wrote and said, with views, categories and missing cells."""
    from uneven.cli import run

    folder = tmp_path_factory.mktemp("stack")
    make_frame(150).to_csv(folder / "t.csv", index=False)
    words = ["compare", folder / "t.csv", "-t", "label", "--views", "prefix", "--no-diagnosis"]
    words += ["--stack", *SMALL, "--out", folder / "out"]
    with (
        (folder / "said.txt").open("w", encoding="utf-8") as said,
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
    ):
        assert run([str(word) for word in words]) == 0
    return folder


@pytest.fixture(scope="module")
def results(compared):
    return Comparison.from_json((compared / "out" / "results.json").read_text())


@pytest.mark.slow
def test_the_stack_is_one_more_method_on_the_same_folds(results):
    assert [m.name for m in results.methods] == [*MEMBERS, STACK]
    stack = results.methods[-1]
    assert stack.errors == []
    totals = {name: np.sum(m.confusion) for m in results.methods for name in [m.name]}
    assert set(totals.values()) == {150}
    assert len(stack.scores["accuracy"]) == 2
    assert stack.mean("accuracy") > 0.8


def test_the_report_tells_what_is_kept(compared, results):
    found = results.stack
    assert tuple(found.members) == MEMBERS
    assert 1 <= found.n_kept <= 3
    assert [len(row) for row in found.weights] == [3, 3, 3]
    assert found.fits == 2
    assert all(0 <= folds <= 2 for folds in found.kept_folds)
    assert found.strengths[found.chosen] == found.strength
    assert found.n_selected[-1] <= found.n_selected[0]
    assert found.balanced
    page = (compared / "out" / "report.html").read_text()
    assert "Which methods the stack keeps" in page
    assert re.search(r"Kept: (CoMBo|AdaBoost.MM|Logistic regression)", page)


def test_the_terminal_tells_what_is_kept(compared, results):
    said = (compared / "said.txt").read_text(encoding="utf-8")
    kept = int(re.search(r"Stack: (\d) of 3 methods (?:is|are) kept", said).group(1))
    assert kept == results.stack.n_kept
    rows = [line.split() for line in said.splitlines() if "folds" in line]
    assert sum("yes" in row for row in rows) == kept
    assert "Stack: 2 fits" in said
    assert f"penalty of strength {results.stack.strength:g}" in said


@pytest.mark.slow
def test_a_stack_survives_its_file_and_asks_only_the_kept(uneven, table, frame):
    done = uneven(
        "fit", table, "-t", "label", "--stack", "--method", ",".join(MEMBERS), "--rounds", 5,
        "-o", "m.skops",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "Stack fitted on" in done.out
    model, card = load_model("m.skops")
    assert card.method == STACK
    stack = model[-1]
    assert [member.name for member in stack.estimators_] == list(stack.selected_)
    frame.to_csv("new.csv", index=False)
    assert uneven("predict", "m.skops", "new.csv", "-o", "answers.csv", "--proba").code == 0
    answers = pd.read_csv("answers.csv")
    np.testing.assert_allclose(answers.filter(like="share_").sum(axis=1), 1.0)
    assert (answers["predicted_label"] == frame["label"]).mean() > 0.8


@pytest.mark.slow
def test_explain_names_the_kept_and_the_dropped(uneven, table):
    words = ("--stack", "--method", "combo,logistic_regression", "-o", "m.skops")
    assert uneven("fit", table, "-t", "label", *words).code == 0
    stack = load_model("m.skops")[0][-1]
    done = uneven("explain", "m.skops")
    assert done.code == 0, done.err
    kept = [METHODS[name].label for name in stack.selected_]
    assert f"{len(kept)} of 2 kept: {', '.join(kept)}" in done.out
    assert f"{2 - len(kept)} of 2 dropped: " in done.out
    assert f"strength of the penalty: {stack.strength_:g}" in done.out
    assert "How much each method moves each class" in done.out


@pytest.mark.slow
def test_members_that_know_the_noise_are_told_and_the_stack_is_not(uneven, table):
    classes = ["common", "less", "rare"]
    matrix = pd.DataFrame(0.9 * np.eye(3) + 0.1 / 3, index=classes, columns=classes)
    (matrix / matrix.sum()).to_csv("noise.csv", index_label="label")
    words = ("--stack", "--methods", "combo,logistic_regression", *SMALL[2:], "--no-diagnosis")
    done = uneven("compare", table, "-t", "label", "--noise-matrix", "noise.csv", *words)
    assert done.code == 0, done.err
    told = {m["name"]: m["knows_noise"] for m in json.loads(done_results())["methods"]}
    assert told == {"combo": True, "logistic_regression": False, STACK: False}
    assert "no noise matrix can be given to Logistic regression, Stack" in " ".join(
        done.err.split()
    )


def done_results():
    with open("uneven-report/results.json", encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("compare", "--stack", "--methods", "combo"), "but CoMBo is all there is"),
        (("fit", "--stack", "--method", "combo"), "name two or more"),
        (("fit", "--method", "combo,random_forest"), "add --stack to combine them"),
        (("compare", "--methods", "combo,stack"), "add --stack"),
        (("fit", "--method", "stack"), "add --stack"),
    ],
)
def test_wrong_requests(uneven, table, words, says):
    command, *options = words
    done = uneven(command, table, "-t", "label", *options)
    assert done.code == 2
    assert says in done.complaint


def test_help_says_what_is_written(uneven):
    for command, says in (
        ("compare", "Also evaluate a stacking classifier"),
        ("fit", "Train a stacking classifier"),
    ):
        told = " ".join(re.sub(r"[│|]", " ", uneven(command, "--help").out).split())
        assert says in told
        assert (command == "compare") == ("Also evaluate" in told)


def test_progress_counts_the_trainings_and_leaves_nothing_behind(frame):
    class Counter:
        seen: list[tuple[int, int]] = []  # noqa: RUF012

        def begin(self, label, step):
            pass

        def end(self, label):
            pass

        def round(self, number, total):
            self.seen.append((number, total))

    problem = make_problem(frame, "label")
    stack = stack_methods(choose_methods(["combo", "logistic_regression"]), problem.schema)
    fitted = fit_method(stack, problem, Settings(rounds=3, n_jobs=1), Counter())
    assert Counter.seen == [(k, 8) for k in range(1, 9)]
    assert "_watcher" not in vars(fitted[-1])


def test_a_stack_is_built_from_the_pipelines_of_its_methods(frame):
    problem = make_problem(frame, "label")
    matrix = np.eye(3)
    stack = stack_methods(choose_methods(MEMBERS), problem.schema)
    assert explains_itself(stack)
    assert not knows_noise(stack)
    made = stack.make(Settings(rounds=7, noise_matrix=matrix, views={"a": ["text__length"]}))
    members = dict(made.estimators)
    assert members["combo"][-1].n_estimators == 7
    assert members["combo"][-1].noise_matrix is matrix
    assert members["combo"][-1].views == {"a": ["text__length"]}
    with pytest.raises(InputError, match="none is all"):
        stack_methods([], problem.schema)
