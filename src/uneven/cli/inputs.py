"""From the options of a command to a problem to learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from uneven.experiments import Problem, file_digest, make_problem, read_table, views_of_table

__all__ = ["TableRequest", "demo_problem"]


@dataclass(frozen=True)
class TableRequest:
    """A table and what to take from it.

    Attributes
    ----------
    path : Path
        CSV or Parquet file.
    target : str
        Column to predict.
    views : str or None
        ``"prefix"`` or a TOML file.
    drop, keep : tuple of str
        Columns to leave out, and to use although they look like identifiers.
    encoding : str
        Encoding of a CSV file.
    """

    path: Path
    target: str
    views: str | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    encoding: str = "utf-8"

    @classmethod
    def given(
        cls,
        path: Path | None,
        target: str | None,
        views: str | None,
        drop: Sequence[str] | None,
        keep: Sequence[str] | None,
        encoding: str,
    ) -> TableRequest:
        """Build a request from options, refusing one without table or target."""
        if path is None:
            raise click.UsageError("give a TABLE and its --target, or --demo")
        if target is None:
            raise click.UsageError("give the column to predict with --target")
        return cls(path, target, views, tuple(drop or ()), tuple(keep or ()), encoding)

    def load(self) -> Problem:
        """Read the table."""
        frame = read_table(self.path, expected=[self.target], encoding=self.encoding)
        problem = make_problem(
            frame,
            self.target,
            name=self.path.name,
            drop=self.drop,
            keep=self.keep,
            sha256=file_digest(self.path),
        )
        return replace(problem, views=views_of_table(self.views, problem.schema.names))


def demo_problem() -> Problem:
    """The embedded table, with its views."""
    from uneven.datasets import load_demo

    demo = load_demo(as_frame=True)
    frame = demo.data.assign(digit=demo.target)
    problem = make_problem(frame, "digit", name="demo (digits)")
    return replace(problem, views=views_of_table("prefix", problem.schema.names))
