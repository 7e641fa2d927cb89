"""A handful of worker threads for kernels that release the interpreter lock."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, TypeVar

from joblib import effective_n_jobs

__all__ = ["Workers", "workers"]

_Result = TypeVar("_Result")


class Workers:
    """Run a kernel over consecutive slices of a range, in threads where that pays.

    The result of a kernel must not depend on how the range is cut: then it does not depend on
    the number of threads either.
    """

    def __init__(self, n_threads: int, pool: ThreadPoolExecutor | None) -> None:
        self.n_threads = n_threads
        self._pool = pool
        self._parts: list[ThreadPoolExecutor] = []

    def split(self, n_parts: int) -> list[Workers]:
        """Share the threads among jobs that :meth:`each` runs at the same time.

        A job must not use this team itself: it would wait for a thread that waits for it.

        Parameters
        ----------
        n_parts : int

        Returns
        -------
        list of Workers
            One team per job; this one if there is only one job.
        """
        if n_parts == 1:
            return [self]
        n_threads = max(1, self.n_threads // n_parts)
        parts = []
        for _ in range(n_parts):
            pool = ThreadPoolExecutor(n_threads - 1) if n_threads > 1 else None
            self._parts += [] if pool is None else [pool]
            parts.append(Workers(n_threads, pool))
        return parts

    def each(self, jobs: Sequence[Callable[[], _Result]], worth: bool = True) -> list[_Result]:
        """Run independent jobs, each thread taking the next one when it is free.

        Parameters
        ----------
        jobs : sequence of callable
        worth : bool, default=True
            False runs everything in the calling thread.

        Returns
        -------
        list
            What the jobs returned, in their order.
        """
        if self._pool is None or not worth or len(jobs) < 2:
            return [job() for job in jobs]
        waiting = deque(enumerate(jobs))
        results: dict[int, _Result] = {}

        def work() -> None:
            while waiting:
                try:
                    number, job = waiting.popleft()
                except IndexError:
                    return
                results[number] = job()

        futures = [self._pool.submit(work) for _ in range(min(self.n_threads, len(jobs)) - 1)]
        try:
            work()
            for future in futures:
                future.result()
        finally:
            waiting.clear()
        return [results[number] for number in range(len(jobs))]

    def close(self) -> None:
        """End the threads that :meth:`split` started."""
        for pool in self._parts:
            pool.shutdown()

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
    >>> from uneven.utils.parallel import workers
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
        team = Workers(n_threads, pool)
        try:
            yield team
        finally:
            team.close()
