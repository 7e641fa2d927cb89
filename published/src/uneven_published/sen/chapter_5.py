"""Chapter 5: combinations in the spaces of kernels, and the change of data that leads to them."""

from __future__ import annotations

from uneven_published.claims import average, best, compare, difference
from uneven_published.description import Claim, Exhibit, Study
from uneven_published.documents import SEN
from uneven_published.numbers import Printed
from uneven_published.sen import printed
from uneven_published.sen.chapter_4 import ERROR
from uneven_published.sen.studies import (
    DIVERSE,
    DIVERSE_WIDE,
    FIXED_CWS,
    FIXED_LSG,
    FIXED_PROTOCOL,
    FIXED_WS,
    FULL,
    FULL_NOTE,
    KERNEL_LETTERS,
    KERNEL_PROTOCOL,
    LSG_NOTE,
    WORST_CLASS,
    full,
    wilcoxon,
)

_EQUAL = (
    "With least squares the polynomial equals the linear kernel in all rows: degree 1 was always "
    "chosen."
)
_NOT_BETTER = (
    "RBF is said to be better than the polynomial in general; by the printed means it is so with "
    "the hinge and WS only, not in the other three cases of tables 5.2 and 5.3."
)
_FIXED_ERRATA = {
    "WS": (
        _EQUAL,
        "The lowest errors are said to be non-linear; here linear is printed lowest on optdigit "
        "and, with the same polynomial of degree 1, on satellite.",
        _NOT_BETTER,
    ),
    "CWS": (
        "The text calls this table 5.2.",
        _EQUAL,
        "The lowest errors are said to be non-linear; here linear is printed as low on optdigit.",
        _NOT_BETTER,
    ),
}


_FIXED_EXPLANATION = (
    "One split of each set: with 2000 test rows an error of 8 percent is known to about 0.6 "
    "points, so that the order of the kernels is mostly chance, here as published. That there is "
    "little between them is the part of the claims that came out again."
)


_ONE_SET = (
    "RBF is ahead on segment and waveform and behind on optdigit and satellite, all as published; "
    "the published mean is decided by the polynomial on segment (5.73), without which both are at "
    "8.58."
)


def _fixed(place: str, family: str, studies: tuple[Study, ...], table: Printed) -> Exhibit:
    """Errors of two losses and three kernels."""
    curved = tuple(f"{loss} {kernel}" for loss in ("Hinge", "LS") for kernel in ("Poly", "RBF"))
    return Exhibit(
        SEN,
        place,
        f"Errors with three kernels and two losses on fixed splits, {family}",
        "original",
        protocol=FIXED_PROTOCOL,
        studies=studies,
        measures=(ERROR,),
        printed=table,
        columns=table.columns,
        claims=(
            Claim(
                "The lowest error is that of a kernel that is not linear (below the linear ones)",
                best(curved, "error", among=("Hinge Lin", "LS Lin"), strict=True),
            ),
            *(
                Claim(
                    f"RBF errs less than the polynomial on average, {loss}",
                    check,
                    _ONE_SET if (family, loss) == ("WS", "hinge") else "",
                )
                for loss, check in (
                    ("hinge", average("Hinge RBF", "Hinge Poly", "error")),
                    ("least squares", average("LS RBF", "LS Poly", "error")),
                )
            ),
            Claim(
                "There is not much difference: Lin and RBF are less than a point apart, hinge",
                difference("Hinge RBF", "Hinge Lin", size_below=1.0),
            ),
        ),
        errata=_FIXED_ERRATA[family],
        explanation=_FIXED_EXPLANATION,
    )


TABLE_5_4 = Exhibit(
    SEN,
    "Table 5.4",
    "Errors with three kernels on fixed splits, LSG with the hinge",
    "original",
    protocol=FIXED_PROTOCOL + "LSG: one machine per pair of classes.",
    studies=FIXED_LSG,
    measures=(ERROR,),
    printed=printed.FIXED_LSG,
    columns=printed.FIXED_LSG.columns,
    claims=(
        Claim(
            "The lowest error is that of a kernel that is not linear (below the linear one)",
            best(("LSG Poly", "LSG RBF"), "error", among=("LSG Lin",), strict=True),
        ),
        *(
            Claim(f"RBF errs less than the {title} on average", average("LSG RBF", one, "error"))
            for title, one in (("linear kernel", "LSG Lin"), ("polynomial", "LSG Poly"))
        ),
        Claim(
            "Asked besides: RBF errs less than equal weights on average",
            average("LSG RBF", "EW", "error"),
        ),
    ),
    errata=(
        "RBF is said to outperform the linear kernel; on optdigit and waveform their printed "
        "errors are equal, so that it can be meant on average only.",
    ),
    explanation=_FIXED_EXPLANATION,
)

