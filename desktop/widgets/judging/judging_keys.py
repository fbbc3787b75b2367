"""What a key press means on the judging pane, under any keyboard layout.

Hidden: layouts, keypads, scan codes. Promised: one meaning per press; a letter that the layout
turns into another script is taken by its place on the keyboard; with Ctrl, Alt or Meta held a key
is left to menus; digits of the top row never answer.
"""

from __future__ import annotations

import enum
import sys
import unicodedata
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)


class JudgeKey(enum.Enum):
    """What can be done by a key."""

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"
    SET_ASIDE = "set aside"
    GUESS = "guess"
    UNDO = "undo"
    WHY = "why"
    CONTRADICTION = "contradiction"
    LINK = "link"
    INVERT = "invert"
    RESET = "reset"
    NEXT_PRESET = "next preset"
    PREVIOUS_PRESET = "previous preset"
    NAMES = "names"
    LEARN = "learn"
    FIT = "fit"
    ACTUAL_SIZE = "actual size"
    ZOOM_IN = "zoom in"
    ZOOM_OUT = "zoom out"


ANSWERS = (JudgeKey.SAME, JudgeKey.DIFFERENT, JudgeKey.UNSURE)
REPEATABLE = (JudgeKey.ZOOM_IN, JudgeKey.ZOOM_OUT)
"""Keys that may be held down."""

_BY_KEY = {
    Qt.Key.Key_Right: JudgeKey.SAME,
    Qt.Key.Key_Left: JudgeKey.DIFFERENT,
    Qt.Key.Key_Down: JudgeKey.UNSURE,
    Qt.Key.Key_Up: JudgeKey.SET_ASIDE,
    Qt.Key.Key_Backspace: JudgeKey.UNDO,
}
_BY_KEYPAD = {  # with NumLock off these keys send the arrows: the same meaning
    Qt.Key.Key_6: JudgeKey.SAME,
    Qt.Key.Key_4: JudgeKey.DIFFERENT,
    Qt.Key.Key_2: JudgeKey.UNSURE,
    Qt.Key.Key_8: JudgeKey.SET_ASIDE,
}
_BY_TEXT = {
    "s": JudgeKey.SAME,
    "d": JudgeKey.DIFFERENT,
    "u": JudgeKey.UNSURE,
    "x": JudgeKey.SET_ASIDE,
    "g": JudgeKey.GUESS,
    "w": JudgeKey.WHY,
    "c": JudgeKey.CONTRADICTION,
    "k": JudgeKey.LINK,
    "i": JudgeKey.INVERT,
    "r": JudgeKey.RESET,
    "]": JudgeKey.NEXT_PRESET,
    "[": JudgeKey.PREVIOUS_PRESET,
    "h": JudgeKey.NAMES,
    "l": JudgeKey.LEARN,
    "0": JudgeKey.FIT,
    "9": JudgeKey.ACTUAL_SIZE,
    "+": JudgeKey.ZOOM_IN,
    "=": JudgeKey.ZOOM_IN,  # the key that has + on a US keyboard, without Shift
    "-": JudgeKey.ZOOM_OUT,
}

_TEXT_FIELDS = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox)
_PRESSING = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)  # what presses a button

# Places of the keys above, as "swrk…" for a US keyboard.
_X11_CODES = {  # evdev codes plus 8, under X11 and Wayland alike
    39: "s", 40: "d", 30: "u", 53: "x", 42: "g", 25: "w", 45: "k", 31: "i", 27: "r", 43: "h",
    46: "l", 54: "c", 34: "[", 35: "]",
}  # fmt: skip
_WINDOWS_CODES = {ord(letter.upper()): letter for letter in "sduxgwckirhl"} | {0xDB: "[", 0xDD: "]"}
_MAC_CODES = {
    0x01: "s", 0x02: "d", 0x20: "u", 0x07: "x", 0x05: "g", 0x0D: "w", 0x28: "k", 0x22: "i",
    0x0F: "r", 0x04: "h", 0x25: "l", 0x08: "c", 0x21: "[", 0x1E: "]",
}  # fmt: skip


