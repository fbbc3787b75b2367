"""Whether an item belongs to one group or may belong to several: the first choice of a project.

Hides the buttons. Promises that each kind is told with an example, and that a choice with only one
kind to offer is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QButtonGroup, QLabel, QRadioButton, QVBoxLayout, QWidget

from desktop.messages import Offer


class KindChoice(QWidget):
    """The choice.

    Attributes
    ----------
    one, several
        Its buttons.

    Notes
    -----
    `changed`: the other kind was chosen.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        name = QLabel(self.tr("Items and groups"))
        name.setProperty("role", "strong")
        self.one = QRadioButton(self.tr("&One group per item"))
        self.several = QRadioButton(self.tr("Items &may belong to several groups"))
        self.one.setChecked(True)
        self._why = QLabel(wordWrap=True)
        self._why.setProperty("role", "muted")
        self._group = QButtonGroup(self)
        self._offered = False
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(name)
        for button in (self.one, self.several):
            self._group.addButton(button)
            column.addWidget(button)
        column.addWidget(self._why)
        self.several.toggled.connect(self._chosen)
        self._tell()

    @property
    def shared(self) -> bool:
        """Whether items may belong to several groups."""
        return self.several.isChecked()

    @property
    def is_offered(self) -> bool:
        """Whether there are both kinds to choose from."""
        return self._offered

    @property
    def stops(self) -> list[QWidget]:
        """What the Tab key visits, in the order seen; none while nothing is to be chosen."""
        return [self.one, self.several] if self._offered else []

    def offer(self, offers: Sequence[Offer], *, shared: bool) -> None:
        """Offer the kinds there are, and choose one."""
        self._offered = len({offer.shares for offer in offers}) > 1
        self.setVisible(self._offered)
        with QSignalBlocker(self):
            (self.several if shared else self.one).setChecked(True)

    def _chosen(self) -> None:
        self._tell()
        self.changed.emit()

    def _tell(self) -> None:
        why = self.tr("Every item is sorted into the one group where it belongs.")
        if self.shared:
            why = self.tr(
                "For a slide with two cell types, or a recording with two speakers. You are asked"
                " whether two have a group in common; what you say of them holds for these two"
                " alone."
            )
        self._why.setText(why)
        for button in (self.one, self.several):
            button.setAccessibleDescription(why if button.isChecked() else "")
