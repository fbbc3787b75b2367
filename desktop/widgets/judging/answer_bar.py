"""The answer buttons: *Different* left, *Unsure* between, *Same* right.

Where items may belong to several groups, the outer ones read *Nothing in common* and *In common*.

Hidden: drawing. Promised: an answer is told by place, word, sign and key, by colour only besides;
buttons that do not count are seen not to.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QIcon,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QWidget,
)

from desktop import theme
from desktop.widgets import words
from engine.model import Confidence, Verdict

_CORNER = 10.0
_AT_REST, _HOVERED = 0.07, 0.14  # shares of the ink in the ground: words stay readable
_ORDER = (Verdict.DIFFERENT, Verdict.UNSURE, Verdict.SAME)
_ICONS = {Verdict.SAME: "same", Verdict.DIFFERENT: "different", Verdict.UNSURE: "unsure"}


class AnswerButton(QPushButton):
    """One verdict.

    Parameters
    ----------
    verdict
        What a press says.
    keys
        Its keys, as shown.
    """

    def __init__(self, verdict: Verdict, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(words.verdict_word(verdict), parent)
        self.verdict = verdict
        self._keys = keys
        self._note = ""
        self._given = self._shared = False
        self._drawn: dict[str, QIcon] = {}
        self.setAccessibleName(words.verdict_word(verdict))
        self.setAccessibleDescription(self.tr("Keys: {0}").format(keys))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    @property
    def word(self) -> str:
        """The verdict as it reads now."""
        return words.verdict_word(self.verdict, shared=self._shared)

    def read_as(self, *, shared: bool) -> None:
        """Ask whether two have a group in common, or belong to the same."""
        if shared != self._shared:
            self._shared = shared
            self.setText(self.word)
            self._name()
            self.updateGeometry()

    def _name(self) -> None:
        self.setAccessibleName(
            self.tr("{0}: given").format(self.word) if self._given else self.word
        )

    def set_note(self, note: str) -> None:
        """Show words in place of the keys, such as "a guess"; "" = the keys."""
        self._note = note
        self.update()

    @property
    def given(self) -> bool:
        """Whether this is the verdict that was given (in a replay)."""
        return self._given

    @given.setter
    def given(self, given: bool) -> None:
        self._given = given
        self._name()
        self.update()

    def sizeHint(self) -> QSize:
        """Be large enough to be hit without aiming."""
        large, small = self._fonts()
        height = QFontMetricsF(large).height() + QFontMetricsF(small).height() + 18
        word = QFontMetricsF(large).horizontalAdvance(self.text())
        keys = QFontMetricsF(small).horizontalAdvance(self._keys)
        return QSize(int(max(word + self._icon_side() + 10, keys) + 36), int(height))

    def minimumSizeHint(self) -> QSize:
        """Never be cut off."""
        return self.sizeHint() - QSize(16, 0)

    def _icon_in(self, ink: str) -> QIcon:
        if ink not in self._drawn:  # drawing one takes a millisecond
            self._drawn[ink] = theme.icon(_ICONS[self.verdict], ink)
        return self._drawn[ink]

    def _icon_side(self) -> int:
        return int(QFontMetricsF(self._fonts()[0]).height())

    def _fonts(self) -> tuple[QFont, QFont]:
        large, small = QFont(self.font()), QFont(self.font())
        large.setPointSizeF(self.font().pointSizeF() * 1.2)
        large.setWeight(QFont.Weight.DemiBold)
        small.setPointSizeF(self.font().pointSizeF() * 0.9)
        return large, small

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint sign, word and keys."""
        colors = theme.current().colors
        option = QStyleOptionButton()
        self.initStyleOption(option)
        ink = QColor(getattr(colors, self.verdict.value))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option, ink)
        if not self.isEnabled() and not self._given:
            ink = QColor(colors.disabled)
        elif self._given:
            ink = QColor(colors.on_accent)
        large, small = self._fonts()
        side = self._icon_side()
        heights = (QFontMetricsF(large).height(), QFontMetricsF(small).height())
        top = (self.height() - sum(heights)) / 2
        word = QFontMetricsF(large).horizontalAdvance(self.text())
        left = (self.width() - word - side - 6) / 2
        self._icon_in(ink.name()).paint(painter, int(left), int(top), side, side)
        painter.setPen(ink)
        painter.setFont(large)
        painter.drawText(
            QRectF(left + side + 6, top, word + 2, heights[0]),
            int(Qt.AlignmentFlag.AlignVCenter),
            self.text(),
        )
        painter.setFont(small)
        if self.isEnabled() and not self._given:
            painter.setPen(QColor(colors.muted))
        painter.drawText(
            QRectF(0, top + heights[0], self.width(), heights[1]),
            int(Qt.AlignmentFlag.AlignCenter),
            self._note or self._keys,
        )
        painter.end()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionButton, ink: QColor) -> None:
        colors = theme.current().colors
        state = option.state
        ground, line = QColor(colors.raised), QColor(colors.border)
        if self._given:
            ground = line = ink
        elif state & QStyle.StateFlag.State_Enabled:
            pressed = bool(state & QStyle.StateFlag.State_Sunken)
            hovered = pressed or bool(state & QStyle.StateFlag.State_MouseOver)
            line = ink if pressed else mixed(ground, ink, 0.55)
            ground = mixed(ground, ink, _HOVERED if hovered else _AT_REST)
        else:
            ground = QColor(colors.window)
        frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setBrush(ground)
        painter.setPen(QPen(line, 1.2))
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(colors.accent), 2))
        painter.drawRoundedRect(frame, _CORNER, _CORNER)


class AnswerBar(QWidget):
    """The three answers.

    Notes
    -----
    `answered(verdict, confidence)`: a button was pressed; with Shift held, for certain.
    """

    answered = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        keys = {Verdict.DIFFERENT: "D  ←", Verdict.UNSURE: "U  ↓", Verdict.SAME: "S  →"}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        self.buttons: dict[Verdict, AnswerButton] = {}
        for verdict in _ORDER:
            button = AnswerButton(verdict, keys[verdict], self)
            button.clicked.connect(self._clicked)
            self.buttons[verdict] = button
            row.addWidget(button, 2 if verdict is Verdict.UNSURE else 3)

    def set_counts(self, *, counts: bool, why_not: str = "") -> None:
        """Say whether answers count now, or why not."""
        for button in self.buttons.values():
            button.setEnabled(counts)
            hint = self.tr("{0}; with Shift: certain").format(button.word)
            button.setToolTip(hint if counts else why_not)

    def read_as(self, *, shared: bool) -> None:
        """Ask whether two have a group in common, or belong to the same."""
        for button in self.buttons.values():
            button.read_as(shared=shared)

    def set_confidence(self, confidence: Confidence) -> None:
        """Show how sure the next answer will be."""
        for button in self.buttons.values():
            button.set_note(words.confidence_word(confidence))

    def set_given(self, verdict: Verdict | None) -> None:
        """Show which verdict was given at this step of a replay; None = not in a replay."""
        for each, button in self.buttons.items():
            button.given = each is verdict

    def _clicked(self) -> None:
        button = self.sender()
        if isinstance(button, AnswerButton):
            held = QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier
            self.answered.emit(button.verdict, Confidence.CERTAIN if held else Confidence.QUITE)


def mixed(one: QColor, other: QColor, share: float) -> QColor:
    """Mix `share` of `other` into `one`."""
    return QColor.fromRgbF(
        one.redF() + (other.redF() - one.redF()) * share,
        one.greenF() + (other.greenF() - one.greenF()) * share,
        one.blueF() + (other.blueF() - one.blueF()) * share,
    )
