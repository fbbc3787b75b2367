"""Groupings at the true number of groups: methods that ask nothing beside strategies that ask.

    python -m tests.benchmark.at_k DATA... --methods "tahc" "kmeans" "pck" "hmcahc variant=how1" \
        --questions 10 25 50 100 --seeds 5 -o OUT

Each seed shuffles the rows and is the method's. Whatever has a parameter `groups` is given the true
number. A strategy is measured after so many answers of an expert who does not err; a method that
knows constraints is given the answers about so many random pairs. Written into OUT: at_k.json, and
at_k.md (also printed) with the mean and standard deviation of NMI and ARI over the seeds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine import clusterers, metrics, strategies
from engine.constraints import Constraints
from engine.errors import EngineError
from engine.job import Job
from engine.model import IntArray, Pair
from engine.outfile import write_json
from engine.parameters import setting
from engine.problem import Problem
from engine.session import Session
from engine.simulate import Oracle, simulate
from tests.benchmark.labelled import Order, describe, find


@dataclass(frozen=True)
class Row:
    """A method on a set: NMI and ARI, float[seeds, questions]."""

    data: str
    method: str
    nmi: list[list[float]]
    ari: list[list[float]]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print and write; exit status 2 = wrong input."""
    arguments = _parser().parse_args(argv)
    out: Path = arguments.output
    (out / "sets").mkdir(parents=True, exist_ok=True)
    try:
        rows = _measured(arguments, out)
    except EngineError as error:
        sys.stderr.write(f"at_k: {error.message} {error.hint}".rstrip() + "\n")
        return 2
    text = _table(rows, arguments.questions)
    sys.stdout.write(text + "\n")
    (out / "at_k.md").write_text(text + "\n", encoding="utf-8")
    write_json(
        out / "at_k.json", {"questions": arguments.questions, "rows": [vars(r) for r in rows]}
    )
    return 0


def _measured(arguments: argparse.Namespace, out: Path) -> list[Row]:
    rows = []
    for source in find(arguments.data):
        data = describe(Order(source, arguments.embedder, None, None, out / "sets"))
        assert data is not None
        with np.load(data.arrays) as held:
            points, truth = held["X"], held["y"]
        for method in arguments.methods:
            found = []
            for seed in range(arguments.seeds):
                order = np.random.default_rng(seed).permutation(len(points))
                found.append(
                    _scores(method, points[order], truth[order], arguments.questions, seed)
                )
                sys.stderr.write(f"{data.name}, {method}, seed {seed}\n")
            nmi, ari = ([[pair[at] for pair in scores] for scores in found] for at in range(2))
            rows.append(Row(data.name, method, nmi, ari))
    return rows


def _scores(
    text: str, points: np.ndarray, truth: IntArray, questions: Sequence[int], seed: int
) -> list[tuple[float, float]]:
    """Give NMI and ARI after each number of questions."""
    name, *settings = text.split()
    params = dict(map(setting, settings))
    kind = clusterers if name in clusterers.REGISTRY else strategies
    if any(parameter.name == "groups" for parameter in kind.parameters(name)):
        params.setdefault("groups", str(len(set(truth.tolist()))))
    problem = Problem(points, seed)
    if kind is strategies:
        session = Session(problem, name, params)
        curve = simulate(session, Oracle(truth), max(questions), Job())
        return [(curve.nmi[number - 1], curve.ari[number - 1]) for number in questions]
    found = []
    for number in questions:
        constraints = _random_answers(truth, number, seed)
        labels = clusterers.make(name, params).cluster(problem, constraints, Job()).labels
        found.append(
            (
                metrics.normalized_mutual_information(truth, labels),
                metrics.adjusted_rand_index(truth, labels),
            )
        )
    return found


def _random_answers(truth: IntArray, number: int, seed: int) -> Constraints:
    rng, oracle, closure = np.random.default_rng(seed), Oracle(truth), Constraints()
    for at in range(number):
        pair = Pair.of(*rng.choice(len(truth), 2, replace=False))
        closure.add(pair, oracle.judge(pair), at)
    return closure


def _table(rows: Sequence[Row], questions: Sequence[int]) -> str:
    """Write a table for each set: mean ± standard deviation over the seeds."""
    lines = []
    for data in dict.fromkeys(row.data for row in rows):
        heads = "".join(f" NMI @{number} | ARI @{number} |" for number in questions)
        lines += [f"\n## {data}\n", f"| method |{heads}", "|---|" + "---|" * 2 * len(questions)]
        for row in (row for row in rows if row.data == data):
            cells = []
            for at in range(len(questions)):
                for scores in (row.nmi, row.ari):
                    values = np.array(scores)[:, at]
                    cells.append(f" {values.mean():.3f} ± {values.std():.3f} |")
            lines.append(f"| {row.method} |{''.join(cells)}")
    return "\n".join(lines).strip()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmark.at_k",
        description="Measure groupings at the true number of groups.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("data", nargs="+", type=Path, metavar="DATA", help="as for tests.benchmark.curves")
    add("--methods", nargs="+", required=True, metavar="M", help='"name key=value ..."')
    add("--questions", nargs="+", type=int, default=[10, 25, 50, 100], metavar="N")
    add("--seeds", type=int, default=5, metavar="N", help="seeds 0 to N-1 [5]")
    add("--embedder", default="auto", metavar="NAME", help="features of pictures [auto]")
    add("-o", "--output", type=Path, required=True, metavar="OUT", help="folder of the results")
    return parser


if __name__ == "__main__":
    sys.exit(main())
