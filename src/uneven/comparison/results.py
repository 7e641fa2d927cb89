"""What a comparison of methods found: the one object that report, JSON and terminal read.

Numbers and names are plain data, which checks itself when it is built and turns into JSON and back;
a score that could not be computed is NaN here and ``null`` in JSON. Next to it is, while the
comparison is in memory, what it was computed with: the data, the fitted models and the predictions
to every held-out row.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from uneven.comparison.errors import InputError
from uneven.comparison.measures import Measure
from uneven.comparison.methodresult import MethodResult, method_from_dict
from uneven.comparison.refitplan import RefitPlan
from uneven.comparison.resultframes import ResultFrames
from uneven.comparison.schemafile import schema_text
from uneven.comparison.summaries import (
    DataSummary,
    NoiseSummary,
    StackSummary,
    ViewSummary,
    check_square,
    known_fields,
    mean,
    spread,
    without_nan,
)
from uneven.utils.files import replace_file

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from uneven.comparison.inputs import TableClassifier
    from uneven.report import Verdict


SCHEMA = 1
"""Version of the format of ``results.json``."""

Plot = Literal["confusion", "recalls", "shares", "critical_difference"]


@dataclass(frozen=True, repr=False)
class Comparison(ResultFrames):
    """Everything a comparison found.

    It is shown as a table in a notebook. `ranking`, `recalls` and `confusions` are frames, as are
    `predictions` and `scores`, the held-out predictions for every row.

    Attributes
    ----------
    title : str
        Heading of the report.
    created : str
        Date and time in ISO 8601 form.
    command : str
        The exact command that reproduces the comparison.
    versions : dict of str to str
        Versions of Python and of the most important packages.
    seed : int
        Seed of the folds and of the methods.
    data : DataSummary
        The data.
    metric : str
        Name of the chosen measure; one of `measures`.
    measures : list of Measure
        Every measure that was computed, in the order of display.
    folds, repeats : int
        Each method was fitted ``folds * repeats`` times.
    methods : list of MethodResult
        In the order in which they ran.
    warnings : list of str
        Notes, such as dropped rows.
    views : list of ViewSummary
        How informative each view is on its own; empty if that was not looked at.
    view_rows : int
        Rows that were looked at for it.
    noise : NoiseSummary or None
        How the labels are wrong, if that was given.
    stack : StackSummary or None
        Which methods a stack of them keeps, if they were stacked.
    dummies : list of MethodResult
        Dummy classifiers (random guessing); they are in `ranking`, but never the best method.
    test_share : float
        Held-out rows divided by training rows of a fit, on average; 0 if unknown.
    schema : int
        Version of this format.
    refit_plan : RefitPlan or None
        Data and models; None for a comparison that was read from a file.

    Examples
    --------
    >>> data = DataSummary("toy.csv", "label", 4, 1, ["no", "yes"], [3, 1])
    >>> results = Comparison(
    ...     title="Toy", created="2025-01-01T12:00:00", command="uneven compare toy.csv",
    ...     versions={}, seed=0, data=data, metric="gmean",
    ...     measures=[Measure("gmean", "G-mean")], folds=2, repeats=1,
    ...     methods=[
    ...         MethodResult("a", "A", "ours", {"gmean": [0.5, 0.7]}, [[2, 1], [0, 1]]),
    ...         MethodResult("b", "B", "baseline", {"gmean": [0.7, 0.8]}, [[3, 0], [0, 1]]),
    ...     ],
    ... )
    >>> results.winner.name
    'b'
    >>> Comparison.from_json(results.to_json()) == results
    True
    """

    title: str
    created: str
    command: str
    versions: dict[str, str]
    seed: int
    data: DataSummary
    metric: str
    measures: list[Measure]
    folds: int
    repeats: int
    methods: list[MethodResult]
    warnings: list[str] = field(default_factory=list)
    views: list[ViewSummary] = field(default_factory=list)
    view_rows: int = 0
    noise: NoiseSummary | None = None
    stack: StackSummary | None = None
    dummies: list[MethodResult] = field(default_factory=list)
    test_share: float = 0.0
    schema: int = SCHEMA
    refit_plan: RefitPlan | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        self.measure(self.metric)
        names = [m.name for m in self.methods]
        if len(set(names)) != len(names):
            raise ValueError(f"method names must differ, got {names}.")
        n_classes, n_fits = len(self.data.classes), self.folds * self.repeats
        if self.noise is not None:
            check_square(self.noise.matrix, n_classes, "the noise matrix")
        if self.stack is not None:
            self.stack.check(names, n_classes)
        for view in self.views:
            if len(view.recalls) != n_classes or len(view.redundancy) != len(self.views):
                raise ValueError(
                    f"view {view.name!r} needs {n_classes} recalls and {len(self.views)} "
                    f"redundancies, got {len(view.recalls)} and {len(view.redundancy)}."
                )
        for method in self.methods:
            check_square(method.confusion, n_classes, f"confusion of method {method.name!r}")
            if self.noise is not None:
                check_square(method.corrected, n_classes, f"corrected of method {method.name!r}")
            for measure, values in method.scores.items():
                if len(values) != n_fits:
                    raise ValueError(
                        f"method {method.name!r} has {len(values)} values of {measure!r}; "
                        f"give folds * repeats = {n_fits}, with NaN where a fold failed."
                    )

    def measure(self, name: str) -> Measure:
        """Look a measure up by name."""
        for measure in self.measures:
            if measure.name == name:
                return measure
        known = ", ".join(m.name for m in self.measures) or "none"
        raise ValueError(f"unknown measure {name!r}; the results hold: {known}.")

    @property
    def chosen(self) -> Measure:
        """The measure by which methods are ranked."""
        return self.measure(self.metric)

    @property
    def shown_measures(self) -> list[Measure]:
        """Measures worth a column: the chosen one first, and no biased one twice.

        A measure that has a corrected form is left out, unless the chosen one is its correction:
        the two then stand side by side.
        """
        chosen = self.chosen
        biased = {m.corrects for m in self.measures} - {chosen.corrects}
        beside = [m for m in self.measures if chosen.corrects and m.name == chosen.corrects]
        first = [chosen, *beside]
        others = [m for m in self.measures if m not in first and m.name not in biased]
        return [*first, *others]

    def ranked(self, measure: str | None = None, *, dummies: bool = False) -> list[MethodResult]:
        """Methods from best to worst.

        Ordered by the mean of the measure, then by the smaller spread, then by name.  Means that
        cannot be, such as a corrected accuracy above 1, count as the nearest that can.  A method
        that failed in some fold stands behind all that did not, since its mean skips folds, and
        one without any score stands last.

        Parameters
        ----------
        measure : str or None
            None takes the chosen measure.
        dummies : bool
            Whether to include dummy classifiers, too.

        Returns
        -------
        list of MethodResult
            All methods.
        """
        by = self.measure(measure or self.metric)

        def key(method: MethodResult) -> tuple[bool, bool, float, float, str]:
            values = method.scores.get(by.name, [])
            centre, width = mean(values), spread(values)
            return (
                math.isnan(centre),
                bool(method.errors) or any(map(math.isnan, values)),
                0.0 if math.isnan(centre) else by.better(0.0, by.possible(centre)),
                math.inf if math.isnan(width) else width,
                method.name,
            )

        return sorted([*self.methods, *self.dummies] if dummies else self.methods, key=key)

    @property
    def winner(self) -> MethodResult:
        """The first of `ranked`."""
        if not self.methods:
            raise ValueError("the results hold no method; compare at least one.")
        return self.ranked()[0]

    @property
    def best_(self) -> str:
        """Name of the best method."""
        return self.winner.name

    def best_model(self, method: str | None = None) -> TableClassifier:
        """The best method, or another one, fitted on all rows.

        Parameters
        ----------
        method : str, optional
            Name of a method; None takes the best.

        Returns
        -------
        TableClassifier
            It predicts tables of the kind that was compared on, and has ``pipeline``, the
            encoder and the classifier. A method that is not fitted yet is fitted now. Changing it
            changes nothing in the comparison.
        """
        from uneven.comparison.inputs import TableClassifier

        name, kept = method or self.best_, self._kept()
        model, problem = deepcopy(self._decided(name)), kept.problem
        shown = kept.methods[name].given and problem.shown_classes is problem.given_classes
        inner = getattr(model, "classes_", problem.classes)  # in the order of its scores
        classes = inner if shown else self.classes[np.searchsorted(problem.classes, inner)]
        return TableClassifier(model, problem.schema, problem.given_columns, classes)

    def _decided(self, name: str) -> Pipeline:
        """A method fitted on all rows, which predicts by its decision rule if it has one."""
        from uneven.comparison.deciding import with_decision

        model, kept = self._fitted(name), self._kept()
        if kept.deciding is None or name not in kept.unseen:
            return model
        learnt = np.isin(kept.problem.classes, (kept.training or kept.problem).classes)
        return with_decision(model, kept.unseen[name], kept.deciding, learnt)

    def _fitted(self, name: str) -> Pipeline:
        """A method fitted on all rows, now if it is not yet."""
        kept = self._kept()
        if name not in kept.methods:
            known = ", ".join(map(repr, kept.methods))
            raise InputError(f"no method {name!r} was compared; the methods are {known}.")
        if name in kept.failed:
            raise InputError(kept.failed[name])
        if name not in kept.models:
            kept.models[name] = kept.fit(name)
        return kept.models[name]

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the comparison as one HTML page that needs nothing else.

        Parameters
        ----------
        path : str or path-like
            Destination, such as ``report.html``; its folder must exist.

        Returns
        -------
        Path
            The destination.
        """
        from uneven.report import write_report

        return write_report(self, path)

    def plot(
        self, kind: Plot = "confusion", method: str | None = None, *, ax: Any = None, **words: Any
    ) -> Any:
        """Draw one of the plots of `uneven.plots`.

        Parameters
        ----------
        kind : {"confusion", "recalls", "shares", "critical_difference"}
            The confusion matrix of a method; the recalls of all; which columns support which class
            in a method; or the ranks of the methods over the folds with their critical difference.
            Folds share training rows, so that the difference is too small rather than too large.
        method : str, optional
            For ``"confusion"`` and ``"shares"``; None takes the best.
        ax : matplotlib Axes, optional
        **words
            Passed to the ``plot`` method of the display.

        Returns
        -------
        display
            With ``figure_`` and ``ax_``.
        """
        from uneven.comparison.pictures import draw

        return draw(self, kind, method, ax=ax, **words)

    @property
    def verdict(self) -> Verdict:
        """The best method, whether it beats guessing, and whether its lead is significant."""
        from uneven.report import verdict

        return verdict(self)

    def __repr__(self) -> str:
        return f"{self.title}. {self.verdict.sentence}"

    def _repr_html_(self) -> str:
        from uneven.report import render_summary

        return render_summary(self)

    def _kept(self) -> RefitPlan:
        if self.refit_plan is None:
            raise InputError(
                "predictions and models are not kept in files of results; run the comparison again."
            )
        return self.refit_plan

    def to_dict(self) -> dict[str, Any]:
        """Nested dict that `json.dumps` accepts; NaN becomes None.

        The entries ``best`` and ``ranking`` are added for readers of the file; `from_dict`
        ignores them.
        """
        out: dict[str, Any] = without_nan(self)
        out["ranking"] = [m.name for m in self.ranked()]
        out["best"] = out["ranking"][0] if out["ranking"] else None
        return out

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Comparison:
        """Inverse of `to_dict`; refuses a `schema` it does not know."""
        if raw.get("schema") != SCHEMA:
            raise ValueError(
                f"results have schema {raw.get('schema')!r}, this version reads {SCHEMA}; "
                "run the comparison again with this version of uneven."
            )
        known = known_fields(cls, raw)
        known["data"] = DataSummary(**known_fields(DataSummary, raw["data"]))
        known["measures"] = [Measure(**known_fields(Measure, m)) for m in raw["measures"]]
        known["methods"] = [method_from_dict(m) for m in raw["methods"]]
        known["dummies"] = [method_from_dict(m) for m in raw.get("dummies", [])]
        noise = raw.get("noise")
        known["noise"] = noise and NoiseSummary(**known_fields(NoiseSummary, noise))
        stack = raw.get("stack")
        known["stack"] = stack and StackSummary.from_dict(stack)
        known["views"] = [ViewSummary.from_dict(view) for view in raw.get("views", [])]
        return cls(**known)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Text of ``results.json``, which is also written to `path` if there is one."""
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
        if path is not None:
            with replace_file(path) as draft:
                draft.write_text(text, encoding="utf-8", newline="\n")
        return text

    def schema_text(self, path: str | os.PathLike[str] | None = None) -> str:
        """How the table was read, in TOML for ``schema=``; written to `path` if there is one."""
        text = schema_text(self._kept().problem)
        if path is not None:
            with replace_file(path) as draft:
                draft.write_text(text, encoding="utf-8", newline="\n")
        return text

    @classmethod
    def from_json(cls, text: str) -> Comparison:
        """Inverse of `to_json`, without predictions and models, which are in memory only."""
        return cls.from_dict(json.loads(text))
