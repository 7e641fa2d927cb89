"""Run all benchmarks, or those named: ``python -m benchmarks [NAME ...]``."""

from __future__ import annotations

import argparse

from benchmarks import (
    active_multiclass,
    active_published,
    after_labelling,
    centres,
    cluster,
    co_training,
    compression,
    decisions,
    dialogues,
    exported,
    fit_speed,
    footprint,
    joint_spaces,
    kernel,
    label_doubt,
    learning,
    many_classes,
    mnist_quarters,
    multiview,
    neighbour,
    noise_boosting,
    noise_real,
    noise_text,
    norm,
    norm_research,
    norm_speed,
    predict_speed,
    query_speed,
    reading,
    rough_labels,
    scaling,
    serving,
    stacking_mm,
    stacking_published,
    stacking_reuse,
    stacking_size,
    stacking_solver,
    uma_average,
    uma_speed,
    uma_toy,
    uneven_members,
    view_selection,
    visits,
    wide_views,
)
from benchmarks.lines import Line, show, summary
from benchmarks.noise import __main__ as noise
from benchmarks.score_leaves.__main__ import PARTS as SCORE_LEAVES
from benchmarks.views import __main__ as views

SECTIONS = {
    "fit": ("Fitting, 2 threads each", fit_speed.run),
    "kernel": ("The inner loop", kernel.run),
    "many-classes": ("Many classes in several views", many_classes.run),
    "wide": ("Wide views, processor time", wide_views.run),
    "scaling": ("Growth with the number of rows", scaling.run),
    "predict": ("Predicting, 2 threads each", predict_speed.run),
    "exported": ("Models in ONNX format: size and processor time", exported.run),
    "serving": ("uneven serve under load", serving.run),
    "reading": ("Reading a large CSV file", reading.run),
    "footprint": ("Memory and first use", footprint.run),
    "quarters": ("Digits through four quarters, accuracy / F1", mnist_quarters.run),
    "neighbour": ("Views: beside scikit-multimodallearn, one thread each", neighbour.run),
    "partial": ("Rare classes in partial views, mean of 10 draws", multiview.partial_views),
    "co-training": (
        "Three labels per class, several views: with rows without labels | without",
        co_training.run,
    ),
    "view-selection": (
        "Views with a copy and a shuffled one of each: balanced accuracy, log-loss, views read",
        view_selection.run,
    ),
    "digits": ("Handwritten digits in six views (mfeat), 5-fold", multiview.digits),
    "learning": ("Learning on real data", learning.run),
    "dialogues": (
        "Calls: errors as spoken | as recognised, relative loss; other: published",
        dialogues.run,
    ),
    "uma": ("A step of UMA", uma_speed.run),
    "uma-average": ("UMA: which class vectors to keep, test errors", uma_average.run),
    "uma-toy": (
        "Toy: confusion norm of UMA | with the identity (30 seeds); published in the target column",
        uma_toy.run,
    ),
    "noise-real": (
        "Cheap labels: errors on digits and letters through Gaussian kernels",
        noise_real.run,
    ),
    "noise-boosting": ("Boosting with 30 % wrong labels: errors, ten splits", noise_boosting.run),
    "rough-labels": ("Labels of a rough classifier, two models of their noise", rough_labels.run),
    "label-doubt": (
        "Wrong labels found among ten tables: average precision, 5 and 15 % made wrong",
        label_doubt.run,
    ),
    "noise-text": ("Cheap labels: errors on sparse text", noise_text.run),
    "recommended-text": (
        "Cheap and clean labels on sparse text: errors of what is recommended",
        noise_text.run_recommended,
    ),
    "compression": (
        "Compression perceptron: mean of 1000 draws | the author's curves",
        compression.run,
    ),
    "joint": ("Bayes points of ten classes, jointly or one against the rest", joint_spaces.run),
    "centres": (
        f"Centre of gravity, {centres.N_CUTS} cuts in {centres.N_DIMS} dimensions: error; steps",
        centres.run,
    ),
    "query": ("A query over a large sparse pool", query_speed.run),
    "banana": (
        "Active learning as published: accuracy on Banana, 50 runs",
        active_published.banana,
    ),
    "noise-free": (
        "Active learning without noise: accuracy in ten dimensions, 25 runs",
        active_published.without_noise,
    ),
    "active-text": (
        "Active learning as published: accuracy on text, ten classes, 25 runs",
        active_published.text,
    ),
    "active-multiclass": (
        "Many classes, 200 queries: area under the learning curve",
        active_multiclass.run,
    ),
    "after-labelling": (
        "Which classifier to fit to labels that were asked for: accuracy | balanced, five draws",
        after_labelling.run,
    ),
    "stacking-solver": (
        "Stacking 130 classifiers (2000 rows, 7 classes), class weights with the group penalty",
        stacking_solver.run,
    ),
    "stacking-size": (
        "Stacking 100 classifiers, 20 000 rows, 20 classes: processor time and memory",
        stacking_size.run,
    ),
    "stacking-mm": (
        "Majorisation-minimisation on level-1 data: smoothed objective, classifiers dropped, error",
        stacking_mm.run,
    ),
    "stacking-reuse": (
        "Stacks that learn from the folds of a comparison: estimated error and that on new rows",
        stacking_reuse.run,
    ),
    "stacking": (
        "Stacking as published, eight data sets; other: published, or the method it is beside",
        stacking_published.run,
    ),
    "norm": (
        "Rare classes, five folds of the small sets; other: the best peer, or CoMBo",
        norm.run,
    ),
    "noise": ("Wrong labels: small tables, one split", noise.run),
    "views": ("Several views, whole and missing: small tables, five folds", views.run),
    "decisions": (
        "Fitted decisions around three classifiers, small tables, 3 folds; ratio: wins-losses",
        decisions.run,
    ),
    "norm-speed": (
        "Fitting NormCoMBo and CoMBo with as many trees, UnevenClassifier and LightGBM, one thread",
        norm_speed.run,
    ),
    "uneven-members": (
        "Members of UnevenClassifier, 15 tables; ratio: wins-losses against the default",
        uneven_members.run,
    ),
    "norm-research": (
        "What was tried on the way to NormCoMBo, five folds, means over the sets of a group",
        norm_research.run,
    ),
    **SCORE_LEAVES,
    "cluster": ("Rows on a Dask cluster of two processes", cluster.run),
    "visits": ("Files of the package that a call goes through", visits.run),
    "criteria": ("Split criteria of the cost trees", learning.criteria),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*SECTIONS, []], metavar="NAME")
    names = parser.parse_args().names or list(SECTIONS)
    lines: list[Line] = []
    for name in names:
        title, run = SECTIONS[name]
        found = run()
        show(title, found)
        lines += found
    print(summary(lines))


if __name__ == "__main__":
    main()
