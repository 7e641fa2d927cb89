"""The numbers of `compare --demo`, kept: a change of the house must not change an answer.

After a change that is meant to change answers: `python -m tests.cli.test_demo_fingerprint`, and
say in the changelog what has changed.
"""

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest

from tests.few_trees import few_trees_of_all
from uneven.cli import run
from uneven.comparison import METHODS, default_methods

KEPT = Path(__file__).parents[1] / "data" / "demo_fingerprint.json"
FOLLOWS_THE_PROCESSOR = ("uneven", "late_fusion")
"""Join probabilities whose last bits follow the processor's linear algebra."""

RENEW = "if that is meant, run `python -m tests.cli.test_demo_fingerprint`"


def fingerprint(folder):
    """Ranking, scores per fold and right answers per class of a short demo."""
    names = [
        name
        for name in default_methods(several_views=True)
        if not METHODS[name].package and name not in FOLLOWS_THE_PROCESSOR
    ]
    words = ["--methods", ",".join(names), "--rounds", "5", "--cv", "2", "--workers", "1"]
    assert run(["compare", "--demo", *words, "--out", str(folder)]) == 0
    told = json.loads((Path(folder) / "results.json").read_text())
    found = {
        method["name"]: {
            "scores": {name: np.round(v, 6).tolist() for name, v in method["scores"].items()},
            "right": np.diagonal(method["confusion"]).tolist(),
        }
        for method in told["methods"]
    }
    norms = {name: np.mean(one["scores"][told["metric"]]) for name, one in found.items()}
    return {"ranking": sorted(norms, key=norms.__getitem__), "methods": found}


@pytest.mark.slow
def test_the_demo_answers_as_before(tmp_path, capsys):
    before, now = json.loads(KEPT.read_text()), fingerprint(tmp_path / "demo")
    ranking = [name for name in now["ranking"] if name in before["methods"]]
    assert ranking == before["ranking"], RENEW  # a new method may join
    for name, kept in before["methods"].items():
        found = now["methods"][name]
        assert found["right"] == kept["right"], f"{name} is right about other rows; {RENEW}"
        assert found["scores"] == {
            measure: pytest.approx(values, abs=1e-4) for measure, values in kept["scores"].items()
        }, f"{name} has other scores; {RENEW}"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, few_trees_of_all():
        KEPT.write_text(json.dumps(fingerprint(folder), indent=1) + "\n")
