"""Dialogues as a table of views: golden columns, odd dialogues, pipelines."""

import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

from uneven import ComboClassifier
from uneven.dialogues import VIEWS, Dialogue, DialogueViews, Turn, make_dialogues

CALLS = [
    Dialogue(
        "d1",
        [
            Turn("operator", 0.0, 1.0, "Hello you"),
            Turn("user", 2.0, 6.0, "my bag is lost", ["bag"]),
            Turn("operator", 6.0, 8.0, "hello where"),
        ],
        entities=["Nation"],
    ),
    Dialogue("d2", [Turn("user", 10.0, 14.0, "lost bag"), Turn("operator", 14.0, 20.0, "where")]),
    Dialogue("d3", [Turn("operator", 0.0, 1.0, "hello")], entities=["Nation", "Nation"]),
]


@pytest.mark.parametrize(
    "name",
    [
        "estimator_cloneable",
        "estimator_repr",
        "estimator_tags_renamed",
        "get_params_invariance",
        "mixin_order",
        "no_attributes_set_in_init",
        "parameters_default_constructible",
        "set_params",
        "valid_tag_types",
    ],
)
def test_scikit_learn_checks_that_need_no_table(name):
    getattr(estimator_checks, f"check_{name}")("DialogueViews", DialogueViews())


def extracted(calls=CALLS, train=CALLS, **parameters):
    """Table as a frame with the prefix of the only view taken away."""
    extract = DialogueViews(output="frame", **parameters).fit(train)
    frame = extract.transform(calls)
    return frame.rename(columns=lambda name: name.split("__", 1)[1])


def test_words_of_each_side():
    users = extracted(include=["users"], min_df=1)
    assert users.columns.tolist() == ["bag", "is", "lost", "my"]
    assert users.to_numpy().tolist() == [[1, 1, 1, 1], [1, 0, 1, 0], [0, 0, 0, 0]]
    operators = extracted(include="operators", min_df=2)
    assert operators.columns.tolist() == ["hello", "where"]
    assert operators.to_numpy().tolist() == [[1, 1], [0, 1], [1, 0]]


def test_case_runs_of_words_and_document_shares():
    kept = extracted(include=["operators"], min_df=1, lowercase=False)
    assert kept.columns.tolist() == ["Hello", "hello", "where", "you"]
    runs = extracted(include=["operators"], min_df=1, ngram_range=(2, 2))
    assert runs.columns.tolist() == ["hello where", "hello you"]
    twice = Dialogue("d4", [Turn("operator", 0, 1, "bye bye")])
    assert "bye" not in extracted(include=["operators"], min_df=2, train=[*CALLS, twice])
    assert extracted(include=["operators"], min_df=0.5).columns.tolist() == ["hello", "where"]
    assert extracted(include=["operators"], min_df=1.0, train=CALLS[:1]).shape[1] == 3


def test_turns_are_speaker_and_level_of_duration():
    extract = DialogueViews(["turns"], min_df=1, n_levels=3, turn_ngram_range=(1, 2)).fit(CALLS)
    assert_allclose(extract.limits_, np.quantile([1, 4, 2, 4, 6, 1], [1 / 3, 2 / 3]))
    names = [name.split("__")[1] for name in extract.get_feature_names_out()]
    assert names == ["O1", "O1U2", "O2", "O3", "U2", "U2O2", "U2O3"]
    rows = extract.transform(CALLS).toarray()
    found = [[n for n, there in zip(names, row) if there] for row in rows]
    assert found == [["O1", "O1U2", "O2", "U2", "U2O2"], ["O3", "U2", "U2O3"], ["O1"]]


def test_six_levels_are_equally_frequent_and_learnt_from_training_only():
    calls = make_dialogues(60, condition="gold", random_state=0).dialogues
    extract = DialogueViews(["turns"]).fit(calls[:40])
    durations = np.array([turn.duration for call in calls[:40] for turn in call.turns])
    counts = np.bincount(np.searchsorted(extract.limits_, durations))
    assert counts / counts.sum() == pytest.approx(np.full(6, 1 / 6), abs=0.01)
    together = extract.transform(calls[40:]).toarray()
    one_by_one = [extract.transform(calls[k : k + 1]).toarray()[0] for k in range(40, 60)]
    assert_array_equal(together, one_by_one)
    single = {n for n in extract.get_feature_names_out() if len(n) == len("turns__O1")}
    assert single == {f"turns__{who}{level}" for who in "OU" for level in range(1, 7)}
    assert max(map(len, extract.get_feature_names_out())) == len("turns__O1U2O3")


