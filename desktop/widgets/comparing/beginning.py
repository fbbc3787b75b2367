"""What stands where findings will be: how to begin, or what would make comparing useful."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop import theme

_ICON = 56


class Beginning(QWidget):
    """The words, in the middle of the room there is."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = QLabel(self, alignment=Qt.AlignmentFlag.AlignCenter)
        self.title = QLabel(self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self.title.setProperty("role", "title")
        self.text = QLabel(self, wordWrap=True)
        card = QFrame(self)
        column = QVBoxLayout(card)
        column.setSpacing(12)
        for widget in (self._icon, self.title, self.text):
            column.addWidget(widget)
        card.setMaximumWidth(560)
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(card, 8)
        across.addStretch(1)
        layout = QVBoxLayout(self)
        layout.addStretch(2)
        layout.addLayout(across)
        layout.addStretch(3)
        theme.current().themeChanged.connect(self._color)
        self._color()

    def say(self, *, answers: int, labelled: bool) -> None:
        """Fit the words to what there is."""
        if not answers and not labelled:
            self.title.setText(self.tr("Nothing to compare on yet"))
            self.text.setText(
                self.tr(
                    "Strategies are compared on your own answers: give some on the Judge page"
                    " first; from about twenty on, differences begin to mean something.\n\n"
                    "If your table has a column of labels, give it the role “label” when you make"
                    " the project. An expert made of them then shows how fast each strategy learns;"
                    " labels are used for measuring only, never for asking."
                )
            )
            return
        self.title.setText(self.tr("Would another strategy suit your data better?"))
        said = []
        if answers:
            said.append(
                self.tr(
                    "Your answers are replayed through each strategy that is ticked: which groups"
                    " would there be, and how many of the answers would it have foreseen?"
                )
            )
        if labelled:
            said.append(
                self.tr(
                    "An expert made of the labels answers the questions of each, from the first on:"
                    " how fast do the groups come to agree with the labels?"
                )
            )
        said.append(self.tr("Tick strategies on the left and press Compare. Nothing is changed."))
        self.text.setText("\n\n".join(said))

    def _color(self) -> None:
        muted = theme.current().colors.muted
        self._icon.setPixmap(theme.icon("compare", muted).pixmap(_ICON, _ICON))
