"""What a key press means on the suggestions page.

Hides which part of the page has the keyboard. Promises that a letter means what it means while
judging, that a key held down never answers again, and that the map and fields keep their own keys.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QWidget

from desktop.widgets.judging.judging_keys import REPEATABLE, JudgeKey, meaning

_HELD = (
    Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_PRESSING = (*_ENTER, Qt.Key.Key_Space)
_UP, _DOWN = (Qt.Key.Key_Up, Qt.Key.Key_8), (Qt.Key.Key_Down, Qt.Key.Key_2)
_OF_MAP = (
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_Plus,
    Qt.Key.Key_Equal,
    Qt.Key.Key_Minus,
    Qt.Key.Key_0,
)


class PageKey(enum.Enum):
    """What can be done by a key here and not while judging."""

    CONFIRM = "confirm"
    REJECT = "reject"
    PREVIOUS = "previous"
    NEXT = "next"
    STOP = "stop"


class Press(NamedTuple):
    """A key that means something here. `certain`: Shift was held."""

    key: PageKey | JudgeKey
    certain: bool


def read(event: QKeyEvent) -> PageKey | JudgeKey | None:
    """Say what a key press means here; None = nothing."""
    key, modifiers = Qt.Key(event.key()), event.modifiers()
    if modifiers & _HELD:
        return meaning(event)  # brackets may need AltGr
    on_pad = bool(modifiers & Qt.KeyboardModifier.KeypadModifier)
    for keys, way in ((_UP, PageKey.PREVIOUS), (_DOWN, PageKey.NEXT)):
        if key == keys[0] or (on_pad and key == keys[1]):
            return way
    if key in _ENTER:
        return PageKey.CONFIRM
    if key == Qt.Key.Key_Delete:
        return PageKey.REJECT
    if key == Qt.Key.Key_Escape:
        return PageKey.STOP
    return meaning(event)


class SuggestionKeys(QObject):
    """Takes the keys of the page, whichever of its parts has the keyboard.

    Parameters
    ----------
    map_view
        Keeps arrows and zoom keys.

    Notes
    -----
    `pressed(Press)`: held keys come once, but for those that move and zoom.
    """

    pressed = Signal(object)

    def __init__(self, page: QWidget, map_view: QWidget) -> None:
        super().__init__(page)
        self._map = map_view
        page.installEventFilter(self)
        for child in page.findChildren(QWidget):
            if child.focusPolicy() is not Qt.FocusPolicy.NoFocus:
                child.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take a key press if it means something here."""
        press = event.type() == QEvent.Type.KeyPress
        if not (press or event.type() == QEvent.Type.ShortcutOverride):
            return super().eventFilter(watched, event)
        if not isinstance(event, QKeyEvent) or self._has_own(watched, event):
            return super().eventFilter(watched, event)
        key = read(event)
        if not press:
            if key is not None:
                event.accept()  # so that no shortcut elsewhere in the window takes it
            return key is not None
        if key is None:
            return event.isAutoRepeat() and event.key() in _PRESSING
        moves = (*REPEATABLE, PageKey.PREVIOUS, PageKey.NEXT)
        if not event.isAutoRepeat() or key in moves:
            shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.pressed.emit(Press(key, certain=bool(shift)))
        return True

    def _has_own(self, watched: QObject, event: QKeyEvent) -> bool:
        """Whether the part that has the keyboard takes this key itself."""
        key = Qt.Key(event.key())
        if isinstance(watched, QComboBox):
            return key != Qt.Key.Key_Escape
        if isinstance(watched, QLabel) and key in _PRESSING:
            return True  # it follows the link that is chosen
        return watched is self._map and key in _OF_MAP


def press_focused(page: QWidget) -> bool:
    """Press the button of the page that has the keyboard, if one has; Enter does so everywhere."""
    focus = QApplication.focusWidget()
    if isinstance(focus, QAbstractButton) and page.isAncestorOf(focus):
        focus.click()
        return True
    return False
