"""Pictures of fitted votes and stacks, their errors and ranks, version spaces, and labels.

Each display follows scikit-learn's convention: build it with ``from_estimator`` or another
``from_...``, which draws it, or draw it again with ``plot``; both return the display. Find the
result in ``ax_`` and ``figure_``.
They need matplotlib and leave its global settings alone.
"""

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError(
        'uneven.plots needs matplotlib, which is not installed; run: pip install "uneven[plots]"'
    ) from error


from uneven.plots.confusion import ConfusionNormDisplay
from uneven.plots.critical_difference import CriticalDifferenceDisplay
from uneven.plots.curves import BoostingCurveDisplay
from uneven.plots.decision_trade import DecisionTradeDisplay
from uneven.plots.diagnosis import ViewDiagnosisDisplay
from uneven.plots.learning import LearningCurveDisplay, VolumeDisplay
from uneven.plots.noise import NoiseMatrixDisplay
from uneven.plots.selection_path import SelectionPathDisplay
from uneven.plots.shares import VoteShareDisplay
from uneven.plots.version_space import VersionSpaceDisplay

__all__ = [
    "BoostingCurveDisplay",
    "ConfusionNormDisplay",
    "CriticalDifferenceDisplay",
    "DecisionTradeDisplay",
    "LearningCurveDisplay",
    "NoiseMatrixDisplay",
    "SelectionPathDisplay",
    "VersionSpaceDisplay",
    "ViewDiagnosisDisplay",
    "VolumeDisplay",
    "VoteShareDisplay",
]
