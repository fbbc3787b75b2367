"""Doubts: what a person should know before trusting groups that RCC made."""

from __future__ import annotations

from engine.clusterers.rcc.continuation import Scales
from engine.clusterers.rcc.graph import Graph
from engine.dataset import counted
from engine.model import IntArray

ALIKE = "Neighbouring items are all copies of each other, so there was nothing to move."

_SMALL_DELTA = 0.5  # below it, mu ends above what holds the points apart
_FRAGMENTED = 20  # items per group, fewer of which look like fragments


def about_graph(n: int, k: int, graph: Graph) -> list[str]:
    """Say of a graph what limits the groups it can give."""
    said = []
    if n <= k:
        said.append(
            f"There are only {counted(n, 'item')}, so the {counted(n - 1, 'other')} of each are "
            f"its neighbours, not {k}."
        )
    if graph.parts > 1:
        said.append(
            f"The graph of neighbours falls into {graph.parts} parts, which can never come "
            f"together: more neighbours would join them."
        )
    return said


def about_groups(labels: IntArray, scales: Scales, mu_end: str) -> list[str]:
    """Say so when the scale of the data may have stopped the groups from coming together."""
    groups = int(labels.max()) + 1
    if mu_end != "delta" or scales.delta >= _SMALL_DELTA or len(labels) >= _FRAGMENTED * groups:
        return []
    said = (
        f"The shortest edges are {scales.delta:.2g} long, which is little against 1, and there are "
        f"{groups} groups: the scale of the data may have stopped them from coming together. Try "
        f"stretch=16, or features as they were measured (scale none)."
    )
    return [said]


def unsettled(rounds: int) -> str:
    """Say that the rounds were used up."""
    return f"Not settled after {counted(rounds, 'round')}; more may change the groups."
