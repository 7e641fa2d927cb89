"""Embedded messages to label: what customers write to a shop. Nothing is downloaded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from uneven.utils.files import replace_file

CLASSES = ("delivery", "refund", "praise", "question")
ROWS = 600
_THINGS = [
    "lamp",
    "kettle",
    "backpack",
    "headset",
    "jacket",
    "blender",
    "tent",
    "camera",
    "keyboard",
    "mirror",
]
_SHARES = (0.42, 0.26, 0.2, 0.12)
_OPENINGS = ("Hello,", "Good morning,", "Hi there,", "Dear team,", "To whom it may concern,", "")
_CLOSINGS = ("Thanks in advance.", "Kind regards", "Best wishes", "Please reply soon.", "")
_SENTENCES = {
    "delivery": (
        "my {thing} has not arrived yet",
        "the parcel with the {thing} is late again",
        "tracking has not moved since Monday and I am waiting for my {thing}",
        "the courier left the {thing} with a neighbour I do not know",
        "where is the {thing} that I ordered two weeks ago",
        "it was to come on Tuesday, and nobody rang",
    ),
    "refund": (
        "the {thing} arrived broken and I want my money back",
        "I sent the {thing} back and still wait for the refund",
        "please cancel the order of the {thing} and return what I paid",
        "you charged my card twice for one {thing}",
        "the {thing} stopped working after a day, I would like to return it",
        "it is the wrong colour, how do I get the amount back",
    ),
    "praise": (
        "the {thing} is even nicer than in the pictures",
        "what a quick delivery, and the {thing} works perfectly",
        "I just wanted to say how happy we are with the {thing}",
        "your service was friendly and the {thing} is great",
        "five stars for the {thing} from all of us",
        "nobody ever packed a parcel with such care",
    ),
    "question": (
        "does the {thing} come with a guarantee",
        "which size of the {thing} fits a child of ten",
        "can I use the {thing} outdoors when it rains",
        "is the {thing} available in green as well",
        "do you deliver the {thing} to an office address",
        "how do I clean the {thing} without harming it",
    ),
}


def demo_messages(rows: int = ROWS, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Messages and what they are about.

    Parameters
    ----------
    rows : int
    seed : int

    Returns
    -------
    frame : DataFrame of shape (rows, 4)
        Columns ticket, message, country and amount.
    classes : ndarray of shape (rows,)
        What each message is about; one in eight also holds a sentence about something else.

    Examples
    --------
    >>> frame, classes = demo_messages(3)
    >>> frame.columns.tolist(), classes.shape
    (['ticket', 'message', 'country', 'amount'], (3,))
    """
    rng = np.random.default_rng(seed)
    classes = rng.choice(CLASSES, rows, p=_SHARES)
    messages = [_message(str(about), rng) for about in classes]
    amounts = np.round(rng.lognormal(3.5, 0.7, rows), 2)
    frame = pd.DataFrame(
        {
            "ticket": [f"T{1000 + k}" for k in range(rows)],
            "message": messages,
            "country": rng.choice(["DE", "FR", "IT", "PL", "ES"], rows),
            "amount": amounts,
        }
    )
    return frame, classes


def _message(about: str, rng: np.random.Generator) -> str:
    thing = str(rng.choice(_THINGS))
    own = rng.choice(_SENTENCES[about], size=int(rng.integers(1, 3)), replace=False).tolist()
    if rng.random() < 1 / 8:
        other = str(rng.choice([name for name in CLASSES if name != about]))
        own.append(str(rng.choice(_SENTENCES[other])))
    said = " ".join(f"{text[0].upper()}{text[1:].format(thing=thing)}." for text in own)
    parts = (str(rng.choice(_OPENINGS)), said, str(rng.choice(_CLOSINGS)))
    return " ".join(part for part in parts if part)


def write_demo(path: Path) -> None:
    """Write the messages into a file, if it is not there."""
    if not path.exists():
        with replace_file(path) as draft:
            demo_messages()[0].to_csv(draft, index=False)
