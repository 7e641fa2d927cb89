"""Classification when the data is uneven: rare classes and sources of uneven strength.

The public names are loaded when they are first used, so that ``import uneven`` and
``uneven --help`` stay quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from uneven.active import ActiveLearner
    from uneven.boosting import (
        AdaBoostMMClassifier,
        ComboClassifier,
        MuComboClassifier,
        MumboClassifier,
        NormComboClassifier,
    )
    from uneven.fusion import (
        BregmanVoteClassifier,
        CarakoClassifier,
        EarlyFusionClassifier,
        LateFusionClassifier,
    )
    from uneven.noise import UMAClassifier
    from uneven.stacking import MarginStackingClassifier
    from uneven.versionspace import BayesPointClassifier, CompressionPerceptron
    from uneven.views import ViewColumns, join_views

__version__ = "0.1.0"

__all__ = [
    "ActiveLearner",
    "AdaBoostMMClassifier",
    "BayesPointClassifier",
    "BregmanVoteClassifier",
    "CarakoClassifier",
    "ComboClassifier",
    "CompressionPerceptron",
    "EarlyFusionClassifier",
    "LateFusionClassifier",
    "MarginStackingClassifier",
    "MuComboClassifier",
    "MumboClassifier",
    "NormComboClassifier",
    "UMAClassifier",
    "ViewColumns",
    "__version__",
    "join_views",
]

_HOMES = {
    "ActiveLearner": "uneven.active",
    "AdaBoostMMClassifier": "uneven.boosting",
    "BayesPointClassifier": "uneven.versionspace",
    "BregmanVoteClassifier": "uneven.fusion",
    "CarakoClassifier": "uneven.fusion",
    "ComboClassifier": "uneven.boosting",
    "CompressionPerceptron": "uneven.versionspace",
    "EarlyFusionClassifier": "uneven.fusion",
    "LateFusionClassifier": "uneven.fusion",
    "MarginStackingClassifier": "uneven.stacking",
    "MuComboClassifier": "uneven.boosting",
    "MumboClassifier": "uneven.boosting",
    "NormComboClassifier": "uneven.boosting",
    "UMAClassifier": "uneven.noise",
    "ViewColumns": "uneven.views",
    "join_views": "uneven.views",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'uneven' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
