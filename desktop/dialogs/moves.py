"""What finding groups otherwise would change: warnings, figures, and which items move.

Hidden: how an `Outlook` becomes sentences. Promised: warnings stand above all else, and what is
shown is the state that taking the choice leads to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QLabel, QWidget

from desktop.dialogs.outlook import LookPanel
from desktop.dialogs.warnings import Warnings
from desktop.widgets import words
from desktop.widgets.groups.group_model import UNDECIDED
from desktop.widgets.groups.members import MembersView
from desktop.widgets.groups.moves import Move, MovesList, moves_between
from desktop.widgets.item_words import ItemWords
from engine.model import Outlook, Overview, Snapshot

if TYPE_CHECKING:
    from desktop.images import PictureStore

_SIDE = 64  # pixels of the layout: a picture


def _tr(text: str) -> str:
    return QCoreApplication.translate("Moves", text)


def told(look: Snapshot, now: Snapshot, moved: int) -> list[str]:
    """Say what a grouping would change of the state `now`, a sentence each."""
    n = len(look.overview.slots)
    then, before = len(look.overview.groups), len(now.overview.groups)
    if not then:
        return [_tr("There would be no groups any more: they come with your answers."), kept(look)]
    if not before:
        lines = [_tr("Groups: {0}. There are none yet.").format(words.number(then))]
    elif then == before:
        lines = [_tr("Groups: {0}, as many as now.").format(words.number(then))]
    else:
        text = _tr("Groups: {0} instead of {1}.")
        lines = [text.format(words.number(then), words.number(before))]
    if before:
        text = _tr("{0} of {1} items would be in another group.")
        some = text.format(words.number(moved), words.number(n))
        lines.append(some if moved else _tr("No item would be in another group."))
    undecided = _undecided(look)
    if undecided:
        text = _tr("{0} would be in no group.")
        lines.append(text.format(words.items(undecided)))
    lines.append(kept(look))
    return lines


def kept(look: Snapshot) -> str:
    """Say that the answers are kept to; or how many are not, where slips are reckoned with."""
    answered, broken = look.progress.answered, len(look.overruled)
    if answered == 0:
        return _tr("You have not answered yet. What you answer later is kept to.")
    if broken:
        text = _tr("All {0} are kept; the groups go against {1} of them.")
        return text.format(words.answers(answered), words.number(broken))
    if answered == 1:
        return _tr("Your answer is kept to in any case.")
    return _tr("Your {0} are kept to in any case.").format(words.answers(answered))


def _undecided(look: Snapshot) -> int:
    return int((look.overview.slots < 0).sum()) - look.progress.set_aside


class MovesPanel(LookPanel):
    """The right half of the dialog: what is known of the grouping so far.

    Parameters
    ----------
    pictures
        Where thumbnails come from.
    item_words
        Words for the items of the open study.
    """

    def __init__(
        self, pictures: PictureStore, item_words: ItemWords, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._then: Overview | None = None
        self.warnings = Warnings(self)
        self.moves = MovesList(self)
        self.caption = QLabel(wordWrap=True)
        self.caption.setProperty("role", "strong")
        self.caption.setTextFormat(Qt.TextFormat.PlainText)
        self.items = MembersView(pictures, self)
        self.items.set_side(_SIDE)
        self.items.open(item_words)
        self.items.setAccessibleName(self.tr("Items that move"))
        self.items.setAccessibleDescription("")
        self.items.setMinimumHeight(_SIDE + 28)
        self.caption.setBuddy(self.items)
        self.column.insertWidget(1, self.warnings)
        self.column.addWidget(self.moves)
        self.column.addWidget(self.caption)
        self.column.addWidget(self.items, 1)
        self._spring = QWidget(self)  # keeps words at the top while nothing stands below them
        self.column.addWidget(self._spring, 1)
        self.moves.chosen.connect(self._show_items)
        self.say("", "")

    def show_nothing(self) -> None:
        """Take away what was shown of an outlook."""
        for part in (self.warnings, self.moves, self.caption, self.items):
            part.hide()
        self._spring.show()

    def show_outlook(self, outlook: Outlook, now: Snapshot) -> None:
        """Show what taking a grouping would change of the state `now`."""
        look = outlook.look
        if look is None:
            return
        self._then = look.overview
        moves = moves_between(now.overview, look.overview)
        moved = sum(len(move.items) for move in moves)
        lines = "\n".join(told(look, now, moved))
        begun = bool(now.overview.groups)
        self.say(self.tr("What it would change") if begun else self.tr("What it would show"), lines)
        self.warnings.show_all(outlook.warnings)
        self.moves.show_moves(moves, now.overview, look.overview)
        for part in (self.moves, self.caption, self.items):
            part.setVisible(bool(moves))
        self._spring.setVisible(not moves)
        self.announce(" ".join((*outlook.warnings, lines)))

    def _show_items(self, move: Move) -> None:
        if self._then is not None:
            self.caption.setText(self._caption(move))
            self.items.show_items(move.items, self._then, anew=True)

    def _caption(self, move: Move) -> str:
        count = words.items(len(move.items))
        if move.source is None and move.target != UNDECIDED:
            return self.tr("Group {0}: {1}").format(move.target + 1, count)
        if move.target == UNDECIDED:
            return self.tr("In no group then: {0}").format(count)
        if move.source == UNDECIDED:
            return self.tr("In a group then: {0}").format(count)
        return self.tr("Leaving group {0} for group {1}: {2}").format(
            (move.source or 0) + 1, move.target + 1, count
        )
