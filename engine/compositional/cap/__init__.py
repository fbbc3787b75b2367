"""CAP: items choose exemplars, one or several together, by passing messages to each other.

Affinity propagation in which an item may be explained by up to `degree` exemplars that compose, and
an exemplar by itself alone. How many groups there are is found out; `preference`, what it costs to
be an exemplar, decides it. CAP-subset does so for a few items, and gives the others the nearest of
the sets that were found. Affinity propagation is the case of one exemplar per item, without swaps.

The sum of similarities is driven up, not to its maximum: messages may oscillate, and stop at a
choice that contradicts itself. So several dampings are tried, the exemplars they come to are taken
as given, each swapped for another item while that raises the sum (`swap`), and every other item
gets the best of their sets (repair). With `damping=auto`, strong damping comes first; a weaker one
that is not done after 100 rounds, and twice as many as another took, is stopped where it is: on 500
items it would go on without end.

Uniform points in three dimensions, 7 of them, preference -0.25, 50 seeds: the best of all choices
in 48, without swaps in 47; with one damping and no swaps 34 (0.9), 45 (0.7), 43 (0.5). A round at
degree 2 takes 5 ms for 150 items and 0.17 s for 500 on one core, nine tenths of it two additions
and two maxima for each value of the table; all dampings 1.4 s and 36 to 42 s.

References
----------
Compositional affinity propagation and CAP-subset; the repair and the swaps are ours.
Frey & Dueck (2007), Clustering by passing messages between data points, Science 315.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from engine.clusterers.noted import answers_left_aside
from engine.compositional.membership import Composed
from engine.compositional.nearest import fits
from engine.compositional.params import ComposingParams
from engine.compositional.sets import Sets, check_degree
from engine.constraints import Constraints
from engine.errors import ParameterError
from engine.job import Job
from engine.problem import Problem

if TYPE_CHECKING:
    from engine.compositional.cap.decode import Choice
    from engine.compositional.cap.messages import Settled
    from engine.compositional.cap.table import Floats, Space
    from engine.compositional.functions import Compose

DAMPINGS = (0.9, 0.7, 0.5)
"""What `damping=auto` tries."""

_LONGER = 2  # times as many rounds as a damping that converged: then another is given up
_LONG = 100  # rounds that every damping is given


@dataclass(frozen=True, kw_only=True)  # no slots: only one of two bases may have any
class PassingParams:
    """Parameters of every method that passes messages."""

    preference: str = field(
        default="median",
        metadata={
            "help": "What it costs to stand for a group, a negative number: the lower, the fewer "
            "groups. median: as two items differ.",
        },
    )
    squared: bool = field(
        default=True,
        metadata={"help": "Whether squared distances are added up, or distances."},
    )
    damping: str = field(
        default="auto",
        metadata={
            "more": True,
            "help": "Share of the old messages in new ones, from 0 to below 1. auto: the best of "
            "0.5, 0.7 and 0.9.",
        },
    )
    rounds: int = field(
        default=300,
        metadata={"least": 1, "more": True, "help": "How often messages are passed, at most."},
    )
    patience: int = field(
        default=15,
        metadata={
            "least": 1,
            "more": True,
            "help": "For how many rounds the choice must stay the same to be final.",
        },
    )
    precision: str = field(
        default="float64",
        metadata={
            "choices": ("float64", "float32"),
            "more": True,
            "help": "Digits of what is kept: with float32, half the memory and two thirds of the "
            "time; now and then another result.",
        },
    )


@dataclass(frozen=True, kw_only=True)
class CapParams(PassingParams, ComposingParams):
    """Parameters of CAP."""

    swap: bool = field(
        default=True,
        metadata={
            "more": True,
            "help": "Whether items that stand for groups are swapped for others in the end, as "
            "long as all items fit better by it.",
        },
    )


@dataclass(frozen=True, kw_only=True)
class CapSubsetParams(CapParams):
    """Parameters of CAP-subset."""

    sample: int = field(
        default=150, metadata={"least": 1, "help": "How many items choose exemplars."}
    )
    samples: int = field(
        default=5,
        metadata={
            "least": 1,
            "help": "How often as many are drawn: kept are the exemplars that all items fit best.",
        },
    )


@dataclass(frozen=True, kw_only=True)
class ApParams(PassingParams):
    """Parameters of affinity propagation."""

    normalize: bool = field(
        default=False,
        metadata={
            "help": "Compare directions only, not lengths, as suits features of neural networks.",
        },
    )
    memory: int = field(
        default=2000,
        metadata={
            "least": 1,
            "more": True,
            "help": "Memory for what is kept of every two items, in MB, at most.",
        },
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """What messages came to: a choice, what items cost as exemplars, float64[n], a report."""

    choice: Choice
    costs: Floats
    told: dict[str, object]


class Cap:
    """Affinity propagation in which items may choose several exemplars that compose.

    Parameters
    ----------
    params
        The number of groups is none of them.

    Raises
    ------
    ParameterError
        For a preference, damping or degree that is none.
    """

    name: ClassVar[str] = "cap"
    version: ClassVar[int] = 2
    Params: ClassVar[type[Any]] = CapParams

    def __init__(self, params: Any) -> None:
        self._params = params
        check_degree(self._degree())
        self._cost = _preference(params.preference)
        self._dampings = _dampings(params.damping)
        self._told: dict[str, object] = {"trace": []}
        self._warnings: list[str] = []

    def compose(self, problem: Problem, constraints: Constraints, job: Job) -> Composed:
        """Give every item its set of exemplars; answers are left aside."""
        from engine.compositional.cap.table import Space

        params = self._params
        self._told = {"trace": []}
        self._warnings = answers_left_aside(self.name, constraints)
        space = Space.of(
            problem.tensor,
            self._function(problem),
            normalize=params.normalize,
            squared=params.squared,
        )
        choice = self._choice(problem, space, job)
        self._warn()
        return _composed(problem, choice, job, normalize=self._params.normalize)

    def report(self) -> dict[str, object]:
        """Tell how the choice came about.

        Returns
        -------
        dict
            `net_similarity`: of the final choice; `feasible`, `converged`, `iterations`,
            `damping`: of the messages it came from; `attempts`: the same for every damping tried;
            `trace`: a line per round and damping (net similarity of the choice, None where it
            contradicts itself); `warnings`. Of CAP-subset these are of the draw that was kept, and
            `samples` is by what it was: the net similarity of all items for every draw.
        """
        return {**self._told, "warnings": list(self._warnings)}

    def _degree(self) -> int:
        degree: int = self._params.degree
        return degree

    def _swaps(self) -> bool:
        swaps: bool = self._params.swap
        return swaps

    def _function(self, problem: Problem) -> Compose:
        from engine.compositional.functions import function_for

        return function_for(problem, self._params.compose)

    def _choice(self, problem: Problem, space: Space, job: Job) -> Choice:
        """Give every item its set."""
        found = self._propagated(problem, space, job)
        self._told = found.told
        return found.choice

    def _propagated(self, problem: Problem, space: Space, job: Job) -> _Found:
        """Pass messages with every damping, and keep the choice with the best net similarity."""
        import torch

        from engine.compositional.cap.decode import choose, founders
        from engine.compositional.cap.messages import settle
        from engine.compositional.cap.swapping import swapped
        from engine.compositional.cap.table import affinities, break_ties, check_memory

        params, degree, trace = self._params, self._degree(), []
        sets = Sets.of(space.n, degree, space.n, params.memory * 10**6)
        check_memory(space.n, sets.count, params.memory * 10**6)
        dtype = torch.float32 if params.precision == "float32" else torch.float64
        table, costs = affinities(space, sets, self._cost, job, dtype)
        if space.n == 1:
            return self._alone(space, costs, job)
        break_ties(table, problem.rng(f"{self.name}.ties"), job)
        rounds, tried = params.rounds, []
        for damping in self._dampings:
            settled = settle(table, damping, rounds, params.patience, job)
            found = founders(settled, sets)
            if self._swaps():
                found = swapped(table, found, costs, degree, job)
            choice = choose(space, found, degree, job)
            tried.append((choice.net_similarity(space, costs), settled, choice))
            trace += settled.trace
            if settled.converged:
                rounds = min(rounds, max(_LONG, _LONGER * settled.rounds))
        net, best, kept = max(tried, key=lambda one: one[0])
        attempts = [_told(settled, reached) for reached, settled, _ in tried]
        return _Found(kept, costs, {**_told(best, net), "attempts": attempts, "trace": trace})

    def _alone(self, space: Space, costs: Floats, job: Job) -> _Found:
        """Let the only item there is stand for itself."""
        import torch

        from engine.compositional.cap.decode import choose

        choice = choose(space, torch.zeros(1, dtype=torch.int64), 1, job)
        told: dict[str, object] = {
            "net_similarity": choice.net_similarity(space, costs),
            "feasible": True,
            "converged": True,
            "iterations": 0,
            "damping": self._dampings[0],
            "attempts": [],
            "trace": [],
        }
        return _Found(choice, costs, told)

    def _warn(self) -> None:
        if not self._told["feasible"]:
            self._warnings.append(
                "messages came to a choice that contradicts itself; exemplars were kept, and all "
                "other items given the best of their sets. Another preference may do better."
            )
        elif not self._told["converged"]:
            self._warnings.append(
                f"the choice still changed after {self._told['iterations']} rounds; more rounds or "
                "a higher damping may do better."
            )


class CapSubset(Cap):
    """Compositional affinity propagation among a few items; the others take what these found.

    Every item takes the nearest of the sets that occur among the few, of equally near ones the
    smaller; exemplars keep themselves. So is done for several draws, and the one kept by which the
    net similarity is best when all items count, each as much as one of a draw weighs them. With no
    more items than `sample`, it is CAP.

    Parameters
    ----------
    params
        As for CAP, how many items are drawn, and how often.

    References
    ----------
    Kaufman & Rousseeuw (1990), Finding groups in data, chapter 3 (CLARA): of several draws the one
    that all items fit best.
    """

    name: ClassVar[str] = "cap-subset"
    version: ClassVar[int] = 2
    Params: ClassVar[type[Any]] = CapSubsetParams

    def _choice(self, problem: Problem, space: Space, job: Job) -> Choice:
        """Give the drawn items their sets, and all items the nearest of these."""
        import torch

        from engine.compositional.cap.decode import choose

        params, n = self._params, space.n
        if params.sample >= n:
            return super()._choice(problem, space, job)
        random = problem.rng(f"{self.name}.rows")
        tried, nets, costs = [], [], []

        def all_items(found: _Found, drawn: torch.Tensor) -> Choice:
            exemplars, sets = drawn[found.choice.exemplars], torch.unique(found.choice.chosen)
            return choose(space, exemplars, params.degree, job, among=sets)

        for _ in range(params.samples):
            drawn = torch.from_numpy(np.sort(random.choice(n, params.sample, replace=False)))
            found = self._propagated(problem, space.rows(drawn), job)
            tried.append((found, drawn))
            costs.append(found.costs.mean())
            of_items = all_items(found, drawn).net_similarity(space, np.zeros(n))
            nets.append(of_items * params.sample / n)
        cost = float(np.mean(costs))  # one for all draws: a median varies
        nets = [
            net + cost * len(found.choice.exemplars)
            for net, (found, _) in zip(nets, tried, strict=True)
        ]
        best, drawn = tried[int(np.argmax(nets))]
        self._told = {**best.told, "samples": nets}
        return all_items(best, drawn)


class Ap(Cap):
    """Affinity propagation: every item has one exemplar.

    Parameters
    ----------
    params
        As for CAP, without what concerns compositions.
    """

    name: ClassVar[str] = "ap"
    version: ClassVar[int] = 1
    Params: ClassVar[type[Any]] = ApParams

    def _degree(self) -> int:
        return 1

    def _swaps(self) -> bool:
        return False  # as it was published: what CAP is compared with

    def _function(self, problem: Problem) -> Compose:
        from engine.compositional.functions import function_for

        return function_for(problem, "sum")  # of one vector: itself


def _told(settled: Settled, net: float) -> dict[str, object]:
    """Give what a report says of one damping."""
    return {
        "net_similarity": net,
        "feasible": settled.feasible,
        "converged": settled.converged,
        "iterations": settled.rounds,
        "damping": settled.damping,
    }


def _composed(problem: Problem, choice: Choice, job: Job, *, normalize: bool) -> Composed:
    """Give a choice as memberships; exemplars stand for their groups."""
    singles = problem.tensor[choice.exemplars].double()
    _, alone, _ = fits(problem.tensor, singles, job, normalize=normalize)
    numbers, place = np.unique(choice.chosen.numpy(), return_inverse=True)
    return Composed.of(
        [choice.sets.members(number) for number in numbers.tolist()],
        place,
        choice.squares.sqrt().numpy(),
        choice.next_squares.sqrt().numpy(),
        alone.numpy(),
        singles.numpy(),
    )


def _preference(text: str) -> float | None:
    """Read a preference; None = the median."""
    if text == "median":
        return None
    return _number("preference", text, "median or a negative number", -math.inf, 0)


def _dampings(text: str) -> tuple[float, ...]:
    """Read which dampings to try."""
    if text == "auto":
        return DAMPINGS
    return (_number("damping", text, "auto or a number from 0 to below 1", -1e-300, 1),)


def _number(name: str, text: str, wanted: str, above: float, below: float) -> float:
    """Read a number between bounds that it may not reach."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not above < number < below:
        raise ParameterError(f"{name} must be {wanted}, not '{text}'")
    return number
