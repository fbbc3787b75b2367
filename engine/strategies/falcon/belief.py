"""Belief: which prototypes belong together, when some of the answers about them are wrong.

Hidden here: a statistical model of prototypes and answers, kept up to date as both come in.
Promised: a pure function of points and answers; the same calls give the same numbers.

Prototypes z_0, z_1, ... come one by one. Each founds a group of its own, or resembles one that
came before it, the nearer the likelier (a distance dependent Chinese restaurant process):

    P(z_k founds a group) = nu_k = (n_1 + 1/2) / (k + 1)
    P(z_k in c)           = (1 - nu_k) * sum_{j in c} f_kj / sum_j f_kj,    f_kj = d_kj^-beta

where n_1 groups have a single prototype (Good and Turing's estimate of the unseen). An answer is
wrong with probability p, whatever it is about. With w_ij = answers "same" less answers "different"
about a pair, and L = ln((1 - p) / p), the log-odds of a right answer, the log-likelihood of a
grouping is

    L * sum of w_ij over the pairs in one group        (and a constant),

so that an answer about one group also tells of all others. p and beta are not known. They have a
posterior on a grid: the prior, Beta(1, 1/noise - 1) for p and log-normal for beta, times the
marginal likelihood of the answers that each prototype met when it was placed,
sum_c P(c) P(answers | c). While nobody errs p falls, and hardly anything is asked twice; with
people who err it stays.

A *branch* is a prototype with all that hang on it: each hangs on an earlier one of its group, on
one it was said to be like, if any, else on the nearest. Founders' branches are the groups. A
branch may belong to any group or be one, and that is weighed like a single prototype, with all
answers between it and the others. So a group parted by a wrong answer, two groups joined by one
and a stray member are all the same: a doubtful branch.

References
----------
D. Blei and P. Frazier, Distance dependent Chinese restaurant processes, JMLR 12 (2011).
I. Good, The population frequencies of species, Biometrika 40 (1953).
J. Besag, On the statistical analysis of dirty pictures, JRSS B 48 (1986): the repair, one unit
after the other to where it is likeliest, is his iterated conditional modes.
"""

from __future__ import annotations

from collections import Counter
from copy import copy
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.model import Verdict

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.intp]

NOBODY = -1  # group of a prototype that has none

_ERROR = np.array([0.001, 0.003, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.14, 0.2, 0.3])
_BETA = np.array([1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0])
_USUAL_BETA, _SPREAD = 4.0, 0.7  # of the log-normal prior of beta
_NEW_AT_MOST = 0.9
_NEAREST = 1e-6  # distances below this share of the first one count as this: copies are 0 apart
_GEOMETRY = 3.0  # the most that how groups interleave may add to a log probability
_NO_USE = 1000  # a pair left unsure counts as asked so often
_PASSES = 50
_TIES = 1e-4  # log probability that a move must gain


@dataclass(frozen=True, slots=True)
class Doubt:
    """A branch that may be in the wrong place.

    Attributes
    ----------
    founder
        Position of the prototype that the others hang on.
    branch
        bool[m], the prototypes that would move.
    targets
        Groups to compare it with, the most telling first, each with the chance that the branch
        belongs to it.
    """

    founder: int
    branch: Bools
    targets: tuple[tuple[int, float], ...]


