"""Grouping: how long methods that ask nothing take, and how much memory, the more items there are.

    python -m tests.benchmark.grouping --methods rcc rcc-dr --sizes 5000 10000 20000 -o OUT

Hides the processes. Promises that every figure comes from a process of its own (memory is that
run's own), and that what is done is told as it is done, so that a run cut short has its figures.
The data are tangled, the hard case: see `tests.benchmark.synthetic`. The AMI is against the classes
they were made from.

Written into OUT: grouping.json (also after each run). Exit status: 0 done, 1 a process failed, 2
wrong input, 130 interrupted.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from pathlib import Path

from engine import clusterers
from engine.cli.arguments import setting
from engine.constraints import Constraints
from engine.errors import EngineError
from engine.job import Job
from engine.metrics import adjusted_mutual_information
from engine.outfile import check_output, write_json
from engine.problem import Problem
from tests.benchmark.growth import exponent, peak_memory
from tests.benchmark.synthetic import tangled


@dataclass(frozen=True)
class Task:
    """One process: which method, on what."""

    method: str
    params: dict[str, str]
    n: int
    d: int
    seed: int


@dataclass(frozen=True)
class Figures:
    """What was measured.

    Attributes
    ----------
    wall, cpu
        Seconds of the clock, and of work.
    peak
        Most memory held, in MB; `above` without the imports and what came before the method.
    unstopped
        The longest time without a chance to stop, in ms of work.
    """

    wall: float
    cpu: float
    peak: float
    above: float
    unstopped: float
    groups: int
    ami: float
    rounds: int


class _Watch(Job):
    """Notes the longest time between two steps."""

    __slots__ = ("last", "longest")

    def __init__(self) -> None:
        super().__init__()
        self.last = time.process_time()
        self.longest = 0.0

    def step(self, done: int = 0, total: int = 0, text: str = "") -> None:
        now = time.process_time()
        self.longest = max(self.longest, now - self.last)
        self.last = now
        super().step(done, total, text)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and tell what was found; see the module for the exit status."""
    arguments = _parser().parse_args(argv)
    try:
        return _measure(arguments)
    except (EngineError, OSError) as error:
        sys.stderr.write(f"grouping: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("grouping: interrupted\n")
        return 130


def _measure(arguments: argparse.Namespace) -> int:
    params = dict(arguments.set)
    for name in arguments.methods:
        clusterers.make(name, params)
    arguments.output.mkdir(parents=True, exist_ok=True)
    target = arguments.output / "grouping.json"
    check_output(target)
    runs: list[dict[str, object]] = []
    failed = False
    for name in arguments.methods:
        work: dict[int, float] = {}
        for n in sorted(arguments.sizes):
            task = Task(name, params, n, arguments.columns, arguments.seed)
            context = multiprocessing.get_context("spawn")  # nothing of this one's memory
            try:
                with ProcessPoolExecutor(1, mp_context=context) as pool:
                    figures = pool.submit(carry_out, task).result()
            except (BrokenProcessPool, MemoryError) as error:
                _tell(f"{name}, {n} x {task.d}: FAILED: {error!r}")
                failed = True
                continue
            work[n] = figures.cpu
            runs.append({**asdict(task), **asdict(figures)})
            write_json(target, {"runs": runs})
            told = ", ".join(f"{key} {value:.4g}" for key, value in asdict(figures).items())
            _tell(f"{name}, {n} x {task.d}: {told}")
        if len(work) > 1:
            _tell(f"{name}: work grows as n^{exponent(list(work), list(work.values())):.2f}")
    return 1 if failed else 0


def carry_out(task: Task) -> Figures:
    """Measure one run in this process, which should be a fresh one."""
    importlib.import_module("torch")
    points, truth = tangled(task.n, task.d, task.seed)
    problem = Problem(points, task.seed)
    method = clusterers.make(task.method, task.params)
    before = peak_memory()
    job = _Watch()
    wall, cpu = time.perf_counter(), time.process_time()
    found = method.cluster(problem, Constraints(), job)
    job.step()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = peak_memory()
    trace = method.report().get("trace", [])
    return Figures(
        wall=wall,
        cpu=cpu,
        peak=peak,
        above=peak - before,
        unstopped=1000 * job.longest,
        groups=found.n_groups,
        ami=adjusted_mutual_information(truth, found.labels),
        rounds=len(trace) if isinstance(trace, list) else 0,
    )


def _tell(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmark.grouping",
        description="Measure time and memory of methods that ask nothing, and how they grow.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    usual = [5000, 10000, 20000, 40000, 70000]
    add("--methods", nargs="+", default=["rcc", "rcc-dr"], metavar="NAME", help="[rcc rcc-dr]")
    add("--set", nargs="+", type=setting, default=[], metavar="K=V", help="their parameters")
    add("--sizes", nargs="+", type=int, default=usual, metavar="N", help="items [5k to 70k]")
    add("--columns", type=int, default=64, metavar="D", help="[64]")
    add("--seed", type=int, default=0, metavar="N", help="[0]")
    add("-o", "--output", type=Path, required=True, metavar="OUT", help="folder of the results")
    return parser


if __name__ == "__main__":
    sys.exit(main())
