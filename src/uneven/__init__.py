"""Classification when the data is uneven."""

from uneven.boosting import AdaBoostMMClassifier, ComboClassifier
from uneven.views import join_views

__version__ = "0.1.0"

__all__ = ["AdaBoostMMClassifier", "ComboClassifier", "__version__", "join_views"]
