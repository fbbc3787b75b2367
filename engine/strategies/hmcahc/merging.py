"""Merging between two questions: where the next one arises, and what an answer makes of it.

Hidden here: how far merging goes, and what is kept for replay. Promised: pure functions of the
points, the parameters and the answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from engine.clusterers.distances import Distances, measure
from engine.clusterers.linkage import of_measured
from engine.job import Job
from engine.model import IntArray, Pair, Verdict
from engine.problem import Problem
from engine.strategies.hmcahc import asking, stopping
from engine.strategies.hmcahc.certainty import Doubt, Levels, closest_open, nearest_of
from engine.strategies.hmcahc.committee import OTHERS, most_disputed
from engine.strategies.hmcahc.course import Course
from engine.strategies.hmcahc.params import HmcahcParams
from engine.strategies.hmcahc.settled import Answers, Settled


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Where merging stands after some answers.

    Attributes
    ----------
    course
        The merges that there are.
    key
        Tells the course from others.
    made
        How many of its merges have been made.
    confirmed
        Merges that the groups shown have at least: so many had been made when two items of a group
        were said to be the same.
    certainty
        How sure of its groups the machine is now.
    pair
        The question that arose; None = nothing is left to ask.
    size
        Items in the group that it is about.
    stopped
        Whether merging has stopped, and asks what is left.
    further
        Whether the last merge was made only to ask about it.
    """

    course: Course
    key: bytes
    made: int
    confirmed: int
    certainty: float = 1.0
    pair: Pair | None = None
    size: int = 0
    stopped: bool = False
    further: bool = False


