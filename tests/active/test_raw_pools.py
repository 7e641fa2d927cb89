"""Pools that are not tables of finite numbers: NaN, words in frames, texts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC
from sklearn.utils import get_tags

from uneven import ActiveLearner
from uneven.active import PerfectOracle, StablePredictions, VolumeBelow, simulate

X, Y = load_iris(return_X_y=True)
HOLES = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
FOREST = RandomForestClassifier(10, random_state=0)


def words(n: int = 90) -> tuple[pd.DataFrame, np.ndarray]:
    """A frame with texts, categories and holes, of three classes that its texts tell apart."""
    rng = np.random.default_rng(1)
    kinds = np.array(["cat", "dog", "fish"])[rng.integers(3, size=n)]
    said = {"cat": "purr sofa milk", "dog": "bark park bone", "fish": "swim water tank"}
    texts = [" ".join(rng.permutation([*said[kind].split(), "pet"])[:3]) for kind in kinds]
    ages = np.where(rng.random(n) < 0.2, np.nan, rng.integers(1, 9, n))
    frame = {"text": texts, "size": rng.choice(["small", "large"], n), "age": ages}
    return pd.DataFrame(frame, index=range(1000, 1000 + n)), kinds


def reader():
    return make_pipeline(
        make_column_transformer(
            (TfidfVectorizer(), "text"),
            (OneHotEncoder(handle_unknown="ignore"), ["size"]),
            (SimpleImputer(), ["age"]),
        ),
        LogisticRegression(max_iter=1000, C=100.0),
    )


def told(learner, y, total, n=5):
    while len(learner.labelled_) < total:
        rows = learner.ask(n)
        assert len(set(rows.tolist())) == n
        learner.tell(rows, y[rows])
    return learner


@pytest.mark.parametrize("query", ["uncertainty", "random"])
@pytest.mark.parametrize(
    "model",
    [FOREST, make_pipeline(SimpleImputer(), LogisticRegression(max_iter=1000))],
    ids=["forest", "pipeline"],
)
def test_nan_passes_to_classifiers_that_take_it(model, query):
    learner = told(ActiveLearner(model, query, random_state=0).start(HOLES), Y, 40)
    assert learner.score(HOLES, Y) > 0.85
    assert learner.fit(HOLES, Y).score(HOLES, Y) > 0.9
    frame = pd.DataFrame(HOLES, columns=list("abcd"))
    framed = told(ActiveLearner(model, query, random_state=0).start(frame), Y, 40)
    assert (framed.predict(frame) == told(learner.start(HOLES), Y, 40).predict(HOLES)).all()


@pytest.mark.parametrize("pool", [HOLES, pd.DataFrame(HOLES)], ids=["array", "frame"])
def test_nan_is_refused_before_anything_is_labelled_if_the_classifier_cannot_take_it(pool):
    with pytest.raises(ValueError, match="NaN"):
        ActiveLearner(GaussianNB(), "uncertainty").start(pool)
    with pytest.raises(ValueError, match="infinity"):
        ActiveLearner(FOREST, "uncertainty").start(np.where(np.isnan(HOLES), np.inf, X))


@pytest.mark.parametrize("convert", [lambda f: f, pl.from_pandas], ids=["pandas", "polars"])
def test_pipelines_get_frames_with_words_as_they_are(convert):
    frame, kinds = words()
    frame = convert(frame)
    learner = told(ActiveLearner(reader(), "uncertainty", random_state=0).start(frame), kinds, 30)
    assert learner.score(frame, kinds) > 0.9
    assert learner.predict_proba(frame[:4]).shape == (4, 3)
    assert learner.feature_names_in_.tolist() == ["text", "size", "age"]
    with pytest.raises(ValueError, match="feature names"):
        learner.predict(frame[["age", "size", "text"]])


@pytest.mark.parametrize("convert", [list, pd.Series, np.array], ids=["list", "series", "array"])
def test_texts_alone_are_a_pool(convert):
    frame, kinds = words()
    model = make_pipeline(TfidfVectorizer(), LogisticRegression(C=100.0))
    learner = ActiveLearner(model, "uncertainty", random_state=0).start(convert(frame["text"]))
    told(learner, kinds, 30)
    assert learner.predict(["milk sofa", "bone park bark"]).tolist() == ["cat", "dog"]


def test_labels_to_begin_with_and_fit_take_frames():
    frame, kinds = words()
    known = np.where(np.arange(len(kinds)) % 3 == 0, kinds, "")
    learner = ActiveLearner(reader(), "uncertainty").fit(frame, known)
    assert len(learner.labelled_) == 30
    assert learner.score(frame, kinds) > 0.9
    assert ActiveLearner(reader(), "uncertainty").fit(frame, kinds).score(frame, kinds) == 1.0


def test_frames_of_numbers_keep_their_names_for_the_classifier_and_have_a_geometry():
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = make_pipeline(
        make_column_transformer(("passthrough", ["c", "d"])), LogisticRegression(max_iter=1000)
    )
    learner = told(ActiveLearner(model, "centre_of_gravity", random_state=0).start(frame), Y, 25)
    assert learner.score(frame, Y) > 0.9
    plain = ActiveLearner(LogisticRegression(max_iter=1000), random_state=0)
    assert told(plain.start(X), Y, 10).labelled_[:5].tolist() == learner.labelled_[:5].tolist()


def test_what_looks_at_the_geometry_of_words_says_that_it_cannot():
    frame, kinds = words()
    with pytest.raises(ValueError, match=r"query='maxmin' .* column 'text' holds text"):
        ActiveLearner(reader(), "maxmin").start(frame)
    with pytest.raises(ValueError, match=r"query='simple' .* contains NaN"):
        ActiveLearner(FOREST, "simple").start(HOLES)
    with pytest.raises(ValueError, match="they are texts"):
        ActiveLearner(reader(), "balanced").start(list(frame["text"]))
    learner = ActiveLearner(reader(), lambda state: state.votes()[:, 0], random_state=0)
    told(learner.start(frame), kinds, 5)
    with pytest.raises(ValueError, match="geometry of the rows is needed"):
        learner.ask()
    learner.set_params(query="uncertainty", stop=VolumeBelow(-2.0))
    with pytest.raises(ValueError, match="stop=Budget or StablePredictions"):
        learner.stop_reason()


def test_functions_that_look_at_the_classifier_only_take_words():
    frame, kinds = words()

    def fishy(state):
        rows = state.inputs(state.candidates)
        return state.model.predict_proba(rows)[:, list(state.classes).index("fish")]

    learner = ActiveLearner(reader(), fishy).start(frame).tell(np.arange(20), kinds[:20])
    assert (kinds[learner.ask(5)] == "fish").all()


def test_batches_of_words_are_the_highest_utilities():
    frame, kinds = words()
    known = [*kinds[:9], *[""] * 81]
    rows = [
        ActiveLearner(reader(), "uncertainty", batch=batch).fit(frame, known).ask(6).tolist()
        for batch in ("diverse", "best")
    ]
    assert rows[0] == rows[1]


def test_the_first_of_rows_with_words_are_random_but_repeatable():
    frame, _ = words()
    draws = [
        ActiveLearner(reader(), "uncertainty", random_state=seed).start(frame).ask(6).tolist()
        for seed in (0, 0, 1)
    ]
    assert draws[0] == draws[1] != draws[2]
    assert len(set(draws[0])) == 6


def test_interruptions_and_stopping_rules_work_with_words(tmp_path):
    frame, kinds = words()
    stop = StablePredictions(5, 0.5)
    learner = ActiveLearner(reader(), "uncertainty", stop=stop, random_state=0).start(frame)
    told(learner, kinds, 30)
    assert "changed no more than 50.0%" in learner.stop_reason()
    learner.save(tmp_path / "a.json")
    again = ActiveLearner(reader(), "uncertainty", stop=stop).resume(tmp_path / "a.json", frame)
    assert again.ask(4).tolist() == learner.ask(4).tolist()
    other = frame.assign(size="large")
    with pytest.raises(ValueError, match="another pool"):
        again.resume(tmp_path / "a.json", other)


def test_simulations_take_words():
    frame, kinds = words()
    curve = simulate(
        ActiveLearner(reader(), "uncertainty", random_state=0),
        frame,
        PerfectOracle(kinds),
        budget=30,
        batch_size=10,
        X_test=frame,
        y_test=kinds,
    )
    assert curve.scores[-1] > 0.9


def test_classifiers_of_kernel_values_can_be_unsure():
    values = rbf_kernel(X, gamma=0.5)
    known = np.arange(0, 150, 10)
    given = ActiveLearner(SVC(kernel="precomputed"), "uncertainty").start(values)
    plain = ActiveLearner(SVC(gamma=0.5), "uncertainty").start(X)
    rows = [learner.tell(known, Y[known]).ask(1)[0] for learner in (given, plain)]
    assert rows[0] == rows[1]


def test_columns_of_the_same_name_are_refused():
    frame = pd.DataFrame(X[:, :2], columns=["a", "a"])
    with pytest.raises(ValueError, match="several columns named 'a'"):
        ActiveLearner(FOREST, "uncertainty").start(frame)


def test_a_pool_without_rows_is_refused():
    with pytest.raises(ValueError, match="no rows"):
        ActiveLearner(reader(), "uncertainty").start(words()[0][:0])


def test_learners_say_whether_they_take_nan():
    filled = make_pipeline(SimpleImputer(), GaussianNB())
    for model, query, expected in [
        (FOREST, "uncertainty", True),
        (filled, "random", True),
        (FOREST, "simple", False),
        (GaussianNB(), "uncertainty", False),
        (None, "uncertainty", False),
    ]:
        assert get_tags(ActiveLearner(model, query)).input_tags.allow_nan is expected


@pytest.mark.parametrize(
    "pool", [["a b", "c"] * 5, pd.DataFrame({"kind": ["x", "y"] * 5, "size": range(10)})]
)
def test_the_default_classifier_says_what_takes_texts(pool):
    with pytest.raises(ValueError, match=r"could not convert string .*TfidfVectorizer"):
        ActiveLearner().start(pool)
