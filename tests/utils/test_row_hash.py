"""Hashes of rows and draws by them, against a slow twin."""

import struct

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from uneven.utils.parallel import thread_pool
from uneven.utils.row_hash import draw_lots, row_hashes, row_keys, smallest_lots

WORD = 2**64
VALUES = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, np.nan, -np.nan, 1e300, 5e-324]) | st.floats()
TABLES = arrays(np.float64, st.tuples(st.integers(0, 6), st.integers(0, 4)), elements=VALUES)


def mix(word):
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
    return word ^ (word >> 31)


def slow_hash(row, exact):
    total = 0x9E3779B97F4A7C15
    for column, value in enumerate(row):
        if value != 0.0:
            (bits,) = struct.unpack("<Q", struct.pack("<d", value))
            bits = 0x7FF8000000000000 if np.isnan(value) else bits
            bits = bits if exact else (bits + 2**19) // 2**20
            total += mix(bits ^ mix(0x9E3779B97F4A7C15 * (column + 1) % WORD))
    return mix(total % WORD)


@given(TABLES, st.booleans())
def test_hashes_are_those_of_the_twin(X, exact):
    expected = np.array([slow_hash(row, exact) for row in X.tolist()], dtype=np.uint64)
    for table in (X, np.asfortranarray(X), sp.csr_array(X), sp.csc_array(X), sp.coo_array(X)):
        assert np.array_equal(row_hashes(table, exact=exact), expected)


def test_equal_numbers_have_equal_hashes_however_they_are_stored():
    X = np.random.RandomState(0).randint(-3, 4, size=(700, 5)).astype(float)
    expected = row_hashes(X)
    for dtype in (np.float32, np.int64, np.int8):
        assert np.array_equal(row_hashes(X.astype(dtype)), expected)
    stored_zeros = sp.csr_array(
        (X.ravel(), np.tile(np.arange(5), 700), np.arange(0, 3501, 5)), shape=X.shape
    )
    assert np.array_equal(row_hashes(stored_zeros), expected)
    halves = sp.coo_array(
        (np.repeat(X.ravel() / 2, 2), np.repeat(np.indices(X.shape).reshape(2, -1), 2, 1))
    )
    assert np.array_equal(row_hashes(halves), expected)


def test_the_last_digits_of_a_number_count_only_if_they_shall():
    X = np.random.RandomState(0).randint(1, 9, size=(500, 4)) / 10.0
    noisy = np.nextafter(X, np.inf)
    assert np.array_equal(row_hashes(noisy), row_hashes(X))
    assert not np.any(row_hashes(noisy, exact=True) == row_hashes(X, exact=True))


def test_threads_and_slices_do_not_matter():
    X = np.random.RandomState(0).randn(30_000, 20)
    with thread_pool(3) as pool:
        assert np.array_equal(row_hashes(X, pool), row_hashes(X))
    assert np.array_equal(row_hashes(X[1000:]), row_hashes(X)[1000:])


def test_different_rows_have_different_hashes():
    grid = np.stack(np.meshgrid(*[np.arange(12.0)] * 4), axis=-1).reshape(-1, 4)
    hashes = row_hashes(grid)
    assert len(np.unique(hashes)) == len(grid)
    bits = (hashes[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.02


@given(st.lists(st.integers(0, 3), max_size=12), st.randoms(use_true_random=False))
def test_keys_depend_on_the_rows_and_not_on_their_order(numbers, random):
    hashes = row_hashes(np.array(numbers, dtype=float)[:, None])
    labels = np.array([random.randrange(2) for _ in numbers], dtype=int)
    order = list(range(len(numbers)))
    random.shuffle(order)
    keys, shuffled = row_keys(hashes, labels), row_keys(hashes[order], labels[order])
    assert len(np.unique(keys)) == len(keys)
    there = set(zip(keys.tolist(), hashes.tolist(), labels.tolist()))
    assert there == set(zip(shuffled.tolist(), hashes[order].tolist(), labels[order].tolist()))


def test_lots_are_those_of_the_twin_and_spread_evenly():
    keys = np.arange(20_000, dtype=np.uint64)
    for seed in (0, 1, 2**31 - 2):
        lots = draw_lots(keys, seed)
        key = mix(0x9E3779B97F4A7C15 * (seed + 1) % WORD)
        assert lots[:50].tolist() == [mix(k ^ key) for k in range(50)]
        shares = np.bincount((lots >> np.uint64(60)).astype(int), minlength=16) / len(keys)
        assert np.abs(shares - 1 / 16).max() < 0.01
    both = smallest_lots(draw_lots(keys, 5), 10_000) & smallest_lots(draw_lots(keys, 6), 10_000)
    assert abs(both.mean() - 0.25) < 0.01


@pytest.mark.parametrize("size", [1, 3, 5, 9])
def test_as_many_rows_are_drawn_as_were_asked_for(size):
    lots = np.array([4, 1, 1, 7, 1], dtype=np.uint64)
    drawn = smallest_lots(lots, size)
    assert sorted(lots[drawn].tolist()) == sorted(lots.tolist())[:size]
