"""Growth: how long a person waits, and how much memory it takes, the more items there are.

    python -m tests.benchmark.growth [DATA] --sizes 5000 10000 20000 -o OUT

Hides the processes. Promises that every figure comes from a process of its own that did nothing
else (memory is that size's own), with as many threads as the environment says. For the data see
`tests.benchmark.synthetic`.

Written into OUT: growth.json and table.md (also printed). Exit status: 0 done, 1 a process failed,
2 wrong input, 130 interrupted.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine import strategies
from engine.cli.arguments import setting
from engine.errors import EngineError
from engine.job import Job
from engine.model import Verdict
from engine.outfile import check_output, write_json
from engine.problem import Problem
from engine.session import Session
from engine.study import Study
from tests.benchmark.synthetic import chosen, make_data

Figures = dict[str, float]
_Clock = Callable[[], float]

_CLOCKS: dict[str, _Clock] = {"wall": time.perf_counter, "cpu": time.process_time}
_LOOKS = 40  # undone, or looked at again, for each figure of these
_PLAIN, _AHEAD, _WHOLE = "without look-ahead", "with look-ahead", "the whole way"
_COLUMNS = (  # of the table: heading, way, figure, decimals
    ("first question s", _PLAIN, "first", 1),
    ("p50 ms", _PLAIN, "question_p50", 0),
    ("p95 ms", _PLAIN, "question_p95", 0),
    ("max ms", _PLAIN, "question_max", 0),
    ("ahead: p50 ms", _AHEAD, "question_p50", 1),
    ("p95 ms", _AHEAD, "question_p95", 1),
    ("max ms", _AHEAD, "question_max", 1),
    ("prepared p95 ms", _AHEAD, "ahead_p95", 0),
    ("undo p95 ms", _PLAIN, "undo_p95", 0),
    ("look back p95 ms", _PLAIN, "at_p95", 0),
    ("go to p95 ms", _PLAIN, "go_to_p95", 0),
    ("both, forgotten", _PLAIN, "forgotten_p95", 0),
    ("peak MB", _AHEAD, "peak", 0),
    ("above imports", _AHEAD, "above", 0),
    ("app: to first pair s", _WHOLE, "total", 1),
    ("peak MB", _WHOLE, "peak", 0),
)


@dataclass(frozen=True)
class Task:
    """One process: what it measures, on what."""

    way: str
    n: int
    d: int
    data: Path | None
    questions: int
    strategy: str
    params: dict[str, str]
    seed: int
    clock: str


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and tell what was found; see the module for the exit status."""
    arguments = _parser().parse_args(argv)
    try:
        return _measure(arguments)
    except EngineError as error:
        sys.stderr.write(f"growth: {error.message} {error.hint}".rstrip() + "\n")
        return 2
    except OSError as error:
        sys.stderr.write(f"growth: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("growth: interrupted\n")
        return 130


def _measure(arguments: argparse.Namespace) -> int:
    params = dict(arguments.set)
    strategies.make(arguments.strategy, params)
    data = None if arguments.data is None else chosen(arguments.data)
    arguments.output.mkdir(parents=True, exist_ok=True)
    check_output(arguments.output / "growth.json")
    ways = [_PLAIN, _AHEAD, *([_WHOLE] if arguments.whole else [])]
    shared = (data, arguments.questions, arguments.strategy, params, arguments.seed)
    found: dict[tuple[int, int], dict[str, Figures]] = {}
    failed = False
    for d in arguments.columns:
        for n in sorted(arguments.sizes):
            for way in ways:
                task = Task(way, n, d, *shared, arguments.clock)
                try:
                    figures = _alone(task)
                except (BrokenProcessPool, MemoryError) as error:
                    _tell(f"{n} x {d}, {way}: FAILED: {error!r}")
                    failed = True
                    continue
                found.setdefault((n, d), {})[way] = figures
                told = ", ".join(f"{name} {value:.4g}" for name, value in figures.items())
                _tell(f"{n} x {d}, {way}: {told}")
    _report(arguments, data, found)
    return 1 if failed else 0


def _alone(task: Task) -> Figures:
    """Carry out a task in a process of its own."""
    context = multiprocessing.get_context("spawn")  # nothing of this one's memory
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(carry_out, task).result()


def carry_out(task: Task) -> Figures:
    """Measure one size in this process, which should be a fresh one.

    Returns
    -------
    dict
        `first` and `total` in seconds, `peak` and `above` (the imports) in MB, the rest in ms.
    """
    importlib.import_module("torch")  # every session needs it
    bare = peak_memory()
    figures = _whole_way(task) if task.way == _WHOLE else _judged(task)
    peak = peak_memory()
    return {**figures, "peak": peak, "above": peak - bare}


def _judged(task: Task) -> Figures:
    """Measure a session: its questions, and the ways back."""
    points, truth = make_data(task.data, task.n, task.d, task.seed)
    clock = _CLOCKS[task.clock]
    begun = clock()
    session = Session(Problem(points, task.seed), task.strategy, task.params)
    first = clock() - begun
    del points
    asked: list[float] = []
    prepared: list[float] = []
    while len(asked) < task.questions and (question := session.ask()) is not None:
        if task.way == _AHEAD:
            prepared.append(_timed(clock, session.speculate, Job()))
        pair = question.pair
        alike = bool(truth[pair.a] == truth[pair.b])
        verdict = Verdict.SAME if alike else Verdict.DIFFERENT
        asked.append(_timed(clock, session.tell, pair, verdict))
    figures = {"first": first, "answers": float(len(asked)), **_spread("question", asked)}
    figures["question_mean"] = float(np.mean(asked))
    if task.way == _AHEAD:
        return figures | _spread("ahead", prepared)
    return figures | _ways_back(session, clock)


def _ways_back(session: Session, clock: _Clock) -> Figures:
    """Measure undo, and looks and jumps to any answer; also when all groupings are forgotten."""
    undone = []
    for _ in range(_LOOKS):
        undone.append(_timed(clock, session.undo))
        session.redo()
    last = session.log.position
    steps = [int(step) for step in np.linspace(0, last, _LOOKS)]
    looks = [_timed(clock, session.at, step) for step in steps]
    jumps = [_timed(clock, session.go_to, step) for step in steps]
    forgotten = []
    for step in steps:
        for look in (session.at, session.go_to):
            session._seen.clear()
            forgotten.append(_timed(clock, look, step))
    return {
        **_spread("undo", undone),
        **_spread("at", looks),
        **_spread("go_to", jumps),
        **_spread("forgotten", forgotten),
    }


def _whole_way(task: Task) -> Figures:
    """Measure what the app does from choosing a file to the first pair: read, map, question."""
    points, truth = make_data(task.data, task.n, task.d, task.seed)
    clock = _CLOCKS[task.clock]
    begun: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "items.npz")
        np.savez(source, X=points, y=truth)
        del points
        start = clock()
        job = Job(lambda _done, _total, text: begun.setdefault(text, clock()) and None)
        target = Path(folder, "items.pairloom")
        kind, params = task.strategy, task.params
        with Study.create(source, job, path=target, strategy=kind, params=params) as study:
            study.session.snapshot()
            end = clock()
    texts = [*begun, ""]
    times = [*begun.values(), end]
    phases = {text: after - at for text, at, after in zip(texts, times, times[1:], strict=False)}
    return {"total": end - start, **phases}


