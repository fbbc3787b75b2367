"""The cards and lines of the composition graph.

Hides painting and measuring. Promises that cards are as large as their text needs with the font in
force, that evidence is told in figures, bars and words alike, and that a line is the thicker the
better its composition fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from desktop import theme
from desktop.widgets import shared_words, words
from desktop.widgets.composing.graph_layout import Sizes, Slots
from desktop.widgets.composing.sharing_words import (
    SharingWords,
    evidence,
    evidence_words,
)
from desktop.widgets.item_words import ItemWords
from desktop.widgets.thumbs import (
    draw_chip,
    draw_icon,
    draw_line,
    draw_meter,
    draw_parts,
    draw_thumb,
)
from engine.model import Composition, Group

if TYPE_CHECKING:
    from desktop.images import PictureStore

_PAD = 10
_GAP = 8
_BAR = 7
_CORNER = 8.0
_FADED = 0.3
_CELLS = 6
_THIN, _THICK = 1.4, 5.0
_EXAMPLES = tuple(  # of each kind of evidence
    Composition((0, 1), items, fit, 1.0) for items, fit in ((9, 0.1), (9, 0.99), (9, 1.0), (2, 0.1))
)


@dataclass(frozen=True, eq=False)
class Paints:
    """What cards are painted with: words for groups and items, pictures, the font, the scale.

    `longest`: the distance that a full bar stands for. `most`: of how many groups a set is made at
    most. `labels`: what the two distances are called.
    """

    words: SharingWords
    items: ItemWords
    pictures: PictureStore
    font: QFont
    longest: float
    most: int
    exemplars: tuple[int, ...]
    labels: tuple[str, str]

    @property
    def line(self) -> int:
        """Height of a line of text."""
        return QFontMetrics(self.font).height()

    def sizes(self) -> Sizes:
        """Measure the cards."""
        metrics = QFontMetrics(self.font)
        high = 2 * _PAD + 4 * self.line + 10
        thumb = high - 2 * _PAD + _GAP if self.items.has_pictures else 0
        told = max(metrics.horizontalAdvance(evidence_words(one)) for one in _EXAMPLES)
        count = metrics.horizontalAdvance(words.items(8888)) + 2 * _GAP
        sums = count + self.most * (metrics.horizontalAdvance("■88 + ") + _PAD + _GAP)
        wide = 2 * _PAD + thumb + max(told + self.line + _GAP, sums)
        return Sizes(
            (2 * _PAD + thumb + metrics.horizontalAdvance("M" * 13), high),
            (wide, high),
            gap=14,
            between=140,
        )


class Card(QGraphicsItem):
    """A card: a group, or a set of groups that items belong to as a whole.

    Parameters
    ----------
    slots
        Its group, or groups.
    item
        The item that stands for it.
    place
        Where it lies.
    """

    def __init__(
        self, paints: Paints, slots: Slots, item: int, place: tuple[float, float, float, float]
    ) -> None:
        super().__init__()
        self.slots, self.item = slots, item
        self.paints = paints
        left, top, self.wide, self.high = place
        self.setPos(left, top)
        self.is_chosen = self.is_hovered = self.is_faded = False

    def boundingRect(self) -> QRectF:
        """Give the card with its edge."""
        return QRectF(-3, -3, self.wide + 6, self.high + 6)

    def set_state(self, *, chosen: bool, hovered: bool, faded: bool) -> None:
        """Say how it is to look."""
        self.is_chosen, self.is_hovered, self.is_faded = chosen, hovered, faded
        self.update()

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Paint the card."""
        colors = theme.current().colors
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(_FADED if self.is_faded else 1.0)
        edge = QColor(colors.accent if self.is_chosen else colors.border)
        painter.setPen(QPen(edge, 2.5 if self.is_chosen else 1))
        painter.setBrush(QColor(colors.hover if self.is_hovered else colors.raised))
        painter.drawRoundedRect(QRectF(0, 0, self.wide, self.high), _CORNER, _CORNER)
        painter.setFont(self.paints.font)
        inner = QRect(_PAD, _PAD, int(self.wide) - 2 * _PAD, int(self.high) - 2 * _PAD)
        if self.paints.items.has_pictures:
            square = QRect(inner.left(), inner.top(), inner.height(), inner.height())
            draw_thumb(painter, square, self.paints.pictures, self.item)
            inner.setLeft(square.right() + _GAP + 1)
        self.paint_text(painter, inner)

    def paint_text(self, painter: QPainter, inner: QRect) -> None:
        """Paint what stands beside the picture."""
        raise NotImplementedError


class GroupCard(Card):
    """A single group: sign, number, name, how many items, and of these how many in it alone."""

    def __init__(
        self, paints: Paints, group: Group, place: tuple[float, float, float, float]
    ) -> None:
        super().__init__(paints, (group.slot,), group.exemplar, place)
        self.of = group

    def paint_text(self, painter: QPainter, inner: QRect) -> None:
        """Paint sign, name and figures."""
        group, paints, colors = self.of, self.paints, theme.current().colors
        line = paints.line
        row = QRect(inner.left(), inner.top(), inner.width(), line + 2)
        chip = draw_chip(painter, row, group.slot)
        painter.setPen(QColor(colors.text))
        draw_line(
            painter, row.adjusted(chip.width() + _GAP, 0, 0, 0), paints.words.title(group.slot)
        )
        painter.setPen(QColor(colors.muted))
        lines = [words.items(group.size)]
        if group.mixed:
            lines.append(shared_words.elsewhere(group.size, group.mixed)[-1])
        for text in lines:
            row = QRect(row.left(), row.bottom() + 3, row.width(), line)
            draw_line(painter, row, text)
        if not paints.items.has_pictures:
            cells = paints.items.telling(group.exemplar, paints.exemplars, _CELLS)
            told = (f"{cell.column} {cell.text}" for cell in cells)
            draw_parts(painter, row.translated(0, line + 3), told, "   ")


