"""What is seen in a tree, in words: for tool tips, screen readers, and the lines beside it.

Promises that long names stay readable, and that certainty is left out where it is not known.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication, QLocale

from desktop.widgets import words
from desktop.widgets.item_words import ItemWords
from desktop.widgets.tree.answers_at_cut import AnswersAtCut, SaidAt
from engine.hierarchy import Inquiry, Tree
from engine.model import Pair

_LONGEST = 60
_MOST = 4  # answers told in one tool tip


class TreeWords:
    """Words for one tree.

    Parameters
    ----------
    tree, said
        The tree and the answers in force.
    item_words
        Names of the items.
    """

    def __init__(self, tree: Tree, said: AnswersAtCut, item_words: ItemWords) -> None:
        self._tree, self._said, self._items = tree, said, item_words

    def cut(self, groups: int) -> str:
        """Tell a level: how many groups, how sure, what it breaks."""
        parts = [counted_groups(groups), self.certainty(groups), self.broken(groups)]
        return " · ".join(part for part in parts if part)

    def certainty(self, groups: int) -> str:
        """Tell how sure of its groups the machine is at a level; "" = not known."""
        sure = float(self._tree.certainty[self._tree.hierarchy.n - groups])
        return words.certainty(sure) if np.isfinite(sure) else ""

    def broken(self, groups: int) -> str:
        """Tell how many answers a level breaks."""
        if not len(self._said):
            return QCoreApplication.translate("Tree", "no answers yet")
        broken = len(self._said.broken(groups))
        total = words.answers(len(self._said))
        if broken == 0:
            return QCoreApplication.translate("Tree", "breaks none of {0}").format(total)
        return QCoreApplication.translate("Tree", "breaks {0} of {1}").format(
            words.number(broken), total
        )

    def branch(self, node: int) -> str:
        """Tell a branch: how many items, and how far apart its two parts are."""
        hierarchy = self._tree.hierarchy
        if node < hierarchy.n:
            return _short(self._items.name(node))
        at = node - hierarchy.n
        size = words.items(int(hierarchy.sizes[at]))
        apart = QLocale().toString(float(hierarchy.heights[at]), "g", 3)
        return QCoreApplication.translate(
            "Tree", "A branch of {0}; its two parts are {1} apart."
        ).format(size, apart)

    def pair(self, pair: Pair) -> str:
        """Name two items."""
        return f"{_short(self._items.name(pair.a))} — {_short(self._items.name(pair.b))}"

    def inquiry(self, inquiry: Inquiry) -> str:
        """Tell a question: its pair, what was said, when it arose, how sure the machine was."""
        if inquiry.verdict is None:
            said = QCoreApplication.translate("Tree", "Asked now")
        else:
            said = words.verdict_word(inquiry.verdict)
        left = counted_groups(self._tree.hierarchy.n - inquiry.step)
        lines = [self.pair(inquiry.pair), f"{said} · {left}"]
        if np.isfinite(inquiry.certainty):
            lines.append(words.certainty(inquiry.certainty))
        return "\n".join(lines)

    def inquiries(self, inquiries: tuple[Inquiry, ...]) -> str:
        """Tell the questions that are marked at one place."""
        told = [self.inquiry(one) for one in inquiries[:_MOST]]
        return "\n\n".join(told + _and_more(len(inquiries)))

    def said(self, said: tuple[SaidAt, ...], groups: int) -> str:
        """Tell the answers whose pairs meet at one place, those that a cut breaks first."""
        broken = {one.seq for one in self._said.broken(groups)}
        lines = []
        for one in said[:_MOST]:
            line = f"#{one.seq} {words.verdict_word(one.verdict)}: {self.pair(one.pair)}"
            if one.seq in broken:
                line += QCoreApplication.translate("Tree", " (broken by this cut)")
            lines.append(line)
        return "\n".join(lines + _and_more(len(said)))


def counted_groups(count: int) -> str:
    """Count groups."""
    if count == 1:
        return QCoreApplication.translate("Tree", "1 group")
    return QCoreApplication.translate("Tree", "{0} groups", "", count).format(words.number(count))


def _and_more(count: int) -> list[str]:
    """Say how many are not told."""
    if count <= _MOST:
        return []
    more = QCoreApplication.translate("Tree", "and {0} more")
    return [more.format(words.number(count - _MOST))]


def _short(name: str) -> str:
    """Leave out the middle of a long name."""
    if len(name) <= _LONGEST:
        return name
    half = _LONGEST // 2
    return f"{name[:half]}…{name[-half:]}"
