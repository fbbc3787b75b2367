"""Composed: how well groups that compose are found again, on symbols laid over each other.

    python -m tests.benchmark.composed FOLDER --degree 2 -o OUT

FOLDER holds drawings of characters in one folder per class. A fixed seed splits the classes in
three: ten to measure on, ten by which was chosen what is learned and how, and the rest, from which,
and from invented classes, is learned how features of EfficientNet-Lite0 compose
(`tests.benchmark.composing`): averages of two inner stages in 4 x 4 parts of the picture. Every
trial draws five of ten classes and lays them over each other: all sets of up to `degree` classes,
each equally often, every picture of other drawings.

All methods get the same features and are told the same: five single groups, or as many as there are
sets where groups cannot compose (GCR begins with these). Methods that find that out themselves
(CAP, AP) get the preference, times the median of similarities, by which they come nearest to that
number: no labels are used. CAP looks near the preference found for CAP-subset, times n / sample.

    ... --classes choosing  measure on the ten classes chosen by
    ... --compose mean      the mean instead of the learned bilinear form (also: sum, max)
    ... --features lite0    what the program itself makes of pictures, nothing learned

Written into OUT, which is for one FOLDER: features of every trial and what was learned, used again
when run again; and composed-CLASSES-DEGREE-FEATURES-COMPOSE.json, also after each trial. Exit
status: 0 done, 2 wrong input, 130 interrupted.
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
from engine.errors import EngineError, ParameterError
from engine.job import Job
from engine.metrics import adjusted_rand_index, compositional_rand_index
from engine.outfile import check_output, exchanged, write_json
from engine.problem import Problem
from engine.session import Session
from tests.benchmark.composing import DEGREE, FIVE, Learned, Lessons, learn
from tests.benchmark.described import Points, in_parts, reduced, standard, whole
from tests.benchmark.invented import invent
from tests.benchmark.sharing import shares, which
from tests.benchmark.superposed import (
    Ink,
    Members,
    dealt,
    eightfold,
    every_set,
    read_drawings,
)

ORACLE = "oracle singletons"
METHODS = ("cap", "cap-subset", "ckm", "gcr", "ap", "ward-sets", "fcm", "gmm")

_SIDE = 128  # of the pictures; the network takes any size
_HELD = 10  # classes that are measured on, and as many others by which was chosen
_INVENTED = 400  # classes that are learned from beside real ones
_HANDS = 20  # drawings of each
_ALONE = 16  # pictures of each class alone that are learned from
_KINDS = (0.35, 0.4, 0.25)  # of what is learned from: real classes, invented ones, both
_LEARNED = 32  # features
_SEARCH = 7  # preferences that are tried, at most


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
    if len(drawings) < 2 * _HELD + FIVE:
        raise ParameterError(f"{arguments.folder} has {len(drawings)} classes, too few to learn")
    order = np.random.default_rng(0).permutation(list(drawings)).tolist()
    chosen_by = arguments.classes == "choosing"
    held = sorted(order[:_HELD] if chosen_by else order[_HELD : 2 * _HELD])
    out: Path = arguments.output
    out.mkdir(parents=True, exist_ok=True)
    told = f"{arguments.classes}-{arguments.degree}-{arguments.features}-{arguments.compose}"
    target = out / f"composed-{told}.json"
    check_output(target)
    compose, learned = arguments.compose, None
    if "learned" in {arguments.features, compose}:
        others = {label: drawings[label] for label in sorted(order[2 * _HELD :])}
        learned, file = _learned(others, out, arguments)
        compose = str(file) if compose == "learned" else compose
    sets = every_set(FIVE, arguments.degree)
    trials = arguments.trials * (1 if len(arguments.trials) > 1 else len(arguments.sizes))
    rows: list[dict[str, Any]] = []
    for n, many in zip(arguments.sizes, trials, strict=True):
        for number in range(many):
            rng = np.random.default_rng([arguments.degree, n, number, int(chosen_by)])
            classes = sorted(rng.choice(held, FIVE, replace=False).tolist())
            truth = dealt(sets, n, rng)
            name = f"{arguments.classes}-{arguments.degree}-{n}-{number}.npy"
            inks = [drawings[label] for label in classes]
            if learned and arguments.features == "learned":
                features = _kept(out / f"parts-{name}", partial(in_parts, inks, truth, rng))
                points = learned.project(features)
            else:
                points = reduced(_kept(out / f"whole-{name}", partial(whole, inks, truth, rng)))
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
            done += _answered(trial, arguments.answers) if arguments.answers else []
            rows += [{"n": n, "trial": number, **row} for row in done]
            write_json(target, {"runs": rows})
        for line in table([row for row in rows if row["n"] == n]):
            _tell(f"n = {n}, {many} trials, {line}")


def _tried(trial: Trial, methods: Sequence[str], most: Mapping[str, int]) -> list[dict[str, Any]]:
    """Run every method once."""
    rows = [_scored(ORACLE, oracle_singletons(trial.truth), trial, 0.0)]
    few: tuple[float, Composed] | None = None  # what CAP-subset found, and by which preference
    for name in sorted(methods, key=lambda one: one == "cap"):
        if len(trial.points) > most.get(name, len(trial.points)):
            continue
        start = time.perf_counter()
        if name in {"cap", "cap-subset"}:
            few = few or _searched(trial, "cap-subset", FIVE)
            found = few[1]  # which is CAP where all are drawn
            if name == "cap" and len(trial.points) > trial.sample:
                guess = few[0] * len(trial.points) / trial.sample
                _, found = _searched(trial, name, FIVE, guess)
        elif name == "ap":
            _, found = _searched(trial, name, trial.sets)
        else:
            groups = trial.sets if name in {"gcr", "ward-sets"} else FIVE
            found = _run(trial, name, {"groups": str(groups)})
        rows.append(_scored(name, found.item_sets(), trial, time.perf_counter() - start))
    return rows


def _answered(trial: Trial, marks: Sequence[int]) -> list[dict[str, Any]]:
    """Let the strategy ask an expert who knows the sets, and measure after some answers."""
    params = {"compose": trial.compose, "degree": str(trial.degree)}
    session = Session(Problem(trial.points, trial.seed), "composing", params)
    rows = []
    start = time.perf_counter()
    for answered in range(max(marks) + 1):
        if answered in marks:
            seconds = time.perf_counter() - start
            rows.append(_scored(f"asked {answered}", session.item_sets, trial, seconds))
        question = session.ask()
        if question is not None and answered < max(marks):
            common = which(trial.truth, question)
            session.tell(question.pair, shares(trial.truth, question.pair), common=common)
    return rows


def _searched(trial: Trial, name: str, wanted: int, near: float = 0.0) -> tuple[float, Composed]:
    """Find the preference by which a method finds as many single groups as wanted, by halving.

    It is within a factor of four of `near`, where that is given. Of those tried, the first that
    comes nearest counts.
    """
    if near:
        return _halved(trial, name, wanted, near, (-2.0, 2.0))
    sample = trial.points[: trial.sample].astype(np.float64)
    apart = np.square(sample[:, None] - sample[None]).sum(-1)
    median = -float(np.median(apart[np.triu_indices(len(sample), 1)]))
    if name == "ap":
        median *= len(trial.points) / len(sample)
    return _halved(trial, name, wanted, median, (-4.0, 8.0))


def _halved(
    trial: Trial, name: str, wanted: int, unit: float, powers: tuple[float, float]
) -> tuple[float, Composed]:
    """Try preferences between powers of two of a unit."""
    low, high = powers
    best: tuple[int, float, Composed] | None = None
    for _ in range(_SEARCH):
        power = (low + high) / 2
        found = _run(trial, name, {"preference": str(unit * 2**power)})
        if best is None or abs(found.groups - wanted) < best[0]:
            best = abs(found.groups - wanted), unit * 2**power, found
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
        params |= {"damping": "0.85", "memory": "6000"}
        params["rounds"] = "150" if name == "ap" else "60"
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


def _learned(
    drawings: Mapping[str, Ink], out: Path, arguments: argparse.Namespace
) -> tuple[Learned, Path]:
    """Learn from other classes, or read what was learned before."""
    file = out / f"learned-{arguments.contests}-{arguments.steps}.npz"
    if file.exists():
        return Learned.load(file), file
    rng = np.random.default_rng(1)
    real = list(eightfold(drawings).values())
    inks = real + list(invent(_INVENTED, _HANDS, _SIDE, rng).values())
    chosen = _contests(len(real), len(inks), arguments.contests, rng)
    truth: list[Members] = [(one,) for one in range(len(inks)) for _ in range(_ALONE)]
    sets = every_set(FIVE, DEGREE)
    truth += [tuple(row[list(one)].tolist()) for row in chosen for one in sets]
    kept = out / f"learned-from-{arguments.contests}.npy"
    features = _kept(kept, partial(in_parts, inks, truth, rng))
    alone, mixed = np.split(features, [len(inks) * _ALONE])
    width = features.shape[1]
    start = time.perf_counter()
    lessons = Lessons(
        alone=alone.reshape(len(inks), _ALONE, width),
        chosen=chosen,
        mixed=mixed.reshape(len(chosen), len(sets), width),
        **standard(features),
    )
    learned = learn(lessons, _LEARNED, arguments.steps)
    learned.save(file)
    _tell(f"learned from {len(truth)} pictures in {time.perf_counter() - start:.0f} s")
    return learned, file


def _contests(
    real: int, classes: int, many: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Draw five classes for each contest: real ones, which come first, invented ones, or both."""
    kinds = (np.arange(real), np.arange(real, classes), np.arange(classes))
    drawn = rng.choice(len(kinds), many, p=_KINDS).tolist()
    return np.array([np.sort(rng.choice(kinds[one], FIVE, replace=False)) for one in drawn])


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
    add(
        "--answers",
        nargs="+",
        type=int,
        default=[],
        metavar="N",
        help="measure the strategy composing as well, after so many answers [not]",
    )
    add("--sizes", nargs="+", type=int, default=sizes, metavar="N", help="pictures [150 750 1500]")
    add("--trials", nargs="+", type=int, default=[10], metavar="N", help="[10], or one per size")
    add("--classes", choices=("measured", "choosing"), default="measured", help="[measured]")
    add("--features", choices=("learned", "lite0"), default="learned", help="[learned]")
    composes = ("learned", "sum", "max", "mean")
    add("--compose", choices=composes, default="learned", help="[learned]")
    most = [("cap", 150), ("ap", 1500)]
    told = "pictures that a method gets at most [cap=150 ap=1500]"
    add("--most", nargs="+", type=_most, default=most, metavar="M=N", help=told)
    add("--sample", type=int, default=150, metavar="N", help="of CAP-subset [150]")
    add("--restarts", type=int, default=50, metavar="N", help="of CKM [50]")
    add("--steps", type=int, default=1500, metavar="N", help="of learning [1500]")
    add("--contests", type=int, default=1300, metavar="N", help="to learn from [1300]")
    add("-o", "--output", type=Path, required=True, metavar="OUT", help="folder of the results")
    return parser


if __name__ == "__main__":
    sys.exit(main())
