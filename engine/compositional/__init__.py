"""Items that belong to several groups at once: some groups are unions of others.

A recording of two speakers, a slide with two kinds of cells. Every method here gives each item a
set of groups, and says what the groups of a set make together by a composition function. Methods
are named in `REGISTRY`; importing this package does not import torch: they do so when they run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from engine.compositional.baselines import WardSets
from engine.compositional.cap import Ap, Cap, CapSubset
from engine.compositional.ckm import Ckm
from engine.compositional.gcr import Gcr
from engine.compositional.membership import Composed
from engine.compositional.mixtures import Fcm, Gmm
from engine.constraints import Constraints
from engine.job import Job
from engine.parameters import Parameter, describe, named, parse
from engine.problem import Problem


class Composer(Protocol):
    """What every compositional method offers.

    Attributes
    ----------
    name
        Registry name, part of the command line's contract.
    version
        Rises whenever results may change.
    Params
        Frozen dataclass of parameters; see `engine.parameters`.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    Params: ClassVar[type[Any]]

    def __init__(self, params: Any) -> None: ...

    def compose(self, problem: Problem, constraints: Constraints, job: Job) -> Composed:
        """Give every item its set of groups; deterministic given problem and constraints.

        Methods that know no constraints leave them aside, and warn of it.
        """
        ...

    def report(self) -> dict[str, object]:
        """Tell how the last result came about; plain values for JSON.

        Returns
        -------
        dict
            `trace`: a list of dicts, one per round of the method, empty where it has no rounds;
            `warnings`: a list of str, what a person should know before trusting the groups.
        """
        ...


REGISTRY: dict[str, type[Composer]] = {
    method.name: method for method in (Cap, CapSubset, Ckm, Gcr, Ap, WardSets, Fcm, Gmm)
}


def make(name: str, params: Mapping[str, str]) -> Composer:
    """Make a method from its registry name and `key=value` parameters.

    Raises
    ------
    ParameterError
        For an unknown name, parameter or value; the message names those allowed.
    """
    method = named("compositional method", REGISTRY, name)
    return method(parse(name, method.Params, params))


def parameters(name: str) -> tuple[Parameter, ...]:
    """List the parameters of a method.

    Raises
    ------
    ParameterError
        For an unknown name.
    """
    return describe(named("compositional method", REGISTRY, name).Params)
