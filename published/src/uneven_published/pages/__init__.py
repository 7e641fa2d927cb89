"""Pages about published tables and figures, beside what was measured."""

from uneven_published.pages.files import write_data, write_exhibit, write_index
from uneven_published.pages.markdown import published_page

__all__ = ["published_page", "write_data", "write_exhibit", "write_index"]
