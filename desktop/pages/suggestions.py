"""The suggestions page: what the answers make likely of pairs nobody was asked about.

Hides how list, pair and map follow each other, and waiting. Promises that nothing suggested counts
before a person has said so about the pair on the screen, that a key answers once, and that an
answer given here is one like any other: undo takes it back, and the suggestion returns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.pages import judge_text
from desktop.widgets import trail, words
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.groups.scatter_map import ScatterMap
from desktop.widgets.item_words import ItemWords
from desktop.widgets.judging.judging_keys import JudgeKey
from desktop.widgets.suggesting import suggestion_words
from desktop.widgets.suggesting.answering import Answering
from desktop.widgets.suggesting.learned_line import LearnedLine, Situation
from desktop.widgets.suggesting.learning import Learning
from desktop.widgets.suggesting.map_links import MapLinks
from desktop.widgets.suggesting.nothing_panel import NothingPanel, why
from desktop.widgets.suggesting.space_choice import LEARNED, SpaceChoice
from desktop.widgets.suggesting.suggestion_keys import (
    PageKey,
    Press,
    SuggestionKeys,
    press_focused,
)
from desktop.widgets.suggesting.suggestion_list import SuggestionList
from desktop.widgets.suggesting.suggestion_pane import SuggestionPane
from engine.model import Confidence, Pair, Snapshot, Verdict
from engine.suggestions import Suggestion

if TYPE_CHECKING:
    from desktop.controller import Controller
    from desktop.images import PictureStore
    from desktop.messages import Opened, Request, Suggested

_LEAST_MAP = 100  # pixels: pictures and rows of a pair need the room in a small window
_VERDICTS = {
    JudgeKey.SAME: Verdict.SAME,
    JudgeKey.DIFFERENT: Verdict.DIFFERENT,
    JudgeKey.UNSURE: Verdict.UNSURE,
}


class SuggestionsPage(QWidget):
    """The page.

    Parameters
    ----------
    controller
        Gives state and suggestions, takes the answers.
    store
        Where pictures come from.

    Attributes
    ----------
    answering
        Takes the answers.

    Notes
    -----
    `stepWanted(int)`: a step is wanted in the history. `namesToggled`: names are to be hidden, or
    shown.
    """

    stepWanted = Signal(int)
    namesToggled = Signal()

    def __init__(
        self, controller: Controller, store: PictureStore, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("suggestionsPage")
        self.setAccessibleName(self.tr("Suggestions"))
        self._controller, self._store = controller, store
        self._before: Snapshot | None = None  # the live state seen last
        self._returned: Pair | None = None  # what the last step took an answer back of
        self.learning = Learning(controller, self)
        self._make_parts()
        self._lay_out()
        self.answering = Answering(controller, self.pane.area, self._is_free, self)
        self._connect()
        self._keys: dict[PageKey | JudgeKey, Callable[[], object]] = {
            PageKey.PREVIOUS: lambda: self.list.step(-1),
            PageKey.NEXT: lambda: self.list.step(1),
            PageKey.STOP: self.stop,
            JudgeKey.UNDO: self.answering.undo,
            JudgeKey.LEARN: self.learning.learn,
            JudgeKey.NAMES: self.namesToggled.emit,
        }
        self._keys.update(self.pane.area.views.by_key().items())
        if controller.opened is not None:
            self._open(controller.opened)
        self._refresh()

    def _make_parts(self) -> None:
        self.line = LearnedLine(self)
        self.heading = QLabel(self)
        self.heading.setProperty("role", "heading")
        self.list = SuggestionList(self._store, self)
        self.heading.setBuddy(self.list)
        self._hint = QLabel(
            self.tr(
                "↑ ↓ choose · Enter confirms · Delete rejects\nS, D, U: same, different, unsure"
            ),
            self,
            wordWrap=True,
        )
        self._hint.setProperty("role", "muted")
        self.pane = SuggestionPane(self._store, self)
        self.nothing = NothingPanel(self)
        self.legend = ElidedLabel(parent=self, parted_by=" · ")
        self.legend.setProperty("role", "muted")
        self.map = ScatterMap(self._controller, self._store, self)
        self.map.setMinimumHeight(_LEAST_MAP)
        self.links = MapLinks(self.map)
        self.space = SpaceChoice(self._controller, self)

    def _lay_out(self) -> None:
        self._left = QWidget(self)
        left = QVBoxLayout(self._left)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(4)
        left.addWidget(self.heading)
        left.addWidget(self.list, 1)
        left.addWidget(self._hint)
        self._left.setMinimumWidth(300)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.pane)
        self._stack.addWidget(self.nothing)
        below = QWidget(self)
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.legend)
        column.addWidget(self.map, 1)
        right = QSplitter(Qt.Orientation.Vertical, self)
        right.addWidget(self._stack)
        right.addWidget(below)
        right.setSizes([320, 240])
        right.setStretchFactor(0, 4)
        right.setStretchFactor(1, 3)
        right.setChildrenCollapsible(False)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(self._left)
        split.addWidget(right)
        split.setStretchFactor(1, 1)
        split.setSizes([310, 620])
        split.setChildrenCollapsible(False)
        page = QVBoxLayout(self)
        page.setContentsMargins(10, 8, 10, 6)
        page.setSpacing(6)
        page.addWidget(self.line)
        page.addWidget(split, 1)
        page.addWidget(self.space)
        self.setFocusProxy(self.list)

    def _connect(self) -> None:
        controller, pane, answering = self._controller, self.pane, self.answering
        controller.studyOpened.connect(self._open)
        controller.snapshotChanged.connect(self._state_changed)
        controller.replayChanged.connect(self._refresh)
        controller.suggestionsChanged.connect(self._suggested)
        controller.closed.connect(self._refresh)
        self.learning.changed.connect(self._refresh)
        self.space.changed.connect(self._allow)
        self.answering.changed.connect(self._allow)
        self.line.stopWanted.connect(self.stop)
        self.line.learnWanted.connect(self.learning.learn)
        self.line.returnWanted.connect(lambda: controller.view(None))
        self.list.chosen.connect(self._look_at)
        self.map.itemSelected.connect(self._choose_of)
        pane.area.failed.connect(self._picture_failed)
        pane.on_failure(self.tr("Try again"), self._retry)
        pane.stepWanted.connect(self.stepWanted)
        said: tuple[tuple[QPushButton, Callable[[], object]], ...] = (
            (pane.confirm, answering.confirm),
            (pane.reject, answering.reject),
            (pane.unsure, lambda: answering.answer(Verdict.UNSURE)),
            (pane.undo, answering.undo),
        )
        for button, act in said:
            button.clicked.connect(lambda _=False, act=act: act())
        keys = SuggestionKeys(self, self.map.focusProxy() or self.map)
        keys.pressed.connect(self._press)

    # ------------------------------------------------------------------ the state

    def tells(self, request: Request | None) -> bool:
        """Whether what comes of a request is told here, so that it need not be told elsewhere."""
        return self.isVisible() and (
            self.learning.is_about(request) or self.space.is_about(request)
        )

    def hide_names(self, *, hidden: bool) -> None:
        """Hide names, or show them."""
        self.pane.area.names_hidden = hidden
        self.list.suggestions.hide_names(hidden=hidden)
        self._describe()

    def _open(self, opened: Opened) -> None:
        self._before = self._returned = None
        self.answering.clear()
        self.pane.note.clear()
        self.pane.area.set_study(opened)
        self.list.suggestions.open(ItemWords(opened))
        self._refresh()

    def _state_changed(self, live: Snapshot) -> None:
        before, self._before = self._before, live
        if before is not None and before.position != live.position:
            self._returned = _taken_back(before, live)
            text, _ = judge_text.moved(before, live)
            if text and self.isVisible():
                self.pane.note.say(text)
                self._announce(text)
        self._refresh()

    def _suggested(self, suggested: Suggested | None) -> None:
        """Show what is open now; of an answer taken back look at its suggestion again."""
        if self.isVisible():
            found = () if suggested is None else suggested.suggestions.found
            self.list.fill(found, self._returned)
        self._returned = None
        self._refresh()

    def _refresh(self, *_: object) -> None:
        if not self.isVisible():
            return
        suggested, live = self._controller.suggested, self._controller.snapshot
        found = None if suggested is None else suggested.suggestions
        errand = self.learning.errand
        self.line.show_state(
            Situation(
                stage=errand.stage,
                told=errand.told,
                behind=errand.is_behind and self._controller.can_stop,
                found=found,
                newer=self.learning.newer,
                disputed=live is not None and bool(live.conflicts),
                replaying=self._controller.replaying,
            )
        )
        self.line.setVisible(found is not None or self.learning.can_learn)
        count = self.list.suggestions.rowCount()
        self.heading.setText(self.tr("Suggestions: {0}").format(words.number(count)))
        self._left.setVisible(count > 0)
        self._stack.setCurrentWidget(self.pane if count else self.nothing)
        self.nothing.say(
            why(
                can_learn=self.learning.can_learn,
                is_learning=errand.is_under_way,
                learned=found,
                newer=self.learning.newer,
            )
        )
        self.pane.undo.setEnabled(
            live is not None and live.undo is not None and not self._controller.replaying
        )
        self.legend.setText(self._legend())
        self._describe()
        self._allow()

    def _legend(self) -> str:
        """Say which map it is, and what the lines are."""
        shown = self._controller.shown
        is_learned = shown is not None and shown.space.strategy == LEARNED
        which = self.tr("Map of what the answers teach") if is_learned else self.tr("Map")
        if not self.list.suggestions.rowCount():
            return which
        lines = self.tr("solid line: together · dashed: apart · thick: the chosen one")
        return f"{which} · {lines}"

    def _describe(self) -> None:
        shown = self._controller.shown
        if shown is not None and self.answering.pair is not None and self.isVisible():
            self.pane.area.describe(shown)

    # ------------------------------------------------------------------ the chosen one

    def _look_at(self, one: Suggestion | None) -> None:
        """Show a suggestion large, and its line thick."""
        if not self.isVisible():
            return
        self.links.show_links(self.list.suggestions.found, one)
        if one is None:
            self.answering.clear()
            return
        self.pane.show_suggestion(one)
        if self.answering.show(one):
            self.pane.failure.say("")
            self._store.prefetch(self._next_items())
            self._announce(suggestion_words.heading(one))
        self._describe()

    def _next_items(self) -> tuple[int, ...]:
        """Give the items of the next suggestion: their pictures will be wanted."""
        row = self.list.currentIndex().row() + 1
        return tuple(
            item for one in self.list.suggestions.found[row : row + 1] for item in one.pair
        )

    def _choose_of(self, item: int) -> None:
        """Look at the next suggestion about an item of the map."""
        found = self.list.suggestions.found
        at = self.list.currentIndex().row() + 1
        rows = [*range(at, len(found)), *range(at)]
        row = next((row for row in rows if item in found[row].pair), None)
        if row is not None:
            self.list.go_to(row)

    def _picture_failed(self, token: int, _item: int, _reason: str) -> None:
        gate, sides = self.answering.gate, self.answering.sides
        if token == gate.token and self.answering.pair is not None:
            gate.fail(token)
            neither = all(map(self._store.failure, sides))
            is_left = self._store.failure(sides[0]) is not None
            self.pane.failure.say(judge_text.not_shown(neither=neither, is_left=is_left))

    def _retry(self) -> None:
        self.pane.failure.say("")
        self.answering.show_again()
        self.pane.area.retry()

    # ------------------------------------------------------------------ answering

    def answer(self, verdict: Verdict) -> None:
        """Answer about the suggested pair on the screen, if an answer counts now."""
        self.answering.answer(verdict)

    def _is_free(self) -> bool:
        return not self.learning.errand.is_under_way and not self.space.is_busy

    def _allow(self) -> None:
        """Show whether anything can be said now."""
        self.pane.set_counts(counts=self.answering.counts)

    def stop(self) -> None:
        """End what is under way here."""
        if self.learning.errand.is_under_way:
            self.learning.stop()
        else:
            self.space.cancel()

    def _press(self, press: Press) -> None:
        confidence = Confidence.CERTAIN if press.certain else Confidence.QUITE
        key = press.key
        if key is PageKey.CONFIRM:
            if not press_focused(self):
                self.answering.confirm(confidence)
        elif key is PageKey.REJECT:
            self.answering.reject(confidence)
        elif isinstance(key, JudgeKey) and key in _VERDICTS:
            self.answering.answer(_VERDICTS[key], confidence)
        elif key in self._keys:
            self._keys[key]()

    # ------------------------------------------------------------------ seen or not

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened unseen, and learn if there is something new."""
        super().showEvent(event)
        if not event.spontaneous():
            suggested = self._controller.suggested
            self.list.fill(() if suggested is None else suggested.suggestions.found)
            self.learning.begin()
            self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        """Let the engine go with the page."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.learning.end()
            self.space.cancel()
            self.answering.clear()
            self.links.show_links((), None)  # the next items on the map may be another project's

    def _announce(self, text: str) -> None:
        if QAccessible.isActive() and text:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))


def _taken_back(before: Snapshot, now: Snapshot) -> Pair | None:
    """Give the pair of the answer that was taken back between two states; None = none was."""
    left = trail.step_at(now, before.position)
    if left is None or left.answer is None or left.parent != now.position:
        return None
    return left.answer.pair
