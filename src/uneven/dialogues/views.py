"""Five views of a dialogue: what each side says, how they take turns, how fast, and about what."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from uneven.dialogues.presence import learn_tokens, ngrams, presence
from uneven.dialogues.records import Dialogue
from uneven.dialogues.rhythm import PROSODY, learn_limits, prosody, turn_tokens
from uneven.utils.frames import named_frame

__all__ = ["VIEWS", "DialogueViews"]

VIEWS = ("users", "operators", "turns", "prosody", "entities")
"""Names of the views, in the order of their columns."""


class DialogueViews(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Describe dialogues by up to five views, as columns named ``view__feature``.

    ``users`` and ``operators``: which words each side says. ``turns``: who speaks and how long,
    as tokens such as O1 or U6 (operator or user, shortest to longest level) and runs of up to
    three of them. ``prosody``: six numbers; see :func:`uneven.dialogues.rhythm.prosody`.
    ``entities``: which named entities come up. All but ``prosody`` hold 1 for present and 0 for
    absent. Somebody who says nothing is silent, not missing: zeros. A measure that cannot be
    taken is missing: NaN.

    Parameters
    ----------
    include : sequence of str, default=VIEWS
        Views to extract.
    min_df : int or float, default=2
        A word, run of turns or entity is kept if at least so many training dialogues, or such a
        share of them (float), hold it.
    ngram_range : (int, int), default=(1, 1)
        Shortest and longest run of words within a turn.
    turn_ngram_range : (int, int), default=(1, 3)
        Shortest and longest run of turns.
    n_levels : int, default=6
        Levels of turn durations; their limits are learnt from the training dialogues so that
        every level is equally frequent.
    lowercase : bool, default=True
        Convert words to lower case.
    operator, user : str or sequence of str, default="operator" and "user"
        Names of the speakers on either side.
    output : {"sparse", "frame"}, default="sparse"
        A CSR array, or a pandas frame with sparse columns, which keeps the names for
        ``views="prefix"`` in a pipeline. ``set_output(transform="pandas")`` and scikit-learn's
        global setting give the frame too.

    Attributes
    ----------
    views_ : dict of str to slice
        Columns of each view, ready for the ``views`` parameter of an estimator.
    features_ : dict of str to list of str
        Names of the columns within each view.
    limits_ : ndarray of shape (n_levels - 1,)
        Durations in seconds that divide the levels; empty if no duration is known.

    References
    ----------
    S. Koço (2013), *Tackling the uneven views problem with cooperation based ensemble learning
    methods*, PhD thesis, Aix-Marseille Université, section on the DECODA corpus.

    Notes
    -----
    The source says which views there are, not their columns: presence rather than counts, runs of
    one to three turns and levels of equal frequency are choices made here. Correction: it numbers
    the views in two ways. The error rates fit users first, operators second, the order used here.

    Examples
    --------
    >>> from uneven.datasets import make_dialogues
    >>> calls = make_dialogues(60, random_state=0)
    >>> extract = DialogueViews(min_df=3)
    >>> X = extract.fit_transform(calls.dialogues)
    >>> X.shape, extract.views_["prosody"]
    ((60, 1429), slice(1396, 1402, None))
    >>> extract.get_feature_names_out()[extract.views_["prosody"]][:2].tolist()
    ['prosody__duration', 'prosody__turn_duration']
    """

    def __init__(
        self,
        include: Sequence[str] = VIEWS,
        *,
        min_df: int | float = 2,
        ngram_range: tuple[int, int] = (1, 1),
        turn_ngram_range: tuple[int, int] = (1, 3),
        n_levels: int = 6,
        lowercase: bool = True,
        operator: str | Sequence[str] = "operator",
        user: str | Sequence[str] = "user",
        output: str = "sparse",
    ) -> None:
        self.include = include
        self.min_df = min_df
        self.ngram_range = ngram_range
        self.turn_ngram_range = turn_ngram_range
        self.n_levels = n_levels
        self.lowercase = lowercase
        self.operator = operator
        self.user = user
        self.output = output

    def fit(self, dialogues: Any, y: Any = None) -> Self:
        """Learn words, runs of turns, entities and the levels of durations.

        Parameters
        ----------
        dialogues : sequence of Dialogue, or object array of shape (n_dialogues,)
        y : object
            Ignored.

        Returns
        -------
        self : object
        """
        wanted = self._check_parameters()
        calls = _checked(dialogues)
        if not calls:
            raise ValueError("there are no dialogues to learn from: give at least one.")
        roles = self._roles(calls)
        limits = learn_limits(calls, self.n_levels)
        features = {
            view: list(PROSODY)
            if view == "prosody"
            else learn_tokens(self._bags(view, calls, roles, limits), self.min_df)
            for view in wanted
        }
        self.features_ = _without_empty(features, self.min_df)
        self.limits_ = limits
        stops = np.cumsum([0, *map(len, self.features_.values())]).tolist()
        self.views_ = {
            view: slice(start, stop)
            for view, start, stop in zip(self.features_, stops[:-1], stops[1:])
        }
        return self

    def transform(self, dialogues: Any) -> Any:
        """Describe dialogues.

        Parameters
        ----------
        dialogues : sequence of Dialogue, or object array of shape (n_dialogues,)
            Words, runs and entities that were not seen in training are ignored.

        Returns
        -------
        csr_array or pandas.DataFrame of shape (n_dialogues, n_columns)
        """
        check_is_fitted(self, "features_")
        calls = _checked(dialogues)
        roles = self._roles(calls)
        blocks = [
            _numbers([prosody(call, roles) for call in calls])
            if view == "prosody"
            else presence(self._bags(view, calls, roles, self.limits_), tokens)
            for view, tokens in self.features_.items()
        ]
        table = sp.csr_array(sp.hstack(blocks, format="csr"))
        if self.output == "frame" or get_config()["transform_output"] == "pandas":
            return named_frame(table, self.get_feature_names_out().tolist())
        return table

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns.

        Parameters
        ----------
        input_features : object
            Ignored: a dialogue has no columns.

        Returns
        -------
        ndarray of str, shape (n_columns,)
        """
        check_is_fitted(self, "features_")
        names = [f"{view}__{name}" for view, found in self.features_.items() for name in found]
        return np.array(names, dtype=object)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose between a frame and a sparse array.

        Parameters
        ----------
        transform : {"pandas", "default"} or None
            "pandas" sets ``output="frame"``, "default" sets ``output="sparse"``.
        """
        kinds = {None: self.output, "pandas": "frame", "default": "sparse"}
        if transform not in kinds:
            raise ValueError(
                f"set_output(transform={transform!r}) is not possible: dialogues become a sparse "
                'array ("default") or a pandas frame ("pandas").'
            )
        self.output = kinds[transform]
        return self

    def _bags(
        self, view: str, calls: list[Dialogue], roles: dict[str, str], limits: np.ndarray
    ) -> list[list[str]]:
        """Tokens of each dialogue in one of the views of presence."""
        if view == "entities":
            return [list(call.all_entities) for call in calls]
        if view == "turns":
            return [
                ngrams(turn_tokens(call, roles, limits), self.turn_ngram_range, "")
                for call in calls
            ]
        role = {"users": "U", "operators": "O"}[view]
        return [self._words(call, roles, role) for call in calls]

    def _words(self, call: Dialogue, roles: dict[str, str], role: str) -> list[str]:
        found: list[str] = []
        for turn in call.turns:
            if roles[turn.speaker] == role:
                said = [word.lower() for word in turn.words] if self.lowercase else turn.words
                found += ngrams(said, self.ngram_range, " ")
        return found

    def _roles(self, calls: list[Dialogue]) -> dict[str, str]:
        """Role of each speaker; refuse strangers."""
        roles = dict.fromkeys(_names("user", self.user), "U")
        for name in _names("operator", self.operator):
            if name in roles:
                raise ValueError(f"speaker {name!r} cannot be both operator and user.")
            roles[name] = "O"
        for call in calls:
            for number, turn in enumerate(call.turns, start=1):
                if turn.speaker not in roles:
                    raise ValueError(
                        f"dialogue {call.id!r}, turn {number}: speaker {turn.speaker!r} is neither "
                        f"operator={self.operator!r} nor user={self.user!r}; name all speakers "
                        "of either side with these two parameters."
                    )
        return roles

    def _check_parameters(self) -> list[str]:
        """Refuse impossible values; return the views in their order."""
        listed = [self.include] if isinstance(self.include, str) else list(self.include)
        strangers = [view for view in listed if view not in VIEWS]
        if strangers or not listed:
            raise ValueError(f"include={self.include!r}: choose one or more of {VIEWS}.")
        for name in ("ngram_range", "turn_ngram_range"):
            _check_range(name, getattr(self, name))
        if not _is_whole(self.n_levels) or self.n_levels < 1:
            raise ValueError(f"n_levels must be a whole number from 1, got {self.n_levels!r}.")
        share = isinstance(self.min_df, float) and 0.0 <= self.min_df <= 1.0
        if not share and not (_is_whole(self.min_df) and self.min_df >= 1):
            raise ValueError(
                f"min_df must be a whole number from 1 or a float share in [0, 1], got "
                f"{self.min_df!r}."
            )
        if self.output not in ("sparse", "frame"):
            raise ValueError(f'output={self.output!r}: choose "sparse" or "frame".')
        return [view for view in VIEWS if view in listed]

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return []  # its rows are dialogues, scikit-learn's checks have tables

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.no_validation = True
        return tags


