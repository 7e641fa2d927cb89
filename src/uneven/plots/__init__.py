"""Pictures of fitted votes and of their errors.

Each display follows scikit-learn's convention: build it with ``from_estimator`` or
``from_predictions``, draw it again with ``plot``, find the result in ``ax_`` and ``figure_``.
They need matplotlib and leave its global settings alone.
"""

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError(
        'uneven.plots needs matplotlib, which is not installed; run: pip install "uneven[plots]"'
    ) from error

from uneven.plots.confusion import ConfusionNormDisplay
from uneven.plots.curves import BoostingCurveDisplay
from uneven.plots.diagnosis import ViewDiagnosisDisplay
from uneven.plots.noise import NoiseMatrixDisplay
from uneven.plots.shares import VoteShareDisplay

__all__ = [
    "BoostingCurveDisplay",
    "ConfusionNormDisplay",
    "NoiseMatrixDisplay",
    "ViewDiagnosisDisplay",
    "VoteShareDisplay",
]
