"""What stands above the items of a group, and the chip that shows its sign anywhere.

Hides when a name is being typed. Promises that a state arriving meanwhile does not touch it.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.widgets import words
from desktop.widgets.groups.fitting_line import FittingLine
from desktop.widgets.groups.group_model import Card, GroupsModel
from desktop.widgets.groups.member_tiles import LARGEST, SIDE, SMALLEST
from desktop.widgets.item_words import ItemWords
from desktop.widgets.thumbs import draw_chip


class GroupHeader(QWidget):
    """What stands above the items of a group: the way back, sign, name, figures, thumbnail size.

    Notes
    -----
    Signals: `backClicked()`, `sideChanged(int)`. Names go to the model of the groups.
    """

    backClicked = Signal()
    sideChanged = Signal(int)

    def __init__(self, groups: GroupsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._groups = groups
        self._card: Card | None = None
        self._back = QToolButton(self)
        self._back.setAccessibleName(self.tr("Back to all groups"))
        self._back.setToolTip(self.tr("Back to all groups (Esc)"))
        self._chip = GroupChip(self)
        self._name = NameField(self)
        self._name.setMaxLength(120)
        self._name.setAccessibleName(self.tr("Name of the group"))
        self._name.setToolTip(self.tr("Name of the group (F2)"))
        self._title = QLabel(self)  # of items that are no group, and so can have no name
        self._title.setProperty("role", "heading")
        self._title.setMinimumHeight(self._name.sizeHint().height())
        self._figures = FittingLine(self)
        self.together = FittingLine(self)
        self.together.hide()
        self._side = QSlider(Qt.Orientation.Horizontal, self)
        self._side.setRange(SMALLEST, LARGEST)
        self._side.setValue(SIDE)
        self._side.setFixedWidth(88)
        self._side.setAccessibleName(self.tr("Size of the thumbnails"))
        self._side.setToolTip(self.tr("Size of the thumbnails"))
        self._lay_out()
        self._back.clicked.connect(self.backClicked)
        self._name.editingFinished.connect(self._finish)
        self._name.givenUp.connect(self._give_up)
        self._side.valueChanged.connect(self.sideChanged)
        theme.current().themeChanged.connect(self._recolour)
        self._recolour()

    def _lay_out(self) -> None:
        above, below = QHBoxLayout(), QHBoxLayout()
        for widget in (self._back, self._chip, self._name, self._title):
            above.addWidget(widget)
        below.addWidget(self._figures, 1)
        below.addWidget(self._side)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 0)
        layout.setSpacing(2)
        layout.addLayout(above)
        layout.addLayout(below)
        layout.addWidget(self.together)

    def _recolour(self) -> None:
        self._back.setIcon(theme.icon("back"))

    def open(self, item_words: ItemWords) -> None:
        """Begin with another study."""
        self._side.setVisible(item_words.has_pictures)

    def show_card(self, card: Card) -> None:
        """Show a group; a name being typed is left alone."""
        same = self._card is not None and self._card.slot == card.slot
        self._card = card
        self._chip.set_slot(card.slot)
        self._chip.setVisible(card.is_group)
        self._figures.say(self._groups.said_figures(card))
        told = self._groups.together(card)
        self.together.say(self._shortened(told), "\n".join(told))
        self.together.setVisible(bool(told))
        self._name.setReadOnly(not self._groups.can_name(card))
        self._name.setPlaceholderText(self._groups.title(card))
        self._name.setVisible(card.is_group)
        self._title.setText(self._groups.title(card))
        self._title.setVisible(not card.is_group)
        if not (same and self._name.isModified()):
            self._name.setText(card.name)

    def _shortened(self, told: list[str]) -> list[str]:
        """Say the same in shorter and shorter ways: the first few, and how many more there are."""
        ways = ["; ".join(told)]
        for count in range(len(told) - 1, -1, -1):
            more = self.tr("{0} more").format(words.number(len(told) - count))
            ways.append("; ".join([*told[:count], more]))
        return ways

    def edit_name(self) -> None:
        """Put the keyboard into the name."""
        self._name.setFocus()
        self._name.selectAll()

    def _finish(self) -> None:
        card, name = self._card, self._name.text().strip()
        modified = self._name.isModified()
        self._name.setModified(False)
        if card is not None and modified:
            self._groups.rename(card, name)

    def _give_up(self) -> None:
        if self._card is not None:
            self._name.setText(self._card.name)


class NameField(QLineEdit):
    """A field for a name. Signal `givenUp()`: Escape was pressed after typing."""

    givenUp = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Give up what was typed by Escape; with nothing typed, Escape leads back as elsewhere."""
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.givenUp.emit()
        else:
            super().keyPressEvent(event)


class GroupChip(QWidget):
    """A group's sign and number as a small coloured chip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._slot = -1
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.current().themeChanged.connect(self.update)

    def set_slot(self, slot: int) -> None:
        """Show another group's sign."""
        self._slot = slot
        self.setAccessibleName(theme.slot_text(slot))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Ask for the sign and number."""
        metrics = self.fontMetrics()
        width = metrics.horizontalAdvance(theme.slot_text(self._slot)) * 5 // 4
        return QSize(width + 14, metrics.height() + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint it in the colours of the theme."""
        painter = QPainter(self)
        painter.setFont(self.font())
        draw_chip(painter, self.rect(), self._slot)
        painter.end()