def _checked(dialogues: Any) -> list[Dialogue]:
    if isinstance(dialogues, str | bytes | Dialogue) or not hasattr(dialogues, "__iter__"):
        raise TypeError(
            f"give a sequence of Dialogue, got {dialogues!r:.60}; read_dialogues reads one from "
            "a file."
        )
    if getattr(dialogues, "ndim", 1) != 1:
        raise ValueError(
            f"dialogues must be one-dimensional, got shape {dialogues.shape}: one Dialogue per row."
        )
    calls = list(dialogues)
    for position, call in enumerate(calls):
        if not isinstance(call, Dialogue):
            raise TypeError(f"item {position} is {call!r:.60}, not a Dialogue.")
    return calls


def _without_empty(features: dict[str, list[str]], min_df: int | float) -> dict[str, list[str]]:
    """Leave out views without a column, with a warning."""
    empty = [view for view, names in features.items() if not names]
    if len(empty) == len(features):
        raise ValueError(
            f"nothing to learn from: {', '.join(empty)} hold no word, turn or entity that occurs "
            f"often enough (min_df={min_df!r})."
        )
    for view in empty:
        warnings.warn(
            f"view {view!r} is left out: nothing in it occurs in enough dialogues "
            f"(min_df={min_df!r}).",
            stacklevel=3,
        )
    return {view: names for view, names in features.items() if names}


def _numbers(rows: list[list[float]]) -> sp.csr_array:
    """Measures as a sparse block; NaN stays stored."""
    return sp.csr_array(np.array(rows, dtype=np.float64).reshape(-1, len(PROSODY)))


def _names(what: str, names: Any) -> list[str]:
    listed = [names] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)
    if not listed or not all(isinstance(name, str) for name in listed):
        raise ValueError(f"{what} must name one or more speakers, got {names!r}.")
    return listed


def _check_range(name: str, value: Any) -> None:
    pair = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else []
    if len(pair) != 2 or not all(map(_is_whole, pair)) or not 1 <= pair[0] <= pair[1]:
        raise ValueError(
            f"{name} must be two whole numbers, 1 <= shortest <= longest, got {value!r}."
        )


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
