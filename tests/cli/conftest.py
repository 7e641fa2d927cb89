from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.few_trees import few_trees_of_all
from uneven.cli import run


@dataclass
class Outcome:
    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line of a failure, without notes about the data."""
        lines = [line for line in self.err.splitlines() if line.startswith("uneven: ")]
        assert len(lines) == 1, self.err
        assert "Traceback" not in self.err
        return lines[0].removeprefix("uneven: ")


@pytest.fixture(scope="module", autouse=True)
def small_baselines():
    with few_trees_of_all():
        yield


@pytest.fixture
def uneven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Outcome]:
    """Run a command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", "dumb")

    def call(*words: object) -> Outcome:
        capsys.readouterr()
        code = run([str(word) for word in words])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


def make_frame(n: int = 90, seed: int = 0) -> pd.DataFrame:
    """Three uneven classes seen by two views, with a category and missing cells."""
    rng = np.random.default_rng(seed)
    label = np.array(["common"] * (n - 30) + ["less"] * 20 + ["rare"] * 10)
    shift = np.select([label == "less", label == "rare"], [2.0, -2.0], 0.0)
    frame = pd.DataFrame(
        {
            "sound__pitch": rng.normal(size=n) + shift,
            "sound__noise": rng.normal(size=n),
            "text__word": np.where(rng.random(n) < 0.7, label, "other"),
            "text__length": rng.integers(1, 50, n),
            "label": label,
        }
    )
    frame.loc[:4, "sound__noise"] = np.nan
    frame.loc[3:6, "text__word"] = None
    return frame.sample(frac=1.0, random_state=seed, ignore_index=True)


@pytest.fixture
def frame() -> pd.DataFrame:
    return make_frame()


@pytest.fixture
def table(tmp_path: Path, frame: pd.DataFrame) -> Path:
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    return path


def files_in(folder: Path) -> set[str]:
    """Every file and folder below, hidden ones included."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}
