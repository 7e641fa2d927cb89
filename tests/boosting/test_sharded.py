"""Rows in blocks: the model is that of the table in one piece, whatever the cut and the order."""

import mmap

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.svm import LinearSVC

from tests.problems import gaussian_classes, view_tables
from uneven import (
    AdaBoostMMClassifier,
    BalancedBoostingClassifier,
    ComboClassifier,
    MuComboClassifier,
    MumboClassifier,
)
from uneven.boosting.sharded import RowBlocks, score_steps
from uneven.boosting.sharded import costs as sharded_costs
from uneven.boosting.sharded import rows as sharded_rows
from uneven.boosting.sharded import shard as shards
from uneven.boosting.sharded.blocks import HeldBlock
from uneven.boosting.sharded.engine import LocalEngine
from uneven.boosting.sharded.steps import Journal, forget
from uneven.costs.score_costs import ScoreCosts
from uneven.persistence.archive import dumps
from uneven.utils.reproducible_sums import fold_units
from uneven.views.maps import resolve_views


def bits(thing):
    """All that a fitted model holds, as nested tuples of names and bytes."""
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        return (thing.dtype.str, thing.shape, thing.tobytes())
    if isinstance(thing, np.ndarray | list | tuple):
        return tuple(bits(one) for one in thing)
    if isinstance(thing, dict):
        return tuple((str(name), bits(thing[name])) for name in sorted(thing, key=str))
    if isinstance(thing, float):
        return np.float64(thing).tobytes()
    if hasattr(thing, "__dict__"):
        kept = {k: v for k, v in vars(thing).items() if not k.startswith("_skl")}
        return (type(thing).__name__, bits(kept))
    return repr(thing)


def cut(rng, X, y, weight=None, n_blocks=None):
    """Blocks of a table, some of them empty, in any order, with the rows in any order."""
    n_blocks = int(rng.integers(1, 10)) if n_blocks is None else n_blocks
    order = rng.permutation(len(y))
    edges = np.sort(rng.integers(0, len(y) + 1, n_blocks - 1))
    parts = np.split(order, edges)
    if weight is None:
        return RowBlocks([(X[rows], y[rows]) for rows in parts])
    return RowBlocks([(X[rows], y[rows], weight[rows]) for rows in parts])


_OF_TREES = ("begin_tree", "split_nodes")


