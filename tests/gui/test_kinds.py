"""One group per item, or several: chosen at import or later, and what goes with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QRadioButton
from pytestqt.qtbot import QtBot

from desktop import actions
from desktop.controller import Controller
from desktop.dialogs.files import FileDialogs
from desktop.dialogs.grouping import GroupingDialog
from desktop.dialogs.import_dialog import ImportDialog
from desktop.dialogs.outlook import told
from desktop.dialogs.strategy import StrategyDialog
from desktop.dialogs.variant import VariantDialog
from desktop.main_window import MainWindow
from desktop.messages import Changed, CreateProject, Offer, Opened, Scanned
from desktop.pages.compare import ComparePage
from desktop.settings import Settings
from desktop.widgets.groups import grouping_words
from engine.model import Approach, Effect, Outlook, Snapshot
from engine.parameters import Parameter
from tests.gui.handmade import (
    OFFERS,
    RecordedPictures,
    chain,
    controller_on,
    moved_on,
    shared_overview,
)

SEVERAL = Offer(
    "composing",
    (
        Parameter("compose", str, "sum", ("sum", "max"), "How groups make others."),
        Parameter("degree", int, "2", (), "Groups of an item at most.", least=1),
        Parameter("groups", int, "0", (), "If known; 0 = not.", least=0),
    ),
    shares=True,
)
BOTH = (*OFFERS, SEVERAL)
COMPOSING = Approach("composing", (("compose", "sum"), ("degree", "2"), ("groups", "0")))
SETS = [((0,), (1,), (0, 1), (2,))[item % 4] for item in range(40)]


def shared(state: Snapshot) -> Snapshot:
    """Give the same state, with items in several groups."""
    return moved_on(state, overview=shared_overview(SETS), approach=COMPOSING)


@pytest.fixture
def opened() -> Opened:
    _, study = controller_on(history=chain(12))
    return replace(study, offers=BOTH)


# ------------------------------------------------------------------ import


@pytest.fixture
def dialog(qtbot: QtBot, tmp_path: Path) -> ImportDialog:
    controller = Controller()
    source = tmp_path / "slides"
    source.mkdir()
    made = ImportDialog(controller, FileDialogs(Settings(None)), source)
    qtbot.addWidget(made)
    made.show()
    controller.receive(
        Scanned(source, "images", 50, 0, (), (), (), (), ("lite0", "pixels"), offers=BOTH)
    )
    return made


def listed(dialog: ImportDialog | StrategyDialog) -> list[str]:
    names = dialog.choice.names
    return [names.itemData(at) for at in range(names.count())]


def test_one_group_per_item_is_proposed_with_its_strategies(dialog: ImportDialog) -> None:
    assert dialog.kind.isVisible()
    assert dialog.kind.one.isChecked()
    assert "composing" not in listed(dialog)
    assert dialog.question.text() == "Do these two belong together?"


def test_several_groups_bring_their_strategy_settings_and_question(
    qtbot: QtBot, dialog: ImportDialog
) -> None:
    dialog.kind.several.setFocus()
    qtbot.keyClick(dialog.kind.several, Qt.Key.Key_Space)
    assert dialog.choice.strategy == "composing"
    assert not dialog.choice.names.isVisible()  # there is but one
    settings = dialog.choice.settings
    assert settings is not None
    assert settings.groups is not None
    assert settings.form is not None
    assert list(settings.form.fields) == ["compose", "degree"]
    assert "two cell types" in dialog.kind._why.text()
    assert dialog.question.text() == "Do these two have a group in common?"
    assert "both slides" in dialog._meaning.text()
    settings.groups.input.setText("4")
    qtbot.mouseClick(dialog.make, Qt.MouseButton.LeftButton)
    request = dialog._controller.sent[-1]
    assert isinstance(request, CreateProject)
    assert (request.strategy, request.params) == ("composing", {"groups": "4"})
    assert request.question == "Do these two have a group in common?"


def test_the_other_kind_can_be_gone_back_from(dialog: ImportDialog) -> None:
    dialog.kind.several.setChecked(True)
    dialog.kind.one.setChecked(True)
    assert dialog.choice.strategy == "falcon"
    assert dialog.choice.names.isVisible()
    assert dialog.question.text() == "Do these two belong together?"


def test_a_question_of_ones_own_stays(dialog: ImportDialog) -> None:
    dialog.question.setText("Is any cell type on both?")
    dialog.kind.several.setChecked(True)
    assert dialog.question.text() == "Is any cell type on both?"


def test_names_and_keys_of_the_choice(dialog: ImportDialog) -> None:
    for button in dialog.kind.findChildren(QRadioButton):
        assert button.text()
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert dialog.kind.one.accessibleDescription()


# ------------------------------------------------------------------ in mid-project


def test_a_project_can_take_up_several_groups(qtbot: QtBot, opened: Opened) -> None:
    controller = Controller()
    controller.receive(opened)
    dialog = StrategyDialog(controller, RecordedPictures())
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.choice.kind.one.isChecked()
    assert dialog.choice.approach.strategy == "falcon"
    dialog.choice.kind.several.setChecked(True)
    assert dialog.choice.approach == COMPOSING
    now = opened.snapshot
    look = shared(now)
    outlook = Outlook(
        COMPOSING, now.revision, Effect(4, 3, 23), 12, None, look=look, warnings=("read so",)
    )
    dialog.look()
    controller.considered.emit(outlook)
    assert dialog.outlook.warnings.text.text() == "Read so."
    assert dialog.outlook.lines.text().splitlines() == [
        "All 12 answers are kept.",
        "Groups: 3 instead of 4.",
        "23 of 40 items would belong to other groups, or to more, or to fewer.",
        "10 of 40 items would belong to several groups at once.",
    ]


def test_what_leaving_several_groups_changes(opened: Opened) -> None:
    now = shared(opened.snapshot)
    outlook = Outlook(Approach("random"), 2, Effect(3, 4, 0), 1, None, look=opened.snapshot)
    assert told(outlook, now, 40) == [
        "Your answer is kept.",
        "Groups: 4 instead of 3.",
        "No item would belong to other groups.",
        "Every item would belong to one group again.",
    ]


def test_a_dialog_in_such_a_project_begins_with_its_kind(qtbot: QtBot, opened: Opened) -> None:
    controller = Controller()
    controller.receive(replace(opened, snapshot=shared(opened.snapshot)))
    dialog = StrategyDialog(controller, RecordedPictures())
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.choice.kind.several.isChecked()
    assert dialog.choice.kind.several.hasFocus() or not dialog.isActiveWindow()
    assert "how pairs are chosen now" in dialog.outlook.heading.text()


# ------------------------------------------------------------------ what there is not


@pytest.fixture
def window(qtbot: QtBot, opened: Opened) -> Iterator[MainWindow]:
    controller = Controller()
    made = MainWindow(controller, Settings(None))
    qtbot.addWidget(made)
    made.show()
    controller.receive(opened)
    yield made
    made.pictures.close()


ABSENT = ("show_tree", "show_suggestions", "change_grouping")


def test_what_follows_from_answers_is_not_to_be_had_and_says_why(window: MainWindow) -> None:
    made, controller = window.actions_by_id, window._controller
    assert controller.snapshot is not None
    assert all(made[name].isEnabled() for name in ABSENT)
    one_each = controller.snapshot
    controller.receive(Changed(shared(one_each)))
    for name in ABSENT:
        assert not made[name].isEnabled()
        assert "several groups" in made[name].toolTip()
        assert "several groups" in made[name].statusTip()
    assert made["answer_same"].text().startswith("&In common")
    assert made["answer_different"].text().startswith("&Nothing in common")
    assert "In common" in made["answer_same"].toolTip()
    window.change_grouping()
    assert not window.findChildren(GroupingDialog)
    controller.receive(Changed(replace(one_each, revision=9)))
    assert all(made[name].isEnabled() for name in ABSENT)
    assert "several" not in made["show_tree"].toolTip()
    assert made["answer_same"].text().startswith("&Same")


def test_open_suggestions_give_way_to_the_pair_where_there_are_none(window: MainWindow) -> None:
    window.show_suggestions()
    state = window._controller.snapshot
    assert state is not None
    window._controller.receive(Changed(shared(state)))
    assert window.pages.currentWidget() is window.workspace
    assert window.actions_by_id["show_judge"].isChecked()
    assert "several groups" in window.banner.message.text()


def test_mnemonics_stay_unique_among_the_answers() -> None:
    texts = [one.shared or one.text for one in actions.COMMANDS if one.menu == "judge"]
    letters = [text[text.index("&") + 1].lower() for text in texts]
    assert len(set(letters)) == len(letters)


def test_no_first_guess_is_offered(opened: Opened) -> None:
    empty = replace(shared_overview(SETS), groups=())
    state = replace(opened.snapshot, overview=empty)
    assert not grouping_words.can_guess(state, opened.methods)


def test_only_strategies_of_the_projects_kind_are_compared(qtbot: QtBot, opened: Opened) -> None:
    controller = Controller()
    page = ComparePage(controller, FileDialogs(Settings(None)))
    qtbot.addWidget(page)
    controller.receive(opened)
    names = [one.strategy for one in page.setup.contenders._listed]
    assert names == ["falcon", "active-pck", "random"]
    controller.receive(Changed(shared(opened.snapshot)))
    assert [one.strategy for one in page.setup.contenders._listed] == ["composing"]
    page._add()
    (variant,) = page.findChildren(VariantDialog)
    assert variant.choice.approach == COMPOSING
    assert not variant.choice.kind.isVisible()
