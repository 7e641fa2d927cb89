"""Worker threads: jobs in order, failures that end the rest, pools within pools."""

import threading
import time

import numpy as np
import pytest

from uneven.utils.parallel import ThreadPool, thread_pool


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_results_come_in_the_order_of_the_jobs(n_jobs):
    def job(number):
        time.sleep(0.002 * (7 - number))
        return number

    with thread_pool(n_jobs) as pool:
        assert pool.map([lambda k=k: job(k) for k in range(7)]) == list(range(7))


def test_jobs_run_at_the_same_time():
    meeting = threading.Barrier(2, timeout=10)
    with thread_pool(2) as pool:
        assert len(pool.map([meeting.wait, meeting.wait])) == 2


def test_small_work_stays_in_the_calling_thread():
    with thread_pool(4) as pool:
        found = pool.map([threading.get_ident] * 6, worth=False)
    assert set(found) == {threading.get_ident()}


@pytest.mark.parametrize("failing", [0, 3])
def test_a_failure_is_raised_and_ends_the_waiting_jobs(failing):
    done = []

    def job(number):
        if number == failing:
            raise ZeroDivisionError(f"job {number}")
        time.sleep(0.01)
        done.append(number)

    with thread_pool(2) as pool, pytest.raises(ZeroDivisionError, match=f"job {failing}"):
        pool.map([lambda k=k: job(k) for k in range(200)])
    assert len(done) < 200


def test_parts_of_a_team_work_inside_its_jobs():
    def fill(target, start, stop):
        target[start:stop] = np.arange(start, stop)

    with thread_pool(8) as pool:
        parts = pool.split(3)
        assert [part.n_threads for part in parts] == [2, 2, 2]
        targets = [np.zeros(50) for _ in parts]

        def job(part, target):
            part.parallel_for(50, fill, target)
            return target.sum()

        jobs = [lambda p=p, t=t: job(p, t) for p, t in zip(parts, targets)]
        assert pool.map(jobs) == [1225.0] * 3
        before = threading.active_count()
        assert before > 4
    assert threading.active_count() < before


def test_a_single_part_is_the_team_itself():
    pool = ThreadPool()
    assert pool.split(1) == [pool]
