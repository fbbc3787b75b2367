"""Work that cannot be interrupted, done on threads while the job stays alive.

Hidden: decoders and libraries that run for seconds without a chance to step. Promised: the caller
steps every 30 ms, a stop is heard at once, and results come in the order of what was asked for.
After a stop the work under way ends by itself and its result is dropped.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

from engine.job import Job

S = TypeVar("S")
T = TypeVar("T")

_PATIENCE = 0.03  # seconds between steps
_MOST_THREADS = 4  # each may hold a whole decoded picture
_AHEAD = 16  # pieces of work begun beyond the one waited for, per thread


def patiently(work: Callable[[], T], job: Job, text: str) -> T:
    """Do one piece of work and return its result."""
    pool = ThreadPoolExecutor(1, thread_name_prefix="pairloom-reading")
    try:
        result = pool.submit(work)
        while not wait((result,), _PATIENCE).done:
            job.step(0, 0, text)
        return result.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def in_order(
    work: Callable[[S], T], things: Sequence[S], job: Job, text: str
) -> Iterator[tuple[S, T]]:
    """Do the same work for many things; yield each with its result. One core is left free."""
    n_threads = min(_MOST_THREADS, max(1, (os.cpu_count() or 2) - 1))
    pool = ThreadPoolExecutor(n_threads, thread_name_prefix="pairloom-reading")
    under_way: deque[Future[T]] = deque()
    todo = iter(things)
    try:
        for done, thing in enumerate(things):
            for following in todo:
                under_way.append(pool.submit(work, following))
                if len(under_way) > n_threads * _AHEAD:
                    break
            result = under_way.popleft()
            job.step(done, len(things), text)
            while not result.done():
                wait((result,), _PATIENCE)
                job.step(done, len(things), text)
            yield thing, result.result()
        job.step(len(things), len(things), text)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
