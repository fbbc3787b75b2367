"""Choices: by which method groups are found, and in which space items are compared.

Hidden here: what a choice makes of the answers given before it, and how that is kept between
sessions. Promised: it depends on the problem and those answers alone; later answers change nothing
of it, so that a choice costs nobody a wait while they judge. A choice made again takes in all
answers there are by then.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from engine import clusterers, strategies
from engine.clusterers.noted import answers_left_aside
from engine.constraints import Known
from engine.job import Job
from engine.layout import project_to_map
from engine.model import GIVEN, OWN, Approach, Clustering, FloatArray, IntArray, StepKind
from engine.parameters import named, parse, texts
from engine.problem import Problem
from engine.spreading import VERSION, SpreadParams, spread

LEARNED = "learned"


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """The groups that a method finds on answers, and what is to be known of them."""

    clustering: Clustering
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """A space learned from answers: float32[n, c], and the name under which it is kept."""

    points: FloatArray
    key: str


@dataclass(frozen=True)
class LearnedParams(SpreadParams):
    """How a space is learned, and what for."""

    questions: bool = field(
        default=False,
        metadata={
            "help": "Whether pairs are chosen in the learned space too, or only the map is drawn."
        },
    )


def complete(kind: StepKind, approach: Approach) -> Approach:
    """Add the parameters not given, with their defaults.

    Parameters
    ----------
    kind
        STRATEGY, GROUPING (`OWN`, or a method of `clusterers`) or SPACE (`GIVEN`, or "learned").

    Raises
    ------
    ParameterError
        For an unknown name, parameter or value.
    """
    name, params = approach.strategy, dict(approach.params)
    if kind is StepKind.STRATEGY:
        return strategies.complete(name, params)
    known: dict[str, type[Any]]
    if kind is StepKind.GROUPING:
        known = {OWN.strategy: _None, **{one: m.Params for one, m in clusterers.REGISTRY.items()}}
    else:
        known = {GIVEN.strategy: _None, LEARNED: LearnedParams}
    taken = named(f"choice of {kind.value}", known, name)
    return Approach(name, tuple(texts(parse(name, taken, params)).items()))


@dataclass(frozen=True)
class _None:
    """No parameters."""


def asks_within(space: Approach) -> bool:
    """Tell whether pairs are chosen in this space and not in the given one."""
    return space.strategy == LEARNED and _learned(space).questions


def grouped(problem: Problem, approach: Approach, known: Known, job: Job) -> Grouped:
    """Find groups by a method of `clusterers`, on the answers known.

    Raises
    ------
    ConstraintError, ParameterError, ResourceError
        When the method cannot do it with these items and answers.
    Cancelled
        When the job was stopped.
    """
    method = clusterers.make(approach.strategy, dict(approach.params))

    def find() -> IntArray:
        constraints = known.closed()
        clustering = method.cluster(problem, constraints, job)
        # here they have a part: whatever is found is made to keep to them afterwards
        no_part = answers_left_aside(method.name, constraints)
        reported = cast("list[str]", method.report()["warnings"])
        warnings = [warning for warning in reported if warning not in no_part]
        told = np.frombuffer("\n".join(warnings).encode(), dtype=np.uint8).astype(np.int32)
        return np.concatenate([clustering.labels, clustering.confidence.view(np.int32), told])

    n = problem.n
    kept = problem.steps.indices(_key(problem, approach, method.version, known), find)
    told = kept[2 * n :].astype(np.uint8).tobytes().decode()
    clustering = Clustering(kept[:n], kept[n : 2 * n].view(np.float32))
    return Grouped(clustering, tuple(told.split("\n")) if told else ())


def learned(problem: Problem, approach: Approach, known: Known, job: Job) -> Space:
    """Learn a space from the answers known (CS-PDS).

    Raises
    ------
    ConstraintError
        When there are no answers to learn from.
    ResourceError, Cancelled
        When the answers settle too much for memory, or the job was stopped.
    """
    params = _learned(approach)

    def find() -> IntArray:
        return spread(problem, known.closed(), params, job).space.ravel().view(np.int32)

    key = _key(problem, approach, VERSION, known)
    points = problem.steps.indices(key, find).view(np.float32).reshape(problem.n, -1)
    return Space(points, key)


def drawn(problem: Problem, space: Space, job: Job) -> FloatArray:
    """Draw the map of a learned space, float32[n, 2] within [-1, 1].

    Raises
    ------
    Cancelled
        When the job was stopped.
    """

    def draw() -> IntArray:
        return project_to_map(space.points, problem.seed, job).ravel().view(np.int32)

    kept = problem.steps.indices(f"{space.key} map", draw)
    coordinates: FloatArray = kept.view(np.float32).reshape(problem.n, 2)
    return coordinates


def _learned(space: Approach) -> LearnedParams:
    return parse(space.strategy, LearnedParams, dict(space.params))


def _key(problem: Problem, approach: Approach, version: int, known: Known) -> str:
    """Name a result by all that it depends on."""
    said = hashlib.blake2b(repr(tuple(known)).encode(), digest_size=16).hexdigest()
    return f"{approach} v{version} {problem.fingerprint} seed={problem.seed} {said}"
