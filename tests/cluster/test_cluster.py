"""Rows on a Dask cluster of two processes: the same model, lazy answers, folds on workers."""

import os
import signal
from threading import Thread

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from tests.boosting.test_sharded import bits
from tests.callbacks import StopAfter
from tests.cluster.blocks import X, Y, collections
from tests.problems import gaussian_classes
from uneven import (
    AdaBoostMMClassifier,
    BalancedBoostingClassifier,
    ComboClassifier,
    MarginStackingClassifier,
    MuComboClassifier,
    MumboClassifier,
    NormComboClassifier,
    TunedDecisionClassifier,
    UnevenClassifier,
    compare,
)
from uneven.boosting import ShareBoostClassifier
from uneven.comparison.errors import InputError
from uneven.persistence.archive import dumps
from uneven.utils import parallel
from uneven.utils.parallel import cluster_workers

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

rows_of_dask = pytest.importorskip("uneven.distributed.rows")
engines = pytest.importorskip("uneven.distributed.engine")
DaskEngine, count_shards = engines.DaskEngine, engines.held.count_shards

pytestmark = pytest.mark.slow
NOISE = 0.8 * np.eye(4) + 0.05
COSTS = 1.0 + np.arange(16).reshape(4, 4) % 3
VIEWS = {"a": [0, 1], "b": [2, 3, 4]}
MODELS = {
    "votes": ComboClassifier(max_depth=2),
    "scores": ComboClassifier(leaves="scores", max_leaves=6, max_depth=None, views=VIEWS),
    "stopped": ComboClassifier(max_depth=1, subsample=0.5, early_stopping=True),
    "noisy": ComboClassifier(max_depth=1, noise_matrix=NOISE, class_cost=COSTS),
    "priced": AdaBoostMMClassifier(max_depth=1, class_cost=COSTS, views=VIEWS),
    "mumbo": MumboClassifier(max_depth=1, views=VIEWS),
    "mucombo": MuComboClassifier(max_depth=1, views=VIEWS),
    "balanced": BalancedBoostingClassifier(subsample=0.5, noise_matrix=NOISE),
}


@pytest.mark.parametrize("kind", MODELS)
def test_model_file_is_that_of_this_process(client, kind):
    table = X.copy()
    table[5::30, :2] = np.nan
    weight = np.random.default_rng(0).gamma(1.0, size=len(Y))
    model = MODELS[kind].set_params(n_estimators=4, random_state=0)
    whole = dumps(clone(model).fit(table, Y, sample_weight=weight))
    rows, labels = collections(table)
    weights = da.from_array(weight, chunks=labels.chunks)
    assert dumps(clone(model).fit(rows, labels, sample_weight=weights)) == whole
    assert set(client.run(count_shards).values()) == {0}


@pytest.mark.parametrize("n_workers", [1, 3])
def test_other_numbers_of_workers(n_workers):
    model = ComboClassifier(n_estimators=4, leaves="scores", random_state=0)
    whole = bits(model.fit(X, Y))
    options = {"threads_per_worker": 2, "processes": False, "dashboard_address": None}
    options |= {"memory_limit": 0, "silence_logs": 50}
    with distributed.LocalCluster(n_workers, **options) as cluster, distributed.Client(cluster):
        assert bits(model.fit(*collections())) == whole


def test_tasks_that_show_a_fit_end_with_it(client, monkeypatch):
    """By themselves: workers would warn of tasks that are cancelled."""
    ended = []

    class Watched(DaskEngine):
        def close(self):
            shown = list(self._shown.values())
            assert shown
            super().close()
            ended.extend(task.status for task in shown)

    monkeypatch.setattr(rows_of_dask, "DaskEngine", Watched)
    ComboClassifier(n_estimators=2).fit(*collections())
    assert set(ended) == {"finished"}


def test_sparse_blocks_and_given_validation_rows(client):
    table = np.where(X > 0.5, np.nan_to_num(X), 0.0)
    model = ComboClassifier(n_estimators=6, early_stopping=True, n_iter_no_change=2)
    held = (table[::9], Y[::9])
    whole = dumps(clone(model).fit(sp.csr_array(table), Y, validation=held))
    rows, labels = collections(table)
    rows = rows.map_blocks(sp.csr_matrix)
    found = model.fit(rows, labels, validation=(da.from_array(held[0]), da.from_array(held[1])))
    assert dumps(found) == whole
    np.testing.assert_array_equal(model.predict(rows).compute(), model.predict(table))


