"""Figures 2.2 and 2.3, and table 2.1: views of which a part is noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.svm import SVC

from uneven.boosting import AdaBoostMMClassifier, MumboClassifier
from uneven.datasets import make_uneven_views
from uneven.fusion import LateFusionClassifier
from uneven.voters import Resampled
from uneven_published.claims import asked, average, best, compare
from uneven_published.description import (
    Answers,
    Claim,
    Context,
    Exhibit,
    Item,
    Measure,
    Plot,
    Study,
)
from uneven_published.documents import KOCO
from uneven_published.numbers import Numbers, Verdict, printed_table
from uneven_published.protocols import teach

ROUNDS = 200
STAGES = (1, *range(5, ROUNDS + 1, 5))
"""Rounds at which curves are read."""
EARLY_SVM, LATE_SVM = "Early+SVM", "SVM+Late"
ADABOOST, MUMBO = "Early+AdaBoost", "MuMBo"


@dataclass(frozen=True)
class Setting:
    """A sample of the study.

    Attributes
    ----------
    size : int
        Rows to learn from; there are twice as many for test.
    major_noise : float
        Share of noise in the major view.
    """

    size: int
    major_noise: float

    @property
    def name(self) -> str:
        """Row label."""
        return f"S={self.size}, η={self.major_noise:g}"


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting(size, noise) for size in (80, 120) for noise in (0.5, 0.38, 0.25, 0.12, 0.0)
    )
}
SPREAD = 2.0
"""Factor of all columns: of those tried, the errors of both SVMs are nearest to the source's."""
SPREADS = (1.0, 1.5, 2.0, 2.5, 3.0)
_RBF = SVC(gamma="auto")
METHODS: dict[str, Any] = {
    EARLY_SVM: _RBF,
    LATE_SVM: LateFusionClassifier(_RBF, combine="margins"),
    ADABOOST: AdaBoostMMClassifier(Resampled(_RBF), n_estimators=ROUNDS),
    MUMBO: MumboClassifier(
        Resampled(SVC(kernel="linear")), n_estimators=ROUNDS, on_failure="retry"
    ),
}


def draw_views(setting: Setting, repeat: int, spread: float = SPREAD) -> Any:
    """A sample three times as large as the one to learn from; ``spread`` multiplies its columns."""
    drawn = make_uneven_views(3 * setting.size, setting.major_noise, random_state=repeat)
    drawn.data = spread * drawn.data
    return drawn


@dataclass(frozen=True)
class NoisyViews:
    """Test error of every method, and how the boosted ones get there.

    Attributes
    ----------
    settings : mapping of str to Setting
        By item.
    methods : mapping of str to estimator
    stages : tuple of int
        Rounds at which the curves are read; a vote that ended before keeps its last value.
    """

    settings: Mapping[str, Setting]
    methods: Mapping[str, Any]
    stages: tuple[int, ...] = STAGES

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Draw, let every method learn, test."""
        n = self.settings[item].size
        drawn = draw_views(self.settings[item], repeat)
        X, y = drawn.data[:n], drawn.target[:n]
        answers: dict[str, dict[str, Any]] = {}
        for name, method in self.methods.items():
            model = teach(method, X, y, repeat, drawn.views)
            answers[name] = {
                "error": [float(np.mean(model.predict(drawn.data[n:]) != drawn.target[n:]))]
            }
            if hasattr(model, "staged_predict"):
                answers[name]["test"] = [self._errors(model, drawn.data[n:], drawn.target[n:])]
            if hasattr(model, "selection_counts_"):
                answers |= self._by_view(model, n)
        return answers

    def _errors(self, model: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Test error at the stages."""
        return self._at([np.mean(stage != y) for stage in model.staged_predict(X)])

    def _by_view(self, model: Any, n: int) -> dict[str, dict[str, Any]]:
        """Costs of every view's own process per row, and the share of rounds it was chosen."""
        costs = np.exp(model.history_["view_log_loss"]) / n
        chosen = np.asarray(model.history_["view"])
        found = {}
        for position, view in enumerate(model.views_.names):
            share = np.cumsum(chosen == position) / np.arange(1, len(chosen) + 1)
            found[f"{view} view"] = {
                "cost": [self._at(costs[:, position])],
                "share": [self._at(share)],
            }
        return found

    def _at(self, values: Any) -> np.ndarray:
        curve = np.asarray(values, dtype=np.float64)
        return curve[np.minimum(self.stages, len(curve)) - 1]


