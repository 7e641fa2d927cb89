import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.stats import norm

from uneven.datasets import make_balance_scale, make_imbalanced_views, make_uneven_views
from uneven.datasets.imbalanced_views import ANIMAL_COUNTS, VIEW_GROUPS
from uneven.metrics import imbalance_ratio

DESIGNS = ["complementary", "shared", "conditional", "independent"]


def sane_patterns(design, eta):
    """Return the probability of each (major, minor1, minor2) pattern, worked out by hand."""
    a = 1 / (4 * (1 - eta))
    patterns = {}
    for major in (0, 1):
        for first in (0, 1):
            for second in (0, 1):
                p = 1 - eta if major else eta
                if design == "independent":
                    s = 0.25 + eta / 2
                    p *= (s if first else 1 - s) * (s if second else 1 - s)
                elif design == "conditional":
                    s = a if major else 0.5
                    p *= (s if first else 1 - s) * (s if second else 1 - s)
                elif major:
                    p *= (first == second) * (a if first else 1 - a)
                else:
                    p *= 0.5 * ((first == second) == (design == "shared"))
                patterns[major, first, second] = p
    return patterns


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("eta", [0.0, 0.38, 0.5])
def test_noise_flags_follow_the_design(design, eta):
    n = 20_000
    sane = make_uneven_views(n, eta, design=design, random_state=1).sane
    for pattern, p in sane_patterns(design, eta).items():
        share = np.mean((sane == pattern).all(axis=1))
        assert share == pytest.approx(p, abs=4 * np.sqrt(0.25 / n))
    assert 1 - sane.mean() == pytest.approx(0.5, abs=0.01)


def bayes_error(bunch, design, eta):
    """Return the error of the best possible rule, by the law of the generator."""
    angles = np.deg2rad([0, 60, 120])
    density = {}
    for y in (-1, 1):
        means = 1.5 * y * np.column_stack([np.cos(angles), np.sin(angles)])
        x = bunch.data.reshape(-1, 3, 2)
        clean = norm.pdf(x - means).prod(axis=2)
        noisy = (np.abs(x) <= 4).all(axis=2) / 64
        density[y] = sum(
            p * np.where(np.array(flags, bool), clean, noisy).prod(axis=1)
            for flags, p in sane_patterns(design, eta).items()
        )
    return np.mean(np.where(density[1] > density[-1], 1, -1) != bunch.target)


@pytest.mark.parametrize(
    ("design", "eta", "expected"),
    [
        ("complementary", 0.5, 0.135),
        ("complementary", 0.25, 0.114),
        ("complementary", 0.0, 0.059),
        ("independent", 0.5, 0.155),
        ("shared", 0.5, 0.169),
    ],
)
def test_best_possible_error_is_the_known_one(design, eta, expected):
    bunch = make_uneven_views(30_000, eta, design=design, random_state=0)
    assert bayes_error(bunch, design, eta) == pytest.approx(expected, abs=0.008)


def test_uneven_views_shape_names_and_seed():
    bunch = make_uneven_views(41, 0.3, n_dims=3, random_state=5)
    assert bunch.data.shape == (41, 9)
    assert bunch.data.dtype == np.float64
    assert sorted(np.unique(bunch.target, return_counts=True)[1]) == [20, 21]
    assert bunch.views == {"major": slice(0, 3), "minor1": slice(3, 6), "minor2": slice(6, 9)}
    again = make_uneven_views(41, 0.3, n_dims=3, random_state=5)
    assert_array_equal(bunch.data, again.data)
    assert not np.array_equal(bunch.data, make_uneven_views(41, 0.3, n_dims=3, random_state=6).data)
    frame = make_uneven_views(41, 0.3, n_dims=3, random_state=5, as_frame=True)
    assert frame.data.columns.tolist()[2:4] == ["major__2", "minor1__0"]
    assert_array_equal(frame.data.to_numpy(), bunch.data)
    assert_array_equal(frame.target.to_numpy(), bunch.target)


