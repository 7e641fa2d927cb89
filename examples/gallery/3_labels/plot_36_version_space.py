"""
The version space and its centres
=================================

Labels leave a cone of linear classifiers. Its centre of gravity halves it well whatever the next
query is; the Chebyshev centre, which a support vector machine finds, may lie far from it.
"""

import matplotlib.pyplot as plt

from uneven.plots import VersionSpaceDisplay
from uneven.versionspace import VersionSpace, chebyshev_centre, exact_centre

plane = VersionSpace.from_labels([[1.0, 0.3], [-0.9, 0.5], [0.2, 1.0]], [1, 1, 1])
space = VersionSpace.from_labels(
    [[1.0, 0.2, 0.0], [0.1, 1.0, 0.3], [-0.2, 0.1, 1.0], [0.9, -0.5, 0.1]], [1, 1, 1, 1]
)

# %%
# Two features: a sector of the disc. Three features: a polygon on the sphere, in a map that keeps
# areas. Grey is what the labels have excluded.

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for ax, (title, one) in zip(axes, {"two features": plane, "three features": space}.items()):
    centres = {
        "gravity": exact_centre(one.cuts).centre,
        "Chebyshev": chebyshev_centre(one.cuts).point,
    }
    VersionSpaceDisplay.from_space(one, centres, inscribed=["Chebyshev"], title=title, ax=ax)
