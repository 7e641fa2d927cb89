"""The benchmark of methods for wrong labels: its noise, what it tells, and what it shows."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import Bunch

from benchmarks.noise import __main__ as noise
from benchmarks.noise import settings
from benchmarks.noise.methods import METHODS, UndoneForest, matrix_of
from benchmarks.noise.settings import NoisySplits, NoisyTable, Told
from uneven.noise import ConfusionEstimate
from uneven_published import Context


def _two_classes(context=None, n=400):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return Bunch(data=rng.normal(size=(n, 3)) + 2.0 * y[:, None], target=y)


TABLE = _two_classes()


@pytest.mark.parametrize("kind", settings.KINDS)
def test_labels_are_wrong_as_often_as_told(kind):
    table = NoisyTable(_two_classes, kind, 0.3, "known")
    labels, told = table.corrupt(TABLE.data, TABLE.target, 2, np.random.default_rng(1))
    assert 0.15 < np.mean(labels != TABLE.target) < 0.45
    assert told.matrix.sum(axis=0) == pytest.approx([1.0, 1.0])


def test_what_is_told():
    def told(knowledge):
        table = NoisyTable(_two_classes, "class", 0.3, knowledge)
        return table.corrupt(TABLE.data, TABLE.target, 2, np.random.default_rng(1))

    labels, few = told("10 % clean")
    assert isinstance(few.matrix, ConfusionEstimate)
    assert 0.05 < few.clean.mean() < 0.15
    assert np.array_equal(labels[few.clean], TABLE.target[few.clean])
    assert told("unknown")[1] == Told(None)


def test_a_matrix_is_found_where_none_is_told():
    noisy = np.where(np.random.default_rng(0).random(400) < 0.2, 1 - TABLE.target, TABLE.target)
    found = matrix_of(TABLE.data, noisy, Told(None), 0)
    assert found.sum(axis=0) == pytest.approx([1.0, 1.0])
    assert 0.6 < found[0, 0] < 0.95


def test_undoing_the_identity_changes_no_answer():
    model = UndoneForest(np.eye(2), 0).fit(TABLE.data, TABLE.target)
    plain = model.forest.predict(TABLE.data)
    assert np.array_equal(model.predict(TABLE.data), plain)


def test_a_split_is_judged_by_true_labels():
    def right(X, labels, told, seed):
        return GaussianNB().fit(X, labels)

    table = NoisyTable(_two_classes, "uniform", 0.2, "known")
    found = NoisySplits({"two": table}, "Bayes", right)("two", 0, Context())["Bayes"]
    assert found["accuracy"][0] > 0.9


def test_groups_do_not_share_tables_and_every_noise_has_rows():
    tables = {name: {row.rsplit(", ", 1)[0] for row in rows} for name, rows in noise.GROUPS.items()}
    assert not tables["development, known"] & tables["report, known"]
    assert len(tables["report, unknown"]) >= 10
    exhibit = noise.part_of("report, known", (), ("Forest",), 0, 1)
    assert exhibit.columns == ("Forest",)
    assert set(METHODS) >= {"NoiseAwareClassifier", "Forward logistic", "Forest, inverse"}
