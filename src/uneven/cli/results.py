"""From what cross-validation found to the plain data that report and JSON hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.pipeline import Pipeline

from uneven.cli.provenance import now, shown_params, versions
from uneven.comparison import (
    LabelNoise,
    MeasureRule,
    Method,
    MethodRun,
    Problem,
    knows_noise,
)
from uneven.report.noise import NoiseSummary
from uneven.report.results import (
    CompareResults,
    DataSummary,
    FoldError,
    Measure,
    MethodResult,
    Share,
)
from uneven.report.stack import StackSummary
from uneven.report.views import ViewSummary
from uneven.views import ViewDiagnosis

__all__ = [
    "Origin",
    "collect_results",
    "data_summary",
    "with_noise",
    "with_shares",
    "with_stack",
    "with_views",
]

MOST_SHOWN_FEATURES = 15


@dataclass(frozen=True)
class Origin:
    """How a comparison was asked for.

    Attributes
    ----------
    title, command : str
        Heading of the report and the command line.
    seed, folds, repeats : int
        As in the options.
    """

    title: str
    command: str
    seed: int
    folds: int
    repeats: int


def data_summary(problem: Problem) -> DataSummary:
    """Describe the data of a problem."""
    views = problem.views or {"all": problem.schema.names}
    return DataSummary(
        name=problem.name,
        target=problem.target,
        rows=len(problem.y),
        columns=problem.X.shape[1],
        classes=[str(label) for label in problem.classes],
        class_counts=[int(count) for count in problem.class_counts],
        missing_share=problem.missing_share,
        views={name: list(columns) for name, columns in views.items()},
        sha256=problem.sha256,
        column_kinds=problem.schema.kind_counts(),
    )


def collect_results(
    problem: Problem,
    runs: Sequence[MethodRun],
    metric: MeasureRule,
    measures: Mapping[str, MeasureRule],
    origin: Origin,
) -> CompareResults:
    """Gather what was found about every method.

    Parameters
    ----------
    problem : Problem
        The data.
    runs : sequence of MethodRun
        What cross-validation found.
    metric : MeasureRule
        The chosen measure.
    measures : mapping of str to MeasureRule
        All that were computed.
    origin : Origin
        How it was asked for.

    Returns
    -------
    CompareResults
        Without shares; see `with_shares`.
    """
    warned = [f"{run.method.label} warned: {text}" for run in runs for text in sorted(run.warnings)]
    return CompareResults(
        title=origin.title,
        created=now(),
        command=origin.command,
        versions=versions(),
        seed=origin.seed,
        data=data_summary(problem),
        metric=metric.name,
        measures=[
            Measure(rule.name, rule.label, rule.greater_is_better, rule.description, rule.corrects)
            for rule in measures.values()
        ],
        folds=origin.folds,
        repeats=origin.repeats,
        methods=[_method_result(run) for run in runs],
        warnings=[*problem.notes, *warned],
    )


def with_shares(results: CompareResults, models: Mapping[str, Pipeline]) -> CompareResults:
    """Add parameters, and who speaks for which class, from models fitted on all rows.

    Parameters
    ----------
    results : CompareResults
        What was found so far.
    models : mapping of str to Pipeline
        Fitted pipelines by name of method.

    Returns
    -------
    CompareResults
        A copy.
    """
    methods = [_explained(method, models.get(method.name)) for method in results.methods]
    return replace(results, methods=methods)


def with_views(results: CompareResults, found: ViewDiagnosis) -> CompareResults:
    """Add what each view knows on its own.

    Parameters
    ----------
    results : CompareResults
        What was found so far.
    found : ViewDiagnosis
        Of the same data.

    Returns
    -------
    CompareResults
        A copy.
    """
    views = [
        ViewSummary(
            name=name,
            columns=int(found.n_columns[j]),
            presence=float(found.presence[j]),
            accuracy=float(found.accuracy[j]),
            chance=float(found.chance[j]),
            balanced_accuracy=float(found.balanced_accuracy[j]),
            confusion_norm=float(found.confusion_norm[j]),
            recalls=found.recalls[j].tolist(),
            verdict=found.verdicts[j],
            remark=remark,
            redundancy=found.redundancy[j].tolist(),
            rescue=found.rescue[j].tolist(),
        )
        for j, (name, remark) in enumerate(zip(found.names, found.remarks()))
    ]
    return replace(results, views=views, view_rows=found.n_rows)


def with_stack(results: CompareResults, run: MethodRun, model: Pipeline) -> CompareResults:
    """Add which of the other methods a stack keeps.

    Parameters
    ----------
    results : CompareResults
        What was found so far.
    run : MethodRun
        What cross-validation found about the stack.
    model : Pipeline
        The stack, fitted on all rows.

    Returns
    -------
    CompareResults
        A copy.
    """
    fitted = model[-1]
    tried, n_classes = fitted.cv_results_, len(fitted.classes_)
    weights = np.broadcast_to(fitted.coef_, (len(fitted.names_), n_classes))
    stack = StackSummary(
        name=run.method.name,
        members=list(fitted.names_),
        weights=np.where(fitted.selected_mask_[:, None], weights, 0.0).tolist(),
        strength=float(fitted.strength_),
        kept_folds=[sum(name in kept for kept in run.kept) for name in fitted.names_],
        fits=len(run.kept),
        strengths=tried["strength"].tolist(),
        error_mean=tried["mean_error"].tolist(),
        error_std=tried["std_error"].tolist(),
        n_selected=tried["n_selected"].tolist(),
        balanced=fitted.class_weight == "balanced",
    )
    return replace(results, stack=stack)


def with_noise(
    results: CompareResults, noise: LabelNoise, methods: Sequence[Method]
) -> CompareResults:
    """Add how the labels are wrong, and the confusion of each method behind the noise.

    Parameters
    ----------
    results : CompareResults
        What was found so far.
    noise : LabelNoise
        Of the same data.
    methods : sequence of Method
        Those of the results, in the same order.

    Returns
    -------
    CompareResults
        A copy.
    """
    summary = NoiseSummary(
        name=noise.name,
        matrix=noise.undone.matrix.tolist(),
        condition=noise.undone.condition,
        amplification=noise.undone.amplification.tolist(),
        observed=noise.observed.tolist(),
        recovered=noise.recovered.tolist(),
        rows=[] if noise.rows is None else noise.rows.tolist(),
    )
    found = []
    for asked, method in zip(methods, results.methods):
        counts = np.array(method.confusion)
        corrected = noise.probable_counts(counts) if counts.any() else counts
        found.append(
            replace(
                method,
                corrected=corrected.tolist(),
                knows_noise=knows_noise(asked),
                matrix_range=noise.matrix_range(counts) if counts.any() else {},
            )
        )
    return replace(results, methods=found, noise=summary)


def _method_result(run: MethodRun) -> MethodResult:
    return MethodResult(
        name=run.method.name,
        label=run.method.label,
        kind=run.method.kind,
        scores=run.scores,
        confusion=run.confusion.tolist(),
        fit_seconds=run.fit_seconds,
        predict_seconds=run.predict_seconds,
        description=run.method.description,
        params=shown_params(run.classifier),
        curves=run.curves,
        errors=[FoldError(fold, message) for fold, message in run.errors],
    )


def _explained(method: MethodResult, model: Pipeline | None) -> MethodResult:
    if model is None or not hasattr(model[-1], "explain"):
        return method
    explanation = model[-1].explain()
    if not hasattr(explanation, "view_share"):
        return method
    return replace(
        method,
        view_share=Share.top(explanation.view_names, explanation.view_share),
        feature_share=Share.top(
            explanation.feature_names, explanation.feature_share, n=MOST_SHOWN_FEATURES
        ),
    )