@dataclass(frozen=True)
class SpreadViews:
    """Test errors of both SVMs with the columns multiplied by several factors.

    Attributes
    ----------
    settings : mapping of str to Setting
        By item.
    spreads : tuple of float
    """

    settings: Mapping[str, Setting]
    spreads: tuple[float, ...] = SPREADS

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Measure them on one draw; with gamma by scale no factor matters."""
        setting = self.settings[item]
        found = {}
        for spread in self.spreads:
            for name in (EARLY_SVM, LATE_SVM):
                found[with_spread(name, spread)] = self._error(
                    METHODS[name], setting, repeat, spread
                )
        for name, method in BY_SCALE.items():
            found[name] = self._error(method, setting, repeat, 1.0)
        return found

    def _error(self, method: Any, setting: Setting, repeat: int, spread: float) -> dict[str, Any]:
        drawn, n = draw_views(setting, repeat, spread), setting.size
        model = teach(method, drawn.data[:n], drawn.target[:n], repeat, drawn.views)
        return {"error": [float(np.mean(model.predict(drawn.data[n:]) != drawn.target[n:]))]}


def with_spread(method: str, spread: float) -> str:
    """Column of a method with columns multiplied by a factor."""
    return f"{method}, spread {spread:g}"


BY_SCALE_EARLY, BY_SCALE_LATE = (f"{name}, gamma by scale" for name in (EARLY_SVM, LATE_SVM))
BY_SCALE: dict[str, Any] = {
    BY_SCALE_EARLY: SVC(),
    BY_SCALE_LATE: LateFusionClassifier(SVC(), combine="margins"),
}

SHOWN = Setting(80, 0.38).name
DRAWN = Setting(40, 0.38)
N_SAMPLES = 200
VIEWS = ("major view", "minor1 view", "minor2 view")

STUDY = Study(
    "noisy-views",
    tuple(Item(name) for name in SETTINGS),
    NoisyViews(SETTINGS, METHODS),
    repeats=10,
    fast_repeats=1,
    edition=2,
)
SWEEP = Study("noisy-views-spread", STUDY.items, SpreadViews(SETTINGS), repeats=10, fast_repeats=2)


def noise_of_views(item: str, repeat: int, context: Context) -> Answers:
    """Shares of noise in samples of 20 rows per class, and where the other views are sane."""
    flags = np.array(
        [
            make_uneven_views(DRAWN.size, DRAWN.major_noise, random_state=seed).sane
            for seed in range(N_SAMPLES)
        ]
    )
    lost = ~flags[:, :, :1]
    with np.errstate(invalid="ignore"):
        saved = (flags & lost).sum(axis=1) / lost.sum(axis=1)
    noise = 1.0 - flags.mean(axis=1)
    answers = {view: {"noise": noise[:, position]} for position, view in enumerate(VIEWS)}
    for position in (1, 2):
        answers[VIEWS[position]]["saved"] = saved[:, position]
    return answers | {"all views joined": {"noise": 1.0 - flags.all(axis=2).mean(axis=1)}}


DRAWS = Study("noise-of-views", (Item(DRAWN.name),), noise_of_views)

_NOTE = (
    "Drawn by a law that fills in what the source leaves open: class means, deviations, "
    "dimensions, and how the noise of the three views hangs together, which decides how low an "
    "error can be. Here: two dimensions, means three deviations apart, and a row that is noise in "
    "the major view is sane in exactly one minor view."
)
_PROTOCOL = (
    "Three views, two classes of equal size. A share η of the descriptions in the major view and "
    "(3 - 2η)/4 in each minor view is uniform noise. Ten draws, twice as many rows for test. "
    "MuMBo: linear SVMs on samples of half the rows drawn from the view's costs, drawn again "
    "until they are weak learners; AdaBoost: RBF SVMs likewise, on all columns; 200 rounds; late "
    "fusion adds the decision values of an RBF SVM per view. The source does not name the SVMs' "
    "parameters: C = 1, and gamma = 1 / columns, the usual value in 2013. With it the size of the "
    f"columns matters, which the source does not state either: all are multiplied by {SPREAD:g}, "
    "the factor at which the errors of both SVMs come nearest to the source's. Nothing was fitted "
    "to MuMBo or AdaBoost. All settings share their seeds, so their rows are not "
    "independent of each other. The source says as well that MuMBo takes 200 times as long as late "
    "fusion, and mentions samples of 15 and 30 rows: neither is measured here."
)
_CALIBRATED = f"{_NOTE} The size of the columns is fitted to the published errors of the two SVMs."
_TABLE_2_1 = printed_table(
    """
    setting       | Early+SVM | SVM+Late | Early+AdaBoost | MuMBo
    S=80, η=0.5   | .390      | .246     | .415           | .148
    S=80, η=0.38  | .410      | .229     | .420           | .152
    S=80, η=0.25  | .437      | .263     | .403           | .168
    S=80, η=0.12  | .396      | .254     | .364           | .174
    S=80, η=0     | .389      | .232     | .358           | .164
    S=120, η=0.5  | .367      | .198     | .425           | .02
    S=120, η=0.38 | .382      | .225     | .415           | .036
    S=120, η=0.25 | .396      | .240     | .466           | .012
    S=120, η=0.12 | .389      | .208     | .411           | .026
    S=120, η=0    | .343      | .279     | .389           | .020
    """,
    "error",
)


def costs_fall(*curves: np.ndarray) -> tuple[bool, str]:
    """No view's cost ever rises, and all end lower than they began."""
    held = all((np.diff(one) <= 1e-9).all() and one[-1] < one[0] for one in curves)
    return held, "; ".join(f"{one[0]:.2f} to {one[-1]:.3f}" for one in curves)


