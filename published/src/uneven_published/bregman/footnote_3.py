"""Footnote 3: the simple methods with AdaBoost in place of a tree."""

from __future__ import annotations

from uneven_published.bregman.methods import BASELINES, BOOSTED
from uneven_published.bregman.one_against_rest import OneAgainstRest
from uneven_published.bregman.sources import COLLECTIONS
from uneven_published.bregman.table_1 import MEASURES, SAMPLE_NOTE
from uneven_published.claims import alike
from uneven_published.description import Claim, Exhibit, Significance, Study
from uneven_published.documents import BREGMAN

__all__ = ["FOOTNOTE_3", "PAIRS"]

SIMILAR = 0.02
PAIRS = tuple(zip(BASELINES, BOOSTED))

STUDY = Study("bregman-footnote-3", COLLECTIONS, OneAgainstRest(BASELINES | BOOSTED), repeats=5)


FOOTNOTE_3 = Exhibit(
    BREGMAN,
    "Footnote 3",
    "Mono, Concat, Fusion and MV-MV with AdaBoost in place of one tree",
    status="substitute",
    status_note=SAMPLE_NOTE,
    protocol=(
        "As for Table 1, 5 times. AdaBoost has 50 stumps; the source names neither their number "
        f"nor their depth and prints no figures. 'Similar' is asked as: at most {SIMILAR} apart."
    ),
    studies=(STUDY,),
    measures=MEASURES,
    columns=tuple(column for pair in PAIRS for column in pair),
    claims=tuple(
        Claim(
            f"{measure.title}: AdaBoost and one tree do similarly in {first}.",
            alike(first, second, {measure.key: SIMILAR}),
        )
        for measure in MEASURES
        for first, second in PAIRS
    ),
    significance=Significance("rank_sum", 0.02, ("accuracy", "f1"), PAIRS),
    explanation=(
        "50 stumps are better than one full tree in most cases, by up to 0.07. The source does not "
        "say which trees it boosted; full trees leave nothing to boost and would give the same as "
        "one tree, which may be what it saw."
    ),
)
