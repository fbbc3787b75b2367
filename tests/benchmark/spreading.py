"""Does spreading help? A strategy's own groups beside FC2's on the very same answers.

    python -m tests.benchmark.spreading DATA... --answers 25 50 100 --strategy falcon \
        --method "fc2" "plain: fc2 spread=no" -o OUT
    python -m tests.benchmark.spreading DATA... --answers 100 --anew-after 50 -o OUT
    python -m tests.benchmark.spreading --growth 2000 20000 --answers 500 -o OUT

An expert who does not err answers the strategy's questions. After so many answers: the ARI of the
strategy's own groups and of each method's on these answers, and of what CS-PDS learned the
precision of must- and cannot-links, and how many right ones there are beyond the pairs that the
answers settle. `--spreading key=value` sets how they spread. `--anew-after` asks so many questions,
lets the strategy begin anew on these answers, as after a change of strategy, in the same features
and in the space that CS-PDS learned, and goes on to the last of `--answers`: does it help to ask in
the learned space? Written into OUT: spreading.json and spreading.md (also printed). With
`--growth`, time, memory and the exponents of their growth on drawn points instead (ten groups in
16 dimensions), for so many items.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from engine import clusterers, metrics, strategies
from engine.answers import AnswerLog
from engine.constraints import Constraints
from engine.errors import EngineError
from engine.job import Job
from engine.model import Approach, Pair, Verdict
from engine.outfile import write_json
from engine.parameters import parse
from engine.problem import Problem
from engine.session import Session
from engine.simulate import Oracle, peak_rss_mb, simulate
from engine.spreading import SpreadParams, spread
from tests.benchmark.labelled import Order, describe, find

Row = dict[str, Any]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print and write; exit status 2 = wrong input."""
    arguments = _parser().parse_args(argv)
    out: Path = arguments.output
    (out / "sets").mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    try:
        if arguments.growth:
            setting = _setting(arguments.spreading)
            rows = [
                _growth(n, arguments.answers[-1], setting, linked=arguments.linked)
                for n in arguments.growth
            ]
        else:
            for source in find(arguments.data, arguments.only):
                order = Order(source, "auto", None, arguments.most_rows, out / "sets")
                if (data := describe(order)) is None:
                    continue
                with np.load(data.arrays) as held:
                    points, truth = held["X"], held["y"]
                for seed in range(arguments.seeds):
                    rows += _rows(data.name, points, truth, seed, arguments)
                    write_json(out / "spreading.json", {"rows": rows})
    except EngineError as error:
        sys.stderr.write(f"spreading: {error.message} {error.hint}".rstrip() + "\n")
        return 2
    text = _table(rows) + (_exponents(rows) if arguments.growth else "")
    sys.stdout.write(text)
    (out / "spreading.md").write_text(text, encoding="utf-8")
    write_json(out / "spreading.json", {"rows": rows})
    return 0


def _rows(
    name: str, points: np.ndarray, truth: np.ndarray, seed: int, arguments: argparse.Namespace
) -> list[Row]:
    """Let the strategy ask, and look at what the answers lead to."""
    shuffled = np.random.default_rng(seed).permutation(len(points))
    problem, truth = Problem(points[shuffled], seed), truth[shuffled]
    _, approach = strategies.read(arguments.strategy)
    session = Session(problem, approach.strategy, dict(approach.params))
    curve = simulate(session, Oracle(truth), max(arguments.answers), Job())
    setting = _setting(arguments.spreading)
    found = []
    for count in arguments.answers:
        closure = Constraints()
        for seq, (a, b, verdict) in enumerate(curve.questions[:count]):
            closure.add(Pair(a, b), Verdict(verdict), seq)
        row: Row = {"set": name, "seed": seed, "answers": count, "own": curve.ari[count - 1]}
        row |= _learned(problem, truth, closure, setting)
        row |= _suggested(problem, truth, approach, AnswerLog(session.log.events[:count]))
        for text in arguments.method:
            row[text.partition(":")[0]] = _ari(text, problem, truth, closure)
        if arguments.anew_after is not None and count == max(arguments.answers):
            row |= _anew(problem, truth, approach, arguments.anew_after, count, setting)
        found.append(row)
        sys.stderr.write(f"{row}\n")
    return found


def _suggested(problem: Problem, truth: np.ndarray, approach: Approach, log: AnswerLog) -> Row:
    """Judge by the labels what a person would be shown, by whether the groups say otherwise."""
    session = Session(problem, approach.strategy, dict(approach.params), log=log)
    found = session.suggest(Job()).found
    row: Row = {}
    for name, changes in (("agreeing", False), ("correcting", True)):
        right = [
            bool(truth[one.pair.a] == truth[one.pair.b]) == (one.verdict is Verdict.SAME)
            for one in found
            if one.changes is changes
        ]
        row[f"{name} suggested"] = len(right)
        row[f"{name} right"] = float(np.mean(right)) if right else None
    return row


def _setting(texts: Sequence[str]) -> SpreadParams:
    """Read how answers spread: "key=value" each."""
    return parse("spreading", SpreadParams, dict(text.split("=", 1) for text in texts))


def _anew(
    problem: Problem,
    truth: np.ndarray,
    approach: Approach,
    after: int,
    count: int,
    setting: SpreadParams,
) -> Row:
    """Let the strategy begin anew on some answers and go on, in the same and the learned space."""
    first = Session(problem, approach.strategy, dict(approach.params))
    simulate(first, Oracle(truth), after, Job())
    learned = spread(problem, first.constraints, setting, Job())
    row: Row = {}
    for name, points in (("anew", problem.points), ("anew, learned space", learned.space)):
        log = AnswerLog(first.log.events)
        params = dict(approach.params)
        session = Session(Problem(points, problem.seed), approach.strategy, params, log=log)
        session.choose(approach)
        row[name] = simulate(session, Oracle(truth), count - after, Job()).ari[-1]
    return row


