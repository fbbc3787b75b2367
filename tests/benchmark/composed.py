"""Composed: how well groups that compose are found again, on symbols laid over each other.

    python -m tests.benchmark.composed FOLDER --degree 2 -o OUT

FOLDER holds drawings of characters in one folder per class. Ten of the classes are held back; of
these, every trial draws five and lays them over each other: all sets of up to `degree` classes,
each equally often, every picture of other drawings. From the other classes is learned how features
of EfficientNet-Lite0 compose (`tests.benchmark.composing`). All methods get the same features and
are told the same: five single groups, or as many as there are sets where groups cannot compose (GCR
begins with these). Methods that find that out themselves (CAP, AP) get the preference, times the
median of similarities, by which they come nearest to that number: no labels are used. CAP takes the
preference found for CAP-subset, times n / sample.

    ... --compose mean      the mean instead of the learned bilinear form (also: sum, max)
    ... --features lite0    what the program itself makes of pictures, nothing learned

Written into OUT, which is for one FOLDER: features of every trial and what was learned, used again
when run again; and composed-DEGREE-FEATURES-COMPOSE.json, also after each trial. Exit status: 0
done, 2 wrong input, 130 interrupted.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine import compositional
from engine.compositional.baselines import oracle_singletons
from engine.compositional.membership import Composed
from engine.constraints import Constraints
from engine.embedders import pretrained
from engine.embedders.pictures import principal_components, unit_rows
from engine.errors import EngineError, ParameterError
from engine.job import Job
from engine.metrics import adjusted_rand_index, compositional_rand_index
from engine.outfile import check_output, exchanged, write_json
from engine.problem import Problem
from tests.benchmark.composing import Learned, learn
from tests.benchmark.superposed import (
    Ink,
    Members,
    dealt,
    eightfold,
    every_set,
    read_drawings,
    superpose,
)

Points = npt.NDArray[np.float32]

ORACLE = "oracle singletons"
METHODS = ("cap", "cap-subset", "ckm", "gcr", "ap", "ward-sets", "fcm", "gmm")

_SIDE = 128  # of the pictures; the network takes any size
_FIVE = 5  # classes per trial
_HELD = 10  # classes that are only measured on
_ALONE = 15  # pictures of each class alone that are learned from
_LEARNED = 32  # features
_SEARCH = 7  # preferences that are tried, at most
_AT_ONCE = 8


@dataclass(frozen=True)
class Trial:
    """What is grouped, and what is known of it."""

    points: Points
    truth: list[Members]
    sets: int
    degree: int
    compose: str
    seed: int
    sample: int
    restarts: int


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and tell what was found; see the module for the exit status."""
    arguments = _parser().parse_args(argv)
    try:
        _measure(arguments)
    except (EngineError, OSError) as error:
        sys.stderr.write(f"composed: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("composed: interrupted\n")
        return 130
    return 0


def _measure(arguments: argparse.Namespace) -> None:
    if len(arguments.trials) not in {1, len(arguments.sizes)}:
        raise ParameterError("--trials takes one number, or one for each of --sizes")
    for name in arguments.methods:
        if name not in METHODS:
            raise ParameterError(f"--methods: {name} is none of {', '.join(METHODS)}")
    drawings = read_drawings(arguments.folder, _SIDE)
    if len(drawings) < _HELD + _FIVE:
        raise ParameterError(f"{arguments.folder} has {len(drawings)} classes, too few to learn")
    held = set(np.random.default_rng(0).permutation(list(drawings))[:_HELD].tolist())
    out: Path = arguments.output
    out.mkdir(parents=True, exist_ok=True)
    told = f"{arguments.degree}-{arguments.features}-{arguments.compose}"
    target = out / f"composed-{told}.json"
    check_output(target)
    others = {label: ink for label, ink in drawings.items() if label not in held}
    learned, file = _learned(others, out, arguments)
    compose = str(file) if arguments.compose == "learned" else arguments.compose
    sets = every_set(_FIVE, arguments.degree)
    trials = arguments.trials * (1 if len(arguments.trials) > 1 else len(arguments.sizes))
    rows: list[dict[str, Any]] = []
    for n, many in zip(arguments.sizes, trials, strict=True):
        for number in range(many):
            rng = np.random.default_rng([arguments.degree, n, number])
            chosen = sorted(rng.choice(sorted(held), _FIVE, replace=False).tolist())
            truth = dealt(sets, n, rng)
            kept = out / f"trial-{arguments.degree}-{n}-{number}.npy"
            inks = [drawings[label] for label in chosen]
            features = _kept(kept, partial(_described, inks, truth, rng))
            points = _own(features) if arguments.features == "lite0" else learned.project(features)
            trial = Trial(
                points=points,
                truth=truth,
                sets=len(sets),
                degree=arguments.degree,
                compose=compose,
                seed=number,
                sample=arguments.sample,
                restarts=arguments.restarts,
            )
            done = _tried(trial, arguments.methods, dict(arguments.most))
            rows += [{"n": n, "trial": number, **row} for row in done]
            write_json(target, {"runs": rows})
        for line in table([row for row in rows if row["n"] == n]):
            _tell(f"n = {n}, {many} trials, {line}")


def _tried(trial: Trial, methods: Sequence[str], most: Mapping[str, int]) -> list[dict[str, Any]]:
    """Run every method once."""
    rows = [_scored(ORACLE, oracle_singletons(trial.truth), trial, 0.0)]
    cost = 0.0  # that CAP-subset found; 0 = not looked for yet
    for name in sorted(methods, key=lambda one: one == "cap"):
        if len(trial.points) > most.get(name, len(trial.points)):
            continue
        start = time.perf_counter()
        if name in {"cap", "cap-subset"} and not cost:
            cost, found = _searched(trial, "cap-subset", _FIVE)
        if name == "cap":
            scale = max(1.0, len(trial.points) / trial.sample)
            found = _run(trial, name, {"preference": str(cost * scale)})
        elif name == "ap":
            _, found = _searched(trial, name, trial.sets)
        elif name != "cap-subset":
            groups = trial.sets if name in {"gcr", "ward-sets"} else _FIVE
            found = _run(trial, name, {"groups": str(groups)})
        rows.append(_scored(name, found.item_sets(), trial, time.perf_counter() - start))
    return rows


def _searched(trial: Trial, name: str, wanted: int) -> tuple[float, Composed]:
    """Find the preference by which a method finds as many single groups as wanted, by halving.

    Of those tried, the first that comes nearest counts.
    """
    low, high = -4.0, 8.0  # powers of two of the median
    sample = trial.points[: trial.sample].astype(np.float64)
    apart = np.square(sample[:, None] - sample[None]).sum(-1)
    median = -float(np.median(apart[np.triu_indices(len(sample), 1)]))
    if name == "ap":
        median *= len(trial.points) / len(sample)
    best: tuple[int, float, Composed] | None = None
    for _ in range(_SEARCH):
        power = (low + high) / 2
        found = _run(trial, name, {"preference": str(median * 2**power)})
        if best is None or abs(found.groups - wanted) < best[0]:
            best = abs(found.groups - wanted), median * 2**power, found
        if found.groups == wanted:
            break
        low, high = (power, high) if found.groups > wanted else (low, power)
    assert best is not None  # at least one was tried
    return best[1], best[2]


def _run(trial: Trial, name: str, params: dict[str, str]) -> Composed:
    if name not in {"ap", "ward-sets"}:
        params["degree"] = str(trial.degree)
    if name in {"cap", "cap-subset", "ckm", "gcr"}:
        params["compose"] = trial.compose
    if name in {"cap", "cap-subset", "ap"}:
        params |= {"damping": "0.85", "memory": "6000", "rounds": "150"}
    if name in {"cap", "cap-subset"}:
        params["precision"] = "float32"
    if name == "cap-subset":
        params["sample"] = str(trial.sample)
    if name == "ckm":
        params["restarts"] = str(trial.restarts)
    method = compositional.make(name, params)
    return method.compose(Problem(trial.points, trial.seed), Constraints(), Job())


def _scored(name: str, found: Sequence[Members], trial: Trial, wall: float) -> dict[str, Any]:
    own = [trial.truth.index(one) for one in trial.truth]
    numbers: dict[Members, int] = {}
    labels = [numbers.setdefault(one, len(numbers)) for one in found]
    return {
        "method": name,
        "cri": compositional_rand_index(found, trial.truth),
        "ari": adjusted_rand_index(own, labels),
        "singles": len({group for one in found for group in one}),
        "sets": len(numbers),
        "seconds": wall,
    }


def table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Give a line per method: means and standard errors."""
    lines = []
    for name in dict.fromkeys(str(row["method"]) for row in rows):
        own = [row for row in rows if row["method"] == name]
        told = []
        for key in ("cri", "ari"):
            values = np.array([row[key] for row in own])
            error = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
            told.append(f"{key.upper()} {values.mean():.3f} ±{error:.3f}")
        means = {key: np.mean([row[key] for row in own]) for key in ("singles", "sets", "seconds")}
        told += [f"{means['singles']:.1f} singles, {means['sets']:.1f} sets"]
        lines.append(f"{name:18} {'  '.join(told)}, {means['seconds']:.1f} s")
    return lines


# ---------------------------------------------------------------------------- features


def _described(inks: Sequence[Ink], truth: Sequence[Members], rng: np.random.Generator) -> Points:
    """Make pictures and give the network's features of them, float32[n, 1752]."""
    network = pretrained.Network(pretrained.read_weights(pretrained.weights_path()))
    parts = [
        network(superpose(inks, truth[start : start + _AT_ONCE], rng))
        for start in range(0, len(truth), _AT_ONCE)
    ]
    return pretrained.scaled(np.concatenate(parts))


def _own(features: Points) -> Points:
    """Give what the program makes of these pictures: 64 principal components, to unit length."""
    weighed = features * pretrained.block_weights(features.var(0, dtype=np.float64))
    return unit_rows(principal_components(weighed.astype(np.float32), Job()))


def _learned(
    drawings: Mapping[str, Ink], out: Path, arguments: argparse.Namespace
) -> tuple[Learned, Path]:
    """Learn from other classes, or read what was learned before."""
    amount = f"{arguments.pairs}-{arguments.triples}"
    file = out / f"learned-{amount}-{arguments.steps}.npz"
    if file.exists():
        return Learned.load(file), file
    rng = np.random.default_rng(1)
    inks = list(eightfold(drawings).values())
    classes = len(inks)
    truth: list[Members] = [(one,) for one in range(classes) for _ in range(_ALONE)]
    for size, many in ((2, arguments.pairs), (3, arguments.triples)):
        drawn = [rng.choice(classes, size, replace=False).tolist() for _ in range(many)]
        truth += [tuple(sorted(one)) for one in drawn]
    features = _kept(out / f"learned-from-{amount}.npy", partial(_described, inks, truth, rng))
    start = time.perf_counter()
    weights = pretrained.block_weights(features.var(0, dtype=np.float64))
    learned = learn(features, truth, weights, _LEARNED, arguments.steps)
    learned.save(file)
    _tell(f"learned from {len(truth)} pictures in {time.perf_counter() - start:.0f} s")
    return learned, file


def _kept(file: Path, make: Callable[[], Points]) -> Points:
    if file.exists():
        held: Points = np.load(file)
        return held
    made = make()
    with exchanged(file) as part, part.open("wb") as written:
        np.save(written, made)
    return made


def _tell(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _most(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    return name, int(number)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmark.composed",
        description="Measure how well groups that compose are found again.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    sizes = [150, 750, 1500]
    add("folder", type=Path, metavar="FOLDER", help="drawings, in one folder per class")
    add("--degree", type=int, default=2, choices=(2, 3), help="classes per picture, at most [2]")
    add("--methods", nargs="+", default=list(METHODS), metavar="NAME", help="[all]")
    add("--sizes", nargs="+", type=int, default=sizes, metavar="N", help="pictures [150 750 1500]")
    add("--trials", nargs="+", type=int, default=[10], metavar="N", help="[10], or one per size")
    add("--features", choices=("learned", "lite0"), default="learned", help="[learned]")
    composes = ("learned", "sum", "max", "mean")
    add("--compose", choices=composes, default="learned", help="[learned]")
    most = [("cap", 150), ("ap", 1500)]
    told = "pictures that a method gets at most [cap=150 ap=1500]"
    add("--most", nargs="+", type=_most, default=most, metavar="M=N", help=told)
    add("--sample", type=int, default=150, metavar="N", help="of CAP-subset [150]")
    add("--restarts", type=int, default=50, metavar="N", help="of CKM [50]")
    add("--steps", type=int, default=1500, metavar="N", help="of learning; 0: least squares [1500]")
    add("--pairs", type=int, default=6000, metavar="N", help="pictures to learn from [6000]")
    add("--triples", type=int, default=4000, metavar="N", help="pictures to learn from [4000]")
    add("-o", "--output", type=Path, required=True, metavar="OUT", help="folder of the results")
    return parser


if __name__ == "__main__":
    sys.exit(main())
