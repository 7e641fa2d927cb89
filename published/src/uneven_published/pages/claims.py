"""Claims of a record: those of the source, which are counted, and those that we add."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from uneven_published.pages.facts import Record

__all__ = ["OWN_TITLE", "claims_count", "held_words", "own_claims", "source_claims"]

Claim = Mapping[str, Any]
OWN = ("Asked besides: ", "Asked about ", "By theory: ")
"""Claims that begin so are not made by the source."""
OWN_TITLE = "Asked by us, and not counted"


def source_claims(record: Record) -> list[Claim]:
    """Claims that the source makes."""
    return [claim for claim in record["claims"] if not claim["text"].startswith(OWN)]


def own_claims(record: Record) -> list[Claim]:
    """Claims that we add: further questions, and what theory says."""
    return [claim for claim in record["claims"] if claim["text"].startswith(OWN)]


def claims_count(record: Record) -> tuple[int, int, int]:
    """How many claims of the source held, how many can be told from what was measured, and all."""
    held = [claim["measured"]["held"] for claim in source_claims(record)]
    return sum(h is True for h in held), sum(h is not None for h in held), len(held)


def held_words(*records: Record, noun: str = "") -> str:
    """How many claims of the source held; empty if none can be told.

    Parameters
    ----------
    *records : mapping
        Their claims are counted together.
    noun : str
        What is counted, between the numbers and the rest.

    Returns
    -------
    str

    Examples
    --------
    >>> claim = {"text": "A wins.", "measured": {"held": True}, "printed": {"held": None}}
    >>> held_words({"claims": [claim]}, noun="claims held")
    '1 of 1 claims held (1 without printed numbers)'
    """
    held, told = (sum(claims_count(record)[j] for record in records) for j in (0, 1))
    bare = sum(
        claim["printed"]["held"] is None and claim["measured"]["held"] is not None
        for record in records
        for claim in source_claims(record)
    )
    if not told:
        return ""
    aside = f"({bare} without printed numbers)" if bare else ""
    return " ".join(filter(None, (f"{held} of {told}", noun, aside)))
