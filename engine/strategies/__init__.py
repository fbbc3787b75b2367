"""Active strategies: each decides what to ask next. One file per strategy, named in `REGISTRY`.

A strategy is written as the loop of its paper: `verdict = yield query`. `Session` turns the
generator into ask/tell.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar, Protocol

from engine.job import Job
from engine.model import Clustering, Query, Verdict
from engine.problem import Problem

Run = Generator[Query, Verdict, None]


class Strategy(Protocol):
    """What every active strategy offers.

    Attributes
    ----------
    name
        Registry name, part of the command line's contract.
    version
        Rises whenever picks may change.
    Params
        Frozen dataclass of parameters with defaults; field metadata `help` explains each.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    Params: ClassVar[type[Any]]

    def __init__(self, params: Any) -> None: ...

    def run(self, problem: Problem, job: Job) -> Run:
        """Yield the queries to be answered, one after the other; return when nothing is left.

        Must survive UNSURE anywhere, be deterministic given problem and verdicts, never yield a
        pair twice, and call `job.step` at least every 50 ms of work.
        """
        ...

    def clustering(self) -> Clustering:
        """Give the best guess at any pause of `run`; asks nothing."""
        ...
