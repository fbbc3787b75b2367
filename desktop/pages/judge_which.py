"""Which groups two items may have in common: what the judge page offers after "in common".

Hides how an item that stands for a group becomes the group. Promises that an answer begun in one
state is not finished in another.
"""

from __future__ import annotations

from dataclasses import dataclass

from desktop.widgets import shared_words
from desktop.widgets.item_words import ItemWords
from desktop.widgets.judging.common_card import Candidate
from engine.model import Confidence, Snapshot

_CELLS = 3  # of a table row


@dataclass(frozen=True, slots=True)
class WhichAsked:
    """An answer that has begun: two have something in common, and it is asked what.

    Attributes
    ----------
    revision
        The state in which it was begun.
    confidence, response_ms
        How sure the person was, and after how long.
    """

    revision: int
    confidence: Confidence
    response_ms: int

    def holds(self, shown: Snapshot) -> bool:
        """Whether it can be finished in the state that is shown."""
        return shown.live and shown.revision == self.revision and shown.question is not None


def candidates(state: Snapshot, items: ItemWords) -> list[Candidate]:
    """Give the groups that the two asked about may have in common, each with what stands for it."""
    question = state.question
    if question is None:
        return []
    found = []
    for item in question.common:
        groups = shared_words.groups_of(state.overview, item)
        slot, name = (groups[0].slot, groups[0].name) if groups else (-1, "")
        row = "" if items.has_picture(item) else _row(items, item, question.common)
        found.append(Candidate(item, slot, name, row))
    return found


def _row(items: ItemWords, item: int, among: tuple[int, ...]) -> str:
    """Say what tells a table row from the others that are offered."""
    cells = items.telling(item, among, _CELLS)
    values = " · ".join(f"{cell.column} {cell.text}" for cell in cells)
    return f"{items.name(item)}: {values}" if values else items.name(item)
