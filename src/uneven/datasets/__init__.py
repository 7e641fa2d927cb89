"""Data to learn from: generators, a built-in example, and public sets by name."""

from uneven.datasets.balance_scale import make_balance_scale
from uneven.datasets.demo import load_demo
from uneven.datasets.fetching import DatasetUnavailableError, available, downloadable, fetch
from uneven.datasets.imbalanced_views import make_imbalanced_views
from uneven.datasets.level_one_scores import make_level_one
from uneven.datasets.long_tail import make_long_tailed
from uneven.datasets.margin_classes import make_margin_classes
from uneven.datasets.margin_square import make_margin_square
from uneven.datasets.poker import make_poker_hands
from uneven.datasets.quarters import image_quarters
from uneven.datasets.uneven_views import make_uneven_views
from uneven.datasets.waveform import make_waveform
from uneven.dialogues.emulator import make_dialogues

__all__ = [
    "DatasetUnavailableError",
    "available",
    "downloadable",
    "fetch",
    "image_quarters",
    "load_demo",
    "make_balance_scale",
    "make_dialogues",
    "make_imbalanced_views",
    "make_level_one",
    "make_long_tailed",
    "make_margin_classes",
    "make_margin_square",
    "make_poker_hands",
    "make_uneven_views",
    "make_waveform",
]
