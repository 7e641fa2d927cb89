"""The public names of the package, and where they live."""

from uneven_published.collection import catalogue as catalogue
from uneven_published.collection import choose as choose
from uneven_published.description import Answers as Answers
from uneven_published.description import Claim as Claim
from uneven_published.description import Context as Context
from uneven_published.description import Document as Document
from uneven_published.description import Exhibit as Exhibit
from uneven_published.description import Item as Item
from uneven_published.description import Measure as Measure
from uneven_published.description import Plot as Plot
from uneven_published.description import Ranking as Ranking
from uneven_published.description import Significance as Significance
from uneven_published.description import Study as Study
from uneven_published.numbers import Measured as Measured
from uneven_published.numbers import Numbers as Numbers
from uneven_published.numbers import Printed as Printed
from uneven_published.numbers import Value as Value
from uneven_published.numbers import Verdict as Verdict
from uneven_published.record import build_record as build_record
from uneven_published.record import measured_part as measured_part
from uneven_published.record import record_of as record_of
from uneven_published.runner import Harvest as Harvest
from uneven_published.runner import Run as Run
from uneven_published.runner import harvest as harvest
from uneven_published.runner import plan as plan
from uneven_published.runner import run_cells as run_cells
