"""The history as a Qt list model: one row per step, newest first, branches indented.

Hides how a new snapshot becomes the fewest row changes. Promises that rows which stay keep their
place in a view: scroll position, selection and current row survive every update.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from desktop import strategies
from desktop.messages import Offer
from desktop.widgets import shared_words, trail, words
from desktop.widgets.history.history_rows import START, HistoryTree, Row, Standing
from desktop.widgets.item_words import ItemWords
from engine.model import (
    Answer,
    Approach,
    Group,
    HistoryItem,
    Snapshot,
    Source,
    StepKind,
    Verdict,
)

IS_SHOWN = Qt.ItemDataRole.UserRole
IS_NOW = Qt.ItemDataRole.UserRole + 1

_Index = QModelIndex | QPersistentModelIndex


class Show(enum.Enum):
    """Which steps the list shows."""

    ALL = "all"
    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"
    CHANGED = "changed"
    OVERRULED = "overruled"


_VERDICTS = {
    Show.SAME: Verdict.SAME,
    Show.DIFFERENT: Verdict.DIFFERENT,
    Show.UNSURE: Verdict.UNSURE,
}


class HistoryModel(QAbstractListModel):
    """Rows of the live history.

    Roles: `IS_SHOWN` (the state that the window shows), `IS_NOW` (the present).
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = ItemWords(None)
        self._offers: tuple[Offer, ...] = ()
        self._snapshot: Snapshot | None = None
        self._tree = HistoryTree((), START, None)
        self._rows: list[Row] = []
        self._changes: dict[int, HistoryItem] = {}  # by the answer: its last change in force
        self._toggled: dict[int, bool] = {}
        self._show = Show.ALL
        self._sought = ""
        self._shown = START

    # ------------------------------------------------------------------ what is shown

    def open(self, item_words: ItemWords, offers: Sequence[Offer] = ()) -> None:
        """Begin with another study, and the strategies that it offers."""
        self.beginResetModel()
        self._words = item_words
        self._offers = tuple(offers)
        self._snapshot = None
        self._tree = HistoryTree((), START, None)
        self._rows = []
        self._changes = {}
        self._toggled = {}
        self._shown = START
        self.endResetModel()

    def set_live(self, snapshot: Snapshot) -> None:
        """Take the live state."""
        self._snapshot = snapshot
        self._tree = HistoryTree(snapshot.history, snapshot.position, snapshot.redo)
        way = frozenset(self._tree.line_through(snapshot.position))
        self._changes = {
            step.target: step
            for step in snapshot.history
            if step.kind is StepKind.REVISE and step.target is not None and step.seq in way
        }
        self._relay()

    def set_shown(self, seq: int) -> None:
        """Mark the state that the window shows."""
        if seq != self._shown:
            self._shown = seq
            self._announce(IS_SHOWN)

    def set_filter(self, show: Show, sought: str) -> None:
        """Show only some steps: by verdict or effect, and by words or "#number"."""
        self._show = show
        self._sought = sought.strip().casefold()
        self._relay()

    def toggle(self, row: Row) -> None:
        """Open or close a branch."""
        if row.is_head:
            self._toggled[row.root] = not row.is_open
            self._relay()

    @property
    def is_shared(self) -> bool:
        """Whether answers are told as what two have in common: items may have several groups."""
        return self._snapshot is not None and self._snapshot.shares

    @property
    def item_words(self) -> ItemWords:
        """Words for the items."""
        return self._words

    @property
    def tree(self) -> HistoryTree:
        """The steps of the live state."""
        return self._tree

    def step(self, seq: int) -> Row | None:
        """Give a step as a row, whether it is shown or not."""
        steps = self._snapshot.history if self._snapshot is not None else ()
        return next((Row(seq, step, Standing.PAST) for step in steps if step.seq == seq), None)

    def row_at(self, index: _Index) -> Row:
        """Give the row behind an index."""
        return self._rows[index.row()]

    def row_of(self, seq: int) -> int:
        """Find the row of a step; -1 where it is not shown."""
        for at, row in enumerate(self._rows):
            if row.seq == seq and not row.is_head:
                return at
        return -1

    def find(self, key: tuple[bool, int]) -> int:
        """Find a row by its key; -1 where it is not shown."""
        return next((at for at, row in enumerate(self._rows) if row.key == key), -1)

    def answer_to_change(self, row: Row) -> tuple[int, Verdict] | None:
        """Give the answer that a change of this row means: its `seq` and the verdict in force.

        None where there is none, or where it lies off the way to the present.
        """
        if self._snapshot is None or row.step is None or row.step.answer is None:
            return None
        way = self._tree.line_through(self._snapshot.position)
        if row.seq not in way:
            return None
        target = row.step.target if row.step.kind is StepKind.REVISE else row.seq
        if target is None:
            return None
        change = self._changes.get(target)
        if change is not None and change.answer is not None:
            return target, change.answer.verdict
        return target, row.step.answer.verdict

    # ------------------------------------------------------------------ Qt model

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Count the rows."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give a row in words, and how it stands to the present."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == IS_SHOWN:
            return row.seq == self._shown and not row.is_head
        if role == IS_NOW:
            return self._is_now(row)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.sentence(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(row)
        return None

    # ------------------------------------------------------------------ words

    def title(self, row: Row) -> str:
        """Say in a few words what a step was."""
        step = row.step
        if row.is_head:
            return self.tr("Another branch · {0}").format(words.steps(row.count))
        if step is None:
            return self.tr("Start")
        match step.kind:
            case StepKind.ANSWER:
                return self._said(row, step.answer) if step.answer else ""
            case StepKind.REVISE:
                return self.tr("Changed #{0}").format(step.target)
            case StepKind.SET_ASIDE:
                return self.tr("Set aside")
            case StepKind.NAME:
                return self.tr("Named") if step.text else self.tr("Name removed")
            case StepKind.STRATEGY:
                return self.tr("Way of choosing pairs")
            case StepKind.GROUPING:
                return self.tr("Way of finding groups")
            case StepKind.SPACE:
                return self.tr("Way of comparing items")

    def _said(self, row: Row, answer: Answer) -> str:
        """Give the verdict, the groups it named, and what it was changed to since."""
        word, change = self._word(answer), self._change_of(row)
        if change is None or change.answer is None:
            named = shared_words.listed(self.named(row), short=True)
            return self.tr("{0}: {1}").format(word, named) if named else word
        return f"{word} → {self._word(change.answer)}"

    def _word(self, answer: Answer) -> str:
        return words.verdict_word(answer.verdict, shared=self.is_shared)

    def named(self, row: Row) -> tuple[Group, ...]:
        """Give the groups that an answer named as those that two have in common."""
        if self._snapshot is None or row.step is None:
            return ()
        return shared_words.named(self._snapshot, row.step)

    def _change_of(self, row: Row) -> HistoryItem | None:
        """Give the change in force of an answer on the way to the present."""
        return self._changes.get(row.seq) if row.standing is Standing.PAST else None

    def numbers(self, row: Row) -> str:
        """Give the numbers of a step: of the question, as while judging, and in the record."""
        if row.step is None:
            return ""
        if row.step.kind is not StepKind.ANSWER:
            return f"#{row.seq}"
        return self.tr("Question {0} · #{1}").format(self._tree.question(row.seq), row.seq)

    def short_title(self, row: Row) -> str:
        """Say in one word what a step was."""
        match row.step.kind if row.step is not None else None:
            case StepKind.REVISE:
                return self.tr("change")
            case StepKind.SET_ASIDE:
                return self.tr("set aside")
            case StepKind.NAME:
                return self.tr("name")
            case StepKind.STRATEGY:
                return self.tr("way of choosing")
            case StepKind.GROUPING:
                return self.tr("way of grouping")
            case StepKind.SPACE:
                return self.tr("way of comparing")
            case StepKind.ANSWER if self.is_shared:
                return self.tr("answer")  # what it was has no room on a button
            case _:
                return self.title(row)

    def subjects(self, step: HistoryItem) -> tuple[int, ...]:
        """Give the items that a step is about, as they were shown: left one first."""
        if step.answer is None:
            return step.items[:1] if step.kind is StepKind.NAME else step.items
        a, b = step.answer.pair
        return (b, a) if step.answer.shown_left == b else (a, b)

    def remark(self, row: Row) -> str:
        """Say what qualifies a step: how sure, changed to what, a note, which strategy."""
        step = row.step
        if step is not None and step.approach is not None:
            return strategies.title(step.approach.strategy)
        if step is None or step.answer is None:
            return ""
        if self.contradicts(row):
            return self.tr("contradicts earlier ones")
        suggested = self.tr("to a suggestion") if step.answer.source is Source.SUGGESTED else ""
        parts = [suggested, words.confidence_word(step.answer.confidence), step.answer.note]
        if self.is_overruled(row):
            parts.insert(0, self.tr("not explained") if self.is_shared else self.tr("overruled"))
        change = self._change_of(row)
        if change is not None:
            parts.insert(0, self.tr("changed at #{0}").format(change.seq))
        if step.kind is StepKind.REVISE:
            parts.insert(0, self.tr("to {0}").format(self._word(step.answer)))
        return " · ".join(part for part in parts if part)

    def contradiction_of(self, row: Row) -> int | None:
        """Give the contradicting answer whose contradiction a step is part of, the newest one."""
        conflicts = self._snapshot.conflicts if self._snapshot is not None else ()
        step = row.step
        if step is None or row.standing is not Standing.PAST:
            return None
        answer = step.target if step.kind is StepKind.REVISE else row.seq
        holding = [
            conflict.seq
            for conflict in conflicts
            if answer in (conflict.seq, *(seq for seq, _, _ in conflict.chain))
        ]
        return max(holding, default=None)

    def contradicts(self, row: Row) -> bool:
        """Whether a step is an answer that contradicts earlier ones."""
        conflicts = self._snapshot.conflicts if self._snapshot is not None else ()
        return row.step is not None and any(conflict.seq == row.seq for conflict in conflicts)

    def is_overruled(self, row: Row) -> bool:
        """Whether a step is an answer in force that the groups break, as others weigh more."""
        overruled = self._snapshot.overruled if self._snapshot is not None else ()
        return row.standing is Standing.PAST and row.step is not None and row.seq in overruled

    def detail(self, row: Row, *, short: bool = False) -> str:
        """Say what a step changed, `short` where there is little room."""
        if row.is_head:
            return self.tr("left the way at #{0}").format(self._tree.parent(row.root))
        if row.step is None:
            return self.tr("before the first answer")
        if row.step.kind is StepKind.SET_ASIDE:
            return words.set_aside(row.step, short=short, shared=self.is_shared)
        if row.step.kind is StepKind.NAME:
            return row.step.text
        effect = words.effect(row.step.effect, short=short, shared=self.is_shared)
        if self._snapshot is not None and trail.is_guess(self._snapshot, row.step):
            effect = words.found(row.step.effect)
        if row.step.approach is not None:
            parts = (effect, *self._settings(row.step.approach))
            return " · ".join(part for part in parts if part)
        return effect

    def _settings(self, approach: Approach) -> tuple[str, ...]:
        """Give the settings of a strategy that are not as usual."""
        return strategies.unlike(approach, strategies.usual(self._offers, approach.strategy))

    def sentence(self, row: Row) -> str:
        """Say everything about a row, as a screen reader would."""
        parts = [self.numbers(row)]
        parts.append(self.title(row))
        if row.step is not None:
            parts.append(self.remark(row))
            parts += [self._words.name(item) for item in self.subjects(row.step)]
            parts.append(words.clock(row.step.at, time.time()))
        parts.append(self.detail(row))
        if self._is_now(row):
            parts.append(self.tr("now"))
        return ", ".join(part for part in parts if part)

    def _tip(self, row: Row) -> str:
        step = row.step
        if step is None:
            return self.tr("Double click goes on from the end of this branch.") if row.root else ""
        lines = [self.numbers(row)]
        lines += [self._words.name(item) for item in self.subjects(step)]
        if step.answer is not None:
            if step.answer.response_ms is not None:
                seconds = f"{step.answer.response_ms / 1000:.1f}"
                lines.append(self.tr("answered in {0} s").format(seconds))
            if step.answer.source is Source.SUGGESTED:
                lines.append(self.tr("It confirmed or rejected what other answers made likely."))
            if step.answer.note:
                lines.append(step.answer.note)
        named = self.named(row)
        if named:
            lines.append(self.tr("In common: {0}").format(shared_words.listed(named)))
        if self.is_overruled(row) and self.is_shared:
            lines.append(self.tr("The groups found do not explain this answer."))
        elif self.is_overruled(row):
            lines.append(self.tr("Overruled by your other answers"))
        if step.approach is not None:
            lines += [strategies.title(step.approach.strategy), *self._settings(step.approach)]
            lines.append(strategies.about(step.approach.strategy))
        lines.append(
            self.tr("# counts every step ever taken, also those taken back; it never changes.")
        )
        if step.kind is StepKind.ANSWER:
            lines.append(self.tr("The question's number counts the answers in force up to here."))
        return "\n".join(lines)

    def _is_now(self, row: Row) -> bool:
        return self._snapshot is not None and not row.is_head and row.seq == self._snapshot.position

    # ------------------------------------------------------------------ updates

    def _matches(self, step: HistoryItem) -> bool:
        verdict = _VERDICTS.get(self._show)
        if verdict is not None and (step.answer is None or step.answer.verdict is not verdict):
            return False
        if self._show is Show.CHANGED and not words.changed_groups(step.effect):
            return False
        overruled = self._snapshot.overruled if self._snapshot is not None else ()
        if self._show is Show.OVERRULED and not (step.on_path and step.seq in overruled):
            return False
        if not self._sought:
            return True
        if self._sought.startswith("#"):
            return self._sought[1:] == str(step.seq)
        note = step.answer.note if step.answer is not None else step.text
        texts = [note, *(self._words.name(item) for item in self.subjects(step))]
        if step.approach is not None:
            texts.append(strategies.title(step.approach.strategy))
        return any(self._sought in text.casefold() for text in texts)

    def _relay(self) -> None:
        everything = self._show is Show.ALL and not self._sought
        rows: list[Row] = []
        if self._snapshot is not None:
            rows = self._tree.rows(None if everything else self._matches, self._toggled)
        old, new = [row.key for row in self._rows], [row.key for row in rows]
        head = _common(old, new)
        tail = _common(old[head:][::-1], new[head:][::-1])
        if len(old) - tail > head:
            self.beginRemoveRows(QModelIndex(), head, len(old) - tail - 1)
            del self._rows[head : len(old) - tail]
            self.endRemoveRows()
        if len(new) - tail > head:
            self.beginInsertRows(QModelIndex(), head, len(new) - tail - 1)
            self._rows[head:head] = rows[head : len(new) - tail]
            self.endInsertRows()
        self._rows = rows
        self._announce()

    def _announce(self, *roles: int) -> None:
        if self._rows:
            first, last = self.index(0), self.index(len(self._rows) - 1)
            self.dataChanged.emit(first, last, list(roles))


def _common(one: list[tuple[bool, int]], other: list[tuple[bool, int]]) -> int:
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))
