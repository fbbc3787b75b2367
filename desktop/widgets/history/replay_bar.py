"""Controls that play the history like a film, forwards and backwards.

Hides the timer and the pace of the engine. Promises that it only ever looks (never changes
anything), that the slider stands where the state that is shown stands on its way, and that the
next state is asked for when the one before has been shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSlider,
    QToolButton,
    QWidget,
)

from desktop import theme
from desktop.widgets.history.history_rows import START, HistoryTree

if TYPE_CHECKING:
    from desktop.controller import Controller
    from engine.model import Snapshot

_PER_SECOND = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_USUAL = 2
_ARROW = 38  # pixels of a combo box beside its words
_WIDE = 560  # pixels from which on the slider stands beside the buttons, long enough to drag


class ReplayBar(QWidget):
    """The controls.

    Parameters
    ----------
    controller
        Is asked for the states; tells when they are there.
    """

    def __init__(self, controller: Controller, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._direction = 0
        self._awaited = False
        self._live: Snapshot | None = None
        self._tree = HistoryTree((), START, None)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)
        self.first = self._button(self.tr("To the start"))
        self.play_back = self._button(self.tr("Play backwards"))
        self.back = self._button(self.tr("One step back"), "Alt+Left")
        self.forward = self._button(self.tr("One step forward"), "Alt+Right")
        self.play = self._button(self.tr("Play"))
        self.last = self._button(self.tr("To the end"))
        self.place = QSlider(Qt.Orientation.Horizontal, self)
        self.place.setMinimumWidth(60)
        self.place.setAccessibleName(self.tr("Step that is looked at"))
        self.place.setToolTip(self.tr("Drag to look at another step; nothing is changed"))
        self.speed = QComboBox(self)
        for pace in _PER_SECOND:
            self.speed.addItem(self.tr("{0} steps/s").format(f"{pace:g}"), pace)
        self.speed.setCurrentIndex(_USUAL)
        # By itself it would be half as wide again as its words and arrow.
        words = max((self.speed.itemText(at) for at in range(self.speed.count())), key=len)
        self.speed.setFixedWidth(self.fontMetrics().horizontalAdvance(words) + _ARROW)
        self.speed.setProperty("role", "small")
        self.speed.setAccessibleName(self.tr("Speed of playing"))
        self.speed.setToolTip(self.tr("Speed of playing"))
        self.speed.view().setAccessibleName(self.tr("Speed of playing"))
        self._where = QLabel(self)
        self._where.setToolTip(
            self.tr(
                "Counts all steps of this way: answers, changes, names, and items set aside. "
                "What was taken back is not counted."
            )
        )
        self._lay_out()
        self.first.clicked.connect(self.to_first)
        self.play_back.clicked.connect(self.toggle_backwards)
        self.back.clicked.connect(self.step_back)
        self.forward.clicked.connect(self.step_forward)
        self.play.clicked.connect(self.toggle_forwards)
        self.last.clicked.connect(self.to_last)
        self.place.valueChanged.connect(self._drag)
        self.speed.currentIndexChanged.connect(self._set_pace)
        controller.studyOpened.connect(self._opened)
        controller.closed.connect(self._opened)
        controller.snapshotChanged.connect(self._changed)
        controller.replayChanged.connect(self._shown)
        controller.failed.connect(self.stop)
        controller.idle.connect(self._shown)  # also where a look was overtaken and not shown
        theme.current().themeChanged.connect(self._recolour)
        self._set_pace(_USUAL)
        self._recolour()
        self._changed()

    def _button(self, text: str, key: str = "") -> QToolButton:
        button = QToolButton(self)
        button.setAccessibleName(text)
        button.setToolTip(f"{text} ({key})" if key else text)
        return button

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(0)
        for button in (self.first, self.play_back, self.back, self.forward, self.play, self.last):
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.speed)
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self.place, 1)
        below.addWidget(self._where)
        self._rows = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)
        self._rows.addLayout(row)
        self._rows.addLayout(below, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put everything in one row where there is room."""
        super().resizeEvent(event)
        direction = QBoxLayout.Direction
        is_wide = self.width() >= _WIDE
        self._rows.setDirection(direction.LeftToRight if is_wide else direction.TopToBottom)
        self._rows.setSpacing(8 if is_wide else 0)

    # ------------------------------------------------------------------ where we are

    @property
    def line(self) -> tuple[int, ...]:
        """The states of the way that is replayed, from the start to its end."""
        shown = self._controller.shown
        return (START,) if shown is None else self._tree.line_through(shown.position)

    @property
    def is_playing(self) -> bool:
        """Whether it moves by itself."""
        return self._direction != 0

    def _at(self) -> int:
        shown, line = self._controller.shown, self.line
        return line.index(shown.position) if shown is not None and shown.position in line else 0

    # ------------------------------------------------------------------ moving

    @Slot()
    def step_back(self) -> None:
        """Look at the state one step earlier."""
        self.stop()
        self._move(-1)

    @Slot()
    def step_forward(self) -> None:
        """Look at the state one step later."""
        self.stop()
        self._move(1)

    @Slot()
    def to_first(self) -> None:
        """Look at the state before the first step."""
        self.stop()
        self._go(START)

    @Slot()
    def to_last(self) -> None:
        """Look at the end of this way: the present, or the end of a branch."""
        self.stop()
        self._go(self.line[-1])

    @Slot()
    def toggle_forwards(self) -> None:
        """Play from here on, from the start when at the end; or pause."""
        if self._direction == 1:
            self.stop()
            return
        if self._at() == len(self.line) - 1:
            self._go(START)
        self._start(1)

    @Slot()
    def toggle_backwards(self) -> None:
        """Play towards the start; or pause."""
        if self._direction == -1:
            self.stop()
        else:
            self._start(-1)

    def stop(self, _failed: object = None) -> None:
        """Stand still."""
        self._awaited = False
        self._timer.stop()
        self._face(0)

    def _start(self, direction: int) -> None:
        self._timer.start()
        self._face(direction)

    def _face(self, direction: int) -> None:
        if direction != self._direction:
            self._direction = direction
            self._show_direction()
        self._refresh()

    def _tick(self) -> None:
        if self._awaited:  # the engine is slower than the pace that was chosen
            return
        at, line = self._at(), self.line
        if not 0 <= at + self._direction < len(line):
            self.stop()
        else:
            self._move(self._direction)

    def _move(self, by: int) -> None:
        at, line = self._at() + by, self.line
        if 0 <= at < len(line):
            self._go(line[at])

    def _go(self, seq: int) -> None:
        live, shown = self._controller.snapshot, self._controller.shown
        if live is None or shown is None or seq == shown.position:
            return
        if seq == live.position:
            self._controller.view(None)
        else:
            self._awaited = True
            self._controller.view(seq)

    def _set_pace(self, chosen: int) -> None:
        self._timer.setInterval(round(1000 / _PER_SECOND[chosen]))

    def _drag(self, at: int) -> None:
        """Look at the step that the slider was put to by a person."""
        self.stop()
        line = self.line
        if 0 <= at < len(line):
            self._go(line[at])

    # ------------------------------------------------------------------ following

    def _opened(self, _opened: object = None) -> None:
        self.stop()
        self._changed()

    def _changed(self, _snapshot: object = None) -> None:
        live = self._controller.snapshot
        if live is not None and self._live is not None and live.revision == self._live.revision:
            return  # look-ahead sends the same state again
        self._live = live
        self._tree = HistoryTree(
            live.history if live is not None else (),
            live.position if live is not None else START,
            live.redo if live is not None else None,
        )
        self.stop()

    def _shown(self, _snapshot: object = None) -> None:
        self._awaited = False
        self._refresh()

    def _refresh(self) -> None:
        line, at = self.line, self._at()
        is_open = self._controller.snapshot is not None
        for button in (self.first, self.back, self.play_back):
            button.setEnabled(is_open and at > 0)
        for button in (self.last, self.forward):
            button.setEnabled(is_open and at < len(line) - 1)
        self.play.setEnabled(is_open and len(line) > 1)
        self._put(at, len(line) - 1)
        replaying = self._controller.replaying
        text = self.tr("Looking at step {0} of {1}") if replaying else self.tr("Step {0} of {1}")
        self._where.setText(text.format(at, len(line) - 1))
        self._where.setVisible(is_open)

    def _put(self, at: int, last: int) -> None:
        """Let the slider follow, unless a person holds it: then it is ahead of what is shown."""
        if self.place.isSliderDown():
            return
        with QSignalBlocker(self.place):
            self.place.setRange(0, last)
            self.place.setPageStep(max(1, last // 10))
            self.place.setValue(at)
        self.place.setEnabled(last > 0)
        self.place.setAccessibleDescription(self.tr("{0} of {1}").format(at, last))

    def _recolour(self) -> None:
        for button, icon in (
            (self.first, "first"),
            (self.back, "back"),
            (self.forward, "forward"),
            (self.last, "last"),
        ):
            button.setIcon(theme.icon(icon))
        self._show_direction()

    def _show_direction(self) -> None:
        pause = self.tr("Pause")
        for button, direction, icon, text in (
            (self.play_back, -1, "play-back", self.tr("Play backwards")),
            (self.play, 1, "play", self.tr("Play")),
        ):
            runs = self._direction == direction
            button.setIcon(theme.icon("pause" if runs else icon))
            button.setToolTip(pause if runs else text)
            button.setAccessibleName(pause if runs else text)
