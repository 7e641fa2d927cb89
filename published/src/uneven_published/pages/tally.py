"""How many claims held: counted by what they were judged on, and why the others did not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from uneven_published.collection import STATUS
from uneven_published.pages.facts import Claim, Record, source_claims, was_run

HELD, AGAINST_ITSELF = "held", "published numbers say otherwise"
PROVEN, NOT_HELD, UNJUDGED = "proven error of the source", "not held", "cannot be judged"
OUTCOMES = (HELD, AGAINST_ITSELF, PROVEN, NOT_HELD, UNJUDGED)
"""The second: neither the measured nor the source's own numbers support the claim."""
SETTLED = (HELD, AGAINST_ITSELF, PROVEN)
CURVES = "no published numbers"
GROUPS = (*(STATUS[key] for key in ("original", "substitute", "calibrated")), CURVES)


def outcome(claim: Claim) -> str:
    """What became of a claim.

    Examples
    --------
    >>> outcome({"printed": {"held": False}, "measured": {"held": False}})
    'published numbers say otherwise'
    >>> outcome({"printed": {"held": True}, "measured": {"held": False}, "erratum": "0 / 0"})
    'proven error of the source'
    """
    held = claim["measured"]["held"]
    if held is None:
        return UNJUDGED
    if held:
        return HELD
    if claim["printed"]["held"] is False:
        return AGAINST_ITSELF
    return PROVEN if claim.get("erratum") else NOT_HELD


def group(record: Record, claim: Claim) -> str:
    """What a claim was judged on; claims about curves without published numbers stand apart."""
    return CURVES if claim["printed"]["held"] is None else STATUS[record["status"]]


def tally(records: Iterable[Record]) -> dict[str, Counter[str]]:
    """Outcomes of the source's claims, by group; groups without a claim are left out.

    Parameters
    ----------
    records : iterable of mapping

    Returns
    -------
    dict of str to Counter
    """
    found: dict[str, Counter[str]] = {name: Counter() for name in GROUPS}
    for record in records:
        for claim in source_claims(record):
            found[group(record, claim)][outcome(claim)] += 1
    return {name: counts for name, counts in found.items() if counts}


def tally_rows(records: Sequence[Record]) -> list[list[str]]:
    """A line per group, and one for all: name, claims, and how many of each outcome."""
    counts = tally(records)
    lines = {**counts, "all": sum(counts.values(), Counter())}
    return [
        [name, str(some.total()), *(str(some[one]) for one in OUTCOMES)]
        for name, some in lines.items()
    ]


def unmet(records: Iterable[Record]) -> list[tuple[Record, Claim]]:
    """Claims of the source that were measured and did not hold, in their order."""
    return [
        (record, claim)
        for record in records
        if was_run(record)
        for claim in source_claims(record)
        if outcome(claim) in (NOT_HELD, AGAINST_ITSELF, PROVEN)
    ]


def reason(record: Record, claim: Claim) -> str:
    """Why a claim did not hold, in a sentence: its own, or what is said of the whole exhibit."""
    if told := claim.get("erratum") or claim.get("why"):
        return str(told)
    if outcome(claim) == AGAINST_ITSELF:
        return "The source's own numbers do not support it."
    return first_sentence(record["explanation"]) or "Not explained yet."


def first_sentence(words: Any) -> str:
    """Up to the first full stop that ends a sentence.

    Examples
    --------
    >>> first_sentence("Errors fall by .02 here. More follows.")
    'Errors fall by .02 here.'
    """
    head, stop, _ = str(words).partition(". ")
    return f"{head}." if stop else head
