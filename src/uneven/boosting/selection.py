"""Which classifier of a round enters the vote: the selection rules of MuMBo and ShareBoost.

Any rule keeps the bound on the training error, as long as the voter it takes has a positive edge
on the costs of the whole vote; rules only ever see such candidates.

References
----------
S. Koço (2013), *Tackling the uneven views problem with cooperation based ensemble learning
methods*, PhD thesis, Aix-Marseille Université, chapter 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from uneven.boosting.base import Candidate
from uneven.costs import EDGE_TOLERANCE, vote_weight
from uneven.costs.expected import VoteCosts
from uneven.views import ViewMap
from uneven.voters import TrainingTable
from uneven.votes import ALL_VIEWS, Panel, Term, Vote

__all__ = ["SELECTION_RULES", "Memory", "select"]


@dataclass
class Memory:
    """The vote so far, as far as selection rules look back.

    Attributes
    ----------
    table : TrainingTable
    views : ViewMap
    costs : RunningCosts or ExpectedCosts
        Of the whole vote.
    quotas : ndarray of shape (n_views,)
        Share of the rounds that each view may have.
    focus : int or str
        A class index, "worst" or "round_robin".
    tells_answers : bool
        Whether ``answered`` is kept up to date.
    counts : ndarray of int, shape (n_views,)
        Rounds won by each view.
    answered : ndarray of shape (n_samples, n_classes)
        How many voters of the vote gave each answer.
    n_voters : int
    """

    table: TrainingTable
    views: ViewMap
    costs: VoteCosts
    quotas: np.ndarray
    focus: int | str = "worst"
    tells_answers: bool = False
    counts: np.ndarray = field(init=False)
    answered: np.ndarray = field(init=False)
    n_voters: int = 0

    def __post_init__(self) -> None:
        self.counts = np.zeros(len(self.views), dtype=np.int64)
        self.answered = np.zeros((len(self.table.y), self.table.n_classes))

    def remember(self, view: int, answers: np.ndarray) -> None:
        """Note that a voter has entered the vote."""
        if view != ALL_VIEWS:
            self.counts[view] += 1
        self.n_voters += 1
        if self.tells_answers:
            spoken = np.flatnonzero(answers >= 0)
            self.answered[spoken, answers[spoken]] += 1.0

    def focus_class(self) -> int:
        """Class index that the next voter should know well."""
        if self.focus == "round_robin":
            return self.n_voters % self.table.n_classes
        if self.focus != "worst":
            return int(self.focus)
        return int(self.recalls(self.costs.scores.argmax(axis=1)).argmin())

    def recalls(self, answers: np.ndarray) -> np.ndarray:
        """Share of each class's mass that answers get right, shape (n_classes,)."""
        table = self.table
        right = np.where(answers == table.y, table.mass, 0.0)
        hits = np.bincount(table.y, weights=right, minlength=table.n_classes)
        return np.asarray(hits / table.class_mass)

    def disagreement(self, answers: np.ndarray) -> float:
        """Mean share of the vote's voters that answer otherwise."""
        spoken = np.flatnonzero(answers >= 0)
        if not self.n_voters or not len(spoken):
            return 0.0
        agreeing = self.answered[spoken, answers[spoken]] / self.n_voters
        return float(1.0 - np.average(agreeing, weights=self.table.mass[spoken]))


def max_edge(candidates: Sequence[Candidate], memory: Memory, seed: int) -> Candidate:
    """The largest edge; the first view among equals."""
    return max(candidates, key=lambda c: c.edge)


def combination(candidates: Sequence[Candidate], memory: Memory, seed: int) -> Candidate:
    """All candidates vote on one answer, each with the weight that its edge is worth."""
    n_classes = memory.table.n_classes
    scores = np.zeros((len(memory.table.y), n_classes))
    terms = []
    for candidate in candidates:
        weight = vote_weight(candidate.edge)
        spoken = np.flatnonzero(candidate.answers >= 0)
        scores[spoken, candidate.answers[spoken]] += weight
        terms.append(Term(candidate.voter, np.full(n_classes, weight), candidate.view))
    answers = scores.argmax(axis=1).astype(np.int32)
    answers[~scores.any(axis=1)] = -1
    vote = Vote(terms, [len(terms)], n_classes, memory.views)
    panel = Panel(vote, memory.recalls(answers))
    return Candidate(panel, answers, ALL_VIEWS, memory.costs.edge(answers))


def combination_or_best(candidates: Sequence[Candidate], memory: Memory, seed: int) -> Candidate:
    """The combination, unless a single voter has a larger edge."""
    return max_edge([*candidates, combination(candidates, memory, seed)], memory, seed)


def quota(candidates: Sequence[Candidate], memory: Memory, seed: int) -> Candidate:
    """The largest edge among the views that have not used up their share of the rounds."""
    allowed = memory.counts < memory.quotas * (memory.counts.sum() + 1)
    below = [c for c in candidates if allowed[c.view]]
    return max_edge(below or candidates, memory, seed)


def class_focus(candidates: Sequence[Candidate], memory: Memory, seed: int) -> Candidate:
    """The voter that recognises one class best; among equals the largest edge."""
    label = memory.focus_class()
    return max(candidates, key=lambda c: (memory.recalls(c.answers)[label], c.edge))


def diversity(candidates: Sequence[Candidate], memory: Memory, seed: int) -> Candidate:
    """The voter that disagrees most with those already chosen; among equals the largest edge."""
    return max(candidates, key=lambda c: (memory.disagreement(c.answers), c.edge))


def at_random(candidates: Sequence[Candidate], memory: Memory, seed: int) -> Candidate:
    """Any of them, with equal probability."""
    return candidates[np.random.RandomState(seed).randint(len(candidates))]


SELECTION_RULES: dict[str, Callable[[Sequence[Candidate], Memory, int], Candidate]] = {
    "max_edge": max_edge,
    "combination": combination,
    "combination_or_best": combination_or_best,
    "quota": quota,
    "class_focus": class_focus,
    "diversity": diversity,
    "random": at_random,
}


def select(
    rule: str, lessons: Sequence[Any], memory: Memory, seed: int
) -> tuple[Candidate | None, np.ndarray]:
    """Choose the voter of a round.

    Parameters
    ----------
    rule : str
        Key of ``SELECTION_RULES``.
    lessons : sequence of Lesson
    memory : Memory
    seed : int

    Returns
    -------
    chosen : Candidate or None
        None if no voter has a positive edge on the costs of the whole vote.
    edges : ndarray of shape (n_lessons,)
        Edges of all lessons on those costs.
    """
    edges = memory.costs.edges(np.array([lesson.answers for lesson in lessons]))
    able = [
        Candidate(lesson.voter, lesson.answers, lesson.view, float(edge))
        for lesson, edge in zip(lessons, edges)
        if edge > EDGE_TOLERANCE
    ]
    chosen = SELECTION_RULES[rule](able, memory, seed) if able else None
    return (chosen if chosen and chosen.edge > EDGE_TOLERANCE else None), edges