class Belief:
    """Prototypes by position 0, 1, ... in the order added, their groups, and the answers.

    Parameters
    ----------
    noise
        The share of wrong answers expected beforehand, in (0, 1).
    """

    def __init__(self, noise: float) -> None:
        self._scale = 0.0
        self._group = np.empty(0, dtype=np.intp)
        self._new = np.empty(0)  # nu_k
        self._distance = np.empty((0, 0))
        self._alike = np.empty((0, 0))  # f_ij, 0 on the diagonal
        self._votes = np.empty((0, 0))  # w_ij
        self._asked = np.empty((0, 0))
        self._unrepaired: list[tuple[int, int]] = []
        self._met: Counter[Verdict] = Counter()  # answers about the prototype being placed
        error = np.log1p(-_ERROR) * (1 / noise - 2) + np.log(_ERROR)  # the grid is even in log p
        beta = -np.square(np.log(_BETA / _USUAL_BETA) / _SPREAD) / 2
        self._log_posterior = error[:, None] + beta  # of p and beta, up to a constant
        self._beta = _USUAL_BETA
        self._weight = 0.0  # L
        self._estimate()

    # ------------------------------------------------------------------ what is believed

    @property
    def size(self) -> int:
        """Number of prototypes, m."""
        return len(self._group)

    @property
    def n_groups(self) -> int:
        """Number of groups, K."""
        return int(self._group.max(initial=NOBODY)) + 1

    @property
    def groups(self) -> Ints:
        """intp[m], the group of each prototype; NOBODY = none yet."""
        return self._group

    @property
    def error(self) -> float:
        """The posterior mean of p, the share of wrong answers."""
        chance = np.exp(self._log_posterior - self._log_posterior.max())
        return float(chance.sum(axis=1) @ _ERROR / chance.sum())

    def posterior(self, at: int) -> Floats:
        """Give the probability of each group, and of a new one, for a prototype: float64[K + 1]."""
        members = self._members()
        log = _log_prior(self._alike[at] @ members, self._new[at])
        log[:-1] += self._weight * (self._votes[at] @ members)
        return _normalised(log)

    def likeliest(self, distance: Floats) -> int:
        """Give the group that a prototype without answers resembles most, by its distances."""
        return int((self._powers(distance, self._beta) @ self._members()).argmax())

    def nearest(self, ones: Ints, others: Ints, at_most: int) -> tuple[int, int] | None:
        """Find the pair across two sets asked about least often, and of these the nearest.

        None when all have been asked about `at_most` times.
        """
        asked = self._asked[np.ix_(ones, others)].ravel()
        if not asked.size or asked.min() >= at_most:
            return None
        first = int(np.lexsort((self._distance[np.ix_(ones, others)].ravel(), asked))[0])
        return int(ones[first // len(others)]), int(others[first % len(others)])

    # ------------------------------------------------------------------ what comes in

    def add(self, distance: Floats) -> int:
        """Take in the next prototype, which has no group yet; give its position.

        Parameters
        ----------
        distance
            float64[m + 1], to those before it, and 0 to itself.
        """
        at = self.size
        single = np.bincount(self._group[self._group >= 0]) == 1
        self._scale = self._scale or float(distance.max())
        alike = self._powers(distance, self._beta)
        alike[at] = 0
        self._distance = _grown(self._distance, distance)
        self._alike = _grown(self._alike, alike)
        self._votes = _grown(self._votes, np.zeros(at + 1))
        self._asked = _grown(self._asked, np.zeros(at + 1))
        self._met.clear()
        self._group = np.append(self._group, NOBODY)
        self._new = np.append(self._new, min((single.sum() + 0.5) / (at + 1), _NEW_AT_MOST))
        return at

    def hear(self, one: int, other: int, verdict: Verdict, expected: float | None = None) -> None:
        """Take in an answer about two prototypes.

        Parameters
        ----------
        expected
            Chance of SAME as it seemed before; None while one of them is being placed, whose
            answers are learnt from when it is `settled`.
        """
        vote = {Verdict.SAME: 1, Verdict.DIFFERENT: -1, Verdict.UNSURE: 0}[verdict]
        for a, b in ((one, other), (other, one)):
            self._votes[a, b] += vote
            self._asked[a, b] += 1 if vote else _NO_USE
        self._unrepaired.append((one, other))
        if expected is None:
            self._met[verdict] += 1
        elif vote:
            right = expected if vote > 0 else 1 - expected
            self._log_posterior += np.log(right * (1 - _ERROR) + (1 - right) * _ERROR)[:, None]
            self._estimate()

    def evidence(self, at: int) -> Floats:
        """Give what a prototype's answers add to the log posterior of p and beta."""
        members = self._members()
        votes = np.append(self._votes[at] @ members, 0)
        met = self._met[Verdict.SAME] * np.log(_ERROR)
        met += self._met[Verdict.DIFFERENT] * np.log1p(-_ERROR)
        log_odds = np.log1p(-_ERROR) - np.log(_ERROR)
        columns = []
        for beta in _BETA:
            alike = self._powers(self._distance[at], beta)
            alike[at] = 0
            log = _log_prior(alike @ members, self._new[at]) + log_odds[:, None] * votes
            columns.append(np.logaddexp.reduce(log, axis=1) + met)
        return np.stack(columns, axis=1)

    def settle(self, at: int, group: int, evidence: Floats | float = 0.0) -> None:
        """Give a prototype its group, n_groups for a new one, and learn from its answers."""
        self._log_posterior += evidence
        self._group[at] = group
        self._estimate()

    # ------------------------------------------------------------------ doubts and repair

    def doubts(self, alpha: float) -> list[Doubt]:
        """List the branches in doubt, the worst first.

        A branch is in doubt when the chance that it is in the wrong place, times the number of
        prototypes at stake, exceeds `alpha`. At stake is the smaller of the two sides.
        """
        founders = np.flatnonzero(self._group >= 0)
        branches = self._branches()[founders]
        log, place = self._weigh(branches, founders)
        rows = np.arange(len(founders))
        sizes = np.bincount(self._group[founders])
        side = branches.sum(axis=1)
        rest = sizes[self._group[founders]] - side
        rival = _without(log[:, :-1], place).argmax(axis=1)
        stake = np.minimum(side, np.where(rest > 0, rest, sizes[rival]))
        # what interleaves may lift any group by so much, but never the branch as one of its own
        high = log + np.append(np.full(log.shape[1] - 1, _GEOMETRY), 0)
        high[rows, place] = log[rows, place]
        chance = _normalised(high)
        look = np.flatnonzero((1 - chance[rows, place]) * stake > alpha)
        log[look, :-1] += self._interleaved(branches[look], founders[look])
        chance = _normalised(log)
        doubt = (1 - chance[rows, place]) * stake
        worst = [row for row in np.argsort(-doubt, kind="stable") if doubt[row] > alpha]
        found: list[Doubt] = []
        for row in worst:
            groups = [int(_without(log[row, :-1], place[row]).argmax())]
            if rest[row]:
                groups.insert(0, int(place[row]))
            targets = tuple((group, float(chance[row, group])) for group in groups)
            found.append(Doubt(int(founders[row]), branches[row], targets))
        return found

    def repaired(self) -> Ints:
        """Give the groups, what answers speak against moved, the greatest gain first.

        Prototypes and branches move to another group or become one. When the groups break none of
        the answers since the last repair, nothing moves.
        """
        pairs = self._broken()
        trial = copy(self)
        trial._group = self._group.copy()
        if any(pairs[pair] for pair in self._unrepaired):
            trial._improve()
        return trial._group

    def regroup(self, groups: Ints) -> None:
        """Take repaired groups for what is believed."""
        self._group = groups.copy()
        self._unrepaired = []

    def _improve(self) -> None:
        """Move one unit after the other, until nothing gains."""
        for _ in range(_PASSES):
            broken = np.logical_or.reduce(self._broken(), axis=1)
            if not broken.any():
                return
            branches = self._branches()
            branches = branches[(branches & broken).any(axis=1) & (self._group >= 0)]
            alone = np.eye(self.size, dtype=np.bool_)[broken]
            units = np.vstack([alone, branches])
            founders = units.argmax(axis=1)  # the others of a branch came later
            log, place = self._weigh(units, founders)
            log[len(alone) :, :-1] += self._interleaved(branches, founders[len(alone) :])
            gain = log - log[np.arange(len(units)), place][:, None]
            unit, to = np.unravel_index(int(gain.argmax()), gain.shape)
            if gain[unit, to] <= _TIES:
                return
            self._group[units[unit]] = to
            held = self._group >= 0
            self._group[held] = np.unique(self._group[held], return_inverse=True)[1]

    def _weigh(self, units: Bools, founders: Ints) -> tuple[Floats, Ints]:
        """Give the log posterior of each group, and of being one, for sets of prototypes.

        Returns
        -------
        tuple
            float64[u, K + 1] and intp[u]: the column where each set now is.
        """
        members = self._members()
        rows, own = np.arange(len(units)), self._group[founders]
        alike = self._alike[founders] @ members
        # not by taking away: copies of the founder are 1e48 times as like it as all others together
        left = np.where(units, 0, members[:, own].T)
        alike[rows, own] = (self._alike[founders] * left).sum(axis=1)
        votes = units @ (self._votes @ members)
        one, other = np.nonzero(np.triu(self._votes))
        within = (units[:, one] & units[:, other]) @ self._votes[one, other]
        votes[rows, own] -= 2 * within
        whole = members.sum(axis=0)[own] == units.sum(axis=1)
        alike[rows[whole], own[whole]] = 0
        log = _log_prior(np.maximum(alike, 0), self._new[founders])
        log[:, :-1] += self._weight * votes
        return log, np.where(whole, self.n_groups, own)

    def _interleaved(self, branches: Bools, founders: Ints) -> Floats:
        """Give what speaks for one group instead of two in where a branch lies, float64[u, K].

        A group that lies among the others of a branch takes from the chance of each of them to be
        of the branch: sum over them of ln(1 + f(group) / f(branch)), bounded, for geometry as a
        whole may mislead.
        """
        members = self._members()
        near = self._alike @ members
        inside = branches @ self._alike
        row, at = np.nonzero(branches)
        others = at != founders[row]
        row, at = row[others], at[others]
        own = self._group[at]
        around = near[at]
        around[np.arange(len(at)), own] -= inside[row, at]
        whole = members.sum(axis=0)[own] == branches.sum(axis=1)[row]
        around[whole, own[whole]] = 0
        lift = np.zeros((len(branches), members.shape[1]))
        np.add.at(lift, row, np.log1p(np.maximum(around, 0) / inside[row, at][:, None]))
        return np.minimum(lift, _GEOMETRY)

    def _branches(self) -> Bools:
        """Give, row by row, the prototypes that hang on each one, itself among them: bool[m, m]."""
        together = self._group[:, None] == self._group
        earlier = np.tri(self.size, k=-1, dtype=np.bool_) & together & (self._group[:, None] >= 0)
        firmest = np.where(earlier & (self._votes > 0), self._votes, 0).max(axis=1, initial=0)
        best = earlier & (np.maximum(self._votes, 0) == firmest[:, None])
        parent = np.where(best, self._alike, -1).argmax(axis=1)
        hangs = np.eye(self.size, dtype=np.bool_)  # row k: what k hangs on
        for at in np.flatnonzero(best.any(axis=1)):
            hangs[at] |= hangs[parent[at]]
        return hangs.T

    def _broken(self) -> Bools:
        """Tell which pairs the groups put otherwise than most answers about them: bool[m, m]."""
        together = np.equal.outer(self._group, self._group)
        held = np.logical_and.outer(self._group >= 0, self._group >= 0)
        broken: Bools = held & np.where(together, self._votes < 0, self._votes > 0)
        return broken

    # ------------------------------------------------------------------ numbers

    def _members(self) -> Floats:
        """Give who is in which group, 1 or 0: float64[m, K]."""
        members: Bools = self._group[:, None] == np.arange(self.n_groups)
        return members.astype(np.float64)

    def _estimate(self) -> None:
        """Take p and beta from their posterior: its mean, and the most likely value."""
        error = self.error
        self._weight = float(np.log((1 - error) / error))
        beta = float(_BETA[np.logaddexp.reduce(self._log_posterior, axis=0).argmax()])
        if beta != self._beta:
            self._beta = beta
            self._alike = self._powers(self._distance, beta)
            np.fill_diagonal(self._alike, 0)

    def _powers(self, distance: Floats, beta: float) -> Floats:
        powers: Floats = np.maximum(distance / (self._scale or 1.0), _NEAREST) ** -beta
        return powers


def _log_prior(alike: Floats, new: Floats | float) -> Floats:
    """Turn sums of f to each group, float64[..., K], to log priors, float64[..., K + 1]."""
    new = np.asarray(new)[..., None]
    total = alike.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        known = np.log(alike / np.where(total > 0, total, 1)) + np.log1p(-new)
        return np.concatenate([known, np.log(new)], axis=-1)


def _normalised(log: Floats) -> Floats:
    """Turn log probabilities, up to a constant, to probabilities."""
    chances: Floats = np.exp(log - log.max(axis=-1, keepdims=True))
    chances /= chances.sum(axis=-1, keepdims=True)
    return chances


def _without(log: Floats, place: Ints | int) -> Floats:
    """Leave out the column where each row now is."""
    columns = np.arange(log.shape[-1])
    return np.where(columns == np.asarray(place)[..., None], -np.inf, log)


def _grown(square: Floats, row: Floats) -> Floats:
    """Add a last row and column to a symmetric matrix, within the room of a larger one."""
    size = len(row)
    room = square if square.base is None else square.base
    if len(room) < size:
        room = np.empty((2 * size, 2 * size))
        room[: size - 1, : size - 1] = square
    room[size - 1, :size] = room[:size, size - 1] = row
    return room[:size, :size]