def test_prosody_by_hand():
    table = extracted(include=["prosody"])
    assert table.columns.tolist() == [
        "duration",
        "turn_duration",
        "operator_share",
        "user_share",
        "operator_rate",
        "user_rate",
    ]
    expected = [
        [8.0, 7 / 3, 3 / 8, 4 / 8, 18 / 3, 11 / 4],
        [10.0, 5.0, 6 / 10, 4 / 10, 5 / 6, 7 / 4],
        [1.0, 1.0, 1.0, 0.0, 5.0, math.nan],
    ]
    assert_allclose(table.to_numpy(), expected)


def test_entities_of_dialogues_and_turns():
    table = extracted(include=["entities"], min_df=1)
    assert table.columns.tolist() == ["Nation", "bag"]
    assert table.to_numpy().tolist() == [[1, 1], [0, 0], [1, 0]]


def test_views_lie_side_by_side_in_their_order():
    extract = DialogueViews(include=["entities", "prosody", "users"], min_df=1).fit(CALLS)
    assert extract.views_ == {
        "users": slice(0, 4),
        "prosody": slice(4, 10),
        "entities": slice(10, 12),
    }
    table = extract.transform(CALLS)
    assert isinstance(table, sp.csr_array)
    assert table.shape == (3, 12)
    assert table.dtype == np.float64
    for view, span in extract.views_.items():
        names = extract.get_feature_names_out()[span]
        assert all(name.startswith(f"{view}__") for name in names)
        alone = DialogueViews(include=[view], min_df=1).fit_transform(CALLS)
        assert_array_equal(table[:, [*range(span.start, span.stop)]].toarray(), alone.toarray())
    assert list(DialogueViews(min_df=1).fit(CALLS).views_) == list(VIEWS)


def test_an_empty_dialogue_is_silent_and_has_no_prosody():
    extract = DialogueViews(min_df=1).fit(CALLS)
    row = extract.transform([Dialogue("d4", [])]).toarray()[0]
    assert np.isnan(row[extract.views_["prosody"]]).all()
    assert not np.delete(row, np.r_[extract.views_["prosody"]]).any()
    model = ComboClassifier(n_estimators=3, views=extract.views_)
    present = model.fit(extract.transform(CALLS), [0, 1, 1]).views_.presence(row[None])
    assert present.tolist() == [[True, True, True, False, True]]


def test_a_silent_speaker_has_zeros_not_nan():
    extract = DialogueViews(min_df=1).fit(CALLS)
    row = extract.transform(CALLS[2:]).toarray()[0]
    assert not row[extract.views_["users"]].any()
    assert np.isnan(row).sum() == 1


@pytest.mark.filterwarnings("ignore:view 'entities' is left out")
def test_turns_without_times_keep_words_and_order():
    calls = [
        Dialogue("d1", [Turn("user", None, None, "a"), Turn("operator", None, None, "b")]),
        Dialogue("d2", [Turn("user", 0, 0, "a")]),
    ]
    extract = DialogueViews(min_df=1).fit(calls[:1])
    assert extract.limits_.size == 0
    assert extract.features_["turns"] == ["O", "U", "UO"]
    table = extract.transform(calls).toarray()
    assert np.isnan(table[0, extract.views_["prosody"]]).all()
    measures = table[1, extract.views_["prosody"]]
    assert measures[:2].tolist() == [0.0, 0.0]
    assert np.isnan(measures[2:]).all()
    assert table[1, extract.views_["users"]].tolist() == [1.0]
    half = Dialogue("d3", [Turn("user", 1, 3, "abcd"), Turn("user", None, None, "abcdefgh")])
    assert extracted([half], include=["prosody"])["user_rate"].tolist() == [2.0]