_PAIRS = (("WS Lin", "WS RBF"), ("CWS Lin", "CWS RBF"), ("LSG Lin", "LSG RBF"))

_LITTLE_LEFT = (
    "Our classifiers are better than the source's, and WS leaves a kernel little to mend; the "
    "number of classifiers is not the reason: with 130, on three sets, both are level as well."
)
_HALF_A_POINT = 0.5
"""What the source calls much: by its numbers, RBF gains .54 points with WS on average."""

TABLE_5_5 = Exhibit(
    SEN,
    "Table 5.5",
    "Errors of support vector machines on the scores: linear and RBF kernels",
    "original",
    protocol=KERNEL_PROTOCOL + KERNEL_LETTERS.format(other="RBF", more=", c with LSG") + FULL_NOTE,
    studies=(DIVERSE, FULL),
    measures=(ERROR,),
    printed=printed.KERNELS,
    columns=(*printed.KERNELS.columns, *(full(name) for pair in _PAIRS for name in pair)),
    claims=(
        Claim(
            "RBF is much better than linear, WS: half a point or more on average",
            difference("WS Lin", "WS RBF", at_least=_HALF_A_POINT),
            _LITTLE_LEFT,
        ),
        Claim(
            "RBF errs less than linear on at least five sets, WS",
            compare("WS RBF", "WS Lin", "error", at_least=5),
            _LITTLE_LEFT,
        ),
        Claim(
            "Asked besides: so it is with 130 classifiers, WS: half a point or more on average",
            difference(full("WS Lin"), full("WS RBF"), at_least=_HALF_A_POINT),
        ),
        Claim(
            "There is not much difference: less than half a point, in size, on average, CWS",
            difference("CWS RBF", "CWS Lin", size_below=_HALF_A_POINT),
        ),
        Claim(
            "There is not much difference: less than half a point, in size, on average, LSG",
            difference("LSG RBF", "LSG Lin", size_below=_HALF_A_POINT),
        ),
    ),
    significance=wilcoxon(*_PAIRS),
    explanation=(
        "With our classifiers the linear combinations leave little for a kernel to mend: RBF and "
        "linear machines are within a few tenths of a point, where the source finds half a point "
        "for WS, mostly on Statlog and Yeast."
    ),
)

TABLE_5_6 = Exhibit(
    SEN,
    "Table 5.6",
    "Hinge of transformed data (Lin) beside that of the worst class (l2)",
    "original",
    protocol="Lin: " + KERNEL_PROTOCOL + WORST_CLASS + KERNEL_LETTERS.format(other="l2", more=""),
    studies=(DIVERSE,),
    measures=(ERROR,),
    printed=printed.TRANSFORMED,
    columns=("WS Lin", "WS l2", "CWS Lin", "CWS l2"),
    claims=tuple(
        Claim(
            f"Transformed data err less on at least half of the sets, {family}",
            compare(f"{family} Lin", f"{family} l2", "error", at_least=4),
        )
        for family in ("WS", "CWS")
    ),
    significance=wilcoxon(("WS Lin", "WS l2"), ("CWS Lin", "CWS l2")),
)

TABLE_5_7 = Exhibit(
    SEN,
    "Table 5.7",
    "One-versus-one (Lin) beside the hinge of the worst class (l2), LSG",
    "original",
    protocol=KERNEL_PROTOCOL
    + WORST_CLASS
    + LSG_NOTE
    + "A star is a significant difference between the two.",
    studies=(DIVERSE, DIVERSE_WIDE),
    measures=(ERROR,),
    printed=printed.ONE_VERSUS_ONE,
    columns=("LSG Lin", "LSG l2"),
    claims=(
        Claim(
            "Neither is better: less than 0.5 points apart, in size, on average",
            difference("LSG Lin", "LSG l2", size_below=0.5),
        ),
    ),
    significance=wilcoxon(("LSG Lin", "LSG l2")),
)

CHAPTER_5 = (
    _fixed("Table 5.2", "WS", FIXED_WS, printed.FIXED_WS),
    _fixed("Table 5.3", "CWS", FIXED_CWS, printed.FIXED_CWS),
    TABLE_5_4,
    TABLE_5_5,
    TABLE_5_6,
    TABLE_5_7,
)
