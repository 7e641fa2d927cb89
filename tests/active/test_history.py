from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

from uneven import ActiveLearner
from uneven.active import HistoryError
from uneven.active.history import History, Step, answers, fingerprint, load_history, save_history

GENERATOR = dict(np.random.default_rng(0).bit_generator.state)


def saved(tmp_path, labels):
    path = tmp_path / "h.json"
    step = Step(np.arange(len(labels)), labels)
    save_history(History("pool", "random", GENERATOR, [step]), path)
    return load_history(path).steps[0].labels


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1, 2, 2**62]),
        np.array([1, 200], dtype=np.uint8),
        np.array([0.1, 1 / 3]),
        np.array([0.1, 1.5], dtype=np.float32),
        np.array([True, False]),
        np.array(["dog", "Kätzchen", "", '日本 \n"']),
        np.array(["a", "b"], dtype=object),
        np.array([np.int16(3), 4], dtype=object),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_keep_their_type_and_value(tmp_path, labels):
    found = saved(tmp_path, labels)
    assert found.dtype == labels.dtype
    assert found.tolist() == labels.tolist()


def test_labels_that_json_cannot_hold_are_refused_and_leave_no_file(tmp_path):
    for labels in (np.array([1j, 2j]), np.array([(1, 2), "a"], dtype=object)):
        with pytest.raises(HistoryError, match="cannot be saved"):
            saved(tmp_path, labels)
    assert list(tmp_path.iterdir()) == []


def test_the_fingerprint_tells_pools_apart():
    X = np.arange(6.0).reshape(3, 2)
    tables = [X, X.T.copy(), X.reshape(2, 3), X + 1, sp.csr_matrix(X), sp.csr_matrix(X + 1)]
    assert len({fingerprint(table) for table in tables}) == len(tables)
    shuffled = sp.csr_matrix((np.array([2.0, 1.0]), np.array([1, 0]), np.array([0, 2])), (1, 2))
    assert fingerprint(shuffled) == fingerprint(sp.csr_matrix([[1.0, 2.0]]))


def test_the_last_label_of_a_row_counts():
    steps = [Step(np.array([4, 7, 2]), np.array(["a", "b", "c"]))]
    steps.append(Step(np.array([4]), np.array(["long"])))
    rows, labels = answers(steps)
    assert (rows.tolist(), labels.tolist()) == ([7, 2, 4], ["b", "c", "long"])
    assert [len(part) for part in answers([])] == [0, 0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "ties"),
    [("centre_of_gravity", "random"), ("random", "first"), ("orientation_aware", "first")],
)
def test_a_resumed_learner_asks_what_it_would_have_asked(tmp_path, query, ties):
    X, y = load_iris(return_X_y=True)

    def new():
        return ActiveLearner(query=query, ties=ties, random_state=5)

    def answered(learner, rounds):
        for _ in range(rounds):
            rows = learner.ask(3)
            learner.tell(rows, y[rows])
        return learner

    whole = answered(new().start(X), 5)
    half = answered(new().start(X), 2)
    half.save(tmp_path / "h.json")
    resumed = answered(new().resume(tmp_path / "h.json", X), 3)
    assert resumed.labelled_.tolist() == whole.labelled_.tolist()
    np.testing.assert_array_equal(resumed.predict_proba(X), whole.predict_proba(X))
    assert len(resumed.history_) == 5


def test_changed_labels_survive_resuming(tmp_path, cloud):
    X, y = cloud
    learner = ActiveLearner(random_state=0).start(X).tell([0, 1, 2, 3], y[:4])
    learner.tell([1], ["no" if y[1] == "yes" else "yes"], overwrite=True)
    learner.save(tmp_path / "h.json")
    resumed = ActiveLearner(random_state=0).resume(tmp_path / "h.json", X)
    assert resumed.labelled_.tolist() == [0, 2, 3, 1] == learner.labelled_.tolist()
    assert resumed.labels_.tolist() == learner.labels_.tolist()


def test_a_learner_without_labels_resumes(tmp_path, cloud):
    X, _ = cloud
    learner = ActiveLearner(random_state=0).start(X)
    learner.save(tmp_path / "h.json")
    resumed = ActiveLearner(random_state=0).resume(tmp_path / "h.json", X)
    assert resumed.ask(5).tolist() == learner.ask(5).tolist()


def test_a_history_of_another_pool_or_rule_is_refused_and_changes_nothing(tmp_path, cloud):
    X, y = cloud
    learner = ActiveLearner(random_state=0).start(X).tell([0, 1, 2, 3], y[:4])
    learner.save(tmp_path / "h.json")
    before = learner.ask(3).tolist()
    with pytest.raises(HistoryError, match="another pool, dense 80 x 4"):
        learner.resume(tmp_path / "h.json", X[:60] * 2)
    assert learner.labelled_.tolist() == [0, 1, 2, 3]
    assert learner.ask(3).tolist() == before
    with pytest.raises(HistoryError, match="asked by 'auto', not by 'simple'"):
        ActiveLearner(query="simple").resume(tmp_path / "h.json", X)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda text: text[: len(text) // 2], "damaged"),
        (lambda text: "[1, 2]", "format None"),
        (lambda text: text.replace('"format": 1', '"format": 99'), "format 99"),
        (lambda text: text.replace('"rows": [0, 1, 2, 3]', '"rows": [0, 1]'), "damaged"),
        (lambda text: text.replace('"steps"', '"step"'), "damaged"),
        (lambda text: text.replace('"type": "<U3"', '"type": "<M8[s]"'), "damaged"),
        (lambda text: "\x00\x01", "damaged"),
    ],
)
def test_damaged_files_are_refused(tmp_path, cloud, damage, words):
    X, _ = cloud
    path = tmp_path / "h.json"
    ActiveLearner(random_state=0).start(X).tell(range(4), ["yes", "no"] * 2).save(path)
    text = path.read_text()
    path.write_text(damage(text))
    assert path.read_text() != text
    with pytest.raises(HistoryError, match=words):
        ActiveLearner().resume(path, X)


def test_rows_outside_of_the_pool_are_refused(tmp_path, cloud):
    X, _ = cloud
    path = tmp_path / "h.json"
    ActiveLearner(random_state=0).start(X).tell([0, 1], ["yes", "no"]).save(path)
    content = json.loads(path.read_text())
    content["steps"][0]["rows"] = [0, 500]
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="from 0 to 79"):
        ActiveLearner().resume(path, X)


def test_saving_replaces_the_file_whole(tmp_path, cloud):
    X, y = cloud
    learner = ActiveLearner(random_state=0).start(X).tell([0, 1, 2, 3], y[:4])
    for rows in ([4], [5, 6]):
        learner.tell(rows, y[rows]).save(tmp_path / "h.json")
    assert [path.name for path in tmp_path.iterdir()] == ["h.json"]
    assert len(load_history(tmp_path / "h.json").steps) == 3