def test_recognised_words_change_two_views_only():
    bunch = make_dialogues(60, random_state=0)
    extract = DialogueViews().fit(bunch.dialogues)
    gold, heard = (extract.transform(c) for c in (bunch.dialogues, bunch.dialogues_asr))
    changed = {
        view
        for view, span in extract.views_.items()
        if not np.array_equal(
            gold[:, [*range(span.start, span.stop)]].toarray(),
            heard[:, [*range(span.start, span.stop)]].toarray(),
            equal_nan=True,
        )
    }
    assert changed == {"users", "operators"}


@pytest.mark.filterwarnings("ignore:view 'entities' is left out")
def test_speakers_by_other_names():
    call = Dialogue(
        "d1", [Turn("agent", 0, 1, "a"), Turn("boss", 1, 2, "b"), Turn("me", 2, 3, "c")]
    )
    extract = DialogueViews(min_df=1, operator=["agent", "boss"], user="me").fit([call])
    assert extract.features_["operators"] == ["a", "b"]
    assert extract.features_["users"] == ["c"]
    assert "O1O1U1" in extract.features_["turns"]
    with pytest.raises(ValueError, match="dialogue 'd1', turn 2: speaker 'boss' is neither"):
        DialogueViews(operator="agent", user="me").fit([call])
    with pytest.raises(ValueError, match="dialogue 'd1', turn 1: speaker 'agent' is neither"):
        DialogueViews().fit(CALLS).transform([call])
    with pytest.raises(ValueError, match="'me' cannot be both"):
        DialogueViews(operator="me", user="me").fit([call])


@pytest.mark.parametrize("kind", [list, tuple, pd.Series, lambda c: np.array(c, dtype=object)])
def test_any_sequence_of_dialogues_will_do(kind):
    expected = DialogueViews(min_df=1).fit_transform(CALLS).toarray()
    assert_array_equal(DialogueViews(min_df=1).fit_transform(kind(CALLS)).toarray(), expected)


def test_frames_keep_names_and_stay_sparse():
    extract = DialogueViews(min_df=1)
    table = extract.fit_transform(CALLS)
    frames = [
        clone(extract).set_params(output="frame").fit_transform(CALLS),
        clone(extract).set_output(transform="pandas").fit(CALLS).transform(CALLS),
    ]
    with sklearn.config_context(transform_output="pandas"):
        frames.append(extract.transform(CALLS))
    for frame in frames:
        assert frame.columns.tolist() == extract.get_feature_names_out().tolist()
        assert_array_equal(frame.to_numpy(), table.toarray())
        assert all(isinstance(kind, pd.SparseDtype) for kind in frame.dtypes)
    assert sp.issparse(extract.set_output(transform="default").transform(CALLS))
    assert extract.set_output() is extract
    with pytest.raises(ValueError, match="set_output\\(transform='polars'\\) is not possible"):
        extract.set_output(transform="polars")


def test_views_without_columns_are_left_out_with_a_warning():
    calls = [Dialogue("d1", [Turn("user", 0, 1, "a")]), Dialogue("d2", [Turn("user", 0, 1, "a")])]
    with pytest.warns(UserWarning, match="view '(entities|operators)' is left out") as caught:
        extract = DialogueViews().fit(calls)
    assert len(caught) == 2
    assert list(extract.views_) == ["users", "turns", "prosody"]
    with pytest.raises(ValueError, match="nothing to learn from: entities hold no word"):
        DialogueViews(include=["entities"]).fit(calls)


def test_unseen_words_are_ignored_and_no_rows_give_no_rows():
    extract = DialogueViews(min_df=1, n_levels=1).fit(CALLS)
    new = Dialogue("d9", [Turn("user", 0, 2, "unheard bag")], entities=["Mars"])
    row = extract.transform([new])
    names = extract.get_feature_names_out()[row.indices]
    assert {name for name in names if "prosody" not in name} == {"users__bag", "turns__U1"}
    assert extract.transform([]).shape == (0, len(extract.get_feature_names_out()))


