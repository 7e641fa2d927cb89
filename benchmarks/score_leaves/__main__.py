"""Run parts of the benchmark of score leaves with options of their own."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.lines import Line, show, summary
from benchmarks.score_leaves import leaves, predict, scaling, small, wide
from benchmarks.score_leaves.curves import Keep
from benchmarks.score_leaves.data import TABLES
from benchmarks.score_leaves.options import Options
from benchmarks.score_leaves.peers import PEERS

PARTS: Mapping[str, tuple[str, Callable[..., list[Line]]]] = {
    "score-leaves": ("Time to 99 % of LightGBM's best balanced accuracy", leaves.run),
    "score-predict": ("Predicting at equal quality", predict.run),
    "score-wide": ("Many columns, many classes", wide.run),
    "score-scaling": ("Growth with the rows, memory, first use", scaling.run),
    "score-small": ("Small uneven sets: log-loss | norm | G-mean | balanced", small.run),
}


def parse(words: list[str] | None = None) -> tuple[list[str], Options]:
    """Names of parts, and options."""
    start = Options.of_environment()
    parser = argparse.ArgumentParser(prog="benchmarks.score_leaves", description=__doc__)
    add = parser.add_argument
    add("names", nargs="*", choices=[*PARTS, []], metavar="PART", help=", ".join(PARTS))
    add("--threads", type=int, default=start.threads)
    add("--keep", type=Path, default=start.keep.folder, help="folder of the results of peers")
    add("--tables", nargs="+", choices=[*TABLES], default=[*TABLES])
    names = [peer.name for peer in PEERS]
    add("--peers", nargs="*", choices=names, default=names)
    add("--ours", type=json.loads, help='settings of ours, as [{"learning_rate": 0.3}]')
    add("--report", type=Path, help="file for a table of every setting")
    add("--huge", action="store_true", help="ten million rows, too")
    add("--cap", type=float, default=start.cap, help="times our seconds for peers on costly tables")
    add("--goal", type=float, help="balanced accuracy to reach; LightGBM is not asked")
    add("--limit", type=float, help="seconds of long fits of peers; ours is not fitted")
    add("--rounds", type=int, help="rounds of long fits with learning rate 0.1")
    add("--settings", type=int, help="settings of each peer, those of the largest rates and trees")
    found = parser.parse_args(words)
    options = replace(
        start,
        threads=found.threads,
        keep=Keep(found.keep),
        tables=tuple(found.tables),
        peers=tuple(peer for peer in PEERS if peer.name in found.peers),
        report=found.report,
        huge=found.huge,
        cap=found.cap,
        goal=found.goal,
        limit=found.limit,
        rounds=found.rounds,
    )
    if found.settings:
        options = options.with_fewer_settings(found.settings)
    if found.ours:
        options = options.with_settings(tuple(found.ours))
    return found.names or list(PARTS), options


def main() -> None:
    names, options = parse()
    lines: list[Line] = []
    for name in names:
        title, run = PARTS[name]
        found = run(options)
        show(title, found)
        lines += found
    print(summary(lines))


if __name__ == "__main__":
    main()
