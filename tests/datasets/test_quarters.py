"""Images cut into four views."""

import numpy as np
import pytest

from uneven.datasets import image_quarters
from uneven.views import resolve_views


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (28, 28)])
def test_quarters_divide_the_image(shape):
    images = np.arange(2 * shape[0] * shape[1]).reshape(2, *shape)
    X, views = image_quarters(images)
    np.testing.assert_array_equal(X, images.reshape(2, -1))
    taken = np.sort(np.concatenate(list(views.values())))
    np.testing.assert_array_equal(taken, np.arange(X.shape[1]))
    middle, centre = shape[0] // 2, shape[1] // 2
    top_right = images[0, :middle, centre:].ravel()
    np.testing.assert_array_equal(X[0, views["top_right"]], top_right)
    np.testing.assert_array_equal(X[0, views["bottom_left"]], images[0, middle:, :centre].ravel())
    assert resolve_views(views, n_features=X.shape[1]).names == tuple(views)


def test_overlapping_windows_share_the_centre():
    images = np.random.default_rng(0).random((1, 28, 28))
    X, views = image_quarters(images, overlap=True)
    for name, (down, across) in {"top_left": (4, 4), "bottom_right": (10, 10)}.items():
        window = images[0, down : down + 14, across : across + 14].ravel()
        np.testing.assert_array_equal(X[0, views[name]], window)
    assert {len(columns) for columns in views.values()} == {196}


@pytest.mark.parametrize("shape", [(4, 16), (2, 1, 5)])
def test_what_is_no_stack_of_images(shape):
    with pytest.raises(ValueError, match="must have shape"):
        image_quarters(np.zeros(shape))