@pytest.mark.parametrize(
    ("dialogues", "error", "message"),
    [
        ("corpus.jsonl", TypeError, "got 'corpus.jsonl'; read_dialogues reads one"),
        (CALLS[0], TypeError, "give a sequence of Dialogue"),
        (None, TypeError, "give a sequence of Dialogue, got None"),
        ([CALLS[0], {"id": "d2"}], TypeError, r"item 1 is \{'id': 'd2'\}, not a Dialogue"),
        (np.array([CALLS], dtype=object), ValueError, r"one-dimensional, got shape \(1, 3\)"),
        ([], ValueError, "no dialogues to learn from"),
    ],
)
def test_other_inputs_are_refused(dialogues, error, message):
    with pytest.raises(error, match=message):
        DialogueViews().fit(dialogues)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"include": ["words"]}, r"include=\['words'\]: choose one or more of \('users'"),
        ({"include": []}, r"include=\[\]"),
        ({"min_df": 0}, "min_df must be .* got 0"),
        ({"min_df": 1.5}, "min_df must be .* got 1.5"),
        ({"min_df": True}, "min_df must be .* got True"),
        ({"n_levels": 0}, "n_levels must be a whole number from 1, got 0"),
        ({"n_levels": 2.0}, "n_levels must be a whole number from 1, got 2.0"),
        ({"ngram_range": (2, 1)}, r"ngram_range must be two .* got \(2, 1\)"),
        ({"turn_ngram_range": 3}, "turn_ngram_range must be two .* got 3"),
        ({"turn_ngram_range": "12"}, "turn_ngram_range must be two .* got '12'"),
        ({"output": "dense"}, "output='dense'"),
        ({"user": []}, r"user must name one or more speakers, got \[\]"),
        ({"operator": 5}, "operator must name one or more speakers, got 5"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    extract = DialogueViews(**parameters)
    with pytest.raises(ValueError, match=message):
        extract.fit(CALLS)
    assert not hasattr(extract, "features_")
    with pytest.raises(NotFittedError):
        extract.transform(CALLS)
    with pytest.raises(NotFittedError):
        extract.get_feature_names_out()


def test_a_failed_fit_keeps_the_earlier_one():
    extract = DialogueViews(min_df=1).fit(CALLS)
    names = extract.get_feature_names_out().tolist()
    with pytest.raises(ValueError, match="neither"):
        extract.fit([Dialogue("d1", [Turn("agent", 0, 1, "a")])])
    assert extract.get_feature_names_out().tolist() == names


def test_fitted_views_can_be_pickled_and_cloned():
    extract = DialogueViews(min_df=1, n_levels=4).fit(CALLS)
    again = pickle.loads(pickle.dumps(extract))
    assert_array_equal(again.transform(CALLS).toarray(), extract.transform(CALLS).toarray())
    assert clone(extract).get_params() == extract.get_params()


@pytest.mark.slow
def test_cross_validation_and_grid_search_over_dialogues():
    bunch = make_dialogues(
        80, condition="gold", theme_shares={"a": 2, "b": 1}, keyword_share=0.3, random_state=0
    )
    pipe = make_pipeline(
        DialogueViews(output="frame"), ComboClassifier(n_estimators=20, max_depth=1, views="prefix")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = cross_val_score(pipe, bunch.dialogues, bunch.target, cv=2)
    assert scores.mean() > 0.8
    assert_array_equal(scores, cross_val_score(pipe, list(bunch.dialogues), bunch.target, cv=2))
    search = GridSearchCV(pipe, {"dialogueviews__include": [["prosody"], ["users"]]}, cv=2)
    search.fit(bunch.dialogues, bunch.target)
    assert search.best_params_ == {"dialogueviews__include": ["users"]}
    best = search.best_estimator_[-1]
    assert best.views_.names == ("users",)
    said = {w for (theme, who), ws in bunch.keywords.items() if who == "user" for w in ws}
    told = best.explain()
    strongest = told.feature_names[told.feature_share.sum(axis=1).argmax()]
    assert strongest.removeprefix("users__") in said


def test_views_go_straight_into_an_estimator():
    bunch = make_dialogues(100, condition="gold", random_state=0)
    extract = DialogueViews()
    table = extract.fit_transform(bunch.dialogues)
    model = ComboClassifier(n_estimators=5, views=extract.views_).fit(table, bunch.target)
    assert model.views_.names == VIEWS
    assert [len(columns) for columns in model.views_.columns] == [
        span.stop - span.start for span in extract.views_.values()
    ]
