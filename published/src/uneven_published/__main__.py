"""What a maintainer runs: ``python -m uneven_published`` writes the list of exhibits again.

``python -m uneven_published --keep FOLDER`` adds the finished cells of a folder, such as
``uneven-published/cells``, to those that come with the package.
"""

import argparse
import json
from pathlib import Path

from uneven.utils.files import replace_file
from uneven_published.cells import CellStore
from uneven_published.collection import catalogue, listing
from uneven_published.kept import KEPT
from uneven_published.runner import plan

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="uneven_published", description=__doc__)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="cells to add")
    folder = parser.parse_args().keep
    if folder is not None:
        new = CellStore(folder, KEPT).keep(plan(catalogue(), fast=False))
        print(f"{new} new cells are kept in {KEPT}")
    lines = [json.dumps(vars(one), ensure_ascii=False) for one in listing(catalogue())]
    with replace_file(Path(__file__).with_name("listed.json")) as draft:
        draft.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8", newline="\n")
