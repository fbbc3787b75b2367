"""The table of commands: each can be found, reached, and done by exactly one key."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence
from pytestqt.qtbot import QtBot

from desktop import actions, paths
from desktop.actions import COMMANDS, MENUS, Command
from desktop.dialogs.help import KeysDialog
from desktop.main_window import MainWindow
from engine.model import Pair
from tests.gui.handmade import chain, controller_on

EACH = pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)


class Recorder(QObject):
    """Stands for the window: remembers which of its methods were called."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []
        for command in COMMANDS:
            setattr(self, command.id, lambda *_, name=command.id: self.done.append(name))


@EACH
def test_every_command_has_words_a_menu_and_a_method(command: Command) -> None:
    assert command.text
    assert command.menu in dict(MENUS)
    assert callable(getattr(MainWindow, command.id))
    assert not command.icon or paths.icon_file(command.icon).exists()
    for keys in command.keys:
        assert QKeySequence(keys).toString() == keys


def test_names_and_keys_are_used_once() -> None:
    names = Counter(command.id for command in COMMANDS)
    keys = Counter(keys for command in COMMANDS for keys in command.keys)
    assert max(names.values()) == 1
    assert max(keys.values()) == 1


def test_mnemonics_are_used_once_in_each_menu() -> None:
    for menu, _ in MENUS:
        letters = Counter(
            command.text[command.text.index("&") + 1].lower()
            for command in COMMANDS
            if command.menu == menu and "&" in command.text
        )
        assert not letters or max(letters.values()) == 1, f"{menu}: {letters}"


@EACH
def test_every_action_does_its_command(qtbot: QtBot, command: Command) -> None:
    owner = Recorder()
    made = actions.build(owner)
    made[command.id].trigger()
    assert owner.done == [command.id]
    told = actions.keys(command)
    assert actions.words(command) in made[command.id].toolTip()
    assert told in made[command.id].toolTip()


def test_commands_are_allowed_when_they_can_be_done(qtbot: QtBot) -> None:
    made = actions.build(owner := Recorder())
    assert owner.done == []
    actions.enable(made, None)
    open_ended = {name for name, action in made.items() if action.isEnabled()}
    assert "new_from_folder" in open_ended
    assert not {"undo", "redo", "export_csv", "answer_same", "show_judge"} & open_ended

    _, opened = controller_on(history=chain(3), pair=Pair(0, 1))
    state = replace(opened.snapshot, undo=3, redo=None)
    actions.enable(made, state)
    assert made["undo"].isEnabled()
    assert not made["redo"].isEnabled()
    assert made["answer_same"].isEnabled()
    actions.enable(made, replace(state, question=None, redo=4))
    assert made["redo"].isEnabled()
    assert not made["answer_same"].isEnabled()


def test_the_keyboard_sheet_lists_finds_and_runs(qtbot: QtBot) -> None:
    made = actions.build(owner := Recorder())
    sheet = KeysDialog(made)
    qtbot.addWidget(sheet)
    sheet.show()
    shown = {row.text(0): row.text(1) for row in sheet._rows()}
    for command in COMMANDS:
        assert shown[actions.words(command)] == actions.keys(command)
    qtbot.keyClicks(sheet.search, "redo")
    assert [row.text(0) for row in sheet._rows() if not row.isHidden()] == ["Redo"]
    sheet.search.setText("nothing like it")
    sheet.search.returnPressed.emit()
    assert owner.done == []
    sheet.search.setText("full screen")
    sheet.search.returnPressed.emit()
    assert owner.done == ["full_screen"]
    assert not sheet.isVisible()
