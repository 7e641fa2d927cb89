"""What the columns mean: views, and the rows in which a view is missing."""

from uneven.views.columns import ViewColumns
from uneven.views.maps import ViewMap, join_views, resolve_views

__all__ = ["ViewColumns", "ViewMap", "join_views", "resolve_views"]
