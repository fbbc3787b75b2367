from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.widgets.judging.judging_keys import JudgeKey, KeyFilter, KeyPress, meaning

NONE = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
KEYPAD = Qt.KeyboardModifier.KeypadModifier


def pressed(
    key: Qt.Key | int,
    text: str = "",
    modifiers: Qt.KeyboardModifier = NONE,
    *,
    scan: int = 0,
    virtual: int = 0,
    repeat: bool = False,
) -> QKeyEvent:
    return QKeyEvent(QEvent.Type.KeyPress, int(key), modifiers, scan, virtual, 0, text, repeat)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (pressed(Qt.Key.Key_S, "s"), JudgeKey.SAME),
        (pressed(Qt.Key.Key_S, "S", SHIFT), JudgeKey.SAME),
        (pressed(Qt.Key.Key_Right), JudgeKey.SAME),
        (pressed(Qt.Key.Key_Right, "", KEYPAD), JudgeKey.SAME),  # NumLock off
        (pressed(Qt.Key.Key_6, "6", KEYPAD), JudgeKey.SAME),
        (pressed(Qt.Key.Key_D, "d"), JudgeKey.DIFFERENT),
        (pressed(Qt.Key.Key_Left), JudgeKey.DIFFERENT),
        (pressed(Qt.Key.Key_4, "4", KEYPAD), JudgeKey.DIFFERENT),
        (pressed(Qt.Key.Key_U, "u"), JudgeKey.UNSURE),
        (pressed(Qt.Key.Key_Down), JudgeKey.UNSURE),
        (pressed(Qt.Key.Key_2, "2", KEYPAD), JudgeKey.UNSURE),
        (pressed(Qt.Key.Key_X, "x"), JudgeKey.SET_ASIDE),
        (pressed(Qt.Key.Key_Up), JudgeKey.SET_ASIDE),
        (pressed(Qt.Key.Key_8, "8", KEYPAD), JudgeKey.SET_ASIDE),
        (pressed(Qt.Key.Key_Backspace, "\x08"), JudgeKey.UNDO),
        (pressed(Qt.Key.Key_0, "0"), JudgeKey.FIT),
        (pressed(Qt.Key.Key_9, "9"), JudgeKey.ACTUAL_SIZE),
        (pressed(Qt.Key.Key_Plus, "+", SHIFT), JudgeKey.ZOOM_IN),
        (pressed(Qt.Key.Key_Minus, "-"), JudgeKey.ZOOM_OUT),
        (pressed(Qt.Key.Key_BracketRight, "]"), JudgeKey.NEXT_PRESET),
        (pressed(Qt.Key.Key_BracketLeft, "[", CTRL | ALT), JudgeKey.PREVIOUS_PRESET),  # AltGr
    ],
)
def test_keys_of_a_us_keyboard(event: QKeyEvent, expected: JudgeKey) -> None:
    assert meaning(event) is expected


@pytest.mark.parametrize(
    "event",
    [
        pressed(Qt.Key.Key_2, "2"),  # digits of the top row
        pressed(Qt.Key.Key_4, "4"),
        pressed(Qt.Key.Key_6, "6"),
        pressed(Qt.Key.Key_6, "6", SHIFT),  # as on a French keyboard
        pressed(Qt.Key.Key_Eacute, "é", scan=11),  # the French 2
        pressed(Qt.Key.Key_S, "\x13", CTRL),
        pressed(Qt.Key.Key_D, "\x04", CTRL),
        pressed(Qt.Key.Key_Right, "", ALT),
        pressed(Qt.Key.Key_S, "s", ALT),
        pressed(Qt.Key.Key_Z, "z"),
        pressed(Qt.Key.Key_Tab, "\t"),
        pressed(Qt.Key.Key_Space, " "),
    ],
)
def test_keys_that_are_left_to_others(event: QKeyEvent) -> None:
    assert meaning(event) is None


