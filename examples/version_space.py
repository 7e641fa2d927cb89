"""The version space of a few labels, and which row to label next.

Three labelled rows leave a long and thin polygon of classifiers. The next row to be labelled should
split it well whatever the answer is. A hyperplane through the centre of gravity does, in any
direction; one through the Chebyshev centre, which is where the support vector machine is, may cut
off almost nothing.

    python examples/version_space.py [picture.png]
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib import pyplot as plt

from uneven.plots import VersionSpaceDisplay
from uneven.versionspace import (
    VersionSpace,
    analytic_centre,
    chebyshev_centre,
    exact_centre,
    propagate,
)

LENGTH, HALF_WIDTH = 1.4, 0.05


def thin_triangle() -> VersionSpace:
    """Classifiers between three corners of the sphere, given by three labelled rows."""
    place = np.array([[0.0, -HALF_WIDTH], [LENGTH, 0.0], [0.0, HALF_WIDTH]])
    east, north = place.T
    corners = np.column_stack(
        [np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)]
    )
    rows = np.cross(corners, np.roll(corners, -1, axis=0))
    return VersionSpace.from_labels(rows, [1, 1, 1])


def worst_split(cuts: np.ndarray, centre: np.ndarray) -> tuple[float, np.ndarray]:
    """The row whose hyperplane goes through a point and splits the space most unevenly."""
    across = np.linalg.svd(centre[None])[2][1:]
    angles = np.linspace(0.0, np.pi, 361)
    rows = np.column_stack([np.cos(angles), np.sin(angles)]) @ across
    whole = exact_centre(cuts).share
    shares = np.array([exact_centre(np.vstack([cuts, row])).share / whole for row in rows])
    uneven = np.minimum(shares, 1.0 - shares)
    return float(uneven.min()), rows[uneven.argmin()]


def degrees(one: np.ndarray, other: np.ndarray) -> float:
    cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    return float(np.rad2deg(np.arccos(min(cosine, 1.0))))


def main(picture: str) -> None:
    space = thin_triangle()
    gravity, share = exact_centre(space.cuts)
    centres = {
        "gravity": gravity,
        "gravity, propagated": propagate(space.cuts).mean,
        "analytic": analytic_centre(space.cuts),
        "Chebyshev": chebyshev_centre(space.cuts).point,
    }
    print(f"three labels leave {100 * share:.2f} % of all classifiers")
    print(f"{'centre':<22}{'from gravity':>12}{'worst split':>14}")
    worst = {}
    for name, point in centres.items():
        part, worst[name] = worst_split(space.cuts, point)
        split = f"{100 * part:.0f} : {100 - 100 * part:.0f}"
        print(f"{name:<22}{degrees(point, gravity):>11.1f}°{split:>14}")

    figure, (flat, round_) = plt.subplots(
        1, 2, figsize=(10, 3.6), width_ratios=(1, 2), layout="constrained"
    )
    plane = VersionSpace.from_labels([[1.0, 0.3], [-0.9, 0.5], [0.2, 1.0]], [1, 1, 1])
    VersionSpaceDisplay.from_space(
        plane,
        {
            "gravity": exact_centre(plane.cuts).centre,
            "Chebyshev": chebyshev_centre(plane.cuts).point,
        },
        inscribed=["Chebyshev"],
        title="In a plane they agree",
        ax=flat,
    )
    VersionSpaceDisplay.from_space(
        space,
        {"gravity": gravity, "Chebyshev": centres["Chebyshev"]},
        candidates={"through gravity": worst["gravity"], "through Chebyshev": worst["Chebyshev"]},
        inscribed=["Chebyshev"],
        title="In space they differ: the worst cut through each",
        ax=round_,
    )
    figure.savefig(picture, dpi=120)
    print(f"wrote {picture}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "version-space.png")
