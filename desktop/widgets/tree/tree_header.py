"""The row above the tree: number of groups, how sure, what is broken; scale, zoom, saving."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QWidget,
)

from desktop import theme
from desktop.widgets.number_box import NumberBox
from desktop.widgets.tree.branches import Scale
from desktop.widgets.tree.tree_words import TreeWords


class TreeHeader(QWidget):
    """The row.

    Notes
    -----
    Signals: `groupsChosen(int)`, `scaleChosen(Scale)`, `brokenToggled(bool)`.
    """

    groupsChosen = Signal(int)
    scaleChosen = Signal(object)
    brokenToggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = QLabel(self.tr("Groups"), self)
        self._label.setProperty("role", "heading")
        self.groups = NumberBox(self)
        self.groups.setKeyboardTracking(False)
        self.groups.setAccessibleName(self.tr("Number of groups at the cut"))
        self.groups.setToolTip(self.tr("Number of groups at the cut"))
        self.groups.setMinimumWidth(84)
        self._label.setBuddy(self.groups)
        self.certainty = QLabel(self)
        self.certainty.setProperty("role", "chip")
        self.certainty.setToolTip(self.tr("How sure of its groups the machine is at this level"))
        self.broken = QPushButton(self)
        self.broken.setProperty("role", "small")
        self.broken.setCheckable(True)
        self.broken.setToolTip(self.tr("List the answers that this cut breaks"))
        self.scale = QComboBox(self)
        self.scale.addItem(self.tr("By distance"), Scale.DISTANCE)
        self.scale.addItem(self.tr("By number of groups"), Scale.GROUPS)
        self.scale.setAccessibleName(self.tr("What the way up measures"))
        self.scale.view().setAccessibleName(self.scale.accessibleName())
        self.scale.setToolTip(self.scale.accessibleName())
        self.closer = self._tool(self.tr("Zoom in"), "+")
        self.farther = self._tool(self.tr("Zoom out"), "-")
        self.outward = self._tool(self.tr("One branch up"), self.tr("Backspace"))
        self.whole = self._tool(self.tr("Show the whole tree"), "0")
        self.save = QPushButton(self.tr("Save…"), self)
        self.save.setProperty("role", "small")
        self.save.setAccessibleName(self.tr("Save the picture of the tree"))
        self.save.setToolTip(self.tr("Save the picture of the tree (PNG or SVG)"))
        self._lay_out()
        self.groups.valueChanged.connect(self.groupsChosen)
        self.broken.toggled.connect(self.brokenToggled)
        self.scale.activated.connect(self._choose_scale)
        theme.current().themeChanged.connect(self._recolour)
        self._recolour()

    def _tool(self, text: str, key: str) -> QToolButton:
        button = QToolButton(self)
        button.setAccessibleName(text)
        button.setToolTip(f"{text} ({key})")
        button.setFixedSize(30, 30)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for part in (self._label, self.groups, self.certainty, self.broken):
            row.addWidget(part)
        row.addStretch(1)
        row.addWidget(self.scale)
        tools = QHBoxLayout()
        tools.setSpacing(0)
        for tool in (self.closer, self.farther, self.whole, self.outward):
            tools.addWidget(tool)
        row.addLayout(tools)
        row.addWidget(self.save)

    def _recolour(self) -> None:
        self.closer.setIcon(theme.icon("zoom-in"))
        self.farther.setIcon(theme.icon("zoom-out"))
        self.outward.setIcon(theme.icon("up"))
        self.whole.setIcon(theme.icon("fit"))
        self.save.setIcon(theme.icon("export"))

    def _choose_scale(self, _at: int) -> None:
        self.scaleChosen.emit(self.scale.currentData())

    # ------------------------------------------------------------------ what is shown

    def show_tree(self, items: int, scale: Scale, *, has_distances: bool) -> None:
        """Allow what can be done with a tree; 0 items = there is none."""
        with QSignalBlocker(self.groups):
            self.groups.setRange(1, max(1, items))
        self.scale.setCurrentIndex(self.scale.findData(scale))
        for part in (self.groups, self.closer, self.farther, self.outward, self.whole, self.save):
            part.setEnabled(items > 0)
        self.scale.setEnabled(has_distances)

    def show_cut(self, groups: int, tree_words: TreeWords | None, broken: int) -> None:
        """Show the figures of a level."""
        with QSignalBlocker(self.groups):
            self.groups.setValue(groups)
        sure = tree_words.certainty(groups) if tree_words is not None else ""
        self.certainty.setText(sure)
        self.certainty.setVisible(bool(sure))
        self.broken.setText(tree_words.broken(groups) if tree_words is not None else "")
        self.broken.setVisible(tree_words is not None)
        self.broken.setEnabled(broken > 0)
