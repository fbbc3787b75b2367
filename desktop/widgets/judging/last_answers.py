"""The last five answers as small pictures, newest first: a slip is seen at once.

Hidden: drawing, fading. Promised: each shows its pair as it was shown, its verdict as a sign, and
leads to its place in the history.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEasingCurve, QRectF, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QStyle, QWidget

from desktop import theme
from desktop.images import PictureStore
from desktop.widgets import words
from desktop.widgets.judging.sides import as_shown
from desktop.widgets.thumb_strip import paint_thumbnail
from engine.dataset import Item
from engine.model import Snapshot, Source, StepKind, Verdict

LAST = 5

_SIDE = 38  # pixels of the layout
_BADGE = 18
_FADE_MS = 350


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer in force: its step, the items as shown (left, right), and the verdict now.

    `suggested`: it confirmed or rejected a suggestion. `shared`: items may belong to several
    groups, so that it tells what the two have in common.
    """

    seq: int
    items: tuple[int, ...]
    verdict: Verdict
    suggested: bool = False
    shared: bool = False


def last_answers(snapshot: Snapshot, count: int = LAST) -> tuple[GivenAnswer, ...]:
    """Find the last answers that led to a state, newest first, changed ones as they are now."""
    path = [step for step in snapshot.history if step.on_path]
    changed = {
        step.target: step.answer.verdict
        for step in path
        if step.kind is StepKind.REVISE and step.answer is not None
    }
    given = [step for step in reversed(path) if step.kind is StepKind.ANSWER][:count]
    return tuple(
        GivenAnswer(
            step.seq,
            as_shown(step, snapshot),
            changed.get(step.seq, step.answer.verdict),
            step.answer.source is Source.SUGGESTED,
            snapshot.shares,
        )
        for step in given
        if step.answer is not None
    )


class _Tile(QAbstractButton):
    """One answer: two thumbnails with the sign of the verdict between them."""

    def __init__(self, store: PictureStore, parent: QWidget) -> None:
        super().__init__(parent)
        self._store = store
        self._answer: GivenAnswer | None = None
        self._names = ("", "")
        self._strength = 1.0
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._fade = QVariantAnimation(self)
        self._fade.setStartValue(0.0)
        self._fade.setEndValue(1.0)
        self._fade.setDuration(_FADE_MS)
        self._fade.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._fade.valueChanged.connect(self._faded)

    @property
    def answer(self) -> GivenAnswer | None:
        return self._answer

    def put(self, answer: GivenAnswer | None, names: tuple[str, str], *, fade: bool) -> None:
        self._answer, self._names = answer, names
        self.setVisible(answer is not None)
        self._fade.stop()
        self._strength = 1.0
        if answer is not None:
            spoken = self.tr("Answer {0}: {1} and {2}").format(
                words.verdict_word(answer.verdict, shared=answer.shared), *names
            )
            if answer.suggested:
                spoken += " · " + self.tr("to a suggestion")
            self.setAccessibleName(spoken)
            self.setToolTip(self.tr("{0}\nShow in the history").format(spoken))
        still = self.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0
        if fade and not still:
            self._strength = 0.0
            self._fade.start()
        self.update()

    def _faded(self, value: object) -> None:
        self._strength = float(value) if isinstance(value, float) else 1.0
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(2 * _SIDE + 8, _SIDE + _BADGE // 2 + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._answer is None:
            return
        colors = theme.current().colors
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(self._strength)
        for place, (item, name) in enumerate(zip(self._answer.items, self._names, strict=True)):
            square = QRectF(3 + place * (_SIDE + 2), 3, _SIDE, _SIDE)
            paint_thumbnail(painter, square, self._store.thumbnail(item))
            if not self._store.has_picture(item):
                self._paint_name(painter, square, name)
        ink = QColor(getattr(colors, self._answer.verdict.value))
        badge = QRectF((self.width() - _BADGE) / 2, self.height() - _BADGE - 1, _BADGE, _BADGE)
        painter.setPen(QPen(QColor(colors.window), 2))
        painter.setBrush(ink)
        painter.drawEllipse(badge)
        font = QFont(self.font())
        font.setPixelSize(12)
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(colors.on_accent))
        painter.drawText(
            badge, int(Qt.AlignmentFlag.AlignCenter), words.SIGNS[self._answer.verdict]
        )
        if self.hasFocus() or self.underMouse():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colors.accent), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
        painter.end()

    def _paint_name(self, painter: QPainter, square: QRectF, name: str) -> None:
        """Rows of a table have no picture: their name stands for them."""
        painter.setPen(QColor(theme.current().colors.muted))
        font = QFont(self.font())
        font.setPixelSize(11)
        painter.setFont(font)
        shown = painter.fontMetrics().elidedText(
            name, Qt.TextElideMode.ElideLeft, int(square.width()) - 4
        )
        painter.drawText(square, int(Qt.AlignmentFlag.AlignCenter), shown)


class LastAnswers(QWidget):
    """Shows the last answers.

    Parameters
    ----------
    store
        Where thumbnails come from.

    Notes
    -----
    `selected(seq)`: the person wants to see that step in the history.
    """

    selected = Signal(int)

    def __init__(self, store: PictureStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tiles = [_Tile(store, self) for _ in range(LAST)]
        self._newest = 0
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for tile in self._tiles:
            tile.clicked.connect(self._clicked)
            row.addWidget(tile)
        row.addStretch(1)
        # kept free from the beginning: the first answer must not move the pictures
        self.setMinimumSize(self._tiles[0].sizeHint())
        self.setAccessibleName(self.tr("Last answers"))
        store.pictureReady.connect(self._arrived)
        store.pictureFailed.connect(self._arrived)
        theme.current().themeChanged.connect(self._repaint)

    @property
    def answers(self) -> tuple[GivenAnswer, ...]:
        """What is shown, newest first."""
        return tuple(tile.answer for tile in self._tiles if tile.answer is not None)

    def show_state(self, snapshot: Snapshot, items: Sequence[Item], *, names_hidden: bool) -> None:
        """Show the answers that led to a state."""
        answers = last_answers(snapshot)
        newest = answers[0].seq if answers else 0
        for place, tile in enumerate(self._tiles):
            answer = answers[place] if place < len(answers) else None
            names = ("", "")
            if answer is not None and not names_hidden:
                names = (items[answer.items[0]].name, items[answer.items[1]].name)
            tile.put(answer, names, fade=place == 0 and newest > self._newest > 0)
        self._newest = max(newest, 1)

    def _clicked(self) -> None:
        tile = self.sender()
        if isinstance(tile, _Tile) and tile.answer is not None:
            self.selected.emit(tile.answer.seq)

    def _arrived(self, item: int, *_: object) -> None:
        for tile in self._tiles:
            if tile.answer is not None and item in tile.answer.items:
                tile.update()

    def _repaint(self) -> None:
        for tile in self._tiles:
            tile.update()
