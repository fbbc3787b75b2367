"""The picture of a hierarchy: branches, cut, groups, items looked at; on the screen or in a file.

Hides strokes, colours, and which labels find room. Promises that a picture costs a few hundred
strokes whatever the number of items, and that what is told by colour is told by sign as well.
"""

from __future__ import annotations

from collections import defaultdict

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from desktop import theme
from desktop.widgets import words
from desktop.widgets.item_words import ItemWords
from desktop.widgets.tree import signs
from desktop.widgets.tree.answers_at_cut import AnswersAtCut, SaidAt
from desktop.widgets.tree.branches import Branches, Drawn, Scale
from desktop.widgets.tree.certainty_strip import CertaintyStrip
from desktop.widgets.tree.frame import AXIS, BAR, LABELS, Frame, Stretch
from engine.hierarchy import Tree
from engine.model import Pair

_UPRIGHT = 8.5  # pixels that a label needs across when it is written upwards
_SMALLEST = 9  # pixels of its letters then
_MARKS_APART = 17.0


class TreeDrawing:
    """What is drawn of one tree.

    Parameters
    ----------
    tree
        Its hierarchy has at least two items.
    said
        The answers in force.
    item_words
        Names of the items.

    Attributes
    ----------
    groups
        Number of groups that the cut line leaves.
    stretch, scale
        Which part is looked at, and what the way up measures.
    item, branch, pair
        What a person looks at: an item with its way up, the items of a node, two items with the
        ways to where they meet. None = nothing.
    captions
        What is written on the paper: what the way up measures, where merging stands.
    """

    def __init__(self, tree: Tree, said: AnswersAtCut, item_words: ItemWords) -> None:
        self.tree = tree
        self.branches = Branches(tree.hierarchy)
        self.answers = said
        self.strip = CertaintyStrip(tree, self.branches)
        self.groups = tree.groups or 1
        self.stretch = Stretch()
        self.scale = Scale.DISTANCE if self.branches.has_distances else Scale.GROUPS
        self.item: int | None = None
        self.branch: int | None = None
        self.pair: Pair | None = None
        self.captions = dict.fromkeys(Scale, "")
        self.standing = ""
        self._words = item_words
        self._drawn: tuple[tuple[Stretch, float], Drawn] | None = None

    def frame(self, room: QRectF) -> Frame:
        """Give the paper for a room in pixels."""
        return Frame(self.branches, self.stretch, self.scale, room, strip=self.strip.is_told)

    def drawn(self, frame: Frame) -> Drawn:
        """Give what is drawn on a paper; kept until another part is looked at."""
        key = (self.stretch, frame.plot.width())
        if self._drawn is None or self._drawn[0] != key:
            found = self.branches.drawn(self.stretch.left, self.stretch.right, key[1])
            self._drawn = key, found
        return self._drawn[1]

    def marked(self, frame: Frame) -> dict[int, list[SaidAt]]:
        """Give the answers by the node that they are marked at: where the pair meets.

        Where that is not drawn, at the branch it is in, and only what the cut breaks.
        """
        broken = {one.seq for one in self.answers.broken(self.groups)}
        drawn = self.drawn(frame)
        opened, condensed = set(drawn.open), set(drawn.condensed)
        at: dict[int, list[SaidAt]] = defaultdict(list)
        for one in self.answers.said:
            node = one.node
            if node in opened:
                at[node].append(one)
            elif one.seq in broken:
                while node >= 0 and node not in condensed and node not in opened:
                    node = self.branches.parent[node]
                if node in condensed:
                    at[node].append(one)
        for found in at.values():
            found.sort(key=lambda one: (one.seq not in broken, -one.seq))
        return dict(at)

    # ------------------------------------------------------------------ painting

    def paint(self, painter: QPainter, room: QRectF) -> None:
        """Paint it all, the ground included."""
        colors = theme.current().colors
        frame = self.frame(room)
        painter.fillRect(room, QColor(colors.surface))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_scale(painter, frame)
        self._paint_chosen(painter, frame)
        self._paint_branches(painter, frame)
        self._paint_labels(painter, frame)
        self._paint_ways(painter, frame)
        self._paint_standing(painter, frame)
        self.strip.paint(painter, frame, self.groups)
        self._paint_cut(painter, frame)
        self._paint_groups(painter, frame)
        self._paint_answers(painter, frame)

    def _paint_scale(self, painter: QPainter, frame: Frame) -> None:
        colors, plot = theme.current().colors, frame.plot
        high = QFontMetricsF(painter.font()).height()
        for y, text in frame.marks():
            painter.setPen(QPen(QColor(colors.border), 1))
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
            painter.setPen(QColor(colors.muted))
            place = QRectF(plot.left() - AXIS, y - high / 2, AXIS - 8, high)
            painter.drawText(place, _RIGHT, text)
        painter.setPen(QColor(colors.muted))
        above = QRectF(plot.left() + 2, plot.top() - 27, plot.width() / 2, high)
        painter.drawText(above, _LEFT, self.captions[self.scale])

    def _paint_chosen(self, painter: QPainter, frame: Frame) -> None:
        """Lay a ground under the branch that is looked at."""
        if self.branch is None:
            return
        ground = QColor(theme.current().colors.accent)
        ground.setAlphaF(0.14)
        left, right = frame.sides(self.branch)
        top = frame.inside(frame.foot(self.branch)).y() - 6
        if right < left:
            return
        place = QRectF(left, top, max(3.0, right - left), frame.plot.bottom() - top + LABELS)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(place, 4, 4)

    def ink(self, node: int) -> QColor:
        """Give the colour of a branch: its group's below the cut, else a neutral one."""
        slot = self.branches.slot(node) if self._is_below(node) else None
        return QColor(theme.current().colors.muted) if slot is None else theme.slot_color(slot)

    def _is_below(self, node: int) -> bool:
        return node < 2 * self.branches.n - self.groups

    def _paint_branches(self, painter: QPainter, frame: Frame) -> None:
        drawn = self.drawn(frame)
        strokes: dict[str, list[QLineF]] = defaultdict(list)
        whole = self.branches.around(self.stretch.left, self.stretch.right)
        if self.branches.parent[whole] >= 0 and frame.sees(frame.foot(whole)):
            self._add_stem(strokes, frame, whole, QPointF(frame.foot(whole).x(), frame.plot.top()))
        for node in drawn.open:
            y, ink = frame.foot(node).y(), self.ink(node).name()
            feet = [frame.foot(inner) for inner in self.branches.two(node)]
            if y >= frame.plot.top() - 1:
                one, other = (frame.inside(QPointF(foot.x(), y)) for foot in feet)
                if one != other:
                    strokes[ink].append(QLineF(one, other))
            for inner, foot in zip(self.branches.two(node), feet, strict=True):
                if frame.sees(foot):
                    self._add_stem(strokes, frame, inner, QPointF(foot.x(), y))
        for name, lines in strokes.items():
            painter.setPen(QPen(QColor(name), 1.5))
            painter.drawLines(lines)
        for node in drawn.condensed:
            self._paint_condensed(painter, frame, node)

    def _add_stem(
        self, strokes: dict[str, list[QLineF]], frame: Frame, node: int, top: QPointF
    ) -> None:
        """Draw from a node up to its parent; where the cut goes through, in two colours."""
        foot, top = frame.foot(node), frame.inside(top)
        parent = self.branches.parent[node]
        if self._is_below(node) and not self._is_below(parent):
            cut = QPointF(foot.x(), min(foot.y(), max(top.y(), frame.cut_y(self.groups))))
            strokes[self.ink(parent).name()].append(QLineF(top, cut))
            top = cut
        strokes[self.ink(node).name()].append(QLineF(top, foot))

    def _paint_condensed(self, painter: QPainter, frame: Frame, node: int) -> None:
        """Draw a branch that is not opened as a triangle from its merge down to its items."""
        left, right = frame.sides(node)
        if right <= left:
            return
        gap = min(1.5, (right - left) / 6)
        base, ink = frame.plot.bottom(), self.ink(node)
        corners = [
            frame.inside(frame.foot(node)),
            QPointF(right - gap, base),
            QPointF(left + gap, base),
        ]
        fill = QColor(ink)
        fill.setAlphaF(0.55 if self._is_below(node) else 0.25)
        painter.setPen(QPen(ink, 1.2))
        painter.setBrush(fill)
        painter.drawPolygon(QPolygonF(corners))

    def _paint_labels(self, painter: QPainter, frame: Frame) -> None:
        """Write the number of items under condensed branches and the names under items."""
        drawn = self.drawn(frame)
        muted, text = (QColor(getattr(theme.current().colors, name)) for name in ("muted", "text"))
        for node in drawn.condensed:
            self._write(painter, frame, node, words.number(self.branches.size(node)), muted)
        for item in drawn.items:
            self._write(painter, frame, item, self._words.shortest_name(item), text)

    def _write(self, painter: QPainter, frame: Frame, node: int, text: str, ink: QColor) -> None:
        left, right = frame.sides(node)
        if right <= left:
            return
        metrics, base = QFontMetricsF(painter.font()), frame.plot.bottom() + 5
        wide = right - left
        painter.setPen(ink)
        if metrics.horizontalAdvance(text) <= wide - 4:
            painter.drawText(QRectF(left, base, wide, metrics.height()), _CENTRE, text)
        elif wide >= _UPRIGHT:
            painter.save()
            painter.translate((left + right) / 2, base)
            painter.rotate(90)
            font = QFont(painter.font())
            font.setPixelSize(max(_SMALLEST, min(int(metrics.height() * 0.75), int(wide))))
            painter.setFont(font)
            metrics = QFontMetricsF(font)
            # files of one camera or archive begin alike: their ends tell them apart
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideLeft, LABELS - 8)
            place = QRectF(0, -metrics.height() / 2, LABELS - 4, metrics.height())
            painter.drawText(place, _LEFT, shown)
            painter.restore()

    # ------------------------------------------------------------------ what is looked at

    def _paint_ways(self, painter: QPainter, frame: Frame) -> None:
        accent = QColor(theme.current().colors.accent)
        if self.pair is not None:
            one, other = (self.branches.way_up(item) for item in self.pair)
            meeting = next(node for node in one if node in set(other))
            for way in (one, other):
                self._paint_way(painter, frame, way[: way.index(meeting) + 1], accent)
            if frame.sees(frame.foot(meeting)):
                painter.setBrush(accent)
                painter.drawEllipse(frame.foot(meeting), 5, 5)
        if self.item is not None:
            self._paint_way(painter, frame, self.branches.way_up(self.item), accent)

    def _paint_way(self, painter: QPainter, frame: Frame, way: list[int], ink: QColor) -> None:
        """Draw the way from an item upwards; within a condensed branch as the crow flies."""
        item, hidden = way[0], set(self.drawn(frame).condensed)
        start = max((at for at, node in enumerate(way) if node in hidden), default=0)
        line = [QPointF(frame.x(self.branches.stem[item]), frame.plot.bottom())]
        for node in way[start:]:
            foot = frame.foot(node)
            if node not in hidden:
                line.append(QPointF(line[-1].x(), foot.y()))
            line.append(foot)
            if foot.y() < frame.plot.top():
                break
        line = [frame.inside(place) for place in line]
        painter.setPen(QPen(ink, 2.6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(line))
        foot = line[0]
        painter.setBrush(ink)
        marker = [QPointF(0, 1), QPointF(5, 9), QPointF(-5, 9)]
        painter.drawPolygon(QPolygonF([foot + corner for corner in marker]))

    # ------------------------------------------------------------------ the cut

    def handle(self, painter_font_height: float, frame: Frame) -> QRectF:
        """Give the place of what the cut line is held by."""
        high = painter_font_height + 6
        y = frame.cut_y(self.groups)
        return QRectF(frame.plot.left() - AXIS + 4, y - high / 2, AXIS - 10, high)

    def _paint_cut(self, painter: QPainter, frame: Frame) -> None:
        colors = theme.current().colors
        y = frame.cut_y(self.groups)
        right = frame.strip.right() if frame.strip is not None else frame.plot.right()
        painter.setPen(QPen(QColor(colors.accent), 2.0))
        painter.drawLine(QPointF(frame.plot.left() - 8, y), QPointF(right, y))
        place = self.handle(QFontMetricsF(painter.font()).height(), frame)
        arrow = "↑ " if frame.is_above(self.groups) else ""
        signs.draw_handle(painter, place, arrow + words.number(self.groups))

    def _paint_groups(self, painter: QPainter, frame: Frame) -> None:
        """Lay a bar below each group, with its sign as far as there is room."""
        top, drawn, taken = frame.plot.bottom() + LABELS, -1e9, -1e9
        for node in self.branches.tops(self.groups):
            left, right = frame.sides(node)
            if right - max(left, drawn) < 1:  # finer than can be seen
                continue
            slot, drawn = self.branches.slot(node), right
            gap = min(1.0, (right - left) / 4)
            bar = QRectF(left + gap, top, right - left - 2 * gap, BAR)
            painter.fillRect(bar, self.ink(node))
            if slot is None or slot < 0:
                continue
            wide, high = signs.chip_size(painter, slot)
            middle = (left + right) / 2
            if middle - wide / 2 > taken:
                signs.draw_chip(painter, QPointF(middle, top + BAR + 3 + high / 2), slot)
                taken = middle + wide / 2 + 1

    def _paint_answers(self, painter: QPainter, frame: Frame) -> None:
        broken = {one.seq for one in self.answers.broken(self.groups)}
        placed: list[QPointF] = []
        marked = sorted(self.marked(frame).items(), key=lambda at: at[1][0].seq not in broken)
        for node, said in marked:
            at = frame.foot(node)
            free = frame.sees(at) and all(
                (at - other).manhattanLength() >= _MARKS_APART for other in placed
            )
            if free:
                placed.append(at)
                first = said[0]
                signs.draw_verdict(painter, at, first.verdict, broken=first.seq in broken)

    def _paint_standing(self, painter: QPainter, frame: Frame) -> None:
        """Say where merging stands: at the question that waits for its answer."""
        waiting = [one for one in self.tree.inquiries if one.verdict is None]
        if not waiting:
            return
        y = frame.y(self.branches.level(self.branches.n - waiting[-1].step, self.scale))
        if not frame.plot.top() <= y <= frame.plot.bottom():
            return
        ink = QColor(theme.current().colors.accent)
        pen = QPen(ink, 1.4)
        pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawLine(QPointF(frame.plot.left(), y), QPointF(frame.plot.right(), y))
        metrics = QFontMetricsF(painter.font())
        wide = metrics.horizontalAdvance(self.standing)
        place = QRectF(frame.plot.right() - wide - 2, y + 2, wide + 2, metrics.height())
        painter.fillRect(place, QColor(theme.current().colors.surface))
        painter.drawText(place, _RIGHT, self.standing)


_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
