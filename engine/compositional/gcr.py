"""GCR: groups found by any method, some of which turn out to be compositions of others.

Greedy: the group whose centre is best made by others is reassigned first. A group that is itself a
composition can be no part of one, nor can a part become one.

References
----------
Greedy compositional reassignment, as the authors' program does it: it ends at the first conflict.
Ours: `on_conflict=skip`, and the suggested threshold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from engine import clusterers
from engine.clusterers.linkage import LINKAGES
from engine.clusterers.noted import answers_left_aside
from engine.compositional.choosing import CHOICES, choose
from engine.compositional.functions import NAMED, Compose, function_for
from engine.compositional.membership import Composed
from engine.compositional.nearest import compared, fits, fitted, read
from engine.compositional.params import ComposingParams
from engine.compositional.sets import Sets
from engine.constraints import Constraints
from engine.errors import ParameterError
from engine.job import Job
from engine.model import IntArray
from engine.problem import Problem

if TYPE_CHECKING:
    import torch

Floats = npt.NDArray[np.float64]

BASES = (*LINKAGES, "kmeans", "rcc", "rcc-dr")
"""Linkages, by which groups are merged up to the number wanted, and methods that need no answers:
answers here say that items share a group, which is not what methods for plain groups take them for.
"""

CONFLICTS = ("stop", "skip")

_OF_EMBEDDINGS = 0.4  # the authors' threshold for vectors of length 1
_TIMES = 4  # the suggested threshold, in mean squared distances within a group
_WORK = 2e7  # differences computed between two job steps

THRESHOLD = "no other group is composed that well"
COMPOSED_PART = "a part is itself a composition"
IS_A_PART = "the group is a part of a composition"
ALL_DONE = "no group is left"
TOO_FEW = "fewer than three groups"


@dataclass(frozen=True, slots=True, kw_only=True)
class GcrParams(ComposingParams):
    """Parameters of GCR."""

    groups: int = field(
        default=0,
        metadata={
            "least": 0,
            "help": "How many groups to begin with, compositions included; 0 = found out, by the "
            "base method or as `choose` says.",
        },
    )
    base: str = field(
        default="ward",
        metadata={"choices": BASES, "help": "How the groups are found that it begins with."},
    )
    choose: str = field(
        default="silhouette",
        metadata={
            "choices": CHOICES,
            "more": True,
            "help": "How the number of groups to begin with is found out: by how well they are "
            "set apart, or by how much better they fit than they would fit points without groups "
            "(gap).",
        },
    )
    most: int = field(
        default=36,
        metadata={
            "least": 1,
            "more": True,
            "help": "Groups to begin with at most, where their number is found out.",
        },
    )
    tau: float = field(
        default=0.0,
        metadata={
            "least": 0.0,
            "help": "Largest squared distance between a group's centre and a composition. 0 = "
            "suggested: 0.4 where directions are compared, else 4 times how much a group spreads.",
        },
    )
    on_conflict: str = field(
        default="stop",
        metadata={
            "choices": CONFLICTS,
            "more": True,
            "help": "What to do when a part is a composition or a composition a part: stop, as "
            "the authors' program does, or skip it and go on.",
        },
    )


@dataclass(frozen=True, slots=True, eq=False)
class Reassigned:
    """What became of each group.

    Attributes
    ----------
    sets
        For each group the set that its items get: itself alone, or what composes it.
    gaps
        float64[K], squared distance of each group's centre to the nearest composition of others;
        infinite = there is none.
    nearest
        For each group that composition; empty = there is none.
    order
        Groups reassigned, in that order.
    stopped
        Why it ended: one of the reasons named in this module.
    """

    sets: tuple[tuple[int, ...], ...]
    gaps: Floats
    nearest: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]
    stopped: str

    @property
    def parts(self) -> tuple[int, ...]:
        """Groups that others are composed of."""
        return tuple(sorted({part for one in self.order for part in self.sets[one]}))


class Gcr:
    """Groups by any base method, some of which turn out to be made of others.

    Parameters
    ----------
    params
        The number of groups must be given where the base method needs it.
    """

    name: ClassVar[str] = "gcr"
    version: ClassVar[int] = 1
    Params: ClassVar[type[Any]] = GcrParams

    def __init__(self, params: GcrParams) -> None:
        self._params = params
        self._report: dict[str, object] = {"trace": [], "warnings": []}

    def compose(self, problem: Problem, constraints: Constraints, job: Job) -> Composed:
        """Group by the base method, then reassign; answers are left aside.

        Raises
        ------
        ParameterError
            For a function, degree or number of groups that cannot be.
        ResourceError
            When the sets of so many groups take more memory than allowed.
        """
        params = self._params
        g = function_for(problem, params.compose)
        groups, tried = self._begun_with(problem, job)
        labels, warnings = base_groups(problem, params.base, groups, params.memory, job)
        warnings += answers_left_aside(self.name, constraints)
        points = problem.tensor
        centres = means(points, labels, job)
        tau, suggested = params.tau, params.tau == 0
        if suggested:
            tau = suggested_tau(points, centres, labels, job, normalize=params.normalize)
        found = reassigned(centres, g, params, tau, job)
        self._report = {
            "trace": [
                {
                    "iteration": number,
                    "group": group,
                    "composed_of": list(found.sets[group]),
                    "squared_distance": float(found.gaps[group]),
                }
                for number, group in enumerate(found.order, 1)
            ],
            "warnings": warnings,
            "base_groups": len(centres),
            "tried": tried,
            "tau": tau,
            "tau_suggested": suggested,
            "parts": list(found.parts),
            "composed": sorted(found.order),
            "squared_distances": [float(gap) if np.isfinite(gap) else None for gap in found.gaps],
            "stopped": found.stopped,
        }
        return fitted(points, centres, found.sets, labels, g, job, normalize=params.normalize)

    def report(self) -> dict[str, object]:
        """Tell the threshold, which groups are composed of which, and why it ended.

        A line of the trace is a group reassigned. Groups have the numbers of the base method.
        """
        return dict(self._report)

    def _begun_with(self, problem: Problem, job: Job) -> tuple[int, list[dict[str, object]]]:
        """Give the number of groups to begin with, 0 = the base method's, and what was tried."""
        params = self._params
        if params.groups or not told(params.base):
            return params.groups, []

        def plainly(problem: Problem, groups: int, *, quick: bool) -> Composed:
            del quick
            return plain(problem, params.base, groups, params.memory, job)

        choice = choose(params.choose, problem, params.most, plainly, job)
        return choice.groups, choice.tried


