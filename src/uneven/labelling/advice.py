"""One sentence: is it worth labelling more?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from uneven.report.markup import percent

LOOK_BACK = 40
MORE = 50
SMALL_GAIN = 0.01
SMALL_CHANGE = 0.01


@dataclass(frozen=True)
class Advice:
    """Whether to continue, and why.

    Attributes
    ----------
    stop : bool
        Whether one may stop.
    sentence : str
    """

    stop: bool
    sentence: str


def changed_share(
    moments: Sequence[tuple[int, np.ndarray]], back: int = LOOK_BACK
) -> tuple[int, float] | None:
    """How many predictions the last answers changed.

    Parameters
    ----------
    moments : sequence of (labels, predictions)
        After so many labels, the classes of the same rows.
    back : int
        How many answers to look back.

    Returns
    -------
    (answers, share) or None
        The largest share of predictions that differed from the present ones within the last
        answers; None if there are fewer than ten to look back on.

    Examples
    --------
    >>> moments = [(10, np.array([0, 0])), (30, np.array([0, 1])), (50, np.array([0, 1]))]
    >>> changed_share(moments, 20), changed_share(moments, 40)
    ((20, 0.0), (40, 0.5))
    """
    if not moments:
        return None
    now, present = moments[-1]
    seen = [(n, said) for n, said in moments[:-1] if now - n >= 1]
    old = [n for n, _ in seen if now - n >= back] or [n for n, _ in seen if now - n >= 10]
    if not old:
        return None
    start = max(old) if now - max(old) >= back else min(old)
    shares = [float(np.mean(said != present)) for n, said in seen if n >= start]
    return now - start, max(shares)


def advise(
    changed: tuple[int, float] | None, gain: tuple[float, float, float] | None
) -> Advice | None:
    """The sentence.

    Parameters
    ----------
    changed : (answers, share) or None
        See `changed_share`.
    gain : (gain, low, high) or None
        See `uneven.labelling.curve.expected_gain`.

    Returns
    -------
    Advice or None
        None if there is too little data.

    Examples
    --------
    >>> advise((40, 0.0), (0.003, 0.0, 0.008)).sentence
    'The last 40 answers changed nothing; expected gain of 50 more: 0.3 points (0.0 to 0.8).'
    """
    said = []
    if changed is not None:
        share = percent(changed[1], 1).replace(" ", "\u00a0")
        what = "nothing" if changed[1] == 0.0 else f"{share} of the predictions"
        said.append(f"the last {changed[0]} answers changed {what}")
    if gain is not None:
        points = f"{100 * gain[0]:.1f} points ({100 * gain[1]:.1f} to {100 * gain[2]:.1f})"
        said.append(f"expected gain of {MORE} more: {points}")
    if not said:
        return None
    stop = bool(
        changed
        and gain
        and changed[0] >= LOOK_BACK
        and changed[1] <= SMALL_CHANGE
        and gain[2] < SMALL_GAIN
    )
    sentence = "; ".join(said)
    return Advice(stop, f"{sentence[0].upper()}{sentence[1:]}.")
