"""Passive methods: each groups all items at once and asks nothing. Named in `REGISTRY`.

Importing this package does not import torch: methods do so in `cluster`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from engine.clusterers.fc2 import Fc2
from engine.clusterers.kmeans import KMeans
from engine.clusterers.pck import PCKMeans
from engine.clusterers.rcc import Rcc
from engine.clusterers.rcc.reduced import RccDr
from engine.clusterers.tahc import Tahc
from engine.constraints import Constraints
from engine.job import Job
from engine.model import Clustering
from engine.parameters import Parameter, describe, named, parse
from engine.problem import Problem


class Clusterer(Protocol):
    """What every passive method offers.

    Attributes
    ----------
    name
        Registry name, part of the command line's contract.
    version
        Rises whenever results may change.
    heeds
        Whether it reckons with constraints; one that knows none leaves them aside, and warns of it.
    Params
        Frozen dataclass of parameters; see `engine.parameters`.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    heeds: ClassVar[bool]
    Params: ClassVar[type[Any]]

    def __init__(self, params: Any) -> None: ...

    def cluster(self, problem: Problem, constraints: Constraints, job: Job) -> Clustering:
        """Group all items; deterministic given the problem and the constraints."""
        ...

    def report(self) -> dict[str, object]:
        """Tell how the last grouping came about; plain values for JSON.

        Returns
        -------
        dict
            `trace`: a list of dicts, one per round of the method, empty where it has no rounds;
            `warnings`: a list of str, what a person should know before trusting the groups.
        """
        ...


REGISTRY: dict[str, type[Clusterer]] = {
    method.name: method for method in (KMeans, Tahc, PCKMeans, Fc2, Rcc, RccDr)
}


def make(name: str, params: Mapping[str, str]) -> Clusterer:
    """Make a method from its registry name and `key=value` parameters.

    Raises
    ------
    ParameterError
        For an unknown name, parameter or value; the message names those allowed.
    """
    method = named("method", REGISTRY, name)
    return method(parse(name, method.Params, params))


def parameters(name: str) -> tuple[Parameter, ...]:
    """List the parameters of a method.

    Raises
    ------
    ParameterError
        For an unknown name.
    """
    return describe(named("method", REGISTRY, name).Params)