def _timed(clock: _Clock, act: Callable[..., object], *given: object) -> float:
    """Time a call, in ms."""
    begun = clock()
    act(*given)
    return 1000 * (clock() - begun)


def _spread(name: str, times: Sequence[float]) -> Figures:
    half, most = np.percentile(times, [50, 95])
    return {f"{name}_p50": float(half), f"{name}_p95": float(most), f"{name}_max": max(times)}


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """Give e of time ~ n^e, by least squares on logarithms; takes two sizes at least."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def peak_memory() -> float:
    """Give the most memory that this process held so far, in MB.

    On Linux `getrusage` would count what the parent held when it started this process.
    """
    status = Path("/proc/self/status")
    if status.exists():
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(fields["VmHWM"].split()[0]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _report(
    arguments: argparse.Namespace,
    data: Path | None,
    found: dict[tuple[int, int], dict[str, Figures]],
) -> None:
    growth = {str(d): _growth(d, found) for d in arguments.columns}
    sizes = [{"n": n, "d": d, "figures": figures} for (n, d), figures in found.items()]
    named = " ".join([arguments.strategy, *(f"{key}={value}" for key, value in arguments.set)])
    text = (
        f"{named}, {arguments.questions} questions, {arguments.clock} clock, data from "
        f"{'normal clouds' if data is None else data.stem}\n\n" + _table(found, arguments.whole)
    )
    for d, exponents in growth.items():
        for name, value in exponents.items():
            text += f"\n{d} columns: the time of {name} grows as n^{value:.2f}"
    (arguments.output / "table.md").write_text(text + "\n", encoding="utf-8")
    whole = {"strategy": named, "clock": arguments.clock, "growth": growth, "sizes": sizes}
    write_json(arguments.output / "growth.json", whole)
    sys.stdout.write(text + "\n")


def _growth(d: int, found: dict[tuple[int, int], dict[str, Figures]]) -> Figures:
    """Give the exponents of the first question, a question and undo; none for one size alone."""
    plain = {
        n: ways[_PLAIN] for (n, columns), ways in found.items() if columns == d and _PLAIN in ways
    }
    if len(plain) < 2:
        return {}
    return {
        title: exponent(list(plain), [figures[name] for figures in plain.values()])
        for title, name in (
            ("the first question", "first"),
            ("a question", "question_mean"),
            ("undo", "undo_p50"),
        )
    }


def _table(found: dict[tuple[int, int], dict[str, Figures]], whole: bool) -> str:
    columns = [column for column in _COLUMNS if whole or column[1] != _WHOLE]
    lines = [["n", "d", *(column[0] for column in columns)]]
    for (n, d), ways in found.items():
        cells = [
            f"{ways[way][name]:.{decimals}f}" if way in ways else "–"
            for _, way, name, decimals in columns
        ]
        lines.append([str(n), str(d), *cells])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * (width - 1) + ":" for width in widths])
    return "\n".join(
        "| "
        + " | ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        + " |"
        for line in lines
    )


def _tell(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmark.growth",
        description="Measure latency and memory, and how they grow with the number of items.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("data", nargs="?", type=Path, metavar="DATA", help=".npz (X, y) or a folder of these")
    usual = [5000, 10000, 20000, 40000, 70000]
    add("--sizes", nargs="+", type=_whole(2), default=usual, metavar="N", help="items [5k to 70k]")
    add("--columns", nargs="+", type=_whole(1), default=[64, 784], metavar="D", help="[64 784]")
    add("--questions", type=_whole(1), default=200, metavar="N", help="per size [200]")
    add("--strategy", default="falcon", metavar="NAME", help="[falcon]")
    add("--set", nargs="+", type=setting, default=[], metavar="K=V", help="its parameters")
    add("--whole", action="store_true", help="also from reading the file to the first pair")
    add("--clock", choices=list(_CLOCKS), default="wall", help="time, or work on a busy machine")
    add("--seed", type=_whole(0), default=0, metavar="N", help="[0]")
    add("-o", "--output", type=Path, required=True, metavar="OUT", help="folder of the results")
    return parser


def _whole(least: int) -> Callable[[str], int]:
    """Give the reading of a whole number."""

    def read(text: str) -> int:
        number = int(text) if text.isdecimal() else -1
        if number < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {least}")
        return number

    return read


if __name__ == "__main__":
    sys.exit(main())
