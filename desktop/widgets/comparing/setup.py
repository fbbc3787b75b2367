"""What is to be compared: strategies to tick, the simulated expert, and the button that begins.

Hides when a comparison can be begun. Promises that the reason is told while it cannot.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGridLayout,
    QGroupBox,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop.messages import Offer, Opened
from desktop.widgets.comparing.contenders import Contenders, Entrants
from desktop.widgets.number_box import NumberBox
from engine.model import Approach

_QUESTIONS, _MOST_QUESTIONS = 100, 2000
_MOST_ERRORS = 50  # per cent; more would be an expert to be taken at the opposite


class Setup(QFrame):
    """The left side of the page.

    Attributes
    ----------
    contenders
        The strategies.
    questions, errors
        Of the simulated expert: how many, and how many of a hundred replies are wrong.
    start
        Begins, and while a comparison runs, stops.

    Notes
    -----
    `compareWanted`, `stopWanted`, `addWanted`: what was pressed.
    """

    compareWanted = Signal()
    stopWanted = Signal()
    addWanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._answers = 0
        self._running = False
        self.contenders = Contenders(self)
        self.add = QPushButton(self.tr("Add other &settings…"), self)
        self.add.setProperty("role", "small")
        self.add.setToolTip(self.tr("Add a strategy with parameters of your own"))
        self.questions = NumberBox(self)
        self.questions.setRange(0, _MOST_QUESTIONS)
        self.questions.setSingleStep(25)
        self.questions.setValue(_QUESTIONS)
        self.questions.setSpecialValueText(self.tr("none"))
        self.errors = NumberBox(self)
        self.errors.setRange(0, _MOST_ERRORS)
        self.errors.setSuffix(self.tr(" %"))
        self.errors.setSpecialValueText(self.tr("none"))
        self.note = QLabel(self, wordWrap=True)
        self.note.setProperty("role", "muted")
        self.doing = QLabel(self, wordWrap=True)
        self.progress = QProgressBar(self, textVisible=False)
        self.progress.setAccessibleName(self.tr("How far the comparison is"))
        self.start = QPushButton(self)
        self.start.setProperty("role", "primary")
        self._lay_out()
        self.contenders.ticked.connect(self._allow)
        self.questions.valueChanged.connect(self._allow)
        self.add.clicked.connect(self.addWanted)
        self.start.clicked.connect(self._pressed)
        self.set_running(running=False)

    def _lay_out(self) -> None:
        heading = QLabel(self.tr("Strategies to &try"), self)
        heading.setProperty("role", "heading")
        heading.setBuddy(self.contenders)
        self.contenders.setAccessibleName(self.tr("Strategies to try"))
        self.expert = QGroupBox(self.tr("Simulated expert"), self)
        about = QLabel(
            self.tr("Your labels answer, and measure the groups. They are never used for asking."),
            self.expert,
            wordWrap=True,
        )
        about.setProperty("role", "muted")
        form = QGridLayout()
        form.setColumnStretch(1, 1)
        asked = ((self.tr("&Questions"), self.questions), (self.tr("Wrong &replies"), self.errors))
        for row, (text, box) in enumerate(asked):
            name = QLabel(text, self.expert)
            name.setBuddy(box)
            form.addWidget(name, row, 0)
            form.addWidget(box, row, 1)
        inside = QVBoxLayout(self.expert)
        inside.setSpacing(6)
        inside.addLayout(form)
        inside.addWidget(about)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 12)
        column.setSpacing(8)
        column.addWidget(heading)
        column.addWidget(self.contenders, 1)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.expert)
        for widget in (self.note, self.doing, self.progress, self.start):
            column.addWidget(widget)
        self.contenders.setMinimumHeight(96)

    # ------------------------------------------------------------------ what is chosen

    @property
    def entrants(self) -> Entrants:
        """The strategies that are ticked, by name."""
        return self.contenders.entrants()

    @property
    def budget(self) -> int:
        """Questions to the simulated expert; 0 where there are no labels to make it of."""
        return 0 if self.expert.isHidden() else self.questions.value()

    @property
    def noise(self) -> float:
        """Share of its replies that are wrong."""
        return self.errors.value() / 100

    # ------------------------------------------------------------------ states

    def show_study(self, opened: Opened, offers: Sequence[Offer], in_use: Approach) -> None:
        """Begin anew with another project, or with other strategies; the one in use is ticked."""
        self.expert.setVisible(opened.labelled)
        self.contenders.show_offers(offers, in_use)
        self._allow()

    def count_answers(self, answers: int) -> None:
        """Know of so many answers."""
        self._answers = answers
        self._allow()

    def set_running(self, *, running: bool) -> None:
        """Offer to stop instead of to begin, or the other way round."""
        self._running = running
        self.start.setText(self.tr("St&op") if running else self.tr("&Compare"))
        focus = QApplication.focusWidget()
        if running and focus is not None and self.isAncestorOf(focus):
            self.start.setFocus()  # else what is shut would drop the keyboard
        for widget in (self.contenders, self.add, self.expert):
            widget.setEnabled(not running)
        self.doing.setVisible(running)
        self.progress.setVisible(running)
        self._allow()

    def tell(self, text: str, done: float) -> None:
        """Say what is being tried, and what share of all is done."""
        self.doing.setText(text)
        self.progress.setRange(0, 1000)
        self.progress.setValue(round(1000 * done))

    def _allow(self) -> None:
        wrong = ""
        if not self._running:
            wrong = self._why_not()
        self.start.setEnabled(not wrong)
        if self._running:
            self.note.setText(
                self.tr("Your questions wait until it is done or stopped. Nothing is changed.")
            )
        else:
            self.note.setText(
                wrong or self.tr("This can take minutes; your questions wait meanwhile.")
            )

    def _why_not(self) -> str:
        """Say why a comparison cannot be begun; "" = it can."""
        if not self.entrants:
            return self.tr("Tick the strategies to be compared.")
        if self._answers or self.budget:
            return ""
        if self.expert.isHidden():
            return self.tr("There are no answers to try them on yet.")
        return self.tr("There are no answers to try them on, and the expert is asked no questions.")

    def _pressed(self) -> None:
        if self._running:
            self.stopWanted.emit()
        else:
            self.compareWanted.emit()
