"""Simulate: an expert made of labels answers the questions, and the learning curve is measured.

Hides the oracle, the clock and the bookkeeping of a run. Promises that the answers go through
`Session` exactly as a person's do, and that the strategy sees verdicts only, never a label.

Items are the unique ones: exact copies were collapsed by the reader, so a copy counts neither in
the questions nor in the figures. Items without a label are answered UNSURE and left out of the
figures; undecided items count as one heap.
"""

from __future__ import annotations

import hashlib
import math
import sys
import time
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine import metrics, strategies
from engine.errors import ParameterError, UsageError
from engine.job import Job
from engine.model import Pair, Question, Verdict
from engine.session import Session

Sets = Sequence[AbstractSet[str] | None]

RATER = "simulated"
"""Who gave the answers, as the log of a project says it."""


class Oracle:
    """An expert who knows the labels, perfectly or not.

    Parameters
    ----------
    labels
        int[n]; -1 = unknown.
    sets
        Where items may belong to several groups: which each belongs to, None = unknown. The
        expert then says whether two items have a group in common, and which.
    noise
        Chance in [0, 1] that the verdict on a pair is the wrong one.
    seed
        Which answers are wrong. The k-th answer about a pair is the same in whatever order the
        questions come; asked again, a pair is judged anew.

    Raises
    ------
    ParameterError
        When `noise` is no probability.
    """

    def __init__(
        self,
        labels: npt.ArrayLike,
        noise: float = 0.0,
        seed: int = 0,
        *,
        sets: Sets | None = None,
    ) -> None:
        if not 0.0 <= noise <= 1.0:
            raise ParameterError(f"noise must be between 0 and 1, not {noise:g}")
        self.labels = np.asarray(labels)
        self.sets = sets
        self._noise = noise
        self._seed = seed
        self._judged: Counter[Pair] = Counter()

    def judge(self, pair: Pair) -> Verdict:
        """Give the verdict on a pair; UNSURE when a label is unknown."""
        one, other = self.labels[pair.a], self.labels[pair.b]
        if one < 0 or other < 0:
            return Verdict.UNSURE
        same = bool(one == other)
        if self.sets is not None:
            same = bool(self._common(pair))
        if self._noise and self._chance(pair) < self._noise:
            same = not same
        self._judged[pair] += 1
        return Verdict.SAME if same else Verdict.DIFFERENT

    def which(self, question: Question, verdict: Verdict) -> tuple[int, ...]:
        """Say which of the groups that a question offers the two have in common."""
        if self.sets is None or verdict is not Verdict.SAME:
            return ()
        common = self._common(question.pair)
        return tuple(item for item in question.common if common & (self.sets[item] or set()))

    def _common(self, pair: Pair) -> AbstractSet[str]:
        known = self.sets or ()
        one, other = known[pair.a], known[pair.b]
        return (one or frozenset()) & (other or frozenset())

    def _chance(self, pair: Pair) -> float:
        """Draw a number in [0, 1) that belongs to the pair and how often it was judged before."""
        again = f":{self._judged[pair]}" if self._judged[pair] else ""
        text = f"{self._seed}:oracle:{pair.a}:{pair.b}{again}"
        drawn = hashlib.blake2b(text.encode(), digest_size=8).digest()
        return int.from_bytes(drawn, "little") / 2**64


@dataclass(frozen=True, slots=True)
class Curve:
    """What a simulated run gave.

    Attributes
    ----------
    strategy, version, seed, n, d
        What ran on what: `n` unique items with `d` features.
    budget, asked
        Questions allowed and asked; fewer when the strategy had nothing more to ask.
    groups
        Groups at the end.
    ari, nmi
        Agreement of the grouping with the labels after each question, `budget` values each; the
        last value is carried forward. Where items may belong to several groups every set counts
        as a group of its own.
    cri
        Where they may: the compositional Rand index after each question. Else empty.
    questions
        (a, b, verdict) in the order asked.
    waits
        Seconds from each answer to the next question.
    report
        What the strategy chose for the data, and what it approximated and how well.
    """

    strategy: str
    version: int
    seed: int
    n: int
    d: int
    budget: int
    asked: int
    groups: int
    ari: tuple[float, ...]
    nmi: tuple[float, ...]
    questions: tuple[tuple[int, int, str], ...]
    waits: tuple[float, ...]
    report: dict[str, object]
    cri: tuple[float, ...] = ()

    def wait(self, percent: float) -> float:
        """Give the seconds within which so many of a hundred questions came; 0 = none was asked."""
        return float(np.percentile(self.waits, percent)) if self.waits else 0.0

    def as_json(self, prepare: float, total: float) -> dict[str, object]:
        """Give the result as the command line writes it.

        Parameters
        ----------
        prepare
            Seconds until the first question: reading, features, first pick.
        total
            Seconds of the whole run.
        """
        return {
            "strategy": self.strategy,
            "version": self.version,
            "seed": self.seed,
            "n": self.n,
            "d": self.d,
            "budget": self.budget,
            "asked": self.asked,
            "groups": self.groups,
            "ari": [round(value, 6) for value in self.ari],
            "nmi": [round(value, 6) for value in self.nmi],
            **({"cri": [round(value, 6) for value in self.cri]} if self.cri else {}),
            "report": self.report,
            "questions": [list(question) for question in self.questions],
            "seconds": {
                "prepare": round(prepare, 4),
                "ask_p50": round(self.wait(50), 6),
                "ask_p95": round(self.wait(95), 6),
                "total": round(total, 4),
            },
            "peak_rss_mb": round(peak_rss_mb(), 1),
        }