def told(base: str) -> bool:
    """Whether a base method must be told the number of groups."""
    return base in LINKAGES or "groups" in {one.name for one in clusterers.parameters(base)}


def plain(problem: Problem, base: str, groups: int, memory: int, job: Job) -> Composed:
    """Group by a base method, each item in one group, which its mean stands for."""
    labels, _ = base_groups(problem, base, groups, memory, job)
    centres = means(problem.tensor, labels, job)
    sets = [(group,) for group in range(len(centres))]
    return fitted(problem.tensor, centres, sets, labels, NAMED["sum"], job, normalize=False)


def base_groups(
    problem: Problem, base: str, groups: int, memory: int, job: Job
) -> tuple[IntArray, list[str]]:
    """Group by a base method, and give its warnings; undecided items go to the nearest group.

    Parameters
    ----------
    base
        One of `BASES`.
    groups
        How many; 0 = the method finds it out.
    memory
        Of the distances between all items, in MB.

    Raises
    ------
    ParameterError
        When the method must be told how many groups, or must not.
    """
    name = "tahc" if base in LINKAGES else base
    texts = {"linkage": base, "memory": str(memory)} if base in LINKAGES else {}
    if groups:
        if not told(base):
            raise ParameterError(f"{base} finds out the number of groups; groups must be 0")
        texts["groups"] = str(groups)
    method = clusterers.make(name, texts)
    found = method.cluster(problem, Constraints(), job)
    warnings = method.report().get("warnings")
    return _decided(problem, found.labels, job), list(
        warnings if isinstance(warnings, list) else ()
    )