class Merging:
    """The steps of algorithm 3 on one problem.

    Parameters
    ----------
    problem
        The points; what is costly is kept among its steps.
    params
        See `HmcahcParams`.
    mark
        Name and version of the strategy, for the keys of steps.
    """

    def __init__(self, problem: Problem, params: HmcahcParams, mark: str, job: Job) -> None:
        self._problem = problem
        self._params = params
        self._job = job
        self._mark = (mark, problem.fingerprint)
        self._measured: Distances | None = None
        self._held: tuple[bytes, Levels] | None = None

    @property
    def distances(self) -> Distances:
        """The distances between all items, measured when they are needed first."""
        memory = self._params.memory * 10**6
        self._measured = self._problem.steps.get(
            (*self._mark, "distances"),
            lambda: (
                self._measured or measure(self._problem.points, self._job, memory=memory, copies=2)
            ),
        )
        return self._measured

    def begin(self) -> Standing:
        """Merge single items until the first question arises.

        What is known before adjusts the groups that merging would end with, as in `how1`. (60
        answers of FALCON on 8 tables, true number of groups: mean ARI .73 so, .62 from single
        items on, where infinite distances forbid useful merges.)
        """
        standing = Standing(self._first, b"", 0, 0)
        if self._problem.known.items:
            stop, known = self._stop(standing), self.known(())
            course = self._first.turned(stop, stop, known, self.distances, self._job)
            standing = Standing(course, b"", course.start, course.start)
        return self._on(standing, ())

    def after(self, before: Standing, answers: Answers, key: bytes) -> Standing:
        """Take in the last answer, adjust the groups if it goes against them, and merge on.

        Parameters
        ----------
        key
            Tells the answers from others.
        """
        known = self.known(answers)
        if known.broken(before.course.labels(before.made)):
            resume = before.made - before.further
            back_to = {"how1": before.made, "how2": 0}.get(
                self._params.variant, before.course.checkpoint
            )
            course = before.course.turned(back_to, resume, known, self.distances, self._job)
            turned = Standing(course, key, course.checkpoint, course.start, stopped=before.stopped)
            return self._on(turned, answers)
        same = answers[-1][1] is Verdict.SAME
        confirmed = before.made if same else before.confirmed
        return self._on(replace(before, confirmed=max(before.confirmed, confirmed)), answers)

    def known(self, answers: Answers) -> Settled:
        """Give what is known by answers, and was before."""
        problem = self._problem
        return Settled(problem.n, (*problem.known.verdicts(), *answers), problem.set_aside)

    def level(self, standing: Standing) -> int:
        """Give the merges made in the end if nothing more is asked."""
        return max(self._stop(standing), standing.confirmed)

    def levels(self, standing: Standing) -> Levels:
        """Give the certainty of all groups of a course."""
        if self._held is None or self._held[0] != standing.key:
            levels = Levels(standing.course.hierarchy, self._neighbours, self._min_size, self._job)
            self._held = standing.key, levels
        return self._held[1]

    @property
    def _first(self) -> Course:
        """The course before any answer."""
        return self._problem.steps.get(
            (*self._mark, "course"), lambda: Course.of(self.distances, self._job)
        )

    @property
    def _neighbours(self) -> IntArray:
        k = self._params.neighbours
        return self._problem.steps.get(
            (*self._mark, "neighbours", k), lambda: nearest_of(self.distances, k, self._job)
        )

    @property
    def _min_size(self) -> int:
        return self._params.min_size or self._params.neighbours

    def _stop(self, standing: Standing) -> int:
        """Give the merges at which merging stops."""
        course = standing.course
        if self._params.groups:
            return course.within(self._problem.n - self._params.groups)
        return course.within(stopping.merges(course))

    def _on(self, standing: Standing, answers: Answers) -> Standing:
        """Merge until the next question arises."""
        known, levels = self.known(answers), self.levels(standing)
        spent = 0 < self._params.questions <= len(answers)
        stop = max(self._stop(standing), standing.made)
        if standing.stopped and self._params.groups:
            stop = standing.made  # unspent questions come before the last merges
        elif not standing.stopped and not spent:
            found = self._arising(standing, stop, known)
            if found is not None:
                return found
        certainty = levels.certainty(known, stop, self._job)
        now = replace(
            standing, made=stop, certainty=certainty, pair=None, stopped=True, further=False
        )
        return now if spent else self._left(now, known)

    def _arising(self, standing: Standing, stop: int, known: Settled) -> Standing | None:
        """Merge until it is time to ask; None = it is not before merging stops."""
        rule = asking.Rule(self._params, standing.course.hierarchy)
        before = 0.0
        for made, certainty in self.levels(standing).walk(known, standing.made, self._job):
            if made > stop:
                break
            if made > standing.made and rule.asks(made, certainty, before):
                now = replace(standing, made=made, certainty=certainty)
                doubt = self._doubt(now, known)
                if doubt is not None:
                    return replace(now, pair=doubt.pair, size=len(doubt.members))
            before = certainty
        return None

    def _left(self, standing: Standing, known: Settled) -> Standing:
        """Give what is left to ask when merging has stopped."""
        further = self._further(standing)
        for made in range(standing.made, further + 1):
            now = replace(standing, made=made)
            doubt = self._doubt(now, known) or self._doubt(now, known, small=True)
            if doubt is not None:
                return replace(
                    now,
                    certainty=self.levels(standing).certainty(known, made, self._job),
                    pair=doubt.pair,
                    size=len(doubt.members),
                    further=made > self.level(standing),
                )
        return replace(standing, made=further)

    def _further(self, standing: Standing) -> int:
        """Give the merges that may be made to ask about: up to the number of groups, if known."""
        if self._params.groups:
            return max(standing.made, self._stop(standing))
        return standing.course.lawful

    def _doubt(self, standing: Standing, known: Settled, *, small: bool = False) -> Doubt | None:
        """Give the pair to ask about at a level; None = no pair is open."""
        levels, made = self.levels(standing), standing.made
        nodes = levels.doubts(known, made, self._job, small=small)
        if not nodes or self._params.variant != "which":
            return closest_open(levels, nodes, known, self.distances, self._job)
        groups = levels.groups(made, small=small)
        return most_disputed(self._votes(made), groups, known, self.distances, self._job)

    def _votes(self, made: int) -> list[IntArray]:
        """Give the groupings of the committee with as many groups."""
        n, steps = self._problem.n, self._problem.steps
        committee = [self._first.hierarchy] + [
            steps.get(
                (*self._mark, "committee", linkage),
                partial(of_measured, self.distances, linkage, self._job),
            )
            for linkage in OTHERS
        ]
        return [hierarchy.cut(n - made) for hierarchy in committee]