@pytest.mark.parametrize(
    ("text", "scan", "virtual", "mac", "expected"),
    [
        ("ы", 39, 0x53, 0x01, JudgeKey.SAME),  # Russian
        ("в", 40, 0x44, 0x02, JudgeKey.DIFFERENT),
        ("г", 30, 0x55, 0x20, JudgeKey.UNSURE),
        ("ч", 53, 0x58, 0x07, JudgeKey.SET_ASIDE),
        ("Ы", 39, 0x53, 0x01, JudgeKey.SAME),
        ("σ", 39, 0x53, 0x01, JudgeKey.SAME),  # Greek
        ("ד", 39, 0x53, 0x01, JudgeKey.SAME),  # Hebrew
        ("س", 39, 0x53, 0x01, JudgeKey.SAME),  # Arabic
        ("ㄴ", 39, 0x53, 0x01, JudgeKey.SAME),  # Korean
    ],
)
def test_another_script_is_taken_by_the_place_of_the_key(
    text: str, scan: int, virtual: int, mac: int, expected: JudgeKey
) -> None:
    assert meaning(pressed(ord(text), text, scan=scan), "linux") is expected
    assert meaning(pressed(ord(text), text, virtual=virtual), "win32") is expected
    assert meaning(pressed(ord(text), text, virtual=mac), "darwin") is expected
    assert meaning(pressed(ord(text), text, scan=24), "linux") is None  # the key of Q


def test_a_latin_letter_goes_by_what_is_typed() -> None:
    """On a Dvorak keyboard S sits where ; is on a US one, and the key in the place of S types o."""
    assert meaning(pressed(Qt.Key.Key_S, "s", scan=47), "linux") is JudgeKey.SAME
    assert meaning(pressed(Qt.Key.Key_O, "o", scan=39), "linux") is None


class Pane(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.button = QPushButton("press", self)
        self.field = QLineEdit(self)
        column = QVBoxLayout(self)
        column.addWidget(self.button)
        column.addWidget(self.field)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.keys = KeyFilter(self)
        self.keys.watch(self)
        self.presses: list[KeyPress] = []
        self.keys.pressed.connect(self.presses.append)


@pytest.fixture
def pane(qtbot: QtBot) -> Pane:
    pane = Pane()
    qtbot.addWidget(pane)
    pane.show()
    pane.activateWindow()
    qtbot.waitUntil(pane.isActiveWindow)
    pane.setFocus()
    return pane


def send(pane: Pane, event: QKeyEvent, to: QWidget | None = None) -> bool:
    return QCoreApplication.sendEvent(to or pane, event)


def test_a_held_key_counts_once(pane: Pane) -> None:
    send(pane, pressed(Qt.Key.Key_S, "s"))
    for _ in range(20):
        send(pane, pressed(Qt.Key.Key_S, "s", repeat=True))
    assert pane.presses == [KeyPress(JudgeKey.SAME, certain=False)]


def test_zoom_keys_may_be_held(pane: Pane) -> None:
    for _ in range(3):
        send(pane, pressed(Qt.Key.Key_Plus, "+", repeat=True))
    assert len(pane.presses) == 3


def test_shift_means_certain(pane: Pane) -> None:
    send(pane, pressed(Qt.Key.Key_S, "S", SHIFT))
    send(pane, pressed(Qt.Key.Key_Left, "", SHIFT))
    assert [press.certain for press in pane.presses] == [True, True]


def test_arrows_answer_also_when_a_button_has_the_focus(pane: Pane) -> None:
    pane.button.setFocus()
    send(pane, pressed(Qt.Key.Key_Right), pane.button)
    assert pane.presses == [KeyPress(JudgeKey.SAME, certain=False)]
    assert pane.button.hasFocus()


def test_enter_held_on_a_button_presses_it_once(pane: Pane) -> None:
    clicks: list[bool] = []
    pane.button.setAutoDefault(True)
    pane.button.clicked.connect(lambda: clicks.append(True))
    pane.button.setFocus()
    send(pane, pressed(Qt.Key.Key_Return, "\r"), pane.button)
    for _ in range(5):
        send(pane, pressed(Qt.Key.Key_Return, "\r", repeat=True), pane.button)
    assert len(clicks) == 1


def test_letters_typed_into_a_text_field_are_no_answers(pane: Pane) -> None:
    pane.field.setFocus()
    for letter in "sdux":
        send(pane, pressed(ord(letter.upper()), letter), pane.field)
    send(pane, pressed(Qt.Key.Key_Backspace, "\x08"), pane.field)
    assert pane.field.text() == "sdu"
    assert pane.presses == []


def test_shortcuts_elsewhere_do_not_take_the_keys(pane: Pane) -> None:
    override = QEvent.Type.ShortcutOverride
    letter = QKeyEvent(override, int(Qt.Key.Key_S), NONE, "s")
    assert send(pane, letter)
    assert letter.isAccepted()
    save = QKeyEvent(override, int(Qt.Key.Key_S), CTRL, "\x13")
    save.ignore()
    send(pane, save)
    assert not save.isAccepted()  # Ctrl+S still saves