def _decided(problem: Problem, labels: IntArray, job: Job) -> IntArray:
    """Give undecided items, -1, the group with the nearest centre."""
    import torch

    open_items = np.flatnonzero(labels < 0)
    if not len(open_items):
        return labels
    if len(open_items) == len(labels):
        return np.zeros_like(labels)
    known = torch.from_numpy(np.flatnonzero(labels >= 0))
    centres = means(problem.tensor[known], labels[labels >= 0], job)
    nearest, _, _ = fits(problem.tensor[torch.from_numpy(open_items)], centres, job)
    filled = labels.copy()
    filled[open_items] = nearest.numpy()
    return filled


def means(points: torch.Tensor, labels: IntArray, job: Job) -> torch.Tensor:
    """Give the mean of each group, float64[groups, p]."""
    import torch

    places = torch.from_numpy(labels.astype(np.int64))
    sizes = torch.bincount(places)
    sums = torch.zeros((len(sizes), points.shape[1]), dtype=torch.float64)
    for rows, some in read(points, job):
        sums.index_add_(0, places[rows], some)
    return sums / sizes[:, None]


def suggested_tau(
    points: torch.Tensor, centres: torch.Tensor, labels: IntArray, job: Job, *, normalize: bool
) -> float:
    """Suggest how near a composition must be: the authors' 0.4 for directions, else by the data.

    That is 4 times the median, over the groups, of the mean squared distance to the centre.
    """
    import torch

    if normalize:
        return _OF_EMBEDDINGS
    places = torch.from_numpy(labels.astype(np.int64))
    sums = centres.new_zeros(len(centres))
    for rows, some in read(points, job):
        sums.index_add_(0, places[rows], (some - centres[places[rows]]).square().sum(1))
    return _TIMES * float(np.median((sums / torch.bincount(places)).numpy()))


def reassigned(
    centres: torch.Tensor, g: Compose, params: GcrParams, tau: float, job: Job
) -> Reassigned:
    """Find groups that others compose.

    Parameters
    ----------
    centres
        float64[K, p].
    g
        The composition function.
    params
        Of which degree, normalize, on_conflict and memory count here.
    tau
        Largest squared distance at which a group counts as composed.
    """
    k = len(centres)
    sets = Sets.of(k, params.degree, k, params.memory * 10**6)
    gaps, nearest = _gaps(centres, sets, g, job, normalize=params.normalize)
    made: dict[int, tuple[int, ...]] = {}
    parts: set[int] = set()
    stopped = TOO_FEW if k < 3 else ALL_DONE
    for group in np.argsort(gaps, kind="stable").tolist() if k >= 3 else ():
        if not nearest[group] or gaps[group] > tau:
            stopped = THRESHOLD
            break
        reason = ""
        if made.keys() & set(nearest[group]):
            reason = COMPOSED_PART
        elif group in parts:
            reason = IS_A_PART
        if reason and params.on_conflict == "stop":
            stopped = reason
            break
        if not reason:
            made[group] = nearest[group]
            parts.update(nearest[group])
    kept = tuple(made.get(group, (group,)) for group in range(k))
    return Reassigned(kept, gaps, nearest, tuple(made), stopped)


def _gaps(
    centres: torch.Tensor, sets: Sets, g: Compose, job: Job, *, normalize: bool
) -> tuple[Floats, tuple[tuple[int, ...], ...]]:
    """Give for each group the nearest composition of others, and its squared distance."""
    import torch

    from engine.kernels.functions import direct_distances

    k = len(centres)
    least, best = centres.new_full((k,), torch.inf), np.full(k, -1)
    singles = compared(centres, normalize=normalize)
    uses = torch.from_numpy(sets.incidence().T)
    for numbers, composed in sets.in_blocks(centres, g, values=int(_WORK / k)):
        job.step(numbers.stop, sets.count, "Comparing groups with compositions")
        if numbers.start < k:
            continue
        vectors = compared(composed, normalize=normalize)
        squares = direct_distances(singles, vectors).square_()
        near, place = squares.masked_fill_(uses[:, numbers], torch.inf).min(1)
        better = near < least
        least[better] = near[better]
        best[better.numpy()] = numbers.start + place[better].numpy()
    nearest = tuple(sets.members(at) if at >= 0 else () for at in best.tolist())
    return least.numpy(), nearest
