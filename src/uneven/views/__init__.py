"""What the columns mean: views, the rows in which one is missing, and how strong each is."""

from uneven.views.columns import ViewColumns
from uneven.views.diagnosis import ViewDiagnosis, diagnose
from uneven.views.maps import ViewMap, join_views, resolve_views

__all__ = [
    "ViewColumns",
    "ViewDiagnosis",
    "ViewMap",
    "diagnose",
    "join_views",
    "resolve_views",
]
