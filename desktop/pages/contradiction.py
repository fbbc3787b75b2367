"""A contradiction looked at: its answers as a strip of pictures, one pair of them large.

Hidden: which contradiction comes next, keys, waiting. Promised: an answer is changed only by a
button that says so, once, and by one request that one undo takes back; in a replay nothing can be
changed; while it stands nothing is lost of the pair that is asked.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.controller import Controller
from desktop.images import PictureStore
from desktop.messages import Opened, Revise
from desktop.pages import contradiction_text
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.item_words import ItemWords
from desktop.widgets.judging.film_strip import FilmStrip
from desktop.widgets.judging.judging_keys import JudgeKey, meaning
from desktop.widgets.judging.link_card import PlainButton
from desktop.widgets.judging.loops import Loop, find_loops
from desktop.widgets.judging.pair_area import PairArea
from desktop.widgets.notice import Notice
from desktop.widgets.paragraph import Paragraph
from engine.model import Snapshot, Verdict

_ICON = QSize(18, 18)
_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Home: -(10**6),
    Qt.Key.Key_End: 10**6,
}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_HELD = (
    Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)


class ContradictionView(QWidget):
    """Shows the contradictions of a state, one at a time.

    Parameters
    ----------
    controller
        Whose `shown` state is looked at; is asked to change answers.
    store
        Where pictures come from.

    Attributes
    ----------
    strip, area
        The answers; the pair of the chosen one, large.
    news
        What the last change did.
    pause_ms
        How long another contradiction must be seen before a press counts: the second half of a
        double click is meant for the one before.

    Notes
    -----
    `left`: back to the pair. `undoRequested`, `namesToggled`: what was pressed.
    """

    left = Signal()
    undoRequested = Signal()
    namesToggled = Signal()

    def __init__(
        self, controller: Controller, store: PictureStore, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self._words = ItemWords(None)
        self._loops: tuple[Loop, ...] = ()
        self._drawn: tuple[object, ...] | None = None  # what the strip shows, to fill it once only
        self._seq = 0  # the contradiction that is looked at
        self._token = 0
        self._is_sent = False
        self._seen = QElapsedTimer()
        self._seen.start()
        self.pause_ms = QApplication.doubleClickInterval()
        self._make_parts(store)
        self._lay_out()
        self._connect()
        self._recolour()

    def _make_parts(self, store: PictureStore) -> None:
        self._sign = QLabel(self)
        self._title = ElidedLabel(parent=self, least=12)
        self._title.setProperty("role", "heading")
        self.previous = self._button(
            self.tr("Previous"), self.tr("The contradiction before this one (Page Up)")
        )
        self.next = self._button(self.tr("Next"), self.tr("The next contradiction (Page Down)"))
        self.back = self._button(
            self.tr("Back to the pair  Esc"),
            self.tr("Go on judging; the contradiction waits (Esc or C)"),
        )
        self._text = Paragraph(2, self)
        self.news = Notice("same", "accent", self)
        self.news.add_button(self.tr("Undo"), self.undoRequested.emit)
        self.strip = FilmStrip(store, self)
        self._about = ElidedLabel(parent=self)
        self._about.setProperty("role", "strong")
        self.area = PairArea(store, self)
        self._hint = ElidedLabel(parent=self)
        self._hint.setProperty("role", "muted")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Contradictions"))

    def _button(self, text: str, tip: str) -> PlainButton:
        button = PlainButton(text, self)
        button.setProperty("role", "small")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        return button

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._sign)
        head.addWidget(self._title, 1)
        head.addWidget(self.previous)
        head.addWidget(self.next)
        head.addSpacing(12)
        head.addWidget(self.back)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 8)
        column.setSpacing(7)
        column.addLayout(head)
        column.addWidget(self._text)
        column.addWidget(self.news)
        column.addWidget(self.strip)
        column.addWidget(self._about)
        column.addWidget(self.area, 1)
        column.addWidget(self._hint)

    def _connect(self) -> None:
        self.previous.clicked.connect(lambda: self._turn(-1))
        self.next.clicked.connect(lambda: self._turn(1))
        self.back.clicked.connect(self.left)
        self.strip.chosen.connect(self._look_at)
        self.strip.changeWanted.connect(self._change)
        controller = self._controller
        for over in (controller.idle, controller.failed, controller.crashed):
            over.connect(self._answered)
        theme.current().themeChanged.connect(self._recolour)

    def _recolour(self) -> None:
        tone = theme.current().colors.warning
        self._sign.setPixmap(theme.icon("warning", tone).pixmap(_ICON))

    # ------------------------------------------------------------------ the state

    def open(self, opened: Opened) -> None:
        """Take another project."""
        self._words = ItemWords(opened)
        self._loops, self._drawn, self._seq = (), None, 0
        self.area.set_study(opened)
        self.news.say("")

    def choose(self, seq: int | None) -> None:
        """Look at the contradiction that an answer makes or is part of; None = the newest."""
        shown = self._controller.shown
        loops = find_loops(shown) if shown is not None else ()
        holding = [loop.seq for loop in loops if any(link.seq == seq for link in loop.links)]
        own = [loop.seq for loop in loops if loop.seq == seq]
        self._seq = next(iter((*own, *holding, *(loop.seq for loop in loops))), 0)
        self._loops = loops
        self.news.say("")

    def show_state(self, shown: Snapshot, *, names_hidden: bool) -> None:
        """Show the contradictions of a state that has some."""
        before = self._loops
        self._loops = find_loops(shown)
        self._seq = self._follow(before)
        at = self._at
        loop = self._loops[at]
        several = len(self._loops) > 1
        self._title.setText(contradiction_text.heading(at, len(self._loops)))
        self.previous.setVisible(several)
        self.next.setVisible(several)
        self.previous.setEnabled(at > 0)
        self.next.setEnabled(at < len(self._loops) - 1)
        self._text.setText(contradiction_text.explain(loop, is_live=shown.live))
        self._hint.setText(contradiction_text.keys(is_live=shown.live, several=several))
        self.area.names_hidden = names_hidden
        drawn = (loop, shown.live, names_hidden)
        if drawn != self._drawn:
            self._drawn = drawn
            self._draw(loop, shown, names_hidden=names_hidden)
        self.area.describe(shown)

    def say(self, text: str) -> None:
        """Say what the last step did to the contradictions."""
        self.news.say(text)

    @property
    def _at(self) -> int:
        return next((at for at, loop in enumerate(self._loops) if loop.seq == self._seq), 0)

    def _follow(self, before: tuple[Loop, ...]) -> int:
        """Give the contradiction to look at: one that is new, the same one, or the next."""
        now = [loop.seq for loop in self._loops]
        was = [loop.seq for loop in before]
        new = [seq for seq in now if seq not in was]
        if new and was:
            return new[0]
        if self._seq in now:
            return self._seq
        place = was.index(self._seq) if self._seq in was else 0
        return now[min(place, len(now) - 1)]

    def _draw(self, loop: Loop, shown: Snapshot, *, names_hidden: bool) -> None:
        """Fill the strip; whoever had the keyboard keeps it."""
        focus = QApplication.focusWidget()
        had_keys = focus is not None and (focus is self or self.isAncestorOf(focus))
        why_not = "" if shown.live else contradiction_text.read_only()
        self.strip.show_loop(loop, self._words, names_hidden=names_hidden, why_not=why_not)
        self._seen.restart()
        self.strip.choose(loop.suspect)
        if had_keys:
            self.setFocus()
            self.strip.take_keyboard()

    def _look_at(self, at: int) -> None:
        """Show the pair of an answer large."""
        shown, loop = self._controller.shown, self._loops[self._at]
        self._about.setText(contradiction_text.about(loop, at))
        self._token += 1
        self.area.show_items(loop.links[at].ends, self._token)
        if shown is not None:
            self.area.describe(shown)

    # ------------------------------------------------------------------ what a person does

    def _turn(self, by: int) -> None:
        """Look at another contradiction."""
        place = self._at + by
        shown = self._controller.shown
        if shown is not None and 0 <= place < len(self._loops):
            self._seq = self._loops[place].seq
            self.news.say("")
            self.show_state(shown, names_hidden=self.area.names_hidden)

    def _change(self, seq: int, verdict: Verdict) -> None:
        too_early = self._seen.elapsed() < self.pause_ms
        if self._is_sent or too_early or self._controller.replaying:
            return
        self._is_sent = True
        self._controller.send(Revise(seq, verdict))

    def _answered(self, *_: object) -> None:
        self._is_sent = False

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Hand the keyboard to the chosen answer."""
        super().focusInEvent(event)
        self.strip.take_keyboard()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose and change by keys; letters that answer do nothing here."""
        if event.modifiers() & _HELD:
            super().keyPressEvent(event)
            return
        event.accept()
        key = Qt.Key(event.key())
        place = key - Qt.Key.Key_1
        if key in _STEPS:
            self._step(_STEPS[key])
        elif event.isAutoRepeat():
            return
        elif key in _ENTER:
            self._press()
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self._turn(-1 if key == Qt.Key.Key_PageUp else 1)
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        elif 0 <= place < min(9, len(self.strip.cards)):
            self.strip.choose(place)
        elif key not in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._act(meaning(event))

    def _step(self, by: int) -> None:
        last = len(self.strip.cards) - 1
        self.strip.choose(max(0, min(last, self.strip.at + by)))

    def _press(self) -> None:
        """Press the button that has the keyboard, by default the chosen answer's."""
        focus = QApplication.focusWidget()
        if isinstance(focus, QAbstractButton) and self.isAncestorOf(focus):
            focus.click()
        else:
            self.strip.cards[self.strip.at].change.click()

    def _act(self, key: JudgeKey | None) -> None:
        acts: dict[JudgeKey, Callable[[], object]] = {
            JudgeKey.UNSURE: self.strip.cards[self.strip.at].leave_open.click,
            JudgeKey.CONTRADICTION: self.left.emit,
            JudgeKey.UNDO: self.undoRequested.emit,
            JudgeKey.NAMES: self.namesToggled.emit,
            **self.area.views.by_key(),
        }
        if key is not None and key in acts:
            acts[key]()