def test_separation_and_box_are_lengths():
    far = make_uneven_views(4000, 0.0, separation=10, box=50, random_state=0)
    gap = far.data[far.target == 1, :2].mean(axis=0) - far.data[far.target == -1, :2].mean(axis=0)
    assert gap == pytest.approx([10, 0], abs=0.15)
    noise = far.data[:, 2:4][~far.sane[:, 1]]
    assert 48 < np.abs(noise).max() <= 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 1}, "n_samples=1"),
        ({"major_noise": 0.8}, "major_noise=0.8"),
        ({"major_noise": -0.1}, "major_noise=-0.1"),
        ({"design": "mixed"}, "design='mixed'"),
        ({"n_dims": 1}, "n_dims=1"),
        ({"box": 0}, "box=0"),
        ({"separation": -1}, "separation=-1"),
    ],
)
def test_uneven_views_names_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_uneven_views(**arguments)


def test_imbalanced_views_have_the_animals_shares():
    bunch = make_imbalanced_views(3915, random_state=0)
    assert_array_equal(np.bincount(bunch.target), ANIMAL_COUNTS)
    assert imbalance_ratio(bunch.target) == pytest.approx(5.83, abs=0.005)
    assert bunch.data.shape == (3915, 20)
    assert list(bunch.views) == ["view1", "view2", "view3", "view4"]


def test_each_view_knows_its_classes_only():
    bunch = make_imbalanced_views(60_000, class_shares=np.ones(6), random_state=3)
    for group, columns in zip(VIEW_GROUPS, bunch.views.values()):
        block = bunch.data[:, columns]
        distances = [np.linalg.norm(block[bunch.target == c].mean(axis=0)) for c in range(6)]
        expected = [2.0 if c in group else 0.0 for c in range(6)]
        assert distances == pytest.approx(expected, abs=0.08)
        assert block[bunch.target == 0].std(axis=0) == pytest.approx(np.ones(5), abs=0.05)


@given(st.lists(st.floats(0.001, 100), min_size=2, max_size=8), st.integers(0, 300))
def test_class_counts_are_whole_complete_and_never_zero(shares, more):
    n = len(shares) + more
    bunch = make_imbalanced_views(n, class_shares=shares, groups=[(0,)], n_dims=1, random_state=0)
    counts = np.bincount(bunch.target, minlength=len(shares))
    assert counts.sum() == n
    assert counts.min() >= 1
    exact = n * np.array(shares) / sum(shares)
    if exact.min() >= 1:
        assert np.abs(counts - exact).max() < 1


def test_leftover_rows_go_to_the_largest_remainders():
    bunch = make_imbalanced_views(8, class_shares=[4.9, 1.6, 1.5], groups=[(0,)], random_state=0)
    assert np.bincount(bunch.target).tolist() == [5, 2, 1]


def test_imbalanced_views_seed_and_frame():
    first, second = (make_imbalanced_views(50, random_state=9) for _ in range(2))
    assert_array_equal(first.data, second.data)
    frame = make_imbalanced_views(50, random_state=9, as_frame=True).data
    assert frame.columns[5] == "view2__0"
    assert_array_equal(frame.to_numpy(), first.data)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 5}, "n_samples=5"),
        ({"class_shares": [1, 0]}, r"class_shares=\[1.0, 0.0\]"),
        ({"groups": [(0, 6)]}, r"view 1 names \[6\]"),
        ({"groups": []}, "groups is empty"),
        ({"n_dims": 0}, "n_dims=0"),
    ],
)
def test_imbalanced_views_name_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_imbalanced_views(**arguments)


def test_balance_scale_is_the_full_factorial():
    bunch = make_balance_scale()
    assert len({tuple(row) for row in bunch.data}) == 625
    left, right = bunch.data[:, 0] * bunch.data[:, 1], bunch.data[:, 2] * bunch.data[:, 3]
    assert_array_equal(bunch.target == "L", left > right)
    assert_array_equal(bunch.target == "B", left == right)
    assert (bunch.target == "B").sum() == 49
    assert make_balance_scale(as_frame=True).data.columns[0] == "left_weight"
