"""Chapters 5 to 7: pictures without numbers."""

from __future__ import annotations

from uneven_published.description import Exhibit
from uneven_published.documents import LOUCHE

__all__ = ["EXHIBITS"]


def sketch(place: str, title: str, why: str, *errata: str) -> Exhibit:
    """A picture that there is nothing to run for."""
    return Exhibit(LOUCHE, place, title, "impossible", why, errata=errata)


EXHIBITS: tuple[Exhibit, ...] = (
    sketch(
        "Figure 5.1",
        "A learning problem and the localisation problem that it is",
        "A drawing of four points without coordinates; nothing is measured.",
    ),
    sketch(
        "Figure 5.2",
        "A version space with and without the unit ball",
        "A drawing without numbers.",
    ),
    sketch(
        "Figure 5.3",
        "A cutting-plane method at work",
        "A schematic drawing without numbers; figures 6.3 and 6.4 measure such runs.",
    ),
    sketch(
        "Figure 5.4",
        "A neutral and a deep cut",
        "A drawing without numbers.",
    ),
    sketch(
        "Figure 5.13",
        "The distances in theorem 5.2",
        "A schematic drawing without numbers.",
        "Theorem 5.2 as printed cannot hold, since its two sides do not scale alike; the form in "
        "the appendix can, with one dimension fewer.",
    ),
    sketch(
        "Figure 6.1",
        "Bayes lines, and three of them that do not meet in a point",
        "A drawing of a version space that is not given; nothing is measured.",
    ),
    sketch(
        "Figure 6.2",
        "How the perceptron and cutting planes feed each other",
        "A flow chart.",
    ),
    sketch(
        "Figure 7.1",
        "Uncertainty asks for the point nearest to the classifier",
        "A drawing without coordinates; the run for figure 7.3 measures what it shows.",
    ),
    sketch(
        "Figure 7.2",
        "Expected model change asks for the point that halves the space",
        "A drawing without coordinates; the run for figure 7.3 measures what it shows.",
    ),
    sketch(
        "Figure 7.4",
        "A cut that misses the centre of gravity",
        "A schematic drawing without numbers.",
    ),
)
