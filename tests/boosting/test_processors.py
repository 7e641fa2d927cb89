"""Other versions of system functions, as other processors have them, give the same model."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.boosting.test_row_order import bits
from uneven import ComboClassifier, MuComboClassifier, MumboClassifier

OLD_PROCESSOR = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX2 FMA3 AVX512F AVX512_SKX",
}


def digests():
    rng = np.random.RandomState(0)
    X = rng.randint(-500, 500, (800, 6)) / 64.0
    y = (X[:, 0] + X[:, 1] > rng.randint(-3, 3, 800)).astype(int) + (X[:, 3] > 5)
    prices = [[0.0, 1.3, 2.0], [1.0, 0.0, 0.7], [0.3, 1.0, 0.0]]
    noise = np.full((3, 3), 0.05) + 0.85 * np.eye(3)
    models = [
        ComboClassifier(n_estimators=80, max_depth=2, class_cost=prices),
        ComboClassifier(n_estimators=10, noise_matrix=noise, line_search=True),
        MumboClassifier(n_estimators=10, views=[0, 3, 6], cooperation="gauss"),
        MuComboClassifier(n_estimators=10, views=[0, 3, 6]),
    ]
    weights = rng.randint(1, 1000, 800) / 999.0
    found = [repr(bits(model.fit(X, y, sample_weight=weights))) for model in models]
    return [hashlib.sha256(text.encode()).hexdigest() for text in found]


@pytest.mark.slow
def test_the_version_of_system_functions_does_not_matter():
    script = "from tests.boosting.test_processors import digests; print(*digests())"
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, **OLD_PROCESSOR, "PYTHONPATH": paths}
    command = [sys.executable, "-W", "ignore", "-c", script]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert answer.stdout.split() == digests()