def test_warm_start_and_callbacks(client):
    pytest.importorskip("sklearn.callback")
    watch = StopAfter(3, lambda model: model.score(X, Y))
    model = ComboClassifier(n_estimators=8, warm_start=True, random_state=0)
    model.set_callbacks(watch).fit(*collections())
    assert watch.seen == model.n_estimators_ == 3
    assert model.stop_reason_ == "a callback asked to stop"
    model.set_callbacks()
    at_once = ComboClassifier(n_estimators=8, random_state=0).fit(X, Y)
    assert bits(model.fit(*collections()).vote_) == bits(at_once.vote_)


def test_frames_with_categories_unknown_lengths_and_empty_partitions(client):
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["f"] = pd.Categorical(np.array(["u", "v", "w"])[Y % 3])
    frame["label"] = np.array(["often", "some", "few", "rare"])[Y]
    table = dd.from_pandas(frame, npartitions=4, sort=False)
    table = table[(table["a"] > frame["a"].quantile(0.1)) & (table.index >= 400)]
    seen = table.compute()
    model = BalancedBoostingClassifier(n_estimators=4, random_state=0)
    whole = bits(model.fit(seen.drop(columns="label"), seen["label"]))
    columns = table.drop(columns="label")
    assert bits(model.fit(columns, table["label"])) == whole
    answers = model.predict(columns)
    assert answers.npartitions == 4
    assert (answers.compute() == model.predict(seen.drop(columns="label"))).all()
    assert list(answers.compute().index) == list(seen.index)
    shares = model.predict_proba(columns).compute()
    assert list(shares.columns) == list(model.classes_)


def test_answers_are_lazy_and_cut_like_the_rows(client):
    rows, _ = collections()
    model = ComboClassifier(n_estimators=3).fit(X, Y)
    unknown = rows[rows[:, 0] > 0.0]
    lazy = model.predict(unknown)
    assert isinstance(lazy, da.Array)
    assert np.isnan(lazy.shape[0])
    here = X[X[:, 0] > 0.0]
    np.testing.assert_array_equal(lazy.compute(), model.predict(here))
    for name in ("predict_proba", "decision_function"):
        found = getattr(model, name)(rows)
        assert found.chunks[0] == rows.chunks[0]
        np.testing.assert_array_equal(found.compute(), getattr(model, name)(X))


def test_unequal_lengths_are_refused_with_both_lists(client):
    rows, labels = collections()
    with pytest.raises(ValueError, match=r"X has 4 partitions, y has 1"):
        ComboClassifier().fit(rows, labels.rechunk(-1))
    other = da.from_array(Y, chunks=((400, 400, 400, 250),))
    with pytest.raises(ValueError, match=r"\[300, 1, 599, 550\] and \[400, 400, 400, 250\]"):
        ComboClassifier().fit(rows, other)
    assert set(client.run(count_shards).values()) == {0}


def test_methods_that_need_a_table_refuse_collections():
    rows, labels = collections()
    with pytest.raises(TypeError, match=r"NormComboClassifier .*compute\(\) first"):
        NormComboClassifier().fit(rows, labels)
    tuned = TunedDecisionClassifier(ComboClassifier(n_estimators=2))
    with pytest.raises(TypeError, match="TunedDecisionClassifier learns from a table in memory"):
        tuned.fit(rows, labels)
    with pytest.raises(ValueError, match="ShareBoostClassifier cannot learn from rows"):
        ShareBoostClassifier().fit(rows, labels)
    with pytest.raises(ValueError, match="UnevenClassifier learns fewer than 20000 rows in memory"):
        UnevenClassifier().fit(rows, labels)
    with pytest.raises(InputError, match=r"compared on a table in memory: call X\.compute"):
        compare(rows, labels)


def test_labels_and_columns_that_do_not_fit_are_refused_at_once(client):
    rows, labels = collections()
    with pytest.raises(ValueError, match=r"y must be a Dask collection .* got NoneType"):
        ComboClassifier().fit(rows, None)
    with pytest.raises(ValueError, match="X has 1450 rows, y has 7"):
        ComboClassifier().fit(rows, Y[:7])
    with pytest.warns(DataConversionWarning, match="y has two axes"):
        model = ComboClassifier(n_estimators=1).fit(rows, labels[:, None])
    with pytest.raises(ValueError, match="X has 3 features, but ComboClassifier is expecting 5"):
        model.predict(rows[:, :3])
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcde")), npartitions=2)
    model = ComboClassifier(n_estimators=1).fit(frame, dd.from_pandas(pd.Series(Y), npartitions=2))
    with pytest.raises(ValueError, match="must have the columns that ComboClassifier was fitted"):
        model.predict(frame[list("acbde")])


