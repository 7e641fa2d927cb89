"""A confusion matrix as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from uneven.metrics import matrix_norm
from uneven.report.charts import MANY, elide
from uneven.report.markup import Markup, count, percent, tag

CHARACTER = 6.6
LARGEST_SCALE = 1.35
FEW = 5
"""Up to this many classes, cells are larger."""

MOST_DRAWN = 2500
"""Cells of one matrix that are drawn."""


class ConfusionPicture:
    """One confusion matrix: its rates, its norm and its picture.

    Parameters
    ----------
    counts : nested sequence of float of shape (K, K)
        Row = true class, column = prediction.
    classes : sequence of str of length K
        Class names.

    Examples
    --------
    >>> picture = ConfusionPicture([[3, 1], [0, 4]], ["a", "b"])
    >>> picture.norm
    0.25
    >>> picture.largest
    (0, 1, 0.25)
    """

    def __init__(self, counts: Sequence[Sequence[float]], classes: Sequence[str]) -> None:
        self.counts = np.asarray(counts, dtype=float)
        self.classes = list(classes)
        totals = self.counts.sum(axis=1, keepdims=True)
        self.rates = np.divide(
            self.counts, totals, out=np.zeros_like(self.counts), where=totals > 0
        )
        self.errors = self.rates - np.diag(np.diag(self.rates))
        self.norm = matrix_norm(self.errors)

    @cached_property
    def largest(self) -> tuple[int, int, float] | None:
        """True class, prediction and rate of the largest error; None when there is none."""
        if not self.errors.any():
            return None
        row, column = np.unravel_index(int(self.errors.argmax()), self.errors.shape)
        return int(row), int(column), float(self.errors[row, column])

    @property
    def n_cells(self) -> int:
        """Cells that are drawn."""
        return min(int((self.counts > 0).sum()), MOST_DRAWN)

    def _drawn(self) -> NDArray[np.intp]:
        """Row and column of cells that hold rows: the largest shares, if they are too many."""
        cells = np.argwhere(self.counts > 0)
        shares = self.rates[cells[:, 0], cells[:, 1]]
        kept = np.sort(np.argsort(-shares, kind="stable")[:MOST_DRAWN])
        return np.asarray(cells[kept])

    def svg(self, top: float, label: str) -> Markup:
        """Picture of the matrix.

        Parameters
        ----------
        top : float
            Error rate with the full tint, the same for all matrices that are compared.
        label : str
            Alternative text.

        Returns
        -------
        Markup
            An SVG element in a box as wide as it may be; hovering over a cell shows its count.
        """
        n = len(self.classes)
        cell = 44 if n <= FEW else 30 if n <= MANY else 18
        names = [elide(name, 18 if n <= MANY else 10) for name in self.classes]
        margin = 12 + CHARACTER * max(map(len, names))
        turned = max(map(len, names)) * CHARACTER > cell - 2
        foot = margin if turned else 22
        marks = [tag("rect", x=margin, y=0, width=n * cell, height=n * cell, class_="floor")]
        for i, name in enumerate(names):
            middle = (i + 0.5) * cell
            full = tag("title", self.classes[i])
            marks.append(tag("text", name, full, x=margin - 6, y=middle, class_="row-name"))
            x, y = margin + middle, n * cell + (6 if turned else 14)
            turn = f"rotate(-90 {x:g} {y:g})" if turned else None
            css = "column-name turned" if turned else "column-name"
            marks.append(
                tag("text", name, full, x=f"{x:g}", y=f"{y:g}", transform=turn, class_=css)
            )
        marks += [self._cell(int(r), int(c), margin, cell, top) for r, c in self._drawn()]
        width = margin + n * cell + 2
        frame = {"viewBox": f"0 0 {width:g} {n * cell + foot:g}"}
        picture = tag("svg", marks, class_="matrix", role="img", aria_label=label, **frame)
        return tag(
            "div", picture, class_="drawn", style=f"flex-basis:{LARGEST_SCALE * width:.0f}px"
        )

    def _cell(self, row: int, column: int, margin: float, size: int, top: float) -> Markup:
        rate, right = float(self.rates[row, column]), row == column
        tint = 0.10 + 0.45 * rate if right else min(1.0, (rate / top) ** 0.7)
        place = {"x": f"{margin + column * size + 1:g}", "y": row * size + 1}
        said = (
            f"{elide(self.classes[row], 60)} predicted as {elide(self.classes[column], 60)}: "
            f"{count(self.counts[row, column])} ({percent(rate)})"
        )
        largest = self.largest is not None and self.largest[:2] == (row, column)
        css = ("right" if right else "wrong") + (" largest" if largest else "")
        box = tag(
            "rect",
            tag("title", said),
            width=size - 2,
            height=size - 2,
            rx=2,
            class_=css,
            style=f"fill-opacity:{tint:.2f}",
            data_cell=f"{row} {column}",
            **place,
        )
        if size < 30 or rate < 0.005:
            return box
        middle = {"x": f"{margin + (column + 0.5) * size:g}", "y": (row + 0.5) * size}
        css = "number on-strong" if not right and tint > 0.88 else "number"
        return Markup(box + tag("text", f"{100 * rate:.0f}", class_=css, **middle))
