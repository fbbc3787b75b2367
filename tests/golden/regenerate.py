"""What every strategy asks and finds on one small set, kept as JSON: one file per strategy.

    python tests/golden/regenerate.py        shows what differs from the files, and rewrites them

A change of the files is a change of picks: raise the strategy's `version` with it, since people's
projects replay their answers through it.
"""

from __future__ import annotations

import difflib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from engine.metrics import adjusted_rand_index  # noqa: E402
from engine.model import Verdict  # noqa: E402
from engine.problem import Problem  # noqa: E402
from engine.session import Session  # noqa: E402
from engine.strategies import REGISTRY  # noqa: E402

BUDGET = 60
CASES = {
    "acdm": {},
    "active-pck": {},
    "explore-consolidate": {},
    "falcon": {},
    "falcon-fixed": {"width": "fixed", "order": "mean"},
    "falcon-landmarks": {"sums": "nystroem", "rank": "16"},
    "falcon-noise": {"noise": "0.1"},
    "cobras": {},
    "components": {},
    "composing": {"compose": "mean"},
    "components-acdm": {"method": "rcc-dr", "questions": "10", "then": "acdm"},
    "mpck-npu": {},
    "hmcahc": {},
    "hmcahc-groups": {"groups": "5"},
    "random": {},
}
"""File name -> parameters; the file name begins with the strategy's."""


def strategy_of(case: str) -> str:
    """Give the strategy whose name a file name begins with: the longest such."""
    return max((name for name in REGISTRY if case.startswith(name)), key=len)


def five_groups() -> tuple[np.ndarray, np.ndarray]:
    """Five round groups of unequal size around a circle, shuffled: float[120, 2], int[120]."""
    rng = np.random.default_rng(2024)
    truth = rng.permutation(np.repeat(np.arange(5), (45, 30, 20, 15, 10)))
    angle = truth * 2 * np.pi / 5
    points = np.stack([np.cos(angle), np.sin(angle)], 1) + rng.normal(0, 0.25, (120, 2))
    return (points - points.min(0)) / np.ptp(points, axis=0), truth


def play(case: str) -> dict[str, Any]:
    """Answer 60 questions as an expert who never errs; give questions and ARI after each."""
    points, truth = five_groups()
    name = strategy_of(case)
    session = Session(Problem(points, seed=1), name, CASES[case])
    questions: list[tuple[int, int, str]] = []
    curve: list[float] = []
    while len(questions) < BUDGET and (question := session.ask()) is not None:
        a, b = question.pair
        verdict = Verdict.SAME if truth[a] == truth[b] else Verdict.DIFFERENT
        session.tell(question.pair, verdict)
        questions.append((a, b, verdict.value))
        curve.append(round(adjusted_rand_index(session.clustering.labels, truth), 6))
    return {
        "strategy": name,
        "version": REGISTRY[name].version,
        "params": CASES[case],
        "questions": [list(question) for question in questions],
        "ari": curve,
    }


def write(result: dict[str, Any]) -> str:
    """Give JSON with one question a line."""
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in result.items()]
    body = "\n".join(lines).rstrip(",").replace("], [", "],\n    [").replace("[[", "[\n    [")
    return "{\n" + body.replace("]]", "]\n  ]") + "\n}\n"


def main() -> None:
    """Show the differences and rewrite the files."""
    for case in CASES:
        path = HERE / f"{case}.json"
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        after = write(play(case))
        difference = difflib.unified_diff(
            before.splitlines(), after.splitlines(), "before", "after", lineterm="", n=1
        )
        shown = "\n".join(difference)
        sys.stdout.write(f"{path.name}: {'unchanged' if before == after else 'rewritten'}\n")
        sys.stdout.write(shown + "\n" if shown else "")
        path.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
