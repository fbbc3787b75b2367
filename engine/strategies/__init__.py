"""Active strategies: each decides what to ask next. One module each, named in `REGISTRY`.

A strategy is written as the loop of its paper: `verdict = yield query`. `Session` turns the
generator into ask/tell. Importing this package does not import torch: strategies do so in `run`.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, ClassVar, Protocol, runtime_checkable

from engine.compositional.membership import Composed
from engine.hierarchy import Tree
from engine.job import Job
from engine.model import Approach, Clustering, Cue, Pair, Query, Verdict
from engine.parameters import Parameter, describe, named, parse, setting, texts, words
from engine.problem import Problem
from engine.strategies.acdm import Acdm
from engine.strategies.cobras import Cobras
from engine.strategies.components import Components
from engine.strategies.composing import Several
from engine.strategies.consolidate import ActivePCK, ExploreConsolidate
from engine.strategies.falcon import Falcon
from engine.strategies.hmcahc import Hmcahc
from engine.strategies.npu import MpckNpu
from engine.strategies.random_pairs import RandomPairs

Queries = Generator[Query, Verdict | Cue, None]
"""Only fresh queries are sent cues."""


class Strategy(Protocol):
    """What every active strategy offers.

    Attributes
    ----------
    name
        Registry name, part of the command line's contract.
    version
        Rises whenever picks, groups or confidence may change.
    Params
        Frozen dataclass of parameters with defaults; field metadata `help` explains each.
    transitive
        Whether answers say that items are of one group, so that others follow from them. Else
        they say whether two items have a group in common: a fact about the pair, from which
        nothing follows. Such a strategy is `tolerant`, and `Composing`.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    Params: ClassVar[type[Any]]
    transitive: ClassVar[bool]

    def __init__(self, params: Any) -> None: ...

    @property
    def tolerant(self) -> bool:
        """Whether it reckons with wrong answers: asks `fresh` queries, and may overrule answers.

        The session closes no replies to its questions then: see `engine.fold`.
        """
        ...

    def run(self, problem: Problem, job: Job) -> Queries:
        """Yield the queries to be answered, one after the other; return when nothing is left.

        Begins with `problem.known`, what other strategies learned. Must survive UNSURE anywhere,
        be deterministic given problem and verdicts, never yield a pair twice unless it asks for a
        fresh answer, and call `job.step` at least every 50 ms of work.
        """
        ...

    def overhear(self, pair: Pair, verdict: Verdict) -> bool:
        """Take in an answer about another pair than the one asked about; for the tolerant.

        Returns
        -------
        bool
            False when it cannot be made use of yet, or not at all.
        """
        ...

    def clustering(self) -> Clustering:
        """Give the best guess at any pause of `run`; asks nothing."""
        ...

    def report(self) -> dict[str, object]:
        """Tell what was chosen for the data, and what was approximated and how well.

        Plain values for JSON; empty = nothing was.
        """
        ...


@runtime_checkable
class Hierarchical(Protocol):
    """What a strategy offers besides when its groups come of merging."""

    def tree(self) -> Tree:
        """Give every level of the hierarchy that the present grouping belongs to."""
        ...


@runtime_checkable
class Composing(Protocol):
    """What a strategy offers besides when items may belong to several groups at once."""

    def composed(self) -> Composed:
        """Give the groups of each item at any pause of `run`; `clustering` tells sets apart."""
        ...


REGISTRY: dict[str, type[Strategy]] = {
    strategy.name: strategy
    for strategy in (
        Falcon,
        Hmcahc,
        Cobras,
        Acdm,
        Components,
        MpckNpu,
        ExploreConsolidate,
        ActivePCK,
        Several,
        RandomPairs,
    )
}


def make(name: str, params: Mapping[str, str]) -> Strategy:
    """Make a strategy from its registry name and `key=value` parameters.

    Raises
    ------
    ParameterError
        For an unknown name, parameter or value; the message names those allowed.
    """
    strategy = named("strategy", REGISTRY, name)
    return strategy(parse(name, strategy.Params, params))


def complete(name: str, params: Mapping[str, str]) -> Approach:
    """Add the parameters not given, with their defaults: these may change, old answers may not.

    Raises
    ------
    ParameterError
        As `make`.
    """
    strategy = named("strategy", REGISTRY, name)
    return Approach(name, tuple(texts(parse(name, strategy.Params, params)).items()))


def read(text: str) -> tuple[str, Approach]:
    """Read "name key=value ..." or "label: name key=value ...".

    Returns
    -------
    tuple
        The label, by default the text, and the complete approach.

    Raises
    ------
    ParameterError
        For an unknown strategy, parameter or value.
    """
    label, spec = _parted(text)
    name, *settings = words(spec) or [""]
    return label, complete(name, dict(map(setting, settings)))


def _parted(text: str) -> tuple[str, str]:
    """Take the label off: what is before a colon that a strategy follows.

    Where none does, the first colon still ends a label (of a strategy that there is not), unless it
    is in a value: names of files may have colons.
    """
    ends = [at for at, sign in enumerate(text) if sign == ":"]
    for at in ends:
        if {*text[at + 1 :].split(maxsplit=1)[:1]} & REGISTRY.keys():
            return text[:at].strip(), text[at + 1 :]
    if ends and "=" not in text[: ends[0]]:
        return text[: ends[0]].strip(), text[ends[0] + 1 :]
    return " ".join(text.split()), text


def parameters(name: str) -> tuple[Parameter, ...]:
    """List the parameters of a strategy.

    Raises
    ------
    ParameterError
        For an unknown name.
    """
    return describe(named("strategy", REGISTRY, name).Params)
