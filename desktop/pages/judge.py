"""The judge page: two items, one question, three answers.

Hidden: keys, waiting, which item is shown on which side. Promised: an answer is about the pair on
the screen and no other, counts once, and is taken back by one key; nothing here is modal.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QMouseEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.controller import Controller
from desktop.images import PictureStore
from desktop.messages import (
    GoTo,
    NameGroup,
    Opened,
    Redo,
    Relink,
    Request,
    Revise,
    SetAside,
    Tell,
    Undo,
)
from desktop.pages import judge_text
from desktop.pages.contradiction import ContradictionView
from desktop.pages.judge_conflict import ConflictLine
from desktop.pages.judge_end import JudgeEnd
from desktop.pages.judge_which import Begun, Which
from desktop.widgets import shared_words, trail, words
from desktop.widgets.item_words import ItemWords
from desktop.widgets.judging.answer_gate import AnswerGate, GateState
from desktop.widgets.judging.judging_keys import JudgeKey, KeyFilter, KeyPress
from desktop.widgets.judging.judging_pane import JudgingPane
from desktop.widgets.judging.sides import as_shown, shuffled
from engine.model import Confidence, Question, Snapshot, Verdict

_CHANGES = (Tell, SetAside, NameGroup, Undo, Redo, Revise, GoTo, Relink)
_AT_THE_END = (JudgeKey.UNDO, JudgeKey.CONTRADICTION)
_PATIENCE_MS = 150  # before the pair is drawn back while the next one is chosen
_VERDICTS = {
    JudgeKey.SAME: Verdict.SAME,
    JudgeKey.DIFFERENT: Verdict.DIFFERENT,
    JudgeKey.UNSURE: Verdict.UNSURE,
}


class JudgePage(QWidget):
    """Where people answer.

    Parameters
    ----------
    controller
        Gives the state, takes the answers.
    store
        Where pictures come from.

    Attributes
    ----------
    pane, end, contradiction
        What stands where while judging; what is shown when nothing is left to ask, and while the
        person looks at a contradiction.
    gate
        Whether an answer counts now.
    which
        Asks which groups two have in common; until that is told, nothing is answered.

    Notes
    -----
    - `answerSelected(seq)`: the person wants to see a step in the history.
    - `exportRequested`, `overviewRequested`: from the page shown when nothing is left to ask.
    - `relinkRequested`: pictures cannot be shown, and may lie elsewhere now.
    - `namesHidden(bool)`: names are hidden from now on, or shown.
    """

    answerSelected = Signal(int)
    exportRequested = Signal()
    relinkRequested = Signal()
    overviewRequested = Signal()
    namesHidden = Signal(bool)

    def __init__(
        self, controller: Controller, store: PictureStore, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self._store = store
        self.gate = AnswerGate(self)
        self._on_screen: tuple[object, ...] | None = None  # what is shown, to show it once only
        self._asked_at = -1  # the revision whose question is shown
        self._sides: tuple[int, ...] = ()
        self._before: Snapshot | None = None  # the live state seen last
        self._why_in_full = False
        self._looking = False  # at a contradiction
        self._items = ItemWords(None)
        self.pane = JudgingPane(store, self)
        self.which = Which(self.pane, self)
        self._conflicts = ConflictLine(self.pane.conflict)
        self.end = JudgeEnd(self)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.pane)
        self._stack.addWidget(self.end)
        self.contradiction = ContradictionView(controller, store, self)
        self._stack.addWidget(self.contradiction)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Judge"))
        self._waiting = QTimer(self)
        self._waiting.setSingleShot(True)
        self._waiting.setInterval(_PATIENCE_MS)
        self._waiting.timeout.connect(self._draw_back)
        self._keys: dict[JudgeKey, Callable[[], object]] = {
            JudgeKey.SET_ASIDE: self.open_aside_menu,
            JudgeKey.GUESS: self.pane.guess.toggle,
            JudgeKey.UNDO: self.undo,
            JudgeKey.WHY: self.toggle_why,
            JudgeKey.CONTRADICTION: self.look_at_contradiction,
            JudgeKey.NAMES: self.toggle_names,
            **self.pane.area.views.by_key(),
        }
        self._connect()
        if controller.opened is not None:
            self._open(controller.opened)
            self._refresh()

    def _connect(self) -> None:
        controller, pane = self._controller, self.pane
        controller.studyOpened.connect(self._open)
        controller.snapshotChanged.connect(self._refresh)
        controller.replayChanged.connect(self._leave_contradiction)
        controller.replayChanged.connect(self._refresh)
        controller.replayChanged.connect(self._focus_changed)
        controller.requestSent.connect(self._request_sent)
        controller.idle.connect(self.gate.hand_back)
        controller.failed.connect(self.gate.hand_back)
        controller.crashed.connect(self._crashed)
        controller.closed.connect(self._refresh)
        self.gate.changed.connect(self._gate_changed)
        pane.area.ready.connect(self.gate.painted)
        pane.area.failed.connect(self._picture_failed)
        pane.bar.answered.connect(self.answer)
        pane.guess.toggled.connect(self._show_confidence)
        pane.aside.clicked.connect(self.open_aside_menu)
        pane.aside_menu.chosen.connect(self.set_aside)
        pane.undo.clicked.connect(self.undo)
        self.which.told.connect(self._tell_common)
        pane.choice.pressed.connect(self._see)
        pane.last.selected.connect(self.answerSelected)
        pane.tools.namesToggled.connect(self.toggle_names)
        pane.replay.add_button(self.tr("Return to now"), self._return)
        self._conflicts.lookWanted.connect(self.look_at_contradiction)
        self._conflicts.undoWanted.connect(self.undo)
        self._conflicts.putOff.connect(self._take_keyboard)
        pane.failure.add_button(self.tr("Try again"), self._retry)
        pane.failure.add_button(self.tr("Relink…"), self.relinkRequested.emit)
        pane.failure.add_button(self.tr("Set aside"), self._set_failed_aside)
        self.end.undoRequested.connect(self.undo)
        self.end.exportRequested.connect(self.exportRequested)
        self.end.overviewRequested.connect(self.overviewRequested)
        self.end.contradictionRequested.connect(self.look_at_contradiction)
        self.contradiction.left.connect(self.return_to_pair)
        self.contradiction.undoRequested.connect(self.undo)
        self.contradiction.namesToggled.connect(self.toggle_names)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._focus_changed)
        keys = KeyFilter(self)
        keys.pressed.connect(self._act)
        self.installEventFilter(keys)
        for part in (self.pane, self.end):  # a contradiction has keys of its own
            keys.watch(part)

    # ------------------------------------------------------------------ the state

    def _open(self, opened: Opened) -> None:
        self._on_screen = None
        self._before = None
        self._conflicts.clear()
        self._leave_contradiction()
        self.contradiction.open(opened)
        self.gate.clear()
        self.pane.note.clear()
        self.pane.area.set_study(opened)
        pictures = any(item.path is not None for item in opened.items)
        self.pane.tools.show_pictures(any_picture=pictures)
        self._items = ItemWords(opened)
        self.which.leave()

    def _refresh(self, *_: object) -> None:
        shown, live = self._controller.shown, self._controller.snapshot
        opened = self._controller.opened
        if shown is None or live is None or opened is None:
            self._on_screen = None
            self.gate.clear()
            return
        self._note_step(live)
        self._put_question(opened, shared=shown.shares)
        self.which.follow(shown)
        if self._looking and not shown.conflicts:  # the last one is settled
            self._leave_contradiction()
        if self._looking:
            self._show_contradiction(shown)
        elif not shown.live:
            self._show_step(shown, live)
        elif shown.question is None:
            self._show_end(shown)
        else:
            self._show_question(shown, shown.question)
        self.pane.progress.setText(judge_text.progress_line(shown))
        self.pane.progress.set_more(judge_text.progress_in_full(shown))
        self.pane.area.describe(shown)
        hidden = self.pane.area.names_hidden
        self.pane.last.show_state(shown, opened.items, names_hidden=hidden)
        self.pane.undo.setEnabled(shown.live and live.undo is not None)
        self._conflicts.show_state(shown)
        ahead = [question for question in live.next_if.values() if question is not None]
        self._store.prefetch(item for question in ahead for item in question.pair)

    def _put_question(self, opened: Opened, *, shared: bool) -> None:
        """Ask as the state has it: what two have in common, or whether they belong together."""
        self.pane.question.setText(shared_words.question(opened.question, shared=shared))
        self.pane.bar.read_as(shared=shared)

    def _show_question(self, shown: Snapshot, question: Question) -> None:
        self._stack.setCurrentWidget(self.pane)
        self.pane.replay.say("")
        self.pane.bar.set_given(None)
        key = ("question", question.pair, shown.progress.answered)
        if key == self._on_screen:
            if shown.revision != self._asked_at:  # else look-ahead, sent before an answer was
                self.gate.hand_back()  # the state moved on, the question stays
        else:
            self._on_screen = key
            self.pane.guess.setChecked(False)
            self._show_items(shuffled(question.pair))
            self._announce(judge_text.progress_line(shown))
        self._asked_at = shown.revision
        self._show_why(shown, question)

    def _show_step(self, shown: Snapshot, live: Snapshot) -> None:
        """Show what was judged at a step of a replay; nothing can be answered here."""
        self._stack.setCurrentWidget(self.pane)
        step = trail.step_at(shown, shown.position)
        self.gate.clear()
        key = ("step", shown.position)
        if key != self._on_screen:
            self._on_screen = key
            items = as_shown(step, shown) if step is not None else ()
            self._show_items(items)
            self.gate.clear()
        line = words.step_line(shown, live)
        said = f"{line}: {judge_text.taken(step, shown)}" if step is not None else line
        self.pane.replay.say(said)
        given = step.answer.verdict if step is not None and step.answer is not None else None
        self.pane.bar.set_given(given)
        why = judge_text.circumstances(step) if step is not None else ""
        self.pane.show_why(why, in_full=False)
        self.pane.failure.say("")
        self.pane.note.clear()

    def _show_end(self, shown: Snapshot) -> None:
        self._on_screen = None
        self.gate.clear()
        self.end.show_state(shown)
        self._stack.setCurrentWidget(self.end)
        self._announce(self.end.text)

    def _show_contradiction(self, shown: Snapshot) -> None:
        """Show the answers that contradict each other; the pair waits, and is shown anew later."""
        self._on_screen = None
        self.gate.clear()
        self.contradiction.show_state(shown, names_hidden=self.pane.area.names_hidden)
        self._stack.setCurrentWidget(self.contradiction)

    def _show_items(self, items: tuple[int, ...]) -> None:
        self.pane.failure.say("")
        self._sides = items
        token = self.gate.begin()
        self.pane.area.show_items(items, token)
        self._gate_changed()

    def _show_why(self, shown: Snapshot, question: Question) -> None:
        opened = self._controller.opened
        parts = [self.tr("Why this pair: {0}").format(judge_text.reason(shown, question))]
        parts.append(judge_text.worth(question))
        if self._why_in_full and opened is not None:
            parts.append(judge_text.details(shown, opened.embedder))
        text = " ".join(part for part in parts if part)
        self.pane.show_why(text, in_full=self._why_in_full)

    def _crashed(self, *_: object) -> None:
        """Take no answer until the engine gives a state again, were it for the same pair."""
        self._on_screen = None
        self.which.leave()
        self.gate.clear()

    def _note_step(self, live: Snapshot) -> None:
        """Say for a while what the step just taken did; also for steps taken back."""
        before, self._before = self._before, live
        if before is None or before.position == live.position:
            return
        text, settled = judge_text.moved(before, live)
        if text:
            self.pane.note.say(text)
            self.contradiction.say(settled)
            self._announce(settled)

    # ------------------------------------------------------------------ answering

    def answer(self, verdict: Verdict, confidence: Confidence = Confidence.QUITE) -> None:
        """Answer the pair on the screen, if an answer counts now.

        Parameters
        ----------
        confidence
            QUITE becomes a guess where the person said so before.
        """
        if self.which.is_asked and verdict is Verdict.SAME:
            self.which.take()
            return
        self.which.leave()  # another answer was chosen, by the menu
        if confidence is Confidence.QUITE and self.pane.guess.isChecked():
            confidence = Confidence.GUESS
        live = self._controller.snapshot
        if self._controller.replaying or live is None or live.question is None:
            return
        if verdict is Verdict.SAME and live.question.common and self.gate.is_open:
            begun = Begun(live.revision, confidence, self.gate.seen_for)
            self._announce(self.which.ask(live, self._items, begun))
            return
        response = self.gate.take()
        if response is not None:
            self._tell(verdict, confidence, response)

    def _tell(
        self,
        verdict: Verdict,
        confidence: Confidence,
        response: int,
        common: tuple[int, ...] = (),
    ) -> None:
        live = self._controller.snapshot
        if live is None or live.question is None:
            return
        pair = live.question.pair
        self._controller.send(
            Tell(
                revision=live.revision,
                a=pair.a,
                b=pair.b,
                verdict=verdict,
                confidence=confidence,
                shown_left=self._sides[0],
                response_ms=response,
                common=common,
            )
        )

    def _tell_common(self, begun: Begun, common: tuple[int, ...]) -> None:
        if self.gate.take() is not None:
            self._tell(Verdict.SAME, begun.confidence, begun.response_ms, common)

    def undo(self) -> None:
        """Take the last step back, also one that is still being taken.

        While it is asked which groups two have in common, that is no step yet: only leave it.
        """
        if self.which.leave():
            return
        live = self._controller.snapshot
        under_way = self.gate.state is GateState.SENT
        if live is None or self._controller.replaying or (live.undo is None and not under_way):
            return
        self._controller.send(Undo())

    def set_aside(self, items: tuple[int, ...]) -> None:
        """Ask no more about these items."""
        live = self._controller.snapshot
        waiting = self.gate.state in (GateState.NOTHING, GateState.SENT)
        if live is not None and not waiting and not self._controller.replaying:
            self._controller.send(SetAside(live.revision, items))

    def open_aside_menu(self) -> None:
        """Ask which of the two to set aside."""
        self.which.leave()
        dead = self.gate.state in (GateState.NOTHING, GateState.SENT)
        if not dead and len(self._sides) == 2:
            self.pane.aside_menu.ask(self._sides[0], self._sides[1], self.pane.aside)

    def _picture_failed(self, token: int, item: int, reason: str) -> None:
        if token != self.gate.token or self._controller.replaying:
            return
        self.gate.fail(token)
        neither = len(self._sides) > 1 and all(map(self._store.failure, self._sides))
        is_left = bool(self._sides) and item == self._sides[0]
        text = judge_text.not_shown(neither=neither, is_left=is_left)
        self.pane.failure.say(text)
        self._announce(f"{text} {reason}")

    def _set_failed_aside(self) -> None:
        failed = tuple(item for item in self._sides if self._store.failure(item) is not None)
        self.set_aside(failed or self._sides)

    def _retry(self) -> None:
        self.pane.failure.say("")
        token = self.gate.begin()
        self.pane.area.show_items(self._sides, token)
        self.pane.area.retry()

    def _return(self) -> None:
        self._controller.view(None)
        self.setFocus()

    # ------------------------------------------------------------------ contradictions

    def look_at_contradiction(self) -> None:
        """Show the newest contradiction of the state that is shown instead of the pair."""
        self.look_at(None)

    def look_at(self, seq: int | None) -> None:
        """Show answers that cannot all be right instead of the pair.

        Parameters
        ----------
        seq
            An answer of the contradiction wanted; None = the newest of the state that is shown.
        """
        if seq is not None and self._controller.replaying:
            self._controller.view(None)
        shown = self._controller.shown
        if shown is None or not shown.conflicts:
            return
        self.contradiction.choose(seq)
        self._looking = True
        self._refresh()
        self.setFocusProxy(self.contradiction)
        self.contradiction.setFocus(Qt.FocusReason.OtherFocusReason)

    def return_to_pair(self) -> None:
        """Go on judging; contradictions wait."""
        self._leave_contradiction()
        self._refresh()

    def _leave_contradiction(self, _shown: object = None) -> None:
        """Let the pair have its place again, and the keyboard if the contradiction had it."""
        if not self._looking:
            return
        focus = QApplication.focusWidget()
        had_keys = focus is not None and self.isAncestorOf(focus)
        self._looking = False
        self.setFocusProxy(None)  # type: ignore[arg-type]  # Qt's own way to have none
        if had_keys:
            self._take_keyboard()

    # ------------------------------------------------------------------ seeing

    def toggle_names(self) -> None:
        """Hide file names, or show them."""
        hidden = not self.pane.area.names_hidden
        self.pane.area.names_hidden = hidden
        self.pane.tools.show_names(hidden=hidden)
        self.namesHidden.emit(hidden)
        self._refresh()

    def toggle_why(self) -> None:
        """Say more about why this pair is asked, or less."""
        self.which.leave()
        self._why_in_full = not self._why_in_full
        self._refresh()

    # ------------------------------------------------------------------ waiting

    def _request_sent(self, request: Request) -> None:
        if isinstance(request, _CHANGES):
            self.gate.shut()

    def _gate_changed(self) -> None:
        state = self.gate.state
        if state is GateState.SENT:
            self._waiting.start()
        else:
            self._waiting.stop()
            self.pane.area.dimmed = False
        replaying = self._controller.replaying
        dead = state in (GateState.NOTHING, GateState.FAILED) or replaying
        why_not = self.tr("Nothing can be answered in a replay") if replaying else ""
        if state is GateState.FAILED:
            why_not = self.pane.failure.text
        self.pane.bar.set_counts(counts=not dead, why_not=why_not)
        self.pane.guess.setEnabled(not dead)
        self.pane.aside.setEnabled(state is not GateState.NOTHING)

    def _draw_back(self) -> None:
        self.pane.area.dimmed = True
        if self._controller.can_stop:
            self.pane.note.say(self.tr("Your answer waits until what is under way is done (below)"))
        else:
            self.pane.note.say(self.tr("Choosing the next pair…"))

    def _show_confidence(self) -> None:
        guess = self.pane.guess.isChecked()
        self.pane.bar.set_confidence(Confidence.GUESS if guess else Confidence.QUITE)

    # ------------------------------------------------------------------ keyboard

    def _act(self, press: KeyPress) -> None:
        key = press.key
        if self._looking:  # the page itself was focused: no pair is there to be answered
            self.contradiction.setFocus()
            return
        if self._stack.currentWidget() is self.end and key not in _AT_THE_END:
            return
        if self.which.is_asked and key not in (JudgeKey.SAME, JudgeKey.UNDO):
            self._see(key)
            return
        if key in _VERDICTS:
            confidence = Confidence.CERTAIN if press.certain else Confidence.QUITE
            self.answer(_VERDICTS[key], confidence)
        elif key in self._keys:
            self._keys[key]()

    def _see(self, key: JudgeKey) -> None:
        """Do what a key does to how the pair is seen; nothing else."""
        sights = {JudgeKey.NAMES: self.toggle_names, **self.pane.area.views.by_key()}
        if key in sights:
            sights[key]()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the keyboard when a picture or empty place is clicked."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        event.accept()

    def showEvent(self, event: QShowEvent) -> None:
        """Take the keyboard when the page is turned to."""
        super().showEvent(event)
        self._take_keyboard()

    def _take_keyboard(self) -> None:
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _focus_changed(self, *_: object) -> None:
        """Say how to get the keys back when another part of the window has them."""
        focus = QApplication.focusWidget()
        here = focus is None or focus is self or self.isAncestorOf(focus)
        self.pane.note.hint("" if here else self._way_to_keys())

    def _way_to_keys(self) -> str:
        """Say what to click so that keys answer; nothing where there is nothing to answer."""
        opened = self._controller.opened
        if opened is None or self._controller.replaying:
            return ""
        if any(item.path is not None for item in opened.items):
            return self.tr("Click a picture to answer with the keyboard")
        return self.tr("Click the rows to answer with the keyboard")

    def _announce(self, text: str) -> None:
        if QAccessible.isActive() and text:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))
