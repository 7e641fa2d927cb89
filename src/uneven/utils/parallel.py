"""Threads for compiled loops that release the interpreter lock, and workers for whole fits."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from threading import Thread
from typing import Any, TypeVar

from joblib import cpu_count, effective_n_jobs, parallel_config
from threadpoolctl import ThreadpoolController

_Result = TypeVar("_Result")


class ThreadPool:
    """Run a loop over consecutive slices of a range, in threads where that helps.

    The result of a loop must not depend on how the range is cut: then it does not depend on
    the number of threads either.
    """

    def __init__(self, n_threads: int = 1, executor: ThreadPoolExecutor | None = None) -> None:
        self.n_threads = n_threads
        self._executor = executor
        self._parts: list[ThreadPoolExecutor] = []

    def split(self, n_parts: int) -> list[ThreadPool]:
        """Share the threads among jobs that :meth:`map` runs at the same time.

        A job must not use this pool itself: it would wait for a thread that waits for it.

        Parameters
        ----------
        n_parts : int

        Returns
        -------
        list of ThreadPool
            One pool per job; this one if there is only one job.
        """
        if n_parts == 1:
            return [self]
        n_threads = max(1, self.n_threads // n_parts)
        parts = []
        for _ in range(n_parts):
            executor = ThreadPoolExecutor(n_threads - 1) if n_threads > 1 else None
            self._parts += [] if executor is None else [executor]
            parts.append(ThreadPool(n_threads, executor))
        return parts

    def map(self, jobs: Sequence[Callable[[], _Result]], worth: bool = True) -> list[_Result]:
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
        if self._executor is None or not worth or len(jobs) < 2:
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

        futures = [self._executor.submit(work) for _ in range(min(self.n_threads, len(jobs)) - 1)]
        try:
            work()
            for future in futures:
                future.result()
        finally:
            waiting.clear()
        return [results[number] for number in range(len(jobs))]

    def close(self) -> None:
        """End the threads that :meth:`split` started."""
        for executor in self._parts:
            executor.shutdown()

    def parallel_for(
        self, size: int, loop: Callable[..., Any], *args: Any, worth: bool = True
    ) -> None:
        """Call ``loop(*args, start, stop)`` so that the slices cover ``range(size)``.

        Parameters
        ----------
        size : int
            Length of the range.
        loop : callable
            Releases the interpreter lock; writes its results into its arguments.
        *args : object
            Passed on to every call.
        worth : bool, default=True
            False runs everything in the calling thread: small work is faster that way.
        """
        if self._executor is None or not worth or size < 2:
            loop(*args, 0, size)
            return
        cuts = [size * k // self.n_threads for k in range(self.n_threads + 1)]
        jobs = [self._executor.submit(loop, *args, a, b) for a, b in pairwise(cuts[1:])]
        loop(*args, cuts[0], cuts[1])
        for job in jobs:
            job.result()


@contextmanager
def thread_pool(n_jobs: int | None) -> Iterator[ThreadPool]:
    """Open worker threads, as many as scikit-learn's ``n_jobs`` convention says.

    Parameters
    ----------
    n_jobs : int or None
        None is one thread (or what an enclosing joblib context says), -1 is every core.

    Examples
    --------
    >>> import numpy as np
    >>> from uneven.utils.parallel import thread_pool
    >>> out = np.zeros(5)
    >>> def fill(target, start, stop):
    ...     target[start:stop] = np.arange(start, stop)
    >>> with thread_pool(2) as pool:
    ...     pool.parallel_for(5, fill, out)
    >>> out
    array([0., 1., 2., 3., 4.])
    """
    n_threads = capped_jobs(effective_n_jobs(n_jobs)) or 1
    if n_threads == 1:
        yield ThreadPool()
        return
    with ThreadPoolExecutor(n_threads - 1) as executor:
        pool = ThreadPool(n_threads, executor)
        try:
            yield pool
        finally:
            pool.close()


def capped_jobs(n_jobs: int | None, n_tasks: int | None = None) -> int | None:
    """No more workers than tasks and processors; None, which a joblib backend decides, stays.

    Examples
    --------
    >>> capped_jobs(1000, 1)
    1
    """
    if n_jobs is None:
        return None
    most = cpu_count() if n_tasks is None else min(n_tasks, cpu_count())
    return max(1, min(effective_n_jobs(n_jobs), most))


def in_worker(parent: int, function: Callable[..., _Result], *args: Any) -> _Result:
    """Call a function in a worker process that ends when the process that wants the result does.

    Parameters
    ----------
    parent : int
        Number of the process that wants the result.
    function : callable
    *args : object

    Examples
    --------
    >>> in_worker(os.getpid(), max, 1, 2)
    2
    """
    if os.getppid() == parent:
        _follow(parent)
    return function(*args)


@cache
def _follow(parent: int) -> None:
    """Let a thread end this process once its parent is gone."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


@contextmanager
def cluster_workers() -> Iterator[bool]:
    """Let joblib hand tasks to the workers of a Dask cluster, if this process has a client.

    Joblib's Dask backend is chosen for the tasks inside of the context; a task of such
    a cluster already stays where it is.

    Yields
    ------
    bool
        Whether there is a cluster.

    Examples
    --------
    >>> with cluster_workers() as there:
    ...     print(there)
    False
    """
    if not _has_client():
        yield False
        return
    with parallel_config("dask"):
        yield True


def _has_client() -> bool:
    """Whether this process is the client of a Dask cluster; Dask is not loaded to find out."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        distributed.get_worker()
    except ValueError:
        pass
    else:
        return False
    try:
        return bool(distributed.default_client().nthreads())
    except (ValueError, OSError):  # there is no client, or its cluster is gone
        return False


def one_blas_thread() -> Any:
    """Context in which linear algebra takes one thread, so that results do not follow the machine.

    On small arrays that is faster, too. ``restore_original_limits()`` ends it.
    """
    return _controller().limit(limits=1, user_api="blas")


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
