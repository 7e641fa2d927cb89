"""Cells that come with the package: a file of JSON lines per study, a line per cell."""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

KEPT = Path(__file__).with_name("kept_cells")


def count_kept(
    study: str, edition: int, items: Collection[str], repeats: int, kept: Path = KEPT
) -> int:
    """How many cells of some items of a study are kept, without loading the study."""
    lines = kept_lines(kept_file(kept, study))
    return sum(
        line["edition"] == edition and item in items and repeat < repeats
        for (item, repeat), line in lines.items()
    )


def kept_file(kept: Path, study: str) -> Path:
    """Where the cells of a study are kept."""
    return kept / f"{study}.jsonl"


@cache
def kept_lines(path: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """Kept cells of a study by item and repetition; none if there is no file."""
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ValueError(f"{path} holds a line that is not JSON: {error}.") from error
    return {(line["item"], line["repeat"]): line for line in lines}