def falls(curve: np.ndarray) -> tuple[bool, str]:
    """The last value is below the first."""
    return bool(curve[-1] < curve[0]), f"{curve[0]:.3f} to {curve[-1]:.3f}"


def ends_below(own: np.ndarray, other: np.ndarray) -> tuple[bool, str]:
    """The first curve ends below the second."""
    return bool(own[-1] < other[-1]), f"{own[-1]:.3f} and {other[-1]:.3f}"


def major_first(major: np.ndarray, *minor: np.ndarray) -> tuple[bool, str]:
    """The major view leads the first rounds, and both minor views are chosen later."""
    held = major[0] > 0.5 and major[0] > major[-1] and min(one[-1] for one in minor) > 0.05
    said = f"major view in {major[0]:.0%} of first rounds, {major[-1]:.0%} of all"
    return bool(held), said


def better_at_50(numbers: Numbers) -> Verdict:
    """Mean test error of AdaBoost over the rows, after 50 and after 200 rounds."""
    curves = [numbers.mean(row, ADABOOST, "test") for row in numbers.rows]
    known = [curve for curve in curves if curve is not None]
    if not known:
        return Verdict(None, "no numbers")
    mean = np.mean(known, axis=0)
    middle, last = mean[STAGES.index(50)], mean[-1]
    return Verdict(bool(middle < last), f"{middle:.3f} after 50, {last:.3f} after 200")


_NOISY = tuple(Setting(size, noise).name for size in (80, 120) for noise in (0.5, 0.38, 0.25))