@st.composite
def cut_tables(draw):
    """(X, y, weight, rng): few values, missing ones, weights of all kinds."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.sampled_from([2, 3, 4, 8]))
    n, d = draw(st.integers(2 * n_classes, 150)), draw(st.integers(1, 6))
    twice = np.tile(np.arange(n_classes), 2)
    y = np.concatenate([twice, rng.integers(0, n_classes, n - len(twice))])
    X = np.round(rng.normal(size=(n, d)) + 0.7 * y[:, None] % 3, draw(st.integers(0, 2)))
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    if draw(st.sampled_from([False, False, True])):
        X[rng.random((n, d)) < 0.6] = 0.0
        X = sp.csr_array(X)
    kinds = {
        "none": None,
        "whole": rng.integers(1, 4, n).astype(float),
        "zero": rng.integers(0, 3, n).astype(float) + (np.arange(n) < len(twice)),
        "float": rng.gamma(1.0, size=n) + 1e-9,
    }
    return X, y, kinds[draw(st.sampled_from(sorted(kinds)))], rng


OPTIONS = st.fixed_dictionaries(
    {
        "leaves": st.sampled_from(["votes", "scores"]),
        "max_depth": st.integers(1, 4),
        "subsample": st.sampled_from([1.0, 0.6]),
        "early_stopping": st.sampled_from([False, False, True]),
        "max_features": st.sampled_from([1.0, 0.5]),
        "views": st.sampled_from([None, "two"]),
        "learning_rate": st.sampled_from([1.0, 0.3]),
        "noise_matrix": st.sampled_from([None, None, "some"]),
        "class_cost": st.sampled_from([None, None, "some"]),
    }
)


def matrices(options, n_classes):
    """The options, with the noise matrix and the class costs they ask for."""
    noise = 0.8 * np.eye(n_classes) + 0.2 / n_classes
    costs = 1.0 + np.arange(n_classes**2).reshape(n_classes, n_classes) % 3
    given = {"noise_matrix": noise, "class_cost": costs}
    return options | {name: own if options[name] else None for name, own in given.items()}


def check_equal(model, X, y, weight, rng):
    whole = dumps(clone(model).fit(X, y, sample_weight=weight))
    assert dumps(clone(model).fit(cut(rng, X, y, weight), None)) == whole


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:no voter does better", "ignore:views")
@given(cut_tables(), OPTIONS, st.sampled_from([ComboClassifier, AdaBoostMMClassifier]))
@settings(max_examples=40, deadline=None)
def test_any_cut_and_order_give_the_same_model(table, options, method):
    X, y, weight, rng = table
    two = {"a": slice(0, -(-X.shape[1] // 2)), "b": slice(X.shape[1] // 2, None)}
    given_views = two if options["views"] and X.shape[1] > 1 else None
    words = matrices(options, len(np.unique(y))) | {"views": given_views}
    model = method(n_estimators=6, random_state=0, **words)
    check_equal(model, X, y, weight, rng)


MULTI_VIEW = st.one_of(
    st.fixed_dictionaries(
        {
            "method": st.just(MumboClassifier),
            "cooperation": st.sampled_from(["binary", "ratio", "gauss", "half"]),
            "selection": st.sampled_from(["max_edge", "quota", "random"]),
            "on_failure": st.sampled_from(["halt", "skip"]),
        }
    ),
    st.fixed_dictionaries(
        {
            "method": st.just(MuComboClassifier),
            "coefficients": st.sampled_from(["exact", "simplified", "ones"]),
            "constraint": st.sampled_from(["eq1", "le1"]),
        }
    ),
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:no voter does better", "ignore:views")
@given(view_tables(), MULTI_VIEW, OPTIONS, st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_any_cut_gives_the_same_model_of_several_views(problem, chosen, options, seed):
    X, y, _, views = problem
    rng = np.random.default_rng(seed)
    words = matrices(options, len(np.unique(y))) | chosen | {"views": views}
    model = words.pop("method")(n_estimators=5, random_state=0, **words)
    check_equal(model, X, y, rng.gamma(1.0, size=len(y)) if seed % 2 else None, rng)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_large_tables_are_sampled_alike(weighted):
    X, y = gaussian_classes([30_000, 4096, 300], 3, seed=1)
    X[:, 1] = np.round(X[:, 1], 1)
    X[::50, 0] = np.nan
    rng = np.random.default_rng(0)
    weight = rng.gamma(1.0, size=len(y)) if weighted else None
    for options in ({"max_depth": 2}, {"leaves": "scores", "max_leaves": 5, "subsample": 0.5}):
        model = ComboClassifier(n_estimators=3, random_state=0, **options)
        check_equal(model, X, y, weight, rng)
    few_values = np.round(np.nan_to_num(X))
    model = ComboClassifier(n_estimators=3, subsample=0.5, early_stopping=True, random_state=0)
    check_equal(model, few_values, y, weight, rng)


@pytest.mark.parametrize("leaves", ["votes", "scores"])
def test_validation_rows_are_given(leaves):
    X, y = gaussian_classes([60, 30, 10], 3, seed=0)
    held = gaussian_classes([30, 10, 0], 3, seed=1)
    options = {"early_stopping": True, "n_iter_no_change": 3, "leaves": leaves}
    model = ComboClassifier(n_estimators=12, random_state=0, **options)
    whole = bits(model.fit(X, y, validation=held))
    assert 0 < model.n_estimators_ < 12
    assert model.class_prior_.tolist() == [0.6, 0.3, 0.1]
    assert bits(model.fit(cut(np.random.default_rng(0), X, y), None, validation=held)) == whole


def test_costs_of_shards_on_disk_are_never_in_memory(monkeypatch):
    def refuse(shape):
        raise AssertionError("costs in memory")

    X, y = gaussian_classes([60, 30, 10], 3, seed=0)
    model = ComboClassifier(n_estimators=3, max_depth=2, random_state=0)
    whole = bits(model.fit(X, y))
    blocks = RowBlocks([(X[:50], y[:50]), (X[50:], y[50:])])
    blocks.on_disk = True
    monkeypatch.setattr("uneven.costs.matrices.aligned_zeros", refuse)
    assert bits(model.fit(blocks, None)) == whole


ON_DISK = [
    ComboClassifier(max_depth=2, early_stopping=True, subsample=0.7),
    ComboClassifier(leaves="scores", max_leaves=4),
    MuComboClassifier(max_depth=1, views={"a": [0, 1], "b": [2]}),
    MumboClassifier(max_depth=1, views={"a": [0, 1], "b": [2]}, noise_matrix=0.7 * np.eye(3) + 0.1),
]


@pytest.mark.parametrize("weights", ["one", "whole", "float"])
@pytest.mark.parametrize("model", ON_DISK, ids=["votes", "scores", "views", "noise"])
def test_shards_on_disk_give_the_same_model(monkeypatch, model, weights):
    """Also where the mass of the rows is read a few rows at a time."""
    X, y = gaussian_classes([60, 30, 10], 3, seed=0)
    X[::7, :2] = np.nan
    rng = np.random.default_rng(0)
    weight = {"one": None, "whole": 1.0 + np.arange(100) % 3, "float": rng.gamma(1.0, size=100)}
    model = clone(model).set_params(n_estimators=4, random_state=0)
    whole = dumps(clone(model).fit(X, y, sample_weight=weight[weights]))
    monkeypatch.setattr(shards, "_MANY", 7)
    blocks = cut(rng, X, y, weight[weights], 4)
    blocks.on_disk = True
    assert dumps(model.fit(blocks, None)) == whole


@pytest.mark.parametrize("on_disk", [False, True])
def test_what_a_shard_keeps_per_row_is_in_files_if_asked(on_disk, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    X, y = gaussian_classes([60, 30, 10], 3, seed=0)
    shard = shards.Shard([HeldBlock(X, y)], {}, on_disk=on_disk)
    classes, views = np.arange(3), resolve_views(None, n_features=3)
    shard.run([shards.number_labels(classes, 1.0, (3, False)), shards.look_for_views(views)])
    shard.run([shards.fold_mass(shards.ALL_ROWS, fold_units(100, 1.0))])
    folds = shard.mass_folds[shards.ALL_ROWS]
    assert folds.shape == (1, 100)
    for array in (shard.y, shard.mass, shard.hashes(None), shard._kept[0], folds):
        assert isinstance(owner_of(array), mmap.mmap) is on_disk
    assert len(list(tmp_path.rglob("*.bin"))) == 5 * on_disk
    shard.close()
    assert not list(tmp_path.iterdir())


def owner_of(array):
    """What holds the memory of an array."""
    while isinstance(array, np.ndarray) and array.base is not None:
        array = array.base
    return array


def test_sparse_and_dense_blocks_may_be_mixed():
    X, y = gaussian_classes([60, 30, 10], 3, seed=0)
    X = np.maximum(X, 0.0)
    model = ComboClassifier(n_estimators=4)
    whole = bits(model.fit(sp.csr_array(X), y))
    blocks = RowBlocks([(sp.csc_array(X[:40]), y[:40]), (X[40:], y[40:])])
    assert bits(model.fit(blocks, None)) == whole


def test_categories_and_empty_first_block():
    X, y = gaussian_classes([60, 30, 10], 2, seed=0)
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame["c"] = pd.Categorical(np.array(["u", "v", "w"])[(y + np.arange(len(y)) % 2) % 3])
    model = BalancedBoostingClassifier(n_estimators=4, min_weight=0.0, random_state=0)
    whole = bits(model.fit(frame, y))
    parts = np.split(np.arange(len(y)), [0, 40, 41])
    blocks = RowBlocks([(frame.iloc[part], y[part]) for part in parts])
    assert bits(model.fit(blocks, None)) == whole


@pytest.mark.parametrize("depth", [1, 3, 4])
@pytest.mark.parametrize("loss", ["exponential", "log"])
def test_a_round_of_score_leaves_takes_few_trips(monkeypatch, depth, loss):
    """One per level, one for the leaves, one that ends the round; more where a guess fails.

    Histograms that come have one lane for each class.
    """
    trips, lanes = [], set()

    class Counted(LocalEngine):
        def _trip(self, steps):
            found = super()._trip(steps)
            grown = [own for step, own in zip(steps, found) if step.name in _OF_TREES]
            lanes.update(histograms.shape[-1] for histograms, _ in grown)
            return found

        def close(self):
            trips.append(self.n_trips)
            super().close()

    monkeypatch.setattr(sharded_rows, "LocalEngine", Counted)
    X, y = gaussian_classes([60, 40, 20, 20, 20])
    blocks = cut(np.random.default_rng(1), X, y, n_blocks=3)
    for n_rounds in (4, 14):
        options = {"leaves": "scores", "learning_rate": 0.1, "max_depth": depth, "loss": loss}
        ComboClassifier(n_estimators=n_rounds, random_state=0, **options).fit(blocks, None)
    assert 10 * (depth + 2) <= trips[1] - trips[0] <= 10 * (depth + 2) + 5
    assert lanes == {5}


def test_a_tree_that_was_begun_with_a_wrong_guess_is_begun_again(monkeypatch):
    X, y = gaussian_classes([60, 40, 20])
    weight = 10.0 ** -(np.arange(120) % 7)
    model = ComboClassifier(n_estimators=8, leaves="scores", max_depth=2, random_state=0)
    whole = dumps(clone(model).fit(X, y, sample_weight=weight))
    seen = []

    def guess(costs, drawn):
        scale = ScoreCosts._scale_for(costs, drawn)
        costs.rows.scales = (scale / 2.0, scale / 2.0)
        return scale

    def begin(rows, seed, threshold, scales):
        known = rows._root[0]
        seen.append(known[2] != scales if known else None)
        return begun(rows, seed, threshold, scales)

    begun = sharded_costs.RemoteScoreRows.begin_tree
    monkeypatch.setattr(sharded_costs.ShardedScoreCosts, "_scale_for", guess)
    monkeypatch.setattr(sharded_costs.RemoteScoreRows, "begin_tree", begin)
    blocks = cut(np.random.default_rng(1), X, y, weight, n_blocks=3)
    assert dumps(model.fit(blocks, None)) == whole
    assert True in seen


def test_room_of_a_tree_is_used_again():
    shard = shards.Shard([], {})
    shard.y = np.zeros(7, dtype=np.int32)
    one, other = shard.borrow(), shard.borrow()
    assert one.shape == other.shape == (2, 7)
    assert one is not other
    shard.spare.append(one)
    assert shard.borrow() is one
    shard.spare.append(one)
    shard.y = shard.y[:5]
    assert shard.borrow().shape == (2, 5)


def test_warm_start_goes_on_in_shards():
    X, y = gaussian_classes([60, 30, 10], 3, seed=0)
    rng = np.random.default_rng(0)
    for leaves in ("votes", "scores"):
        options = {"leaves": leaves, "random_state": 0}
        model = ComboClassifier(n_estimators=4, warm_start=True, **options).fit(X, y)
        model.set_params(n_estimators=7).fit(cut(rng, X, y), None)
        at_once = ComboClassifier(n_estimators=7, **options).fit(X, y)
        assert bits(model.vote_) == bits(at_once.vote_)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ComboClassifier(LinearSVC()), "estimator is not possible"),
        (MumboClassifier(selection="diversity"), "compares predictions row by row"),
    ],
)
def test_what_needs_all_rows_is_refused(model, message):
    X, y = gaussian_classes([20, 20, 20], 3, seed=0)
    with pytest.raises(ValueError, match=message):
        model.fit(RowBlocks([(X, y)]), None)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([(np.ones((3, 2)), [0, 1])], r"cut differently: their blocks have \[3\] and \[2\]"),
        ([(np.ones((2, 2)), [0, 1]), (np.ones((2, 3)), [0, 1])], "a block of it has 3"),
        ([(np.ones((2, 2)), [0, 1], [0.0, 0.0])], "zero for every row"),
        ([(np.ones((2, 2)), [0, 1], [-1.0, 1.0])], "finite numbers >= 0"),
        ([(np.ones((0, 2)), [])], "no rows"),
        ([(np.full((2, 2), np.inf), [0, 1])], "infinity"),
        ([(np.ones((2, 2)), [0.5, 1.25])], "continuous"),
        ([(np.ones((2, 2)), np.array(["a", pd.NA], dtype=object))], "y contains NaN"),
    ],
)
def test_blocks_that_make_no_table_are_refused(blocks, message):
    with pytest.raises(ValueError, match=message):
        ComboClassifier().fit(RowBlocks(blocks), None)


def test_steps_of_a_tree_leave_the_journal_when_it_is_forgotten():
    grown = score_steps.split_nodes(7, [], ())
    kept = [score_steps.add_scores(1, 2, np.ones((1, 2)), None), forget(7)]
    journal = Journal()
    journal.add([grown, score_steps.sum_stakes(1, 2.0), kept[0], grown])
    assert journal.steps == [grown, kept[0], grown]
    journal.add([kept[1]])
    assert journal.steps == kept
    journal.add([grown])
    assert journal.steps == [*kept, grown]
