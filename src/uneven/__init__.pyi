from uneven.active import ActiveLearner as ActiveLearner
from uneven.boosting import AdaBoostMMClassifier as AdaBoostMMClassifier
from uneven.boosting import BalancedBoostingClassifier as BalancedBoostingClassifier
from uneven.boosting import ComboClassifier as ComboClassifier
from uneven.boosting import MuComboClassifier as MuComboClassifier
from uneven.boosting import MumboClassifier as MumboClassifier
from uneven.boosting import NormComboClassifier as NormComboClassifier
from uneven.comparison import Comparison as Comparison
from uneven.comparison import column_importance as column_importance
from uneven.comparison import compare as compare
from uneven.comparison import explain_rows as explain_rows
from uneven.decisions import TunedDecisionClassifier as TunedDecisionClassifier
from uneven.ensemble import NoiseAwareClassifier as NoiseAwareClassifier
from uneven.ensemble import UnevenClassifier as UnevenClassifier
from uneven.fusion import BregmanVoteClassifier as BregmanVoteClassifier
from uneven.fusion import CarakoClassifier as CarakoClassifier
from uneven.fusion import EarlyFusionClassifier as EarlyFusionClassifier
from uneven.fusion import LateFusionClassifier as LateFusionClassifier
from uneven.linear import SelfLabellingSVM as SelfLabellingSVM
from uneven.noise import ForwardLogisticRegression as ForwardLogisticRegression
from uneven.noise import UMAClassifier as UMAClassifier
from uneven.stacking import MarginStackingClassifier as MarginStackingClassifier
from uneven.versionspace import BayesPointClassifier as BayesPointClassifier
from uneven.versionspace import CompressionPerceptron as CompressionPerceptron
from uneven.views import ViewColumns as ViewColumns
from uneven.views import join_views as join_views

__version__: str
