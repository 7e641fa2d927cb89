"""Pages about published tables and figures, beside what was measured."""

from uneven.report.published.document import published_page
from uneven.report.published.files import write_data, write_exhibit, write_index

__all__ = ["published_page", "write_data", "write_exhibit", "write_index"]
