"""The label of each row by all answers.

Kept up to date row by row, so that the page, which needs it all the time, never waits.
"""

from __future__ import annotations

from collections import Counter

from uneven.comparison.labelfile import SKIP
from uneven.labelling.agreement import Reliability, settle
from uneven.labelling.ledger import Ledger


class Outcome:
    """Labels by row.

    Parameters
    ----------
    ledger : Ledger

    Attributes
    ----------
    counts : Counter of str
        How many rows have each label.

    Examples
    --------
    >>> from uneven.labelling.store import Event
    >>> ledger = Ledger([Event("k", 1, "7", "label", "cat", id=1)])
    >>> outcome = Outcome(ledger)
    >>> outcome.labels(), outcome.final("7")
    ({'7': 'cat'}, ('cat', None))
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.counts: Counter[str] = Counter()
        self._known: Reliability | None = None
        self._labels: dict[str, str] = {}
        self._differ: set[str] = set()
        for row in ledger.said():
            self.heard(row)

    def heard(self, row: str) -> None:
        """An annotator labelled a row, or undid it."""
        before = self._labels.pop(row, SKIP)
        if before != SKIP:
            self.counts[before] -= 1
        if len(set(self.ledger.votes(row).values())) > 1:
            self._differ.add(row)
        else:
            self._differ.discard(row)
        if (found := self.final(row)) is not None:
            self._labels[row] = found[0]
            self.counts[found[0]] += 1
        elif self.ledger.unsure(row):
            self._labels[row] = SKIP

    def rely_on(self, known: Reliability | None) -> None:
        """Weigh votes that differ by what is known about the annotators from now on."""
        self._known = known
        for row in list(self._differ):
            self.heard(row)

    def final(self, row: str) -> tuple[str, float | None] | None:
        """The label of a row, and its probability; None without a label."""
        ruling = self.ledger.ruling(row)
        if ruling is not None:
            return ruling.label, 1.0
        votes = self.ledger.votes(row)
        return settle(votes, self._known) if votes else None

    def labels(self) -> dict[str, str]:
        """Labels by row, in the order in which rows got one; ``?`` where it cannot be labelled."""
        found = {row: self._labels.get(row, SKIP) for row in self.ledger.order()}
        found = {row: label for row, label in found.items() if label != SKIP}
        return found | {row: SKIP for row, label in self._labels.items() if label == SKIP}
