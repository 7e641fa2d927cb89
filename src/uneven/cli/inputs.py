"""From the options of a command to a problem to learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from uneven.comparison import (
    InputError,
    LabelNoise,
    Problem,
    file_digest,
    in_views,
    label_noise,
    labelled_table,
    make_problem,
    read_noise_file,
    read_table,
    views_of_table,
)

__all__ = ["TableRequest", "compare_source", "demo_problem"]


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
    noise_matrix : Path or None
        File that says how the labels are wrong.
    """

    path: Path
    target: str
    views: str | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    encoding: str = "utf-8"
    noise_matrix: Path | None = None

    @classmethod
    def of(
        cls,
        path: Path,
        target: str,
        views: str | None,
        drop: Sequence[str] | None,
        keep: Sequence[str] | None,
        encoding: str,
        noise_matrix: Path | None = None,
    ) -> TableRequest:
        """Build a request from options."""
        columns = tuple(drop or ()), tuple(keep or ())
        return cls(path, target, views, *columns, encoding, noise_matrix)

    def load(self) -> Problem:
        """Read the table."""
        frame = read_table(
            self.path, expected=[self.target], label=self.target, encoding=self.encoding
        )
        table = labelled_table(frame, self.target, self.keep, self.path.name)
        problem = make_problem(
            table.frame,
            self.target,
            name=self.path.name,
            drop=tuple(dict.fromkeys((*self.drop, *table.bookkeeping))),
            keep=self.keep,
            sha256=file_digest(self.path),
        )
        problem = replace(problem, notes=(*table.notes, *problem.notes))
        return in_views(problem, views_of_table(self.views, problem.schema.names, problem.left_out))

    def noise(self, problem: Problem) -> LabelNoise | None:
        """What is known about the noise in the labels of the table, if anything is."""
        if self.noise_matrix is None:
            return None
        found = read_noise_file(self.noise_matrix, problem.classes, self.encoding)
        return label_noise(problem, found.matrix, str(self.noise_matrix), found.rows)


def compare_source(
    path: Path | None, target: str | None, demo: bool, **choices: Any
) -> TableRequest | None:
    """Build the request of a comparison, None for the embedded table.

    Parameters
    ----------
    path, target : Path and str, or None
        What the user gave.
    demo : bool
        Whether the embedded table was asked for.
    **choices : object
        Further arguments of `TableRequest.of`.

    Raises
    ------
    InputError
        If there is no table, no target, or one too many.
    """
    if demo:
        given = {"TABLE": path, "--target": target}
        given |= {f"--{name}": choices.get(name) for name in ("views", "drop", "keep")}
        given["--noise-matrix"] = choices.get("noise_matrix")
        extra = [name for name, value in given.items() if value]
        if extra:
            raise InputError(
                "--demo brings its own table and takes no table options; "
                f"leave out {', '.join(extra)}."
            )
        return None
    if path is None:
        raise InputError("give a TABLE and its --target, or --demo. Try: uneven compare --help")
    if target is None:
        raise InputError("give the column to predict with --target. Try: uneven compare --help")
    return TableRequest.of(path, target, **choices)


def demo_problem() -> Problem:
    """The embedded table, with its views."""
    from uneven.datasets import load_demo

    demo = load_demo(as_frame=True)
    frame = demo.data.assign(digit=demo.target)
    problem = make_problem(frame, "digit", name="demo (digits)")
    return in_views(problem, views_of_table("prefix", problem.schema.names))
