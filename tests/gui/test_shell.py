"""The main window: pages, messages, drops, what is kept; and that everyone can reach everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QGuiApplication, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop import theme
from desktop.controller import Controller
from desktop.dialogs.crash import CrashDialog
from desktop.dialogs.files import FileDialogs
from desktop.dialogs.help import AboutDialog, KeysDialog
from desktop.dialogs.import_dialog import ImportDialog
from desktop.main_window import MainWindow
from desktop.messages import (
    Changed,
    Closed,
    CloseProject,
    Crashed,
    Export,
    Exported,
    Failed,
    Idle,
    Opened,
    OpenProject,
    Redo,
    Relink,
    Replayed,
    ScanSource,
    ShowTree,
    Stopped,
    Tell,
    Undo,
    View,
    Working,
)
from desktop.settings import Recent, Settings
from engine.model import Pair, Verdict
from tests.gui.handmade import chain, controller_on, moved_on


class Answering(FileDialogs):
    """File dialogs that are answered at once; None = cancelled."""

    answer: Path | None = None

    def folder(self, parent: QWidget, purpose: str, title: str) -> Path | None:
        return self.answer

    def existing(self, parent: QWidget, purpose: str, title: str, kinds: str) -> Path | None:
        return self.answer

    def new(
        self, parent: QWidget, purpose: str, title: str, kinds: str, proposed: Path
    ) -> Path | None:
        return self.answer


@pytest.fixture
def opened() -> Opened:
    _, study = controller_on(history=chain(3), pair=Pair(0, 1))
    state = replace(study.snapshot, undo=3, redo=None)
    return replace(study, path=Path("/work place/Retina.pairloom"), snapshot=state)


@pytest.fixture
def controller(qtbot: QtBot) -> Controller:
    return Controller()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "pairloom.ini")


@pytest.fixture
def window(qtbot: QtBot, controller: Controller, settings: Settings) -> Iterator[MainWindow]:
    _be_light()
    made = MainWindow(controller, settings, Answering(settings))
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    yield made
    _be_light()


def _be_light() -> None:
    if theme.current().is_dark or theme.current().scheme != "light":
        theme.current().set_scheme("light")


def answer(window: MainWindow, path: Path | None) -> None:
    assert isinstance(window._files, Answering)
    window._files.answer = path


# ------------------------------------------------------------------------------ pages


def test_it_starts_on_the_start_page(window: MainWindow) -> None:
    assert window.pages.currentWidget() is window.start
    assert window.windowTitle() == "Pairloom"
    assert not window.actions_by_id["show_judge"].isEnabled()


def test_opening_shows_the_pair_and_closing_goes_home(
    window: MainWindow, controller: Controller, opened: Opened
) -> None:
    controller.receive(opened)
    assert window.windowTitle() == "Retina — Pairloom"
    assert window.pages.currentWidget() is window.workspace
    assert window.workspace.judge.isVisible()
    assert all(dock.isVisibleTo(window) for dock in (window.workspace.overview,))
    window.close_project()
    assert controller.sent[-1] == CloseProject()
    controller.receive(Closed())
    assert window.pages.currentWidget() is window.start
    assert window.windowTitle() == "Pairloom"


def test_pages_by_key(
    qtbot: QtBot, window: MainWindow, controller: Controller, opened: Opened
) -> None:
    controller.receive(opened)
    control = Qt.KeyboardModifier.ControlModifier
    for key, page in (
        (Qt.Key.Key_1, window.start),
        (Qt.Key.Key_3, window.overview),
        (Qt.Key.Key_2, window.workspace),
    ):
        qtbot.keyClick(window, key, control)
        assert window.pages.currentWidget() is page
    assert window.actions_by_id["show_judge"].isChecked()


def test_undo_says_what_it_takes_back(
    qtbot: QtBot, window: MainWindow, controller: Controller, opened: Opened
) -> None:
    controller.receive(opened)
    assert "Unsure" in window.actions_by_id["undo"].text()
    qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert controller.sent[-1] == Undo()
    controller.receive(Idle())
    window.redo()
    assert controller.sent[-1] == Redo()


def test_alt_and_arrows_replay_on_every_page(
    qtbot: QtBot, window: MainWindow, controller: Controller, opened: Opened
) -> None:
    assert not window.actions_by_id["step_back"].isEnabled()
    controller.receive(opened)
    alt = Qt.KeyboardModifier.AltModifier
    for show in (window.show_judge, window.show_overview, window.show_start):
        show()
        qtbot.keyClick(window, Qt.Key.Key_Left, alt)
        assert controller.sent[-1] == View(2)
        controller.receive(
            Replayed(replace(opened.snapshot, live=False, question=None, position=2))
        )
        qtbot.keyClick(window, Qt.Key.Key_Left, alt)
        assert controller.sent[-1] == View(1)
        qtbot.keyClick(window, Qt.Key.Key_End, alt)
        assert not controller.replaying
        controller.receive(Idle())
    assert window.pages.currentWidget() is window.workspace
    qtbot.keyClick(window, Qt.Key.Key_Right, alt)  # nothing comes after now
    assert controller.sent[-1] == View(1)


def test_a_small_screen_is_enough(
    window: MainWindow, controller: Controller, opened: Opened
) -> None:
    controller.receive(opened)
    for show in (window.show_start, window.show_judge, window.show_overview):
        show()
        least = window.minimumSizeHint()
        assert least.width() <= 1000
        assert least.height() <= 640


def test_panels_can_be_put_back(window: MainWindow, controller: Controller, opened: Opened) -> None:
    controller.receive(opened)
    for switch in window.workspace.toggles():
        switch.trigger()
    assert not any(dock.isVisible() for dock in window.workspace.docks)
    window.reset_layout()
    assert window.workspace.overview.isVisible()
    assert window.workspace.history.isVisible()


def test_the_keys_come_back_after_menus_and_dialogs(
    qtbot: QtBot, window: MainWindow, controller: Controller, opened: Opened
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    controller.receive(opened)
    judge = window.workspace.judge
    qtbot.waitUntil(judge.hasFocus)
    for menu in (window.menus["file"], judge.pane.aside_menu):
        menu.popup(QPoint(50, 50))
        qtbot.keyClick(menu, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda menu=menu: not menu.isVisible())
        assert QApplication.focusWidget() is judge
    for show in (window.show_keys, window.about, lambda: window.show_crash("report")):
        show()
        dialog = window.findChildren(QDialog)[-1]
        qtbot.waitUntil(dialog.isVisible)
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: QApplication.focusWidget() is judge)
        qtbot.waitUntil(lambda: not window.findChildren(QDialog))
    qtbot.keyClick(judge, Qt.Key.Key_Backspace)
    assert controller.sent[-1] == Undo()


def test_the_list_of_recent_projects_knows_the_answers_before_closing(
    qtbot: QtBot,
    window: MainWindow,
    controller: Controller,
    opened: Opened,
    settings: Settings,
) -> None:
    controller.receive(opened)
    more = replace(opened.snapshot.progress, answered=17)
    controller.receive(Changed(moved_on(opened.snapshot, progress=more)))
    qtbot.waitUntil(lambda: settings.recent()[0].answers == 17)


def test_progress_is_told_once(window: MainWindow, controller: Controller, tmp_path: Path) -> None:
    window.import_from(tmp_path)
    controller.receive(Working(3, 20, "Looking through the folder"))
    assert not window.state.progress.isVisible()
    assert not window.state.stop.isVisible()
    dialog = window.findChild(ImportDialog)
    assert "3 / 20" in dialog.doing.text()
    dialog.reject()
    controller.receive(Working(3, 20, "Describing pictures"))
    assert window.state.progress.isVisible()


def test_a_last_answer_can_be_looked_at(
    window: MainWindow, controller: Controller, opened: Opened
) -> None:
    controller.receive(opened)
    window.workspace.judge.answerSelected.emit(2)
    assert "View(seq=2)" in str(controller.sent[-1])


# ------------------------------------------------------------------------------ messages


def test_a_failure_is_said_and_dismissed(
    qtbot: QtBot, window: MainWindow, controller: Controller
) -> None:
    assert not window.banner.isVisible()
    controller.receive(Failed("The disk is full.", "Free some space."))
    assert window.banner.isVisible()
    assert window.banner.message.text() == "The disk is full."
    assert window.banner.hint.isVisible()
    qtbot.mouseClick(window.banner.dismiss, Qt.MouseButton.LeftButton)
    assert not window.banner.isVisible()
    controller.receive(Exported("Wrote 5 lines to groups.csv."))
    assert "Wrote 5 lines" in window.banner.hint.text()


def test_missing_pictures_are_told(
    window: MainWindow, controller: Controller, opened: Opened
) -> None:
    controller.receive(replace(opened, source_found=False))
    assert window.banner.isVisible()
    assert "Relink" in window.banner.hint.text()


def test_a_crash_shows_a_report_and_the_window_stays(
    qtbot: QtBot, window: MainWindow, controller: Controller, opened: Opened
) -> None:
    controller.receive(opened)
    controller.receive(Crashed("Traceback …"))
    controller.receive(Crashed("the same again"))
    (panel,) = window.findChildren(CrashDialog)
    assert panel.isVisible()
    assert not panel.isModal()
    panel.copy.click()
    assert QGuiApplication.clipboard().text() == "Traceback …"
    panel.reopen.click()
    assert controller.sent[-1] == OpenProject(opened.path)
    assert window.isVisible()


def test_progress_is_shown_and_can_be_stopped(
    qtbot: QtBot, window: MainWindow, controller: Controller
) -> None:
    assert not window.state.stop.isVisible()
    controller.send(OpenProject(Path("/a.pairloom")))
    controller.receive(Working(3, 10, "Replaying answers"))
    assert window.state.stop.isVisible()
    assert window.state.progress.maximum() == 10
    assert "Replaying answers" in window.state.doing.text()
    controller.receive(Working(1_048_576, 4_194_304, "Reading the table"))
    assert window.state.doing.text() == "Reading the table  25 %"
    qtbot.mouseClick(window.state.stop, Qt.MouseButton.LeftButton)
    controller.receive(Stopped("OpenProject"))
    controller.receive(Idle())
    assert not window.state.stop.isVisible()
    controller.send(Undo())
    controller.receive(Working(1, 2, "Thinking"))
    assert not window.state.stop.isVisible()


def test_work_is_said_only_when_it_lasts(
    qtbot: QtBot, window: MainWindow, controller: Controller
) -> None:
    controller.send(Undo())
    assert window.state.doing.text() == "Ready"
    qtbot.waitUntil(lambda: window.state.doing.text() == "Working…")
    controller.receive(Idle())
    assert window.state.doing.text() == "Ready"


def test_saved_answers_are_counted(
    window: MainWindow, controller: Controller, opened: Opened
) -> None:
    controller.receive(opened)
    assert "3 answers" in window.state.counts.text()
    assert "Every answer saved" in window.state.saved.text()
    controller.receive(Closed())
    assert window.state.counts.text() == ""


def test_an_answer_that_has_to_wait_is_not_called_saved(
    qtbot: QtBot, window: MainWindow, controller: Controller, opened: Opened
) -> None:
    controller.receive(opened)
    controller.send(ShowTree())
    controller.send(Tell(opened.snapshot.revision, 0, 1, Verdict.SAME))
    qtbot.waitUntil(lambda: "waits" in window.state.saved.text())
    controller.receive(Idle())
    assert "waits" in window.state.saved.text()
    controller.receive(Idle())
    assert "Every answer saved" in window.state.saved.text()


# ------------------------------------------------------------------------------ sources


@pytest.mark.parametrize("command", ["new_from_folder", "new_from_table"])
def test_a_new_source_is_looked_at(
    window: MainWindow, controller: Controller, tmp_path: Path, command: str
) -> None:
    getattr(window, command)()
    assert controller.sent == []  # cancelled
    answer(window, tmp_path)
    getattr(window, command)()
    assert controller.sent == [ScanSource(tmp_path)]
    getattr(window, command)()  # one at a time
    assert len(window.findChildren(ImportDialog)) == 1
    controller.receive(Failed("It cannot be read."))
    assert not window.banner.isVisible()  # the dialog says it
    window.findChild(ImportDialog).reject()


def test_samples_are_looked_at(window: MainWindow, controller: Controller) -> None:
    for command, name in (("try_sample_images", "digits"), ("try_sample_table", "tumours.csv")):
        window.actions_by_id[command].trigger()
        request = controller.sent[-1]
        assert isinstance(request, ScanSource)
        assert request.source.name == name
        window.findChildren(ImportDialog)[-1].reject()


def test_projects_are_opened_exported_and_relinked(
    window: MainWindow, controller: Controller, opened: Opened, tmp_path: Path
) -> None:
    controller.receive(opened)
    for command in ("open_project", "export_csv", "export_folders", "relink"):
        getattr(window, command)()
    assert controller.sent == []  # all cancelled
    answer(window, tmp_path)
    window.open_project()
    window.export_csv()
    window.export_folders()
    window.relink()
    assert controller.sent == [
        OpenProject(tmp_path),
        Export(csv=tmp_path),
        Export(folders=tmp_path),
        Relink(tmp_path),
    ]


def test_a_table_is_exported_as_one_table_per_group(
    window: MainWindow, controller: Controller
) -> None:
    _, rows = controller_on(table=True)
    controller.receive(rows)
    action = window.actions_by_id["export_folders"]
    assert action.isEnabled()
    assert action.text() == "Export one table per &group…"
    assert not window.actions_by_id["relink"].isEnabled()
    _, pictures = controller_on()
    controller.receive(pictures)
    assert action.text() == "Export pictures into &folders…"


def test_recent_projects_are_listed_opened_and_cleared(
    window: MainWindow, controller: Controller, settings: Settings, opened: Opened
) -> None:
    settings.remember(Recent("/old/Teeth.pairloom", 20, 4, True))
    controller.receive(opened)
    menu = window.menus["file/recent"]
    menu.aboutToShow.emit()
    menu.aboutToShow.emit()
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert texts == ["&1 Retina", "&2 Teeth", "&Clear this list"]
    menu.actions()[1].trigger()
    assert controller.sent[-1] == OpenProject(Path("/old/Teeth.pairloom"))
    window.start.forgetWanted.emit("/old/Teeth.pairloom")
    assert [known.path for known in settings.recent()] == [str(opened.path)]
    window.clear_recent()
    assert settings.recent() == ()


def drag(window: MainWindow, *paths: Path | str) -> QMimeData:
    """Drag over the window; the data must be kept until the drop."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(p)) if isinstance(p, Path) else QUrl(p) for p in paths])
    window.dragEnterEvent(
        QDragEnterEvent(
            QPoint(50, 50),
            Qt.DropAction.CopyAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
    )
    return data


def drop(window: MainWindow, data: QMimeData) -> None:
    window.dropEvent(
        QDropEvent(
            QPointF(50, 50),
            Qt.DropAction.CopyAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
    )


def test_dropping_a_project_opens_it(
    window: MainWindow, controller: Controller, tmp_path: Path
) -> None:
    project = tmp_path / "a.pairloom"
    project.touch()
    data = drag(window, project)
    assert window.overlay.isVisible()
    assert "a" in window.overlay.accessibleDescription()
    window.grab()  # paints the veil
    drop(window, data)
    assert not window.overlay.isVisible()
    assert controller.sent == [OpenProject(project)]


def test_dropping_a_folder_begins_a_project(
    window: MainWindow, controller: Controller, tmp_path: Path
) -> None:
    drop(window, drag(window, tmp_path))
    assert controller.sent == [ScanSource(tmp_path)]
    drag(window, tmp_path)  # not while the dialog is there
    assert not window.overlay.isVisible()
    window.findChild(ImportDialog).reject()


@pytest.mark.parametrize("dropped", ["https://example.org/a.csv", "picture"])
def test_what_cannot_be_used_is_refused_with_a_reason(
    window: MainWindow, controller: Controller, tmp_path: Path, dropped: str
) -> None:
    picture = tmp_path / "a.png"
    picture.touch()
    data = drag(window, picture if dropped == "picture" else dropped)
    window.grab()
    drop(window, data)
    assert controller.sent == []
    assert window.banner.message.text()


def test_dragging_away_takes_the_veil_off(window: MainWindow, tmp_path: Path) -> None:
    drag(window, tmp_path)
    window.dragLeaveEvent(QDragLeaveEvent())
    assert not window.overlay.isVisible()
    nothing = QMimeData()
    nothing.setText("words")
    window.overlay.hide()
    drag(window)
    assert not window.overlay.isVisible()


def test_a_path_from_the_command_line(
    window: MainWindow, controller: Controller, tmp_path: Path
) -> None:
    window.use(tmp_path / "missing.pairloom")
    assert "does not exist" in window.banner.message.text()
    assert controller.sent == []


# ------------------------------------------------------------------------------ look, help, layout


def test_the_look_is_chosen_and_kept(window: MainWindow, settings: Settings) -> None:
    window.use_dark()
    assert theme.current().is_dark
    assert settings.scheme == "dark"
    window.switch_look()
    assert not theme.current().is_dark
    assert window.actions_by_id["use_light"].isChecked()
    window.follow_system()
    assert settings.scheme == "system"


def test_help_opens(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    (keys,) = window.findChildren(KeysDialog)
    assert keys.isVisible()
    keys.close()
    window.about()
    (about,) = window.findChildren(AboutDialog)
    assert about.isVisible()
    about.close()


def test_layout_is_kept(
    qtbot: QtBot, window: MainWindow, controller: Controller, settings: Settings, opened: Opened
) -> None:
    controller.receive(opened)
    window.resize(window.width(), 700)  # the offscreen screen is 800 wide
    window.workspace.history.close()
    window.close()
    again = MainWindow(Controller(), settings, Answering(settings))
    qtbot.addWidget(again)
    again.show()
    assert again.height() == 700
    assert again.workspace.history.isHidden()
    assert not again.workspace.overview.isHidden()
    assert settings.recent()[0].answers == 3


def test_a_spoilt_layout_is_passed_over(qtbot: QtBot, tmp_path: Path) -> None:
    settings = Settings(tmp_path / "pairloom.ini")
    settings._put("layout/geometry", "nonsense")
    settings._put("layout/workspace", 3)
    made = MainWindow(Controller(), settings)
    qtbot.addWidget(made)
    made.show()
    assert made.isVisible()


def test_full_screen_and_back(window: MainWindow) -> None:
    window.full_screen()
    assert window.isFullScreen()
    window.full_screen()
    assert not window.isFullScreen()


# ------------------------------------------------------------------------------ for everyone


def test_everything_that_can_be_used_has_a_name(
    window: MainWindow, controller: Controller, opened: Opened
) -> None:
    controller.receive(opened)
    nameless = []
    for show_page in (window.show_start, window.show_judge, window.show_overview):
        show_page()
        for kind in (QAbstractButton, QLineEdit, QComboBox, QAbstractItemView, QPlainTextEdit):
            for widget in window.findChildren(kind):
                part = isinstance(widget.parent(), (QComboBox, QAbstractItemView))
                inner = part or widget.objectName().startswith("qt_")
                text = widget.text() if isinstance(widget, QAbstractButton) else ""
                if widget.isVisible() and not inner and not (widget.accessibleName() or text):
                    owner = type(widget.parent()).__name__
                    nameless.append(f"{type(widget).__name__} in {owner}")
    assert nameless == []


def test_no_key_does_two_things(window: MainWindow, controller: Controller, opened: Opened) -> None:
    controller.receive(opened)
    keys: Counter[str] = Counter()
    for action in window.actions_by_id.values():
        keys.update(shortcut.toString() for shortcut in action.shortcuts())
    keys.update(
        shortcut.key().toString()
        for shortcut in window.findChildren(QShortcut)
        if shortcut.context() != Qt.ShortcutContext.WidgetShortcut
        and shortcut.context() != Qt.ShortcutContext.WidgetWithChildrenShortcut
    )
    assert [key for key, times in keys.items() if times > 1] == []


def test_every_command_is_in_a_menu(window: MainWindow) -> None:
    listed = {action for menu in window.menus.values() for action in menu.actions()}
    assert set(window.actions_by_id.values()) <= listed
    assert window.overview.isAncestorOf(window.overview.map)


def test_icons_follow_the_look(window: MainWindow) -> None:
    def picture() -> bytes:
        icon = window.actions_by_id["undo"].icon()
        return bytes(icon.pixmap(24, 24).toImage().constBits())

    before = picture()
    window.use_dark()
    assert picture() != before


def test_the_state_moves_on_everywhere(
    window: MainWindow, controller: Controller, opened: Opened
) -> None:
    controller.receive(opened)
    from desktop.messages import Changed

    controller.receive(Changed(moved_on(opened.snapshot, undo=None, redo=3)))
    assert not window.actions_by_id["undo"].isEnabled()
    assert window.actions_by_id["redo"].isEnabled()
