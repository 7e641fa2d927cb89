"""A handful of worker threads for kernels that release the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from joblib import effective_n_jobs

__all__ = ["Workers", "workers"]


class Workers:
    """Run a kernel over consecutive slices of a range, in threads where that pays.

    The result of a kernel must not depend on how the range is cut: then it does not depend on
    the number of threads either.
    """

    def __init__(self, n_threads: int, pool: ThreadPoolExecutor | None) -> None:
        self.n_threads = n_threads
        self._pool = pool

    def over(self, size: int, kernel: Callable[..., Any], *args: Any, worth: bool = True) -> None:
        """Call ``kernel(*args, start, stop)`` so that the slices cover ``range(size)``.

        Parameters
        ----------
        size : int
            Length of the range.
        kernel : callable
            Releases the interpreter lock; writes its results into its arguments.
        *args : object
            Passed on to every call.
        worth : bool, default=True
            False runs everything in the calling thread: small work is faster that way.
        """
        if self._pool is None or not worth or size < 2:
            kernel(*args, 0, size)
            return
        cuts = [size * k // self.n_threads for k in range(self.n_threads + 1)]
        jobs = [self._pool.submit(kernel, *args, a, b) for a, b in pairwise(cuts[1:])]
        kernel(*args, cuts[0], cuts[1])
        for job in jobs:
            job.result()


@contextmanager
def workers(n_jobs: int | None) -> Iterator[Workers]:
    """Open worker threads, as many as scikit-learn's ``n_jobs`` convention says.

    Parameters
    ----------
    n_jobs : int or None
        None is one thread (or what an enclosing joblib context says), -1 is every core.

    Yields
    ------
    Workers

    Examples
    --------
    >>> import numpy as np
    >>> from uneven.threads import workers
    >>> out = np.zeros(5)
    >>> def fill(target, start, stop):
    ...     target[start:stop] = np.arange(start, stop)
    >>> with workers(2) as team:
    ...     team.over(5, fill, out)
    >>> out
    array([0., 1., 2., 3., 4.])
    """
    n_threads = effective_n_jobs(n_jobs)
    if n_threads == 1:
        yield Workers(1, None)
        return
    with ThreadPoolExecutor(n_threads - 1) as pool:
        yield Workers(n_threads, pool)