EXHIBITS = (
    Exhibit(
        KOCO,
        "Figure 2.2",
        "A sample of the three views",
        "substitute",
        _NOTE,
        "Samples of 20 rows per class, η = 0.38. The source draws one of them as points; here 200 "
        "are drawn and their noise is counted.",
        studies=(DRAWS,),
        measures=(
            Measure("noise", "share of noisy descriptions"),
            Measure("saved", "share of the major view's noisy rows that are sane here"),
        ),
        printed=printed_table(
            f"sample | major view | minor1 view | minor2 view | all views joined\n"
            f"{DRAWN.name} | .38 | .56 | .56 | .75",
            "noise",
        ),
        claims=(
            Claim(
                "Half of the major view's noisy rows are sane in each minor view",
                asked(
                    tuple((DRAWN.name, view, "saved") for view in VIEWS[1:]),
                    lambda *shares: (
                        all(abs(share - 0.5) < 0.05 for share in shares),
                        " and ".join(f"{share:.2f}" for share in shares),
                    ),
                ),
            ),
            Claim(
                "About 75 % of the joined descriptions are noisy",
                asked(
                    ((DRAWN.name, "all views joined", "noise"),),
                    lambda share: (abs(share - 0.75) < 0.05, f"{share:.2f}"),
                ),
            ),
        ),
    ),
    Exhibit(
        KOCO,
        "Figure 2.3",
        "Costs and errors of MuMBo and of AdaBoost over the rounds",
        "calibrated",
        _CALIBRATED,
        f"{_PROTOCOL} Costs are the loss of each view's own process per row. The curves of the "
        "source are not given as numbers.",
        studies=(replace(STUDY, items=(Item(SHOWN),), fast_repeats=3),),
        measures=(
            Measure("test", "test error", "lower"),
            Measure("cost", "empirical cost", "lower"),
            Measure("share", "share of the rounds so far in which the view was chosen"),
        ),
        columns=(MUMBO, ADABOOST, *VIEWS),
        claims=(
            Claim(
                "The empirical cost of every view falls with the rounds",
                asked(tuple((SHOWN, view, "cost") for view in VIEWS), costs_fall),
            ),
            Claim(
                "MuMBo's test error falls",
                asked(((SHOWN, MUMBO, "test"),), falls),
                "Its first voter, of the major view, is already as good on the test rows here.",
            ),
            Claim(
                "MuMBo ends below AdaBoost with early fusion",
                asked(((SHOWN, MUMBO, "test"), (SHOWN, ADABOOST, "test")), ends_below),
            ),
            Claim(
                "The first rounds choose the major view, later ones the minor views as well",
                asked(tuple((SHOWN, view, "share") for view in VIEWS), major_first),
            ),
        ),
        plots=(
            Plot("cost", STAGES, "round", "empirical cost", title="Costs of the views"),
            Plot("test", STAGES, "round", "test error", title="MuMBo and AdaBoost"),
            Plot("share", STAGES, "round", "share of rounds", title="Views chosen so far"),
        ),
    ),
    Exhibit(
        KOCO,
        "Table 2.1",
        "MuMBo beside early and late fusion",
        "calibrated",
        _CALIBRATED,
        _PROTOCOL,
        studies=(STUDY, SWEEP),
        measures=(Measure("error", "test error", "lower"),),
        printed=_TABLE_2_1,
        columns=(
            *(EARLY_SVM, LATE_SVM, ADABOOST, MUMBO),
            *(with_spread(name, spread) for spread in SPREADS for name in (EARLY_SVM, LATE_SVM)),
            *BY_SCALE,
        ),
        claims=(
            Claim(
                "MuMBo is the best in every setting",
                best(MUMBO, "error", "lower", tuple(METHODS)),
            ),
            Claim(
                "Late fusion of SVMs is the best of the fusion methods",
                best(LATE_SVM, "error", "lower", (EARLY_SVM, LATE_SVM, ADABOOST)),
            ),
            Claim(
                "Asked besides: with η of .25 or more MuMBo is below AdaBoost with early fusion",
                compare(MUMBO, ADABOOST, "error", "<", _NOISY),
            ),
            Claim(
                "Asked besides: on average over the settings MuMBo is below late fusion",
                average(MUMBO, LATE_SVM, "error", "<"),
            ),
            *(
                Claim(
                    f"Asked besides: with columns multiplied by {spread:g}, late fusion of SVMs is "
                    "below early fusion",
                    compare(
                        with_spread(LATE_SVM, spread), with_spread(EARLY_SVM, spread), "error", "<"
                    ),
                )
                for spread in SPREADS
            ),
            Claim(
                "Asked besides: with gamma by scale, late fusion of SVMs is below early fusion",
                compare(BY_SCALE_LATE, BY_SCALE_EARLY, "error", "<"),
            ),
            Claim(
                "AdaBoost is slightly better after about 50 rounds than after 200",
                better_at_50,
                "Boosted RBF SVMs still gain after 50 rounds here; the source gives no numbers.",
            ),
        ),
        errata=(
            "Errors of .02 at η = 0.5 cannot follow from independent noise: then 12.5 % of the "
            "rows would be noise in all views, and no method could go below .06.",
        ),
        explanation=(
            "MuMBo is above late fusion only with 120 rows and most noise. Levels are a "
            "calibration, since the law is filled in. With gamma = 1 / columns joined "
            "columns harm an RBF SVM as they do in the source, and all fused methods stay above "
            ".2; with gamma by scale, the default of later years, they do not. MuMBo's own levels, "
            "down to .02, stay unexplained."
        ),
    ),
)
