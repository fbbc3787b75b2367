"""What answers add where items belong to several groups: CRI after some answers.

    python -m tests.benchmark.sharing [--set groups=5 ...] [--answers 25 50 100] [--seeds 3]
        [--files P.npz ...]

The expert knows the true sets, and says of a pair whether they have a group in common, and which
where it is asked. Planted sets
have noise and few features, so that sets are confused. A file has `X` float[n, p] and `y`, text or
numbers of the form "a+b". Also told: how many of the expert's answers are not explained at the end,
and the longest wait and the seconds to replay all answers from nothing.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.answers import AnswerLog
from engine.metrics import compositional_rand_index
from engine.model import Pair, Question, Verdict
from engine.problem import Problem
from engine.session import Session
from tests.unit.planted import planted

Sets = Sequence[tuple[object, ...]]
PLANTED = (
    # groups, degree, composed by, more noise, features, items of each set
    (5, 2, "sum", 0.2, 10, 20),
    (5, 2, "max", 0.2, 10, 20),
    (5, 2, "max", 0.3, 10, 20),
    (5, 2, "sum", 0.3, 20, 20),
    (6, 3, "max", 0.2, 20, 20),
    (5, 2, "max", 0.2, 10, 67),
)


def noisy(case: tuple[int, int, str, float, int, int], seed: int) -> tuple[np.ndarray, Sets]:
    """Plant sets, and blur them."""
    k, degree, compose, noise, p, each = case
    points, truth = planted(k, degree, compose, seed, each=each, p=p)
    return points + noise * np.random.default_rng(100 + seed).normal(size=points.shape), truth


def curve(
    points: np.ndarray, truth: Sets, params: dict[str, str], marks: Sequence[int], seed: int
) -> tuple[list[float], int, float, float]:
    """Give CRI at the marks, answers not explained at the end, longest wait, seconds of replay."""
    live = Session(Problem(points, seed), "composing", params)
    scores, wait = [], 0.0
    for answered in range(max(marks) + 1):
        if answered in marks:
            composed = live.snapshot().overview.memberships
            assert composed is not None
            sets = [composed.sets[at] for at in composed.chosen]
            scores.append(compositional_rand_index(truth, sets))
        question = live.ask()
        if question is None or answered == max(marks):
            continue
        started = time.perf_counter()
        verdict = shares(truth, question.pair)
        live.tell(question.pair, verdict, common=which(truth, question))
        live.ask()
        wait = max(wait, time.perf_counter() - started)
    broken = len(live.snapshot().overruled)
    started = time.perf_counter()
    fresh = Problem(points, seed)
    Session(fresh, "composing", params)
    first = time.perf_counter() - started
    started = time.perf_counter()
    # the groups without answers are kept in the project
    again = Problem(points, seed)
    Session(again, "composing", params, log=AnswerLog(live.log.events))
    return scores, broken, wait, max(0.0, time.perf_counter() - started - first)


def shares(truth: Sets, pair: Pair) -> Verdict:
    """Answer as an expert who never errs."""
    apart = set(truth[pair.a]).isdisjoint(truth[pair.b])
    return Verdict.DIFFERENT if apart else Verdict.SAME


def which(truth: Sets, question: Question) -> list[int]:
    """Say which of the groups offered the two have in common."""
    common = set(truth[question.pair.a]) & set(truth[question.pair.b])
    return [item for item in question.common if common & set(truth[item])] if common else []


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line per data set, the mean of all seeds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE")
    parser.add_argument("--answers", nargs="*", type=int, default=[25, 50, 100])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--files", nargs="*", type=Path, default=[])
    given = parser.parse_args(arguments)
    params = dict(one.split("=", 1) for one in given.set)
    marks = [0, *given.answers]
    sys.stdout.write(f"{'data':34} {'CRI after ' + str(marks):44} unexplained  wait  replay\n")

    def tell(name: str, rows: list[tuple[list[float], int, float, float]]) -> None:
        scores = " ".join(f"{score:.3f}" for score in np.mean([row[0] for row in rows], axis=0))
        broken, wait, replay = np.mean([row[1:] for row in rows], axis=0)
        sys.stdout.write(f"{name:34} {scores:44} {broken:11.1f} {wait:5.2f} {replay:7.2f}\n")
        sys.stdout.flush()

    for case in PLANTED if not given.files else ():
        own = {"compose": case[2], "degree": str(case[1]), **params}
        tell(
            str(case),
            [curve(*noisy(case, seed), own, marks, seed) for seed in range(given.seeds)],
        )
    for path in given.files:
        with np.load(path, allow_pickle=False) as data:
            points = data["X"]
            truth = [tuple(str(label).split("+")) for label in data["y"]]
        tell(path.stem, [curve(points, truth, params, marks, s) for s in range(given.seeds)])


if __name__ == "__main__":
    main()
