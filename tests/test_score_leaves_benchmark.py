"""The benchmark of score leaves: rounds to a target, kept results, and what is absent."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier

import uneven
from benchmarks.lines import NOT_RUN
from benchmarks.score_leaves import booster, curves, figure, leaves, options, scaling, wide
from benchmarks.score_leaves.__main__ import parse
from benchmarks.score_leaves.booster import Booster, checkpoints
from benchmarks.score_leaves.curves import (
    Curve,
    Keep,
    Reached,
    _key,
    longest,
    quickest,
    reach,
    trace,
)
from benchmarks.score_leaves.data import Table, mixed_table
from benchmarks.score_leaves.options import Options
from benchmarks.score_leaves.peers import LIGHTGBM, OURS, PEERS

BY_NAME = {peer.name: peer for peer in PEERS}


@pytest.fixture
def table():
    X, y = make_classification(600, 8, n_informative=5, n_classes=3, random_state=0)
    return Table("tiny", X[:400], y[:400], X[400:], y[400:], rounds=40)


class Stand(HistGradientBoostingClassifier):
    """Stands in for our booster."""

    def __init__(
        self,
        n_estimators=10,
        learning_rate=0.1,
        max_leaves=31,
        early_stopping=False,
        random_state=None,
        n_jobs=None,
    ):
        super().__init__(max_iter=n_estimators, class_weight="balanced", early_stopping=False)
        self.learning_rate, self.max_leaf_nodes = learning_rate, max_leaves
        self.n_estimators, self.max_leaves = n_estimators, max_leaves
        self.early_stopping, self.random_state = early_stopping, random_state
        self.n_jobs = n_jobs

    def staged_predict_proba(self, X, balanced=True):
        return super().staged_predict_proba(X)


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_NAME)
def test_the_last_of_the_curve_is_a_fresh_fit(name, table):
    peer = BY_NAME[name]
    if peer.absent():
        pytest.skip(peer.absent())
    setting = peer.choices(table)[0]
    rounds = longest(peer, table, setting)
    curve = trace(peer, table, setting, rounds, threads=1)
    assert curve.rounds == checkpoints(rounds)
    model = peer.fit(table, setting, rounds, threads=1)
    found = peer.probabilities(model, table.X_new)
    true = found[np.arange(len(found)), table.y_new]
    loss = np.average(-np.log(true), weights=table.weights_new)
    assert curve.loss[-1] == pytest.approx(loss, rel=1e-4)


def test_the_quickest_setting_counts():
    curve = Curve([1, 2, 4], [0.5, 0.8, 0.9], [1.0, 0.9, 0.8], seconds=8.0)
    assert curve.rounds_to(0.8) == 2
    assert curve.rounds_to(0.95) is None
    one = Reached(OURS, {}, curve, 2, 3.0)
    assert one.estimate == 4.0
    assert (
        quickest([Reached(OURS, {}, curve, 4, 5.0), one, Reached(OURS, {}, curve, 1, None)]) is one
    )
    assert quickest([]) is None


class Slow(Booster):
    """Takes a second a round and a second to begin; its accuracy is its share of 40 rounds."""

    def choices(self, table):
        return self.settings

    def fit(self, table, setting, rounds, threads):
        CLOCK[0] += 1 + rounds

    def stages(self, model, X, steps):
        CLOCK[0] += 100
        for step in steps:
            right = np.arange(len(X)) < len(X) * step / 40
            yield np.eye(3)[np.where(right, Y_NEW, (Y_NEW + 1) % 3)]


CLOCK = [0.0]
Y_NEW = np.tile([0, 1, 2], 40)


@pytest.mark.parametrize(
    ("cap", "shown", "ratio", "rounds", "mean"),
    [
        (3.0, "> 33 s", "> 3.0x", 32, "> 3.00x"),
        (10.0, "37 s (36 x 0.1)", "3.36x", 40, "3.36x"),
    ],
)
def test_a_peer_is_cut_off_at_a_multiple_of_our_seconds(
    monkeypatch, cap, shown, ratio, rounds, mean
):
    monkeypatch.setattr(curves, "clock", lambda threads: lambda: CLOCK[0])
    monkeypatch.setattr(booster, "clock", curves.clock)
    setting = {"learning_rate": 0.1}
    X = np.zeros((120, 2))
    table = Table("costly", X, Y_NEW, X, Y_NEW, rounds=40, costly=True)
    ours, peer = (Slow(name, "numpy", (setting,)) for name in ("ours", "slow"))
    chosen = Options(ours=ours, peers=(peer,), cap=cap)
    own = [Reached(ours, setting, Curve([10], [0.9], [0.1], 11.0), 10, 11.0)]
    limit = leaves._limit(table, peer, own, chosen)
    assert limit == 11.0 * cap
    theirs = reach(peer, table, 0.9, 1, chosen.keep, limit)
    assert theirs[0].curve.rounds[-1] == rounds
    assert theirs[0].curve.seconds == 1 + rounds
    ratios = {}
    line, _ = leaves._lines(table, 0.9, {"ours": own, "slow": theirs}, chosen, ratios)
    assert (line.other, line.ratio) == (shown, ratio)
    (line,) = leaves._means(ratios, chosen)
    assert line.ours == mean
    assert ("cut off on 1" in line.what) == (rounds < 40)


def test_only_peers_on_costly_tables_are_cut_off(table):
    own = [Reached(OURS, {}, Curve([1], [0.9], [0.1], 1.0), 1, 1.0)]
    peer = BY_NAME["CatBoost"]
    assert leaves._limit(table, peer, own, Options(cap=2.0)) == np.inf
    costly = replace(table, costly=True)
    assert leaves._limit(costly, peer, own, Options(cap=2.0)) == 2.0
    assert leaves._limit(costly, LIGHTGBM, own, Options(cap=2.0)) == np.inf


def test_peers_alone_are_fitted_to_a_known_target_within_known_seconds(monkeypatch, table):
    words = ["--goal", "0.8", "--limit", "7", "--settings", "1", "--peers", "CatBoost"]
    _, chosen = parse(words)
    assert leaves.goal(table, chosen) == 0.8
    asked = []
    monkeypatch.setattr(leaves, "reach", lambda *given: asked.append(given) or [])
    monkeypatch.setattr(Booster, "absent", lambda one: "")
    leaves.measure(table, 0.8, chosen)
    assert [(one.name, limit) for one, *_, limit in asked] == [("CatBoost", 7.0)]
    assert asked[0][0].choices(replace(table, costly=True)) == BY_NAME["CatBoost"].settings[-1:]


def test_kept_results_are_not_computed_again(tmp_path):
    keep = Keep(tmp_path / "kept")
    assert keep.ask("a, b/c", lambda: [1.0]) == [1.0]
    assert keep.ask("a, b/c", lambda: [2.0]) == [1.0]
    assert Keep().ask("a, b/c", lambda: [2.0]) == [2.0]


@pytest.mark.slow
def test_a_peer_that_is_not_installed_leaves_a_line(table):
    gone = Booster("Gone", "no_such_package", ({"learning_rate": 0.1},))
    found, problems = leaves.measure(table, 0.5, Options(peers=(gone,)))
    assert "Gone" not in found
    assert [line.ours for line in problems if "Gone" in line.what] == [NOT_RUN]


@pytest.mark.slow
def test_ours_is_measured_beside_lightgbm(monkeypatch, table, tmp_path):
    pytest.importorskip("lightgbm")
    monkeypatch.setattr(uneven, "BalancedBoostingClassifier", Stand, raising=False)
    monkeypatch.setattr(options, "TABLES", {"tiny": lambda: table})
    monkeypatch.setattr(leaves, "SHARE", 0.9)
    chosen = Options(
        tables=("tiny",), peers=(LIGHTGBM,), keep=Keep(tmp_path), report=tmp_path / "report.md"
    ).with_settings(({"learning_rate": 0.2, "max_leaves": 15},))
    lines = leaves.run(chosen)
    assert [line.what.split(":")[0] for line in lines[:2]] == ["tiny", "tiny"]
    assert lines[0].ratio.endswith("x")
    assert lines[-1].what.startswith("geometric mean of the ratios, 1 tables")
    assert len((tmp_path / "report.md").read_text().splitlines()) == 4 + 1 + 6
    kept = sorted(path.name.split("-")[0] for path in tmp_path.glob("*.json"))
    assert kept == ["curve"] * 7 + ["fit"] * kept.count("fit")
    assert len(list(tmp_path.glob("curve-tiny-uneven-*"))) == 1


def test_categories_do_not_act_by_their_code():
    X, y = mixed_table(4000)
    assert X.shape == (4000, 30)
    shares = np.bincount(y) / len(y)
    assert shares.min() < 0.15 < 0.3 < shares.max()
    rates = [np.mean(y[X["c0"] == level] == 0) for level in X["c0"].cat.categories]
    assert 0 < np.sum(np.diff(rates) > 0) < 4


def test_options_are_read(monkeypatch, tmp_path):
    monkeypatch.setenv("UNEVEN_BENCH_KEEP", str(tmp_path))
    given = [{"learning_rate": 0.3, "max_leaves": 15}]
    names, found = parse(["score-predict", "--threads", "2", "--ours", json.dumps(given)])
    assert names == ["score-predict"]
    assert (found.threads, found.keep.folder) == (2, tmp_path)
    assert list(found.ours.settings) == given


def test_long_fits_may_have_other_rounds(monkeypatch, table):
    monkeypatch.setattr(options, "TABLES", {"tiny": lambda: table})
    for words, rounds in (([], 3 * table.rounds), (["--rounds", "300"], 300)):
        (loaded,) = replace(parse(words)[1], tables=("tiny",)).load([])
        assert longest(OURS, loaded, {"learning_rate": 0.1}) == rounds


def test_peers_of_one_tree_per_round_may_have_as_many_rounds_as_ours(table):
    found = {peer.name: longest(peer, table, {"learning_rate": 0.1}) for peer in PEERS}
    per_class = {"LightGBM", "XGBoost", "HistGradientBoosting"}
    assert {name for name, rounds in found.items() if rounds == table.rounds} == per_class
    assert set(found.values()) == {table.rounds, longest(OURS, table, {"learning_rate": 0.1})}


def test_without_ours_there_is_a_line(monkeypatch):
    monkeypatch.setattr(type(OURS), "absent", lambda self: "it is gone")
    assert [line.ours for line in scaling.run(Options())] == [NOT_RUN]


def test_wide_tables_are_as_told():
    dense, words = wide.genome(d=300), wide.text(n=200, d=3000)
    assert dense.X.shape == (135, 300)
    assert set(dense.y) == {0, 1, 2, 3}
    assert words.X.shape == (200, 3000)
    assert words.X.multiply(words.X).sum(axis=1) == pytest.approx(1.0)


def test_a_refusal_is_a_line(monkeypatch):
    monkeypatch.setattr(uneven, "BalancedBoostingClassifier", Stand, raising=False)
    (line,) = wide._times(wide.text(n=200, d=3000), Options())
    assert line.ours == NOT_RUN
    assert "parse" in line.what


def keep_fake_curves(folder, table, names):
    """Curves as a run keeps them: of two settings of each booster, and of another one."""
    for k, name in enumerate(names):
        one = OURS if name == OURS.name else BY_NAME[name]
        if one.absent():
            continue
        for top, setting in ((0.8, one.settings[0]), (0.9, one.settings[-1]), (0.99, {"l2": 7})):
            for last in (30, 60):
                rounds = checkpoints(last)
                balanced = [top - 0.5 * 0.9**step for step in rounds]
                kept = asdict(Curve(rounds, balanced, balanced, seconds=3.0 * (k + 1)))
                key = f"curve {_key(one, table, setting)} {last}"
                Keep(folder).ask(key, lambda kept=kept: kept)


def test_the_picture_is_drawn_from_kept_curves(tmp_path, capsys):
    for table in ("letter", "mixed"):
        keep_fake_curves(tmp_path, table, [*figure.SHOWN, "XGBoost, vector leaves"])
    out = tmp_path / "picture.png"
    figure.main(["--keep", str(tmp_path), "--tables", "letter", "mixed", "--out", str(out)])
    assert out.read_bytes().startswith(b"\x89PNG")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "letter, uneven: 0.8991 after 3 s"
    assert not [line for line in lines if "vector" in line]


def test_ours_is_fitted_for_the_picture_where_it_is_not_kept(monkeypatch, table, tmp_path):
    found = Curve([1, 2], [0.5, 0.6], [1.0, 0.9], seconds=4.0)
    monkeypatch.setitem(figure.TABLES, "letter", lambda: table)
    monkeypatch.setattr(figure, "curves", lambda *given: [({}, found)])
    reached = figure.collect(Keep(tmp_path), ["letter"])["letter"]
    assert list(reached) == [OURS.name]
    assert reached[OURS.name].seconds.tolist() == [2.0, 4.0]


def test_a_reach_never_falls():
    up_and_down = Curve([1, 2, 3], [0.5, 0.4, 0.6], [1.0, 1.0, 1.0], seconds=3.0)
    late = Curve([1], [0.55], [1.0], seconds=9.0)
    reach = figure.Reach.of([up_and_down, late])
    assert reach.seconds.tolist() == [1.0, 3.0]
    assert reach.balanced.tolist() == [0.5, 0.6]