def _learned(
    problem: Problem, truth: np.ndarray, closure: Constraints, setting: SpreadParams
) -> Row:
    """Judge what was learned by the labels."""
    started = time.perf_counter()
    learned = spread(problem, closure, setting, Job())
    row: Row = {"seconds": time.perf_counter() - started, "stopped": learned.stopped}
    row["rounds"] = len(learned.trace) - 1
    kinds = (
        ("must", learned.must, learned.learned_must()),
        (
            "cannot",
            learned.cannot,
            learned.learned_cannot(),
        ),
    )
    for kind, links, new in kinds:
        one, other = new.pairs.T
        right = int(np.count_nonzero((truth[one] == truth[other]) == (kind == "must")))
        row[f"{kind} given"] = int(np.count_nonzero(links.since == 0))
        row[f"{kind} right"] = right
        row[f"{kind} precision"] = right / len(new) if len(new) else None
    return row


def _ari(text: str, problem: Problem, truth: np.ndarray, closure: Constraints) -> float:
    spec = text.rpartition(":")[2].split()
    params = dict(part.split("=", 1) for part in spec[1:])
    if params.get("groups") == "true":
        params["groups"] = str(len(np.unique(truth)))
    found = clusterers.make(spec[0], params).cluster(problem, closure, Job())
    return metrics.adjusted_rand_index(truth, found.labels)


def _growth(n: int, count: int, setting: SpreadParams, *, linked: bool) -> Row:
    """Measure time and memory of spreading and FC2 on drawn points."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 10, n)
    centres = rng.random((10, 16))
    problem = Problem(centres[truth] + rng.normal(0, 0.12, (n, 16)))
    closure = _linked(truth, count) if linked else _scattered(truth, count, rng)
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
    row: Row = {"set": f"drawn {n}", "seed": "linked" if linked else "random", "answers": count}
    row |= _learned(problem, truth, closure, setting)
    started = time.perf_counter()
    found = clusterers.make("fc2", {}).cluster(problem, closure, Job())
    row["fc2 seconds"] = time.perf_counter() - started
    row["fc2"] = metrics.adjusted_rand_index(truth, found.labels)
    row["peak MB"] = peak_rss_mb()
    return row


def _exponents(rows: list[Row]) -> str:
    """Give how time and memory grow from size to size, as powers of n."""
    lines = []
    for one, other in pairwise(rows):
        sizes = [int(row["set"].split()[1]) for row in (one, other)]
        powers = [
            f"{key}: {np.log(other[key] / one[key]) / np.log(sizes[1] / sizes[0]):.2f}"
            for key in ("seconds", "fc2 seconds", "peak MB")
        ]
        lines.append(f"n^, {sizes[0]} to {sizes[1]}: " + ", ".join(powers))
    return "\n".join(lines) + "\n"


def _scattered(truth: np.ndarray, count: int, rng: np.random.Generator) -> Constraints:
    """Judge random pairs, no item twice."""
    closure = Constraints()
    for seq, (a, b) in enumerate(rng.choice(len(truth), (count, 2), replace=False).tolist()):
        verdict = Verdict.SAME if truth[a] == truth[b] else Verdict.DIFFERENT
        closure.add(Pair.of(a, b), verdict, seq)
    return closure


def _linked(truth: np.ndarray, count: int) -> Constraints:
    """Judge item after item beside one of each group, until it has found its own."""
    closure, heads, seq = Constraints(), dict[int, int](), 0
    for item in range(len(truth)):
        for group, head in heads.items():
            if seq == count:
                return closure
            seq += 1
            if group == truth[item]:
                closure.add(Pair.of(head, item), Verdict.SAME, seq)
                break
            closure.add(Pair.of(head, item), Verdict.DIFFERENT, seq)
        else:
            heads[int(truth[item])] = item
    return closure


def _table(rows: list[Row]) -> str:
    """Give every row, and the means over sets and seeds by number of answers."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(_cell(row.get(key)) for key in columns) + " |" for row in rows]
    for count in sorted({row["answers"] for row in rows}):
        some = [row for row in rows if row["answers"] == count]
        means = ["mean", "", str(count)]
        for key in columns[3:]:
            values = [row[key] for row in some if isinstance(row.get(key), int | float)]
            means.append(_cell(float(np.mean(values))) if values else "")
        lines.append("| " + " | ".join(means) + " |")
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else "" if value is None else str(value)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="spreading", description=__doc__.partition("\n")[0])
    parser.add_argument("data", nargs="*", type=Path, help="tables, arrays, folders")
    parser.add_argument("--answers", nargs="+", type=int, default=[25, 50, 100])
    parser.add_argument("--strategy", default="falcon")
    parser.add_argument("--method", nargs="+", default=["fc2"])
    parser.add_argument("--spreading", nargs="+", default=(), metavar="KEY=VALUE")
    parser.add_argument("--anew-after", type=int, default=None, metavar="ANSWERS")
    parser.add_argument("--only", nargs="+", default=())
    parser.add_argument("--most-rows", type=int, default=None)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--growth", nargs="+", type=int, default=())
    parser.add_argument(
        "--linked", action="store_true", help="of --growth: answers that strategies ask for"
    )
    parser.add_argument("-o", "--output", type=Path, required=True)
    return parser


if __name__ == "__main__":
    sys.exit(main())