_X11_DIGITS = tuple(range(10, 19))
_WINDOWS_DIGITS = tuple(range(0x31, 0x3A))
_MAC_DIGITS = (0x12, 0x13, 0x14, 0x15, 0x17, 0x16, 0x1A, 0x1C, 0x19)


def meaning(event: QKeyEvent, platform: str = sys.platform) -> JudgeKey | None:
    """Say what a key press means here; None = nothing.

    Parameters
    ----------
    platform
        As `sys.platform`: which native codes the event carries.
    """
    modifiers = event.modifiers()
    letter = event.text().lower()
    held = Qt.KeyboardModifier
    if modifiers & (held.ControlModifier | held.AltModifier | held.MetaModifier):
        # AltGr, which types brackets on many keyboards, is Ctrl+Alt on Windows
        both = held.ControlModifier | held.AltModifier
        return _BY_TEXT.get(letter) if letter in ("[", "]") and modifiers & both == both else None
    key = Qt.Key(event.key())
    if modifiers & held.KeypadModifier and key in _BY_KEYPAD:
        return _BY_KEYPAD[key]
    if key in _BY_KEY:
        return _BY_KEY[key]
    if letter.isalpha() and not _is_latin(letter):
        letter = _in_place(event, platform)
    return _BY_TEXT.get(letter)


def digit(event: QKeyEvent, platform: str = sys.platform) -> int | None:
    """Say which digit from 1 to 9 a key stands for: by its place where it types another sign.

    On many keyboards the top row types digits only with Shift.
    """
    typed = Qt.Key(event.key()) - Qt.Key.Key_0
    if 1 <= typed <= 9:
        return int(typed)
    code = event.nativeScanCode() if platform.startswith("linux") else event.nativeVirtualKey()
    places = {"win32": _WINDOWS_DIGITS, "darwin": _MAC_DIGITS}.get(platform, _X11_DIGITS)
    return places.index(code) + 1 if code in places else None


def _is_latin(text: str) -> bool:
    plain = unicodedata.normalize("NFKC", text)
    return all(unicodedata.name(letter, "").startswith("LATIN") for letter in plain)


def _in_place(event: QKeyEvent, platform: str) -> str:
    """Give the letter that a US keyboard has in the place of the pressed key."""
    if platform == "win32":
        return _WINDOWS_CODES.get(event.nativeVirtualKey(), "")
    if platform == "darwin":
        return _MAC_CODES.get(event.nativeVirtualKey(), "")
    return _X11_CODES.get(event.nativeScanCode(), "")


class KeyPress(NamedTuple):
    """A key that means something here. `certain`: Shift was held."""

    key: JudgeKey
    certain: bool


class KeyFilter(QObject):
    """Takes the keys of the judging pane, whichever of its parts has the focus.

    Notes
    -----
    `pressed(KeyPress)`: held keys come once, but for `REPEATABLE`. While a text field has the
    focus, all keys are its own.
    """

    pressed = Signal(object)

    def watch(self, pane: QWidget) -> None:
        """Filter the pane and all its parts that can take the focus.

        A button would else keep the arrows for itself, and answer again while Enter is held.
        """
        pane.installEventFilter(self)
        for child in pane.findChildren(QWidget):
            if child.focusPolicy() is not Qt.FocusPolicy.NoFocus:
                child.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take a key press if it means something here."""
        press = event.type() == QEvent.Type.KeyPress
        if not (press or event.type() == QEvent.Type.ShortcutOverride):
            return super().eventFilter(watched, event)
        if not isinstance(event, QKeyEvent) or isinstance(QApplication.focusWidget(), _TEXT_FIELDS):
            return super().eventFilter(watched, event)
        key = meaning(event)
        if not press:
            if key is not None:
                event.accept()  # so that no shortcut elsewhere in the window takes it
            return key is not None
        if key is None:
            return event.isAutoRepeat() and event.key() in _PRESSING
        if not event.isAutoRepeat() or key in REPEATABLE:
            shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.pressed.emit(KeyPress(key, certain=bool(shift)))
        return True
