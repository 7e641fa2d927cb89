"""Small model files with the answers that they gave when they were made.

``python -m tests.persistence.corpus`` writes the files that are missing. Files that are there are
never written again: they stand for the files that users have kept. With ``--versions`` it writes
models with parts of scikit-learn into a folder of the installed version; run it with older ones.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

from uneven import (
    AdaBoostMMClassifier,
    BalancedBoostingClassifier,
    BayesPointClassifier,
    BregmanVoteClassifier,
    CarakoClassifier,
    ComboClassifier,
    LateFusionClassifier,
    MarginStackingClassifier,
    MuComboClassifier,
    MumboClassifier,
    NormComboClassifier,
    TunedDecisionClassifier,
    UMAClassifier,
    UnevenClassifier,
)
from uneven.boosting import ShareBoostClassifier
from uneven.comparison import METHODS, Settings
from uneven.comparison.encoding import CategoryEncoder
from uneven.comparison.words import DateEncoder, TextEncoder
from uneven.fusion.forest_logistic import ForestLogisticClassifier
from uneven.linear import (
    KernelPerceptronClassifier,
    PerceptronClassifier,
    SelfLabellingSVM,
    UltraconservativeClassifier,
)
from uneven.noise import LabelRepairPipeline, NoiseTolerantPerceptron
from uneven.stacking import Member, RuleClassifier
from uneven.versionspace import CompressionPerceptron, CuttingPlaneClassifier, CuttingPlaneSVC
from uneven.voters import CostLinear

FOLDER = Path(__file__).parents[1] / "data" / "models"
VIEWS = {"left": ["a", "b"], "right": ["c", "kind"]}
NUMBERS = ["a", "b", "c"]


def table(n: int = 60) -> tuple[pd.DataFrame, np.ndarray]:
    """Quarters, a category, missing cells and three uneven classes."""
    rng = np.random.default_rng(0)
    y = np.array(["common"] * (n - 30) + ["less"] * 18 + ["rare"] * 12)
    shift = np.select([y == "less", y == "rare"], [6, -6], 0)
    frame = pd.DataFrame({name: rng.integers(-8, 8, n) / 4.0 for name in NUMBERS})
    frame["a"] += shift / 4.0
    frame["c"] -= shift / 2.0
    frame["kind"] = np.where(rng.random(n) < 0.7, y, "other")
    frame.loc[:3, "b"] = np.nan
    order = rng.permutation(n)
    return frame.iloc[order].reset_index(drop=True), y[order]


def codes(encoder_of_kinds: type[OrdinalEncoder] = OrdinalEncoder) -> ColumnTransformer:
    """Numbers as they are, categories as codes: for trees."""
    kinds = encoder_of_kinds(
        handle_unknown="use_encoded_value", unknown_value=np.nan, encoded_missing_value=np.nan
    )
    parts = [("numbers", "passthrough", NUMBERS), ("kinds", kinds, ["kind"])]
    encoder = ColumnTransformer(parts, verbose_feature_names_out=False)
    return encoder.set_output(transform="pandas")


def own_codes() -> ColumnTransformer:
    """The same by the encoder of the command line."""
    return codes(CategoryEncoder)


def indicators() -> ColumnTransformer:
    """Numbers filled in and scaled, categories as indicators: for linear learners."""
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    kinds = OneHotEncoder(handle_unknown="ignore")
    return ColumnTransformer([("numbers", numbers, NUMBERS), ("kinds", kinds, ["kind"])])


def sparse_kinds() -> ColumnTransformer:
    """Nothing but indicators, as a sparse table."""
    same = FunctionTransformer(accept_sparse=True)
    kinds = make_pipeline(OneHotEncoder(handle_unknown="ignore"), same)
    return ColumnTransformer([("kinds", kinds, ["kind"])], sparse_threshold=1.0)


def words_and_dates() -> ColumnTransformer:
    """Days with their parts, and words of a text."""
    fill = SimpleImputer(strategy="median")
    days = make_pipeline(DateEncoder(["b"], ["b"]), fill, StandardScaler())
    words = TextEncoder(["common", "less", "other", "rare"], "kind")
    return ColumnTransformer([("days", days, ["b"]), ("words", words, "kind")])


def members() -> list[Any]:
    scaled = make_pipeline(
        ColumnTransformer([("scale", StandardScaler(), slice(0, 3))]), LogisticRegression(C=0.5)
    )
    forest = RandomForestClassifier(n_estimators=2, max_depth=2, random_state=0)
    combo = Member(ComboClassifier(n_estimators=2, max_depth=1), columns=[0, 2])
    return [("combo", combo), ("forest", forest), ("linear", scaled)]


def rule(name: str) -> RuleClassifier:
    return RuleClassifier(members(), rule=name, cv=2, random_state=0)


def stack(among: Any = None, **options: Any) -> MarginStackingClassifier:
    return MarginStackingClassifier(among or members(), cv=2, random_state=0, **options)


def pooled() -> list[Any]:
    own = RandomForestClassifier(n_estimators=2, max_depth=2, random_state=0)
    return ["boost", "forest", "landmarks", "logistic", ("own", own)]


def few(cls: Any, **options: Any) -> Any:
    return cls(n_estimators=3, random_state=0, **options)


EXACT = (
    "adaboost_mm",
    "adaboost_mm_scores",
    "balanced_boosting",
    "combo",
    "combo_scores",
    "late_fusion",
    "mucombo",
    "mucombo_scores",
    "mumbo",
    "mumbo_scores",
    "random_forest",
    "share_boost",
)
"""Models whose scores are sums in a fixed order: equal to the last bit on every machine."""

FOREIGN = (
    "combo",
    "hist_gradient_boosting",
    "late_fusion_forest_logistic",
    "logistic_regression",
    "random_forest",
    "sparse_array",
    "stack",
    "text_and_dates",
    "tuned_decision",
    "uneven",
)
"""Models that hold every class of scikit-learn which model files know."""

Maker = tuple[Callable[[], ColumnTransformer], Any, int]

MAKERS: dict[str, Maker] = {
    "adaboost_mm": (codes, few(AdaBoostMMClassifier), 3),
    "adaboost_mm_scores": (codes, few(AdaBoostMMClassifier, leaves="scores"), 3),
    "balanced_boosting": (
        codes,
        few(BalancedBoostingClassifier, categorical_features=["kind"], l2=0.1),
        3,
    ),
    "bayes_point": (indicators, BayesPointClassifier(max_rank=5, random_state=0), 3),
    "bayes_point_linear": (indicators, BayesPointClassifier("linear", random_state=0), 2),
    "bregman_vote": (codes, BregmanVoteClassifier(views=VIEWS, random_state=0), 3),
    "carako": (codes, CarakoClassifier(views=VIEWS, random_state=0), 3),
    "combo": (codes, few(ComboClassifier), 3),
    "combo_scores": (codes, few(ComboClassifier, leaves="scores", loss="log"), 2),
    "combo_own_codes": (own_codes, few(ComboClassifier), 3),
    "combo_linear": (codes, few(ComboClassifier, estimator=CostLinear()), 3),
    "compression_perceptron": (indicators, CompressionPerceptron(random_state=0), 2),
    "cutting_plane": (indicators, CuttingPlaneClassifier(random_state=0), 2),
    "cutting_plane_svc": (indicators, CuttingPlaneSVC(), 3),
    "hist_gradient_boosting": (codes, HistGradientBoostingClassifier(max_iter=2), 3),
    "kernel_perceptron": (indicators, KernelPerceptronClassifier(kernel="rbf", random_state=0), 3),
    "label_repair": (indicators, LabelRepairPipeline(random_state=0), 3),
    "late_fusion": (codes, LateFusionClassifier(few(ComboClassifier), views=VIEWS), 3),
    "late_fusion_forest_logistic": (
        codes,
        LateFusionClassifier(ForestLogisticClassifier(3), views=VIEWS, random_state=0),
        3,
    ),
    "logistic_regression": (indicators, LogisticRegression(), 3),
    "mucombo": (codes, few(MuComboClassifier, views=VIEWS), 3),
    "mumbo": (codes, few(MumboClassifier, views=VIEWS, selection="combination"), 3),
    "mucombo_scores": (codes, few(MuComboClassifier, views=VIEWS, leaves="scores"), 3),
    "mumbo_scores": (codes, few(MumboClassifier, views=VIEWS, leaves="scores"), 3),
    "noise_tolerant_perceptron": (indicators, NoiseTolerantPerceptron(random_state=0), 2),
    "norm_combo": (codes, few(NormComboClassifier), 3),
    "perceptron": (indicators, PerceptronClassifier(random_state=0), 2),
    "random_forest": (codes, RandomForestClassifier(3, max_depth=3, random_state=0), 3),
    "rule_fixed": (indicators, rule("median"), 3),
    "rule_templates": (indicators, rule("decision_templates"), 3),
    "rule_dempster_shafer": (indicators, rule("dempster_shafer"), 3),
    "rule_weighted": (indicators, rule("weighted_mean"), 3),
    "rule_greedy": (indicators, rule("greedy"), 3),
    "rule_nnls": (indicators, rule("nnls"), 3),
    "rule_mce": (indicators, rule("mce"), 3),
    "rule_output_codes": (indicators, rule("output_codes"), 3),
    "share_boost": (codes, few(ShareBoostClassifier, views=VIEWS), 3),
    "self_labelling_svm": (indicators, SelfLabellingSVM(), 2),
    "sparse_kernel_perceptron": (sparse_kinds, KernelPerceptronClassifier(random_state=0), 3),
    "sparse_array": (sparse_kinds, KernelPerceptronClassifier("poly", random_state=0), 3),
    "stack": (indicators, stack(strength=1e-3), 3),
    "stack_pooled": (indicators, stack(members()[1:], strength=1e-3, log_pool=True), 3),
    "stack_inputs": (indicators, stack(strength=1e-3, passthrough=True), 3),
    "stack_kernel": (indicators, stack(kernel="rbf", penalty="l2", strength=1e-2), 3),
    "tuned_decision": (indicators, TunedDecisionClassifier(LogisticRegression(), cv=2), 3),
    "ultraconservative": (indicators, UltraconservativeClassifier(random_state=0), 3),
    "text_and_dates": (words_and_dates, LogisticRegression(), 3),
    "uma": (indicators, UMAClassifier(random_state=0), 3),
    "uma_kernel": (indicators, UMAClassifier(kernel="rbf", random_state=0), 3),
    "uneven": (codes, UnevenClassifier(members=pooled(), random_state=0), 3),
}
"""Encoder, classifier and number of classes of each kept model."""

for _method in METHODS.values():  # a method that is not named above joins as it is compared
    if _method.package:  # model files hold no classifiers of other packages
        continue
    _model = _method.make(Settings(rounds=3, views=VIEWS))
    if type(_model) not in {type(model) for _, model, _ in MAKERS.values()}:
        MAKERS[_method.name] = (codes if _method.encoding == "ordinal" else indicators, _model, 3)


def fit(
    name: str, makers: Mapping[str, Maker] = MAKERS
) -> tuple[Pipeline, pd.DataFrame, np.ndarray]:
    """A fitted model, its table and its labels."""
    encode, classifier, n_classes = makers[name]
    X, y = table()
    kept = y != "rare" if n_classes == 2 else np.ones(len(y), dtype=bool)
    X, y = X[kept].reset_index(drop=True), y[kept]
    model = Pipeline([("encode", encode()), ("classify", classifier)]).fit(X, y)
    if name == "sparse_array":
        model[-1].expansion_.rows = sp.csr_array(model[-1].expansion_.rows)
    return model, X, y


def answers(model: Pipeline, X: pd.DataFrame) -> dict[str, list[Any]]:
    """Labels and scores of a model for rows."""
    method = "decision_function" if hasattr(model, "decision_function") else "predict_proba"
    return {"labels": model.predict(X).tolist(), "scores": getattr(model, method)(X).tolist()}


def compare(path: Path) -> None:
    """Fail unless a kept model answers as on the day it was made."""
    from uneven.persistence.model_file import load_model

    before = json.loads(path.with_suffix(".json").read_text())
    rows = pd.DataFrame(before["rows"]).astype(dict.fromkeys(NUMBERS, float))
    now = answers(load_model(path)[0], rows)
    assert now["labels"] == before["labels"]
    if path.stem in EXACT:
        assert now["scores"] == before["scores"]
    np.testing.assert_allclose(now["scores"], before["scores"], rtol=1e-12, atol=1e-12)


def kept_types(folder: Path) -> set[str]:
    """Stable names of the types in the files of a folder."""

    def types_in(node: Any) -> Iterator[str]:
        if isinstance(node, dict):
            if node.get("__module__") == "uneven model type":
                yield node["__class__"]
            node = list(node.values())
        if isinstance(node, list):
            for part in node:
                yield from types_in(part)

    found: set[str] = set()
    for path in folder.glob("*.skops"):
        with zipfile.ZipFile(path) as archive:
            found.update(types_in(json.loads(archive.read("schema.json"))))
    return found


def add(name: str, makers: Mapping[str, Maker] = MAKERS, folder: Path = FOLDER) -> None:
    """Write a model file and its answers, unless they are there."""
    from uneven.persistence.model_file import ModelCard, save_model

    path = folder / f"{name}.skops"
    if path.exists():
        return
    model, X, y = fit(name, makers)
    classes, counts = np.unique(y, return_counts=True)
    card = ModelCard(name, name, "y", classes.tolist(), counts.tolist(), [], len(y))
    rows = X.iloc[::3].reset_index(drop=True)
    table = {key: [None if v != v else v for v in rows[key].tolist()] for key in rows}
    kept = {"rows": table, **answers(model, rows)}
    path.with_suffix(".json").write_text(json.dumps(kept) + "\n")
    save_model(model, card, path)


if __name__ == "__main__":
    if "--versions" in sys.argv:
        older = FOLDER / f"scikit-learn-{'.'.join(sklearn.__version__.split('.')[:2])}"
        older.mkdir(exist_ok=True)
        for name in FOREIGN:
            add(name, folder=older)
    else:
        for name in MAKERS:
            add(name)
