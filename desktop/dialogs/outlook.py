"""What another strategy would make of the answers, in words and with the pair it would ask about.

Hidden: how an `Outlook` becomes sentences. Promised: nothing is promised: the counts are those of
the answers at hand, and where there are no groups yet none are counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from desktop.dialogs.warnings import Warnings
from desktop.widgets import words
from desktop.widgets.item_words import ItemWords
from desktop.widgets.thumb_strip import ThumbStrip
from engine.model import Effect, Outlook, Snapshot

if TYPE_CHECKING:
    from desktop.images import PictureStore

_SIDE = 150  # pixels of the layout: a picture
_CELLS = 4  # of a table row


def _tr(text: str) -> str:
    return QCoreApplication.translate("Outlook", text)


def told(outlook: Outlook, now: Snapshot, n_items: int) -> list[str]:
    """Say what a strategy would change of the state `now`, a sentence each."""
    lines = [_kept(outlook.answers)]
    if _shares(outlook, now):
        return [*lines, *_told_shared(outlook, now, n_items)]
    if not now.overview.groups:
        lines.append(_tr("There are no groups yet that could change."))
        return lines
    effect = outlook.effect
    lines.append(_counted(effect))
    if effect.moved == 0:
        lines.append(_tr("No item would be in another group."))
    else:
        text = _tr("{0} of {1} items would be in another group.")
        lines.append(text.format(words.number(effect.moved), words.number(n_items)))
    return lines


def _counted(effect: Effect) -> str:
    if effect.groups_after == effect.groups_before:
        return _tr("Groups: {0}, as many as now.").format(words.number(effect.groups_after))
    after, before = words.number(effect.groups_after), words.number(effect.groups_before)
    return _tr("Groups: {0} instead of {1}.").format(after, before)


def _shares(outlook: Outlook, now: Snapshot) -> bool:
    """Whether items may belong to several groups, now or then: none moves from one to another."""
    return now.shares or (outlook.look is not None and outlook.look.shares)


def _told_shared(outlook: Outlook, now: Snapshot, n_items: int) -> list[str]:
    """Say how many groups there would be, how many items change theirs, and are in several."""
    effect, of = outlook.effect, words.number(n_items)
    begun = bool(now.overview.groups)
    first = _tr("Groups: {0} to begin with.").format(words.number(effect.groups_after))
    lines = [_counted(effect) if begun else first]
    if begun and effect.moved:
        text = _tr("{0} of {1} items would belong to other groups, or to more, or to fewer.")
        lines.append(text.format(words.number(effect.moved), of))
    elif begun:
        lines.append(_tr("No item would belong to other groups."))
    then = outlook.look.overview.memberships if outlook.look is not None else None
    if then is None:
        lines.append(_tr("Every item would belong to one group again."))
    else:
        several = sum(one.items for one in then.compositions)
        text = _tr("{0} of {1} items would belong to several groups at once.")
        lines.append(text.format(words.number(several), of))
    return lines


def _kept(answers: int) -> str:
    if answers == 0:
        return _tr("You have not answered yet, so there is nothing to lose.")
    if answers == 1:
        return _tr("Your answer is kept.")
    return _tr("All {0} answers are kept.").format(words.number(answers))


def next_line(outlook: Outlook, now: Snapshot) -> str:
    """Introduce the pair that would be asked about next, or say that there is none."""
    if outlook.question is None:
        return _tr("It would have nothing left to ask.")
    if now.question is not None and now.question.pair == outlook.question.pair:
        return _tr("It would go on with the pair that is asked about now:")
    return _tr("It would ask next:")


class LookPanel(QFrame):
    """The right half of the dialog: a heading, what is said, and below it what was found.

    Attributes
    ----------
    column
        Where a kind of panel adds what it shows of an outlook.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.heading = QLabel(wordWrap=True)
        self.heading.setProperty("role", "heading")
        self.lines = QLabel(wordWrap=True)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(18, 16, 18, 16)
        self.column.setSpacing(8)
        for label in (self.heading, self.lines):
            label.setTextFormat(Qt.TextFormat.PlainText)
            self.column.addWidget(label)

    def say(self, heading: str, text: str) -> None:
        """Say something, while there is nothing to compare."""
        is_news = (heading, text) != (self.heading.text(), self.lines.text())
        self.heading.setText(heading)
        self.lines.setText(text)
        self.show_nothing()
        if is_news:
            self.announce(f"{heading} {text}")

    def show_nothing(self) -> None:
        """Take away what was shown of an outlook."""
        raise NotImplementedError

    def show_outlook(self, outlook: Outlook, now: Snapshot) -> None:
        """Show what taking a choice would change of the state `now`."""
        raise NotImplementedError

    def announce(self, text: str) -> None:
        """Tell a screen reader."""
        if QAccessible.isActive() and self.isVisible() and text.strip():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))


class OutlookPanel(LookPanel):
    """What another strategy would make of the answers, and ask next.

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
        self._words = item_words
        self.warnings = Warnings()
        self.column.insertWidget(1, self.warnings)
        self.next = QLabel(wordWrap=True)
        self.next.setProperty("role", "strong")
        self.pictures = ThumbStrip(pictures, _SIDE)
        self.names = QLabel(wordWrap=True)
        self.why = QLabel(wordWrap=True)
        self.why.setProperty("role", "muted")
        for label in (self.next, self.names, self.why):
            label.setTextFormat(Qt.TextFormat.PlainText)
        for part in (self.next, self.pictures, self.names, self.why):
            self.column.addWidget(part)
        self.column.addStretch(1)
        self.say("", "")

    def show_nothing(self) -> None:
        """Take away what was shown of an outlook."""
        for part in (self.warnings, self.next, self.pictures, self.names, self.why):
            part.hide()

    def show_outlook(self, outlook: Outlook, now: Snapshot) -> None:
        """Show what taking a strategy would change of the state `now`."""
        self.say(self.tr("What it would change"), "\n".join(told(outlook, now, len(self._words))))
        self.warnings.show_all(outlook.warnings)
        self.next.setText(next_line(outlook, now))
        self.next.show()
        spoken = [*outlook.warnings, self.lines.text(), self.next.text()]
        if outlook.question is not None:
            a, b = outlook.question.pair
            names = self.tr("{0} and {1}").format(self._words.name(a), self._words.name(b))
            spoken.append(names)
            if self._words.has_picture(a) and self._words.has_picture(b):
                self.pictures.show_items((a, b))
                self.pictures.setAccessibleName(names)
            else:
                self.names.setText(f"{self._row(a, b)}\n{self._row(b, a)}")
                self.names.show()
            reason = outlook.question.reason
            template = QCoreApplication.translate("Reasons", reason.template)
            self.why.setText(template.format(**dict(reason.values)))
            self.why.show()
        self.announce(" ".join(spoken))

    def _row(self, item: int, other: int) -> str:
        """Say what tells a table row from another."""
        cells = self._words.telling(item, (other,), _CELLS)
        values = " · ".join(f"{cell.column} {cell.text}" for cell in cells)
        return f"{self._words.name(item)}:  {values}" if values else self._words.name(item)