@pytest.mark.filterwarnings("ignore:.*Sending large graph")
def test_uneven_classifier_is_that_of_this_process(client, monkeypatch):
    """Though a worker dies; answers of a decision rule are lazy as well."""
    table, labels = gaussian_classes([18_000, 1_900, 300], 3, seed=1)
    order = np.random.default_rng(0).permutation(len(labels))
    frame = pd.DataFrame(table[order], columns=list("abc"))
    frame["label"] = np.array(["often", "some", "rare"])[labels[order]]
    far = dd.from_pandas(frame, npartitions=5, sort=False)
    columns = far[list("abc")]
    killed = []

    class Killing(DaskEngine):
        def _trip(self, steps):
            if self.n_trips == 60:
                pids = self._client.run(os.getpid)
                os.kill(pids[self._worker_of[0]], signal.SIGKILL)
                killed.append(self._worker_of[0])
            return super()._trip(steps)

    monkeypatch.setattr(rows_of_dask, "DaskEngine", Killing)
    model = UnevenClassifier(random_state=0, abstain_cost=0.4)
    whole = clone(model).fit(frame[list("abc")], frame["label"])
    assert dumps(model.fit(columns, far["label"])) == dumps(whole)
    assert killed
    answers = model.predict(columns)
    assert isinstance(answers, dd.Series)
    assert (answers.compute() == whole.predict(frame[list("abc")])).all()
    for name in ("predict_proba", "decision_function"):
        found = getattr(model, name)(columns).compute().to_numpy()
        np.testing.assert_array_equal(found, getattr(whole, name)(frame[list("abc")]))
    client.wait_for_workers(2, timeout=60)


def test_three_fits_at_once(client):
    models = [ComboClassifier(n_estimators=4, max_depth=depth) for depth in (1, 2, 3)]
    alone = [bits(model.fit(X, Y)) for model in models]
    threads = [Thread(target=model.fit, args=collections()) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [bits(model) for model in models] == alone


@pytest.mark.parametrize("depth", [1, 2])
def test_trips_and_bytes_are_those_of_the_formula(client, monkeypatch, depth):
    trips, sizes = [], []

    class Counted(DaskEngine):
        def _trip(self, steps):
            found = super()._trip(steps)
            named = zip(steps, found)
            sizes[-1] += sum(own.nbytes for step, own in named if step.name == "fill_splits")
            return found

        def close(self):
            trips.append(self.n_trips)
            super().close()

    monkeypatch.setattr(rows_of_dask, "DaskEngine", Counted)
    for n_rounds in (3, 7):
        sizes.append(0)
        ComboClassifier(n_estimators=n_rounds, max_depth=depth).fit(*collections())
    assert trips[1] - trips[0] == 4 * depth
    assert sizes[1] - sizes[0] == 4 * (8 * 4 * 256 * 5 * depth)


def test_a_fit_inside_a_task_is_refused(client):
    def fit():
        rows, labels = da.zeros((6, 2), chunks=(3, 2)), da.arange(6, chunks=3) % 2
        ComboClassifier(n_estimators=2).fit(rows, labels)

    with pytest.raises(RuntimeError, match="would wait for itself"):
        client.submit(fit).result()


def test_folds_are_fitted_by_the_workers(client, monkeypatch):
    with cluster_workers() as there:
        assert there
        pids = set(Parallel()(delayed(os.getpid)() for _ in range(4)))
    assert pids <= set(client.run(os.getpid).values())
    rows, labels = np.nan_to_num(X[::9]), Y[::9] > 0
    stack = MarginStackingClassifier([("lr", LogisticRegression()), ("nb", GaussianNB())])
    quick = {"methods": ["combo", GaussianNB()], "rounds": 3, "cv": 2, "refit": False}

    def fitted():
        shares = stack.fit(rows, labels).predict_proba(rows)
        told = compare(rows, labels, n_jobs=1, diagnosis=False, **quick)
        return shares, [one.scores for one in told.methods]

    shares, scores = fitted()
    monkeypatch.setattr(parallel, "_has_client", lambda: False)
    alone, usual = fitted()
    np.testing.assert_allclose(shares, alone)
    assert repr(scores) == repr(usual)
