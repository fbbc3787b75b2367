"""The gallery: groups as cards, names, items by the thousand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from desktop import theme
from desktop.controller import Controller
from desktop.messages import Changed, NameGroup, Opened, Replayed
from desktop.widgets.groups.group_cards import places
from desktop.widgets.groups.group_gallery import GroupGallery
from desktop.widgets.groups.group_model import SET_ASIDE, UNDECIDED, cards_of
from engine.model import StepKind
from tests.gui.handmade import (
    RecordedPictures,
    answer_step,
    controller_on,
    double_click,
    moved_on,
    overview_of,
    snapshot_of,
)


@pytest.fixture(autouse=True, scope="module")
def look(qapp: object) -> None:
    theme.apply(qapp, "light")  # type: ignore[arg-type]


def shown_gallery(
    qtbot: QtBot, n: int = 40, k: int = 4, *, table: bool = False
) -> tuple[Controller, Opened, GroupGallery, RecordedPictures]:
    controller, opened = controller_on(n, k, table=table)
    pictures = RecordedPictures()
    gallery = GroupGallery(controller, pictures)  # type: ignore[arg-type]
    qtbot.addWidget(gallery)
    gallery.resize(340, 420)
    gallery.show()
    qtbot.waitExposed(gallery)
    controller.receive(opened)
    gallery.grab()
    return controller, opened, gallery, pictures


def regrouped(opened: Opened, old: int, new: int) -> Changed:
    labels = opened.snapshot.overview.slots.copy()
    labels[labels == old] = new
    return Changed(moved_on(opened.snapshot, overview=overview_of(labels)))


def test_cards_follow_the_groups_and_keep_their_selection(qtbot: QtBot) -> None:
    controller, opened, gallery, _ = shown_gallery(qtbot)
    gallery.list.setCurrentIndex(gallery.groups.index(gallery.groups.row_of(2)))
    controller.receive(regrouped(opened, old=0, new=3))  # 3 becomes the largest, 0 is gone
    slots = [gallery.groups.card_at(row).slot for row in range(gallery.groups.rowCount())]
    assert slots == [3, 1, 2]
    assert gallery.list.currentIndex().row() == 2
    controller.receive(Changed(replace(opened.snapshot, revision=3)))
    assert gallery.groups.rowCount() == 4
    assert gallery.groups.card_at(gallery.list.currentIndex().row()).slot == 2


def test_what_is_undecided_or_set_aside_has_a_card() -> None:
    labels = np.array([0, 0, 1, -1, -1, -1], dtype=np.int32)
    aside = replace(answer_step(1, 0, 0, 1), kind=StepKind.SET_ASIDE, answer=None, items=(4,))
    cards = cards_of(snapshot_of(overview_of(labels), (aside,)))
    assert [card.slot for card in cards] == [0, 1, UNDECIDED, SET_ASIDE]
    assert [card.members.tolist() for card in cards[2:]] == [[3, 5], [4]]


def test_a_card_says_it_all_in_words(qtbot: QtBot) -> None:
    controller, opened, gallery, _ = shown_gallery(qtbot)
    group = replace(opened.snapshot.overview.groups[0], name="Moles", in_conflict=True)
    overview = replace(
        opened.snapshot.overview, groups=(group, *opened.snapshot.overview.groups[1:])
    )
    controller.receive(Changed(moved_on(opened.snapshot, overview=overview)))
    index = gallery.groups.index(0)
    spoken = str(index.data(Qt.ItemDataRole.AccessibleTextRole))
    for part in (theme.slot_text(group.slot), "Moles", "10 items", "contradiction"):
        assert part in spoken
    assert "Group 2" in str(gallery.groups.index(1).data(Qt.ItemDataRole.AccessibleTextRole))


def test_a_click_on_a_card_opens_its_items_on_its_name_singles_it_out(qtbot: QtBot) -> None:
    _, _, gallery, _ = shown_gallery(qtbot)
    highlighted: list[int | None] = []
    gallery.groupHighlighted.connect(highlighted.append)
    rect = gallery.list.visualRect(gallery.groups.index(1))
    at, port = places(rect, gallery.list.font()), gallery.list.viewport()
    qtbot.mouseClick(port, Qt.MouseButton.LeftButton, pos=at.name.center())
    assert (gallery.group, highlighted) == (None, [1])
    qtbot.mouseClick(port, Qt.MouseButton.LeftButton, pos=at.figures.center())
    assert (gallery.group, highlighted) == (1, [1, 1])
    qtbot.keyClick(gallery.members, Qt.Key.Key_Escape)
    assert (gallery.group, highlighted) == (None, [1, 1, None])


def test_a_click_on_a_thumbnail_looks_at_the_item(qtbot: QtBot) -> None:
    _, opened, gallery, _ = shown_gallery(qtbot)
    rect = gallery.list.visualRect(gallery.groups.index(0))
    members = opened.snapshot.overview.groups[0].members
    square, item = places(rect, gallery.list.font()).squares(members)[2]
    with qtbot.waitSignal(gallery.itemSelected) as caught:
        qtbot.mouseClick(gallery.list.viewport(), Qt.MouseButton.LeftButton, pos=square.center())
    assert caught.args == [item]
    assert item == members[2]


def test_the_exemplar_comes_first_and_as_many_as_fit() -> None:
    members = np.arange(5, 50, dtype=np.int32)
    narrow = places(QRect(0, 0, 300, 110), QFont()).squares(members)
    wide = places(QRect(0, 0, 900, 110), QFont()).squares(members)
    assert narrow[0][1] == 5
    assert (len(narrow), len(wide)) == (5, 17)
    assert all(square.right() <= 300 for square, _ in narrow)


def test_a_name_is_sent_and_shown_when_it_comes_back(qtbot: QtBot) -> None:
    controller, opened, gallery, _ = shown_gallery(qtbot)
    gallery.list.setFocus()
    gallery.list.setCurrentIndex(gallery.groups.index(1))
    qtbot.keyClick(gallery.list, Qt.Key.Key_F2)
    editor = gallery.list.findChild(QLineEdit)
    assert editor.accessibleName()
    qtbot.keyClicks(editor, "Moles")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    exemplar = int(gallery.groups.card_at(1).members[0])
    qtbot.waitUntil(lambda: controller.sent == [NameGroup(exemplar, "Moles")])
    assert gallery.groups.title(gallery.groups.card_at(1)) == "Group 2"
    controller.receive(
        Changed(
            moved_on(
                opened.snapshot, overview=overview_of(opened.snapshot.overview.slots, {1: "Moles"})
            )
        )
    )
    assert gallery.groups.title(gallery.groups.card_at(1)) == "Moles"


def test_a_double_click_on_a_name_edits_it(qtbot: QtBot) -> None:
    _, _, gallery, _ = shown_gallery(qtbot)
    rect = gallery.list.visualRect(gallery.groups.index(0))
    where = places(rect, gallery.list.font()).name.center()
    double_click(gallery.list.viewport(), where)
    assert gallery.list.findChild(QLineEdit) is not None


def test_a_name_is_given_above_the_items_too_and_escape_gives_it_up(qtbot: QtBot) -> None:
    controller, opened, gallery, _ = shown_gallery(qtbot)
    gallery.show_group(2)
    qtbot.keyClick(gallery.members, Qt.Key.Key_F2)
    field = gallery._header._name
    qtbot.keyClicks(field, "Frec")
    controller.receive(regrouped(opened, old=0, new=3))  # a state arrives while typing
    qtbot.keyClicks(field, "kles")
    assert field.text() == "Freckles"
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert (field.text(), gallery.group, controller.sent) == ("", 2, [])
    qtbot.keyClicks(field, "Freckles")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert controller.sent == [NameGroup(2, "Freckles")]


def test_no_names_are_given_in_a_replay(qtbot: QtBot) -> None:
    controller, opened, gallery, _ = shown_gallery(qtbot)
    gallery.show_group(2)
    controller.view(0)
    controller.receive(Replayed(replace(opened.snapshot, live=False)))
    assert gallery._header._name.isReadOnly()


def test_a_gallery_of_5000_items_asks_only_for_what_is_seen(qtbot: QtBot) -> None:
    _, _, gallery, pictures = shown_gallery(qtbot, n=5000, k=2)
    strips = set(pictures.asked)
    assert 0 < len(strips) <= 2 * 6
    pictures.asked.clear()
    gallery.show_group(0)
    gallery.grab()
    seen = set(pictures.asked)
    assert 12 <= len(seen) <= 60
    assert 0 in seen
    pictures.asked.clear()
    gallery.members.scrollToBottom()
    gallery.grab()
    assert 12 <= len(set(pictures.asked)) <= 60
    assert 4998 in pictures.asked
    assert 0 not in pictures.asked


def test_an_answer_keeps_scroll_position_and_item(qtbot: QtBot) -> None:
    controller, opened, gallery, _ = shown_gallery(qtbot, n=2000, k=4)
    gallery.show_group(1)
    gallery.select(1001)
    offset = gallery.members.verticalScrollBar().value()
    assert offset > 0
    labels = opened.snapshot.overview.slots.copy()
    labels[1985:] = 1
    controller.receive(Changed(moved_on(opened.snapshot, overview=overview_of(labels))))
    assert gallery.members._members.rowCount() > 500
    assert gallery.members.verticalScrollBar().value() == offset
    assert gallery.members.current_item == 1001


def test_a_group_that_is_joined_to_another_leads_back_to_the_cards(qtbot: QtBot) -> None:
    controller, opened, gallery, _ = shown_gallery(qtbot)
    gallery.show_group(1)
    with qtbot.waitSignal(gallery.groupHighlighted) as caught:
        controller.receive(regrouped(opened, old=1, new=2))
    assert caught.args == [None]
    assert gallery.group is None


def test_items_are_reached_by_keyboard(qtbot: QtBot) -> None:
    _, _, gallery, _ = shown_gallery(qtbot)
    gallery.list.setFocus()
    gallery.list.setCurrentIndex(gallery.groups.index(0))
    qtbot.keyClick(gallery.list, Qt.Key.Key_Return)
    assert gallery.group == 0
    qtbot.keyClick(gallery.members, Qt.Key.Key_Down)
    qtbot.keyClick(gallery.members, Qt.Key.Key_Right)
    with qtbot.waitSignal(gallery.itemSelected) as caught:
        qtbot.keyClick(gallery.members, Qt.Key.Key_Return)
    assert caught.args == [gallery.members.current_item]


def test_rows_of_a_table_are_words(qtbot: QtBot) -> None:
    _, _, gallery, pictures = shown_gallery(qtbot, table=True)
    assert pictures.asked == []
    card = gallery.groups.card_at(0)
    assert any(cell.startswith("radius ") for cell in gallery.groups.telling(card))
    gallery.show_group(0)
    gallery.grab()
    assert pictures.asked == []
    rect = gallery.members.visualRect(gallery.members.model().index(1, 0))
    assert rect.left() == gallery.members.visualRect(gallery.members.model().index(0, 0)).left()
    assert not gallery._header._side.isVisible()


def test_thumbnails_change_size(qtbot: QtBot) -> None:
    _, _, gallery, _ = shown_gallery(qtbot)
    gallery.show_group(0)
    first = gallery.members.model().index(0, 0)
    before = gallery.members.visualRect(first).width()
    gallery._header._side.setValue(144)
    gallery.members.doItemsLayout()
    assert gallery.members.visualRect(first).width() == before + 72
    assert gallery.members.indexAt(QPoint(70, 70)) == first
