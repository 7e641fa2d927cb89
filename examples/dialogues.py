"""What is this call about? Five views of a dialogue, tested as spoken and as recognised.

Models learn from clean transcripts and meet those of a speech recogniser that gets more than half
of the words wrong. The calls are invented; put ``read_dialogues("corpus.jsonl")`` in their place
to use your own.
"""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import train_test_split

from uneven import AdaBoostMMClassifier, ComboClassifier, MuComboClassifier, MumboClassifier
from uneven.dialogues import VIEWS, DialogueViews, make_dialogues
from uneven.metrics import geometric_mean_recall

STUMPS = {"n_estimators": 200, "max_depth": 1}
METHODS = {
    **{f"{view} alone": (AdaBoostMMClassifier(**STUMPS), (view,)) for view in VIEWS},
    "AdaBoost.MM, all": (AdaBoostMMClassifier(**STUMPS), VIEWS),
    "CoMBo, all": (ComboClassifier(**STUMPS), VIEWS),
    "MuMBo": (MumboClassifier(**STUMPS), VIEWS),
    "µCoMBo": (MuComboClassifier(**STUMPS), VIEWS),
}
"""Methods, and the views that they may look at."""


def main() -> None:
    calls = make_dialogues(random_state=0)
    themes = np.array(calls.target_names)[calls.target]
    train, test = train_test_split(
        np.arange(len(themes)), test_size=152, stratify=themes, random_state=0
    )
    extract = DialogueViews().fit(calls.dialogues[train])
    X = extract.transform(calls.dialogues[train])
    tests = [extract.transform(said[test]) for said in (calls.dialogues, calls.dialogues_asr)]

    print(f"{'accuracy, G-mean':<18}{'as spoken':>16}{'as recognised':>16}")
    for name, (method, views) in METHODS.items():
        method.set_params(views={view: extract.views_[view] for view in views})
        method.fit(X, themes[train])
        row = f"{name:<18}"
        for predicted in map(method.predict, tests):
            gmean = geometric_mean_recall(themes[test], predicted)
            row += f"{np.mean(predicted == themes[test]):>10.2f}{gmean:>6.2f}"
        print(row)

    explanation = METHODS["µCoMBo"][0].explain()
    names = extract.get_feature_names_out()
    print("\nwhat supports a theme in µCoMBo: views, then columns")
    for k, theme in enumerate(explanation.classes):
        views = "".join(
            f"{share:>6.0%} {view}" for view, share in zip(VIEWS, explanation.view_share[:, k])
        )
        best = explanation.feature_share[:, k].argsort()[::-1][:2]
        print(f"{theme:<20}{views}   {', '.join(names[best])}")


if __name__ == "__main__":
    main()