def simulate(session: Session, oracle: Oracle, budget: int, job: Job) -> Curve:
    """Let an oracle answer up to `budget` questions.

    Parameters
    ----------
    session
        With a project each answer is committed to it, one by one, like a person's.
    oracle
        Its labels are also what the grouping is measured against. It has `sets` where the session
        asks whether items have a group in common.

    Raises
    ------
    Cancelled
        When stopped; the answers given so far stay in the project.
    """
    if session.shares != (oracle.sets is not None):
        raise UsageError("the expert must be asked what it knows: one group of each item, or all")
    session.job = job
    known = np.flatnonzero(oracle.labels >= 0)
    truth = oracle.labels[known]

    def measured() -> tuple[float, float, float]:
        labels = session.clustering.labels[known]
        return (
            metrics.adjusted_rand_index(truth, labels),
            metrics.normalized_mutual_information(truth, labels),
            math.nan if oracle.sets is None else sets_agreement(oracle.sets, session.item_sets),
        )

    scores: list[tuple[float, float, float]] = []
    questions: list[tuple[int, int, str]] = []
    waits: list[float] = []
    while len(questions) < budget and (question := session.ask()) is not None:
        job.step(len(questions), budget, "Asking the simulated expert")
        verdict = oracle.judge(question.pair)
        started = time.perf_counter()
        common = oracle.which(question, verdict)
        session.tell(question.pair, verdict, rater=RATER, common=common)
        session.ask()
        waits.append(time.perf_counter() - started)
        questions.append((*question.pair, verdict.value))
        scores.append(measured())
    scores += [scores[-1] if scores else measured()] * (budget - len(scores))
    strategy = session.approach.strategy
    return Curve(
        strategy=strategy,
        version=strategies.REGISTRY[strategy].version,
        seed=session.problem.seed,
        n=session.problem.n,
        d=session.problem.d,
        budget=budget,
        asked=len(questions),
        groups=session.groups,
        ari=tuple(ari for ari, _, _ in scores),
        nmi=tuple(nmi for _, nmi, _ in scores),
        cri=tuple(cri for _, _, cri in scores) if session.shares else (),
        questions=tuple(questions),
        waits=tuple(waits),
        report=session.report(),
    )


def sets_agreement(truth: Sets, found: Sequence[Sequence[int]]) -> float:
    """Measure sets of groups by the compositional Rand index, on the items whose sets are known.

    Items in no group, set aside, are left out.
    """
    known = [at for at, one in enumerate(truth) if one is not None and found[at]]
    return metrics.compositional_rand_index(
        [truth[at] or () for at in known], [found[at] for at in known]
    )


def peak_rss_mb() -> float:
    """Give the most memory that this process has held so far, in MiB."""
    if sys.platform == "win32":
        return _peak_on_windows()
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)  # bytes there, KiB elsewhere


def _peak_on_windows() -> float:
    """Ask Windows for the peak working set (PROCESS_MEMORY_COUNTERS of psapi.h)."""
    import ctypes

    class Counters(ctypes.Structure):
        _fields_ = [
            ("cb", ctypes.c_uint32),
            ("page_faults", ctypes.c_uint32),
            ("peak_working_set", ctypes.c_size_t),
            ("others", ctypes.c_size_t * 7),
        ]

    counters = Counters()
    counters.cb = ctypes.sizeof(counters)
    kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    kernel.K32GetProcessMemoryInfo.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)
    kernel.K32GetProcessMemoryInfo(kernel.GetCurrentProcess(), ctypes.byref(counters), counters.cb)
    return float(counters.peak_working_set / 2**20)
