"""A comparison as tables: ranking, recalls, confusions, and held-out predictions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uneven.comparison.summaries import mean

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from uneven.comparison.heldout import HeldOutRows
    from uneven.comparison.refitplan import RefitPlan
    from uneven.comparison.summaries import DataSummary


class ResultFrames:
    """What a comparison shows as frames; the rest of it is in `uneven.comparison.Comparison`."""

    data: DataSummary
    refit_plan: RefitPlan | None
    ranked: Any
    shown_measures: Any
    _kept: Any

    @property
    def ranking(self) -> pd.DataFrame:
        """One row per method and guess, best first: every measure, times, failures.

        Of each measure the mean over the folds, and with ``_std``, ``_min`` and ``_max`` its
        deviation and range.
        """
        import pandas as pd

        rows = {}
        for method in self.ranked(dummies=True):
            row: dict[str, float] = {}
            for measure in self.shown_measures:
                values = np.array(method.scores.get(measure.name, []), dtype=np.float64)
                known = values[np.isfinite(values)]
                row[measure.name] = method.mean(measure.name)
                row[f"{measure.name}_std"] = method.spread(measure.name)
                row[f"{measure.name}_min"] = known.min() if known.size else np.nan
                row[f"{measure.name}_max"] = known.max() if known.size else np.nan
            row["fit_seconds"], row["predict_seconds"] = (
                mean(method.fit_seconds),
                mean(method.predict_seconds),
            )
            rows[method.name] = row | {"failed": len(method.errors)}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis(index="method")

    @property
    def recalls(self) -> pd.DataFrame:
        """Recall of each class (columns) by each method (rows), best first.

        With a noise matrix, against the true classes as far as it tells.
        """
        import pandas as pd

        rows = {method.name: method.recalls() for method in self.ranked()}
        table = pd.DataFrame.from_dict(rows, orient="index", columns=list(self.classes))
        return table.rename_axis(index="method", columns="class")

    @property
    def confusions(self) -> dict[str, pd.DataFrame]:
        """For each method, best first, the held-out rows by label (row) and prediction (column)."""
        import pandas as pd

        names = [pd.Index(self.classes, name=name) for name in ("label", "answer")]
        return {m.name: pd.DataFrame(m.confusion, *names) for m in self.ranked()}

    @property
    def classes(self) -> NDArray:
        """Class labels as they were given, sorted; as text if the comparison is from a file."""
        if self.refit_plan is None:
            return np.array(self.data.classes)
        given = self.refit_plan.problem.given_classes
        return self.refit_plan.problem.classes if given is None else given

    @property
    def held_out(self) -> HeldOutRows:
        """Every held-out row with its label, and the prediction and scores of each method."""
        from uneven.comparison.heldout import held_out_rows

        return held_out_rows(self._kept(), self.ranked(), self.classes)

    def write_predictions(self, path: str | os.PathLike[str]) -> Path:
        """Write predictions and scores of every held-out row, as ``HeldOutRows.frame`` has them.

        Parameters
        ----------
        path : str or path-like
            Destination; ``.csv`` or ``.parquet`` at the end of its name is the format.

        Returns
        -------
        Path
            The destination.
        """
        return self.held_out.write(path)

    @property
    def truth(self) -> pd.Series:
        """The given labels of the rows of `predictions`."""
        import pandas as pd

        rows = self.held_out
        return pd.Series(rows.labels(rows.truth), index=rows.index, name=self.data.target)

    @property
    def predictions(self) -> pd.DataFrame:
        """The prediction of each method (columns, best first) for every held-out row.

        Rows are named as in the data; if they were held out several times, ``repeat`` counts
        these. None where the fit failed.
        """
        import pandas as pd

        rows = self.held_out
        found = {name: rows.labels(codes) for name, codes in rows.answers.items()}
        return pd.DataFrame(found, index=rows.index)

    @property
    def scores(self) -> pd.DataFrame:
        """The score of each class by each method for every held-out row; NaN where a fit failed.

        Shares of the classes where a method has them, else its decision function, else 1 for its
        prediction. Columns are pairs of method and class; rows are those of `predictions`.
        """
        import pandas as pd

        rows, classes = self.held_out, list(self.classes)
        found = {
            name: pd.DataFrame(scores, index=rows.index, columns=classes)
            for name, scores in rows.scores.items()
        }
        return pd.concat(found, axis=1, names=["method", "class"])
