"""Rows on a Dask cluster of two processes: the same model, lazy answers, and killed workers."""

import os
import signal
from threading import Thread

import numpy as np
import pandas as pd
import pytest

from tests.boosting.test_sharded import bits
from tests.problems import gaussian_classes
from uneven import BalancedBoostingClassifier, ComboClassifier, NormComboClassifier
from uneven.boosting import ShareBoostClassifier
from uneven.boosting.sharded import dask_rows
from uneven.boosting.sharded.dask_engine import DaskEngine, count_shards

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.slow
X, Y = gaussian_classes([900, 400, 130, 20], 5, seed=3)
X[::17, 2] = np.nan


@pytest.fixture(scope="module")
def client():
    options = {"dashboard_address": ":0", "memory_limit": 0, "silence_logs": 50}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def collections(edges=(300, 301, 301, 900)):
    """The table as dask arrays, with a block of one row and an empty one."""
    parts = np.split(np.arange(len(Y)), edges)
    rows = [da.from_array(X[part], chunks=(len(part) or 1, 3)) for part in parts if len(part)]
    labels = [da.from_array(Y[part], chunks=len(part)) for part in parts if len(part)]
    return da.concatenate(rows), da.concatenate(labels)


OPTIONS = (
    {"max_depth": 2},
    {"leaves": "scores", "max_leaves": 6, "max_depth": None},
    {"max_depth": 1, "subsample": 0.5, "early_stopping": True},
)


@pytest.mark.parametrize("options", OPTIONS)
def test_model_is_that_of_this_process(client, options):
    model = ComboClassifier(n_estimators=5, random_state=0, **options)
    whole = bits(model.fit(X, Y))
    assert bits(model.fit(*collections())) == whole
    assert set(client.run(count_shards).values()) == {0}


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
    with pytest.raises(TypeError, match=r"NormComboClassifier .* compute\(\) first"):
        NormComboClassifier().fit(rows, labels)
    with pytest.raises(ValueError, match="ShareBoostClassifier cannot learn from rows"):
        ShareBoostClassifier().fit(rows, labels)


def test_an_error_in_a_block_ends_the_fit_and_frees_the_shards(client):
    rows, labels = collections()
    with pytest.raises(ValueError, match="infinity"):
        ComboClassifier().fit(da.where(da.isnan(rows), np.inf, rows), labels)
    assert set(client.run(count_shards).values()) == {0}


def test_three_fits_at_once(client):
    models = [ComboClassifier(n_estimators=4, max_depth=depth) for depth in (1, 2, 3)]
    alone = [bits(model.fit(X, Y)) for model in models]
    threads = [Thread(target=model.fit, args=collections()) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [bits(model) for model in models] == alone


def test_trips_and_bytes_follow_the_formula(client, monkeypatch):
    seen = []

    class Counted(DaskEngine):
        def close(self):
            seen.append((self.n_trips, self.n_bytes))
            super().close()

    monkeypatch.setattr(dask_rows, "DaskEngine", Counted)
    for n_rounds in (3, 7):
        ComboClassifier(n_estimators=n_rounds, max_depth=3).fit(*collections())
    (few, light), (more, heavy) = seen
    assert more - few == 4 * 3
    bins = 5 * 256
    a_round = 2 * (1 + 1 + 2) * bins * 4 * 8
    assert 0.5 * a_round < (heavy - light) / 4 < 1.1 * a_round


@pytest.mark.parametrize("options", [{"max_depth": 2}, {"leaves": "scores", "max_leaves": 4}])
def test_a_killed_worker_changes_nothing(client, monkeypatch, options):
    rebuilt = []

    class Killing(DaskEngine):
        def _trip(self, steps):
            if self.n_trips == 20:
                pids = self._client.run(os.getpid)
                os.kill(pids[self._worker_of[0]], signal.SIGKILL)
            return super()._trip(steps)

        def close(self):
            rebuilt.append(self.n_rebuilt)
            super().close()

    model = ComboClassifier(n_estimators=4, random_state=0, **options)
    whole = bits(model.fit(X, Y))
    monkeypatch.setattr(dask_rows, "DaskEngine", Killing)
    assert bits(model.fit(*collections())) == whole
    assert rebuilt[0] >= 1
    client.wait_for_workers(2, timeout=60)