class CompositionCard(Card):
    """A set of groups: signs, how many items, and what speaks for it."""

    def __init__(
        self,
        paints: Paints,
        composition: Composition,
        item: int,
        place: tuple[float, float, float, float],
    ) -> None:
        super().__init__(paints, composition.groups, item, place)
        self.composition = composition

    def paint_text(self, painter: QPainter, inner: QRect) -> None:
        """Paint signs, figures, bars and words."""
        made, paints, colors = self.composition, self.paints, theme.current().colors
        line = paints.line
        row = QRect(inner.left(), inner.top(), inner.width(), line + 2)
        self._paint_sum(painter, row)
        painter.setPen(QColor(colors.muted))
        side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(row, side, words.items(made.items))
        weak = evidence(made).is_weak
        inks = (colors.warning if weak else colors.accent, colors.muted)
        for value, label, ink in zip((made.fit, made.alone), paints.labels, inks, strict=True):
            row = QRect(row.left(), row.bottom() + 3, row.width(), line)
            self._paint_distance(painter, row, label, value, QColor(ink))
        row = QRect(row.left(), row.bottom() + 3, row.width(), line)
        if weak:
            square = QRect(row.left(), row.top(), line, line)
            draw_icon(painter, square, "warning", colors.warning)
            row.setLeft(square.right() + 6)
        painter.setPen(QColor(colors.warning if weak else colors.muted))
        draw_line(painter, row, evidence_words(made))

    def _paint_sum(self, painter: QPainter, row: QRect) -> None:
        """Write the groups as a sum of chips."""
        plus = painter.fontMetrics().horizontalAdvance(" + ")
        for at, slot in enumerate(self.slots):
            if at:
                painter.setPen(QColor(theme.current().colors.text))
                place = QRect(row.left(), row.top(), plus, row.height())
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, "+")
                row = row.adjusted(plus, 0, 0, 0)
            row = row.adjusted(draw_chip(painter, row, slot).width(), 0, 0, 0)

    def _paint_distance(
        self, painter: QPainter, row: QRect, label: str, value: float, ink: QColor
    ) -> None:
        """Write a distance with its bar."""
        paints, colors = self.paints, theme.current().colors
        metrics = painter.fontMetrics()
        labels = max(metrics.horizontalAdvance(text) for text in paints.labels) + _GAP
        figure = metrics.horizontalAdvance(paints.words.distance(paints.longest)) + _GAP
        painter.setPen(QColor(colors.muted))
        draw_line(painter, QRect(row.left(), row.top(), labels, row.height()), label)
        painter.setPen(QColor(colors.text))
        place = QRect(row.left() + labels, row.top(), figure - _GAP, row.height())
        side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(place, side, paints.words.distance(value))
        left = place.right() + _GAP
        bar = QRect(left, row.center().y() - _BAR // 2, row.right() - left, _BAR)
        draw_meter(painter, bar, value / paints.longest if paints.longest > 0 else 0.0, ink)


class Line(QGraphicsItem):
    """The line from a group to what it makes with others.

    Parameters
    ----------
    group, made
        What it joins.
    strength
        In [0, 1]: how much nearer items are to what the groups make than to one of them.
    share
        Where on the side of the composition it ends, 0 = at the top.
    """

    def __init__(self, group: Card, made: CompositionCard, strength: float, share: float) -> None:
        super().__init__()
        self._share = share
        self.start, self.made = group, made
        self._width = _THIN + (_THICK - _THIN) * min(1.0, max(0.0, strength))
        self._is_weak = evidence(made.composition).is_weak
        self._path = self._drawn()
        self.is_lit = self.is_faded = False
        self.setZValue(-1)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def _drawn(self) -> QPainterPath:
        rightward = self.made.x() > self.start.x()
        start = QPointF(
            self.start.x() + (self.start.wide if rightward else 0),
            self.start.y() + self.start.high / 2,
        )
        end = QPointF(self.made.x() + (0 if rightward else self.made.wide), self._arrival())
        reach = (end.x() - start.x()) / 2
        path = QPainterPath(start)
        path.cubicTo(start + QPointF(reach, 0), end - QPointF(reach, 0), end)
        return path

    def _arrival(self) -> float:
        return self.made.y() + self.made.high * (0.25 + 0.5 * self._share)

    def boundingRect(self) -> QRectF:
        """Give the line with its width."""
        wide = _THICK + 2
        return self._path.boundingRect().adjusted(-wide, -wide, wide, wide)

    def shape(self) -> QPainterPath:
        """Be hit nowhere: what lies below is a ground."""
        return QPainterPath()

    def set_state(self, *, lit: bool, faded: bool) -> None:
        """Say how it is to look."""
        self.is_lit, self.is_faded = lit, faded
        self.setZValue(-0.5 if lit else -1)
        self.update()

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Paint the line, in the colour of the group; dashed where evidence is weak."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(_FADED / 2 if self.is_faded else 1.0 if self.is_lit else 0.75)
        pen = QPen(theme.slot_color(self.start.slots[0]), self._width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if self._is_weak:
            pen.setDashPattern([3, 2])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._path)


def strength(composition: Composition) -> float:
    """Give how much nearer items are to what their groups make than to a single one, 0 to 1."""
    if not composition.alone > 0:
        return 0.0
    return max(0.0, 1.0 - composition.fit / composition.alone)
