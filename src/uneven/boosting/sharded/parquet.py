"""Tables in Parquet files, read row group by row group: ``X`` is never whole in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np

from uneven.boosting.sharded.blocks import RowBlocks
from uneven.utils.optional import require


@dataclass(frozen=True)
class ParquetBlock:
    """A row group of a Parquet file.

    Attributes
    ----------
    path : str
    group : int
    target : str
        Column of labels.
    columns : tuple of str or None
        Columns to learn from; None is all others.
    prepare : callable or None
        Turns a frame of these columns into what learners see.
    number : int
        Where it stands among the row groups of all files.
    """

    path: str
    group: int
    target: str
    columns: tuple[str, ...] | None = None
    prepare: Callable[[Any], Any] | None = None
    number: int = 0

    def read(self) -> tuple[Any, Any, None]:
        """The rows that have a label."""
        frame = self.frame()
        labels = frame.pop(self.target)
        there = labels.notna().to_numpy()
        if not there.all():
            frame, labels = frame[there], labels[there]
        X = frame if self.prepare is None else self.prepare(frame)
        y = labels.to_numpy()
        return X, y.astype(str) if y.dtype == object else y, None

    def frame(self) -> Any:
        """The row group as a frame, with the labels."""
        wanted = None if self.columns is None else [*self.columns, self.target]
        return open_parquet(self.path).read_row_group(self.group, wanted).to_pandas()


def open_parquet(path: str | Path) -> Any:
    """A Parquet file, of which nothing but the footer is read; a path or an address (s3://...)."""
    files = require("pyarrow.parquet", "a Parquet file")
    if "://" not in str(path):
        return files.ParquetFile(path)
    filesystem, inner = require("pyarrow.fs", "a Parquet file").FileSystem.from_uri(str(path))
    return files.ParquetFile(inner, filesystem=filesystem)


def find_files(pattern: str) -> list[str]:
    """Files that a path or an address with wildcards in its last part stands for, by name."""
    if "://" not in pattern:
        return sorted(glob(pattern))
    fs = require("pyarrow.fs", "a Parquet file")
    folder, _, name = pattern.rpartition("/")
    filesystem, inner = fs.FileSystem.from_uri(folder)
    found = filesystem.get_file_info(fs.FileSelector(inner, allow_not_found=True))
    names = sorted(one.base_name for one in found if one.is_file)
    return [f"{folder}/{own}" for own in names if fnmatch(own, name)]


class ParquetRows(RowBlocks):
    """A table in Parquet files; ``fit`` of boosting takes one in the place of ``X``.

    Rows become codes of one byte per column as they are read. Rows without a label are left out.

    Parameters
    ----------
    paths : sequence of path or str
        Files, or their addresses as pyarrow reads them, such as ``s3://bucket/rows.parquet``.
    target : str
        Column of labels.
    columns : sequence of str, optional
        Columns to learn from; by default all others. Numbers, booleans, or categories that are
        the same in all row groups.
    prepare : callable, optional
        Turns a frame of these columns into what learners see, such as the ``transform`` of a
        fitted transformer.
    on_disk : bool, default=True
        Whether codes and costs are kept in temporary files: the system holds as much of them in
        memory as there is room for.

    Attributes
    ----------
    n_rows : int
        As the files say, with or without a label.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from uneven import ComboClassifier
    >>> from uneven.boosting.sharded import ParquetRows
    >>> iris = load_iris(as_frame=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "iris.parquet"
    ...     iris.frame.to_parquet(path, row_group_size=40)
    ...     model = ComboClassifier(n_estimators=5).fit(ParquetRows([path], "target"), None)
    >>> bool(model.score(iris.data, iris.target) > 0.9)
    True
    """

    one_shard_per_block = False

    def __init__(
        self,
        paths: Sequence[str | Path],
        target: str,
        columns: Sequence[str] | None = None,
        prepare: Callable[[Any], Any] | None = None,
        on_disk: bool = True,
    ) -> None:
        wanted = None if columns is None else tuple(columns)
        blocks: list[ParquetBlock] = []
        self.n_rows = 0
        for path in paths:
            known = open_parquet(path)
            if target not in known.schema_arrow.names:
                raise ValueError(f"{path} has no column {target!r}.")
            self.n_rows += known.metadata.num_rows
            blocks += [
                ParquetBlock(str(path), group, target, wanted, prepare, len(blocks) + group)
                for group in range(known.num_row_groups)
            ]
        super().__init__(blocks)
        self.on_disk = on_disk


def bytes_per_row(n_columns: int, n_classes: int, leaves: str = "votes") -> int:
    """What a shard keeps of a row while hard votes or leaf scores are learnt.

    Examples
    --------
    >>> bytes_per_row(50, 5)
    190
    """
    lanes = -(-(n_classes + 1) // 4) * 4
    if leaves == "votes":
        return n_columns + 8 * lanes + 8 * n_classes + 4 * 9
    return n_columns + 4 * n_classes + 2 * int(np.clip(n_classes + 1, 2, 8)) + 4 * 12
