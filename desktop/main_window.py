"""The main window: pages, menus and messages in their places.

Hidden: layout, and which part of it belongs to which state. Promised: work is never interrupted by
a dialog that nobody asked for, and closing never asks anything: every answer is on the disk.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QCloseEvent,
    QDesktopServices,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
)
from PySide6.QtWidgets import (
    QMainWindow,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from desktop import actions, paths, sources, theme
from desktop.controller import Controller
from desktop.dialogs.choice import ChoiceDialog
from desktop.dialogs.crash import CrashDialog
from desktop.dialogs.files import FileDialogs
from desktop.dialogs.grouping import GroupingDialog
from desktop.dialogs.help import AboutDialog, KeysDialog
from desktop.dialogs.import_dialog import ImportDialog
from desktop.dialogs.strategy import StrategyDialog
from desktop.images import PictureStore
from desktop.messages import (
    CloseProject,
    Export,
    Exported,
    Failed,
    Opened,
    OpenProject,
    Redo,
    Relink,
    ShowTree,
    Undo,
)
from desktop.pages.compare import ComparePage
from desktop.pages.matrix import MatrixPage
from desktop.pages.overview import OverviewPage
from desktop.pages.start import StartPage
from desktop.pages.suggestions import SuggestionsPage
from desktop.pages.tree import TreePage
from desktop.pages.workspace import Workspace
from desktop.settings import Recent, Settings
from desktop.widgets import words
from desktop.widgets.banner import Banner
from desktop.widgets.drop_overlay import DropOverlay
from desktop.widgets.state_bar import StateBar
from engine.model import Approach, Snapshot, StepKind, Verdict

_REMEMBER_MS = 1000


class MainWindow(QMainWindow):
    """Everything a person sees.

    Parameters
    ----------
    controller
        The way to the engine.
    settings
        What is remembered between sessions.
    files
        File dialogs; by default those of the system.
    """

    def __init__(
        self, controller: Controller, settings: Settings, files: FileDialogs | None = None
    ) -> None:
        super().__init__()
        self.setObjectName("main")
        self.setWindowIcon(theme.icon("pairloom"))
        self.setAcceptDrops(True)
        self._controller = controller
        self._has_pictures = False
        self._settings = settings
        self._files = files or FileDialogs(settings)
        self._importing: ImportDialog | None = None
        self._choosing: ChoiceDialog | None = None
        # so that the list of recent projects is right even after the program was killed
        self._remembering = QTimer(self, singleShot=True, interval=_REMEMBER_MS)
        self._remembering.timeout.connect(self._remember)
        self._keep: list[QAction] = []  # Python owners of the menus' changing entries
        self.pictures = PictureStore(controller)
        self.actions_by_id = actions.build(self)
        self.banner = Banner()
        self.start = StartPage(self.actions_by_id)
        self.workspace = Workspace(controller, self.pictures)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.start)
        self.pages.addWidget(self.workspace)
        self.overview = OverviewPage(controller, self.pictures)
        self.pages.addWidget(self.overview)
        self.compare = ComparePage(controller, self._files)
        self.pages.addWidget(self.compare)
        self.tree = TreePage(controller, self.pictures, self._files)
        self.pages.addWidget(self.tree)
        self.matrix = MatrixPage(controller, self.pictures)
        self.pages.addWidget(self.matrix)
        self.suggestions = SuggestionsPage(controller, self.pictures)
        self.pages.addWidget(self.suggestions)
        self._build()
        self._connect()
        self._restore()
        self._retitle()
        self.show_start()

    # ------------------------------------------------------------------ layout

    def _build(self) -> None:
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banner)
        column.addWidget(self.pages, 1)
        self.setCentralWidget(centre)
        self.state = StateBar(self._controller)
        self.setStatusBar(self.state)
        self._build_menus()
        self._build_rail()
        self.overlay = DropOverlay(self)

    def _build_menus(self) -> None:
        self.menus: dict[str, QMenu] = {}
        for name, title in actions.MENUS:
            menu = QMenu(actions.text(title), self)
            menu.setObjectName(f"menu_{name}")
            self.menus[name] = menu
        for command in actions.COMMANDS:
            menu = self.menus[command.menu]
            if command.separated:
                menu.addSeparator()
            menu.addAction(self.actions_by_id[command.id])
        for name in ("file", "edit", "judge", "view", "help"):
            self.menuBar().addMenu(self.menus[name])
        after_open = self.actions_by_id["relink"]
        self.menus["file"].insertMenu(after_open, self.menus["file/recent"])
        self.menus["file"].insertMenu(after_open, self.menus["file/samples"])
        self.menus["view"].insertMenu(self.actions_by_id["full_screen"], self.menus["view/panels"])
        self.menus["view"].insertMenu(self.actions_by_id["full_screen"], self.menus["view/look"])
        panels = self.menus["view/panels"]
        panels.insertActions(panels.actions()[0], self.workspace.toggles())
        self.menus["file/recent"].aboutToShow.connect(self._list_recent)

    def _build_rail(self) -> None:
        rail = QToolBar(self.tr("Pages"))
        rail.setObjectName("rail")
        rail.setMovable(False)
        rail.setFloatable(False)
        rail.toggleViewAction().setVisible(False)
        rail.setIconSize(QSize(24, 24))
        rail.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        pages = QActionGroup(self)
        for name in (
            "show_start",
            "show_judge",
            "show_overview",
            "show_tree",
            "show_matrix",
            "show_compare",
            "show_suggestions",
        ):
            action = self.actions_by_id[name]
            action.setIconText(action.text().replace("&", ""))
            pages.addAction(action)
            rail.addAction(action)
        self.actions_by_id["show_suggestions"].setIconText(self.tr("Suggest"))  # all has no room
        spring = QWidget()
        spring.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        rail.addWidget(spring)
        self.actions_by_id["switch_look"].setIconText(self.tr("Look"))
        self.actions_by_id["show_keys"].setIconText(self.tr("Keys"))
        rail.addAction(self.actions_by_id["switch_look"])
        rail.addAction(self.actions_by_id["show_keys"])
        for action in rail.actions():
            button = rail.widgetForAction(action)
            if button is not None and action.text():
                button.setAccessibleName(action.text().replace("&", ""))
                button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
                button.setFixedWidth(76)
        self.addToolBar(Qt.ToolBarArea.LeftToolBarArea, rail)
        self.rail = rail

    def _connect(self) -> None:
        controller = self._controller
        controller.studyOpened.connect(self._opened)
        controller.snapshotChanged.connect(self._changed)
        controller.replayChanged.connect(self._allow_looking)
        controller.closed.connect(self._closed)
        controller.failed.connect(self._failed)
        controller.exported.connect(self._exported)
        controller.reported.connect(self.show_crash)
        self.start.projectWanted.connect(lambda file: self.open_path(Path(file)))
        self.start.forgetWanted.connect(self._forget)
        judge = self.workspace.judge
        judge.exportRequested.connect(self.export_csv)
        judge.relinkRequested.connect(self.relink)
        judge.overviewRequested.connect(self.show_overview)
        judge.answerSelected.connect(self.workspace.show_step)
        self.workspace.progress.strategyRequested.connect(self.change_strategy)
        self.workspace.progress.groupingRequested.connect(self.change_grouping)
        self.workspace.overview.note.groupingWanted.connect(self._offer_grouping)
        self.overview.note.groupingWanted.connect(self._offer_grouping)
        self.overview.groupingRequested.connect(self.change_grouping)
        self.compare.strategyWanted.connect(self._offer_strategy)
        self.compare.saved.connect(lambda said: self.banner.tell(self.tr("Saved"), said))
        self.compare.refused.connect(self.banner.warn)
        self.tree.stepWanted.connect(self._show_step)
        self.suggestions.stepWanted.connect(self._show_step)
        self.suggestions.namesToggled.connect(judge.toggle_names)
        judge.namesHidden.connect(lambda hidden: self.suggestions.hide_names(hidden=hidden))
        self.matrix.groupWanted.connect(self._show_group)
        self.matrix.itemWanted.connect(self._show_item)
        self.matrix.inCommonWanted.connect(self._show_in_common)
        self.tree.saved.connect(lambda file: self.banner.tell(self.tr("Saved"), str(file)))
        self.tree.notSaved.connect(
            lambda why: self.banner.warn(self.tr("The picture could not be saved."), why)
        )
        theme.current().themeChanged.connect(self._recolor)
        looks = QActionGroup(self)
        for name in ("follow_system", "use_light", "use_dark"):
            looks.addAction(self.actions_by_id[name])

    def _restore(self) -> None:
        self.resize(QSize(1280, 800).boundedTo(self.screen().availableSize()))
        geometry = self._settings.layout("geometry")
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)
        self.workspace.restore(self._settings.layout("workspace"))
        chosen = {"system": "follow_system", "light": "use_light", "dark": "use_dark"}
        self.actions_by_id[chosen[self._settings.scheme]].setChecked(True)

    def _retitle(self) -> None:
        opened = self._controller.opened
        self.setWindowTitle(f"{opened.path.stem} — Pairloom" if opened else "Pairloom")
        self.setWindowFilePath(str(opened.path) if opened else "")

    def _recolor(self) -> None:
        actions.color(self.actions_by_id)

    # ------------------------------------------------------------------ what comes from the engine

    def _opened(self, opened: Opened) -> None:
        self._has_pictures = any(item.path for item in opened.items)
        self._name_export()
        self.banner.hide()
        self._retitle()
        self._remember()
        if self.pages.currentWidget() is self.start:
            self.show_judge()
        if not opened.source_found:
            self.banner.warn(
                self.tr("The pictures are not where they were: {0}").format(opened.source),
                self.tr("File › Relink pictures… finds them again. Your answers are safe."),
            )

    def _changed(self, snapshot: Snapshot) -> None:
        if not self._remembering.isActive():
            self._remembering.start()
        actions.enable(self.actions_by_id, snapshot)
        self._leave_missing_page(snapshot)
        self._allow_looking()
        self.actions_by_id["relink"].setEnabled(self._has_pictures)
        self.actions_by_id["undo"].setText(
            self._step_words(snapshot, snapshot.undo, self.tr("&Undo"))
        )
        self.actions_by_id["redo"].setText(
            self._step_words(snapshot, snapshot.redo, self.tr("&Redo"))
        )

    def _leave_missing_page(self, snapshot: Snapshot) -> None:
        """Let tree and matrix take each other's place, and suggestions give way to the pair.

        Where items may belong to several groups, these are no tree, and nothing can be suggested.
        """
        shares = actions.shares_groups(snapshot)
        self.actions_by_id["show_tree"].setVisible(not shares)
        self.actions_by_id["show_matrix"].setVisible(shares)
        here = self.pages.currentWidget()
        if shares and here is self.tree:
            self.show_matrix()
        elif not shares and here is self.matrix:
            self.show_tree()
        elif shares and here is self.suggestions:
            self.show_judge()
            self.banner.tell(
                self.tr("Here items may belong to several groups."),
                self.tr(
                    "Nothing follows from an answer for other pairs, so there are no suggestions."
                ),
            )

    def _allow_looking(self, _shown: object = None) -> None:
        """Contradictions can be looked at in a replay as well: those of the state it shows."""
        allowed = actions.can_settle(self._controller.shown)
        self.actions_by_id["look_at_contradiction"].setEnabled(allowed)

    def _name_export(self) -> None:
        """Say what is exported group by group: pictures are copied, of tables there are parts."""
        action = self.actions_by_id["export_folders"]
        words_for = self.tr("Export pictures into &folders…")
        if not self._has_pictures:
            words_for = self.tr("Export one table per &group…")
        action.setText(words_for)
        plain = words_for.replace("&", "").rstrip("…")
        action.setToolTip(f"{plain} ({action.shortcut().toString()})")
        action.setStatusTip(plain)

    def _step_words(self, snapshot: Snapshot, seq: int | None, verb: str) -> str:
        step = next((item for item in reversed(snapshot.history) if item.seq == seq), None)
        if step is None:
            return verb
        if step.kind is StepKind.SET_ASIDE:
            return self.tr("{0} setting aside").format(verb)
        if step.kind is StepKind.NAME:
            return self.tr("{0} naming a group").format(verb)
        if step.kind is StepKind.STRATEGY:
            return self.tr("{0} changing how pairs are chosen").format(verb)
        if step.kind is StepKind.GROUPING:
            return self.tr("{0} changing how groups are found").format(verb)
        if step.kind is StepKind.SPACE:
            return self.tr("{0} changing how items are compared").format(verb)
        if step.answer is None:
            return verb
        word = words.verdict_word(step.answer.verdict, shared=snapshot.shares)
        return self.tr("{0} “{1}”").format(verb, word)

    def _closed(self) -> None:
        actions.enable(self.actions_by_id, None)
        self._retitle()
        self.show_start()

    def _failed(self, news: Failed) -> None:
        under_way = self._controller.under_way
        told_there = isinstance(under_way, ShowTree) or self.suggestions.tells(under_way)
        if self._importing is None and self._choosing is None and not told_there:
            self.banner.warn(news.message, news.hint)

    def _exported(self, news: Exported) -> None:
        self.banner.tell(self.tr("Exported"), news.report)

    def show_crash(self, report: str) -> None:
        """Show a report of a bug; the window goes on. One at a time: the first says most."""
        if any(shown.isVisible() for shown in self.findChildren(CrashDialog)):
            return
        panel = CrashDialog(report, self)
        panel.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        panel.reopen.setVisible(self._controller.opened is not None)
        panel.reopenWanted.connect(self._reopen)
        panel.finished.connect(self._take_keyboard)
        panel.show()

    def _reopen(self) -> None:
        opened = self._controller.opened
        if opened is not None:
            self.open_path(opened.path)

    # ------------------------------------------------------------------ sources

    def use(self, path: Path) -> None:
        """Open a project, or begin one from a folder or table; say why where that cannot be."""
        self._take(sources.offer([path]))

    def _take(self, offer: sources.Offer) -> None:
        if offer.use is sources.Use.OPEN:
            self.open_path(offer.path)
        elif offer.use is sources.Use.IMPORT:
            self.import_from(offer.path)
        else:
            self.banner.warn(offer.words)

    def open_path(self, path: Path) -> None:
        """Open a project file."""
        self._remember()
        self._controller.send(OpenProject(path))

    def import_from(self, source: Path) -> None:
        """Show what a folder or table holds, and offer to make a project of it."""
        if self._importing is not None:
            self._importing.raise_()
            return
        dialog = ImportDialog(self._controller, self._files, source, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(self._imported)
        dialog.otherWanted.connect(self._choose_another)
        self._importing = dialog
        self.state.leave_to(dialog=True)
        dialog.open()

    def _choose_another(self, source: Path) -> None:
        if source.is_file():
            self.new_from_table()
        else:
            self.new_from_folder()

    def _imported(self) -> None:
        self._importing = None
        self.state.leave_to(dialog=False)
        self._take_keyboard()

    def _take_keyboard(self) -> None:
        """Give the keys back to the page after a dialog, so that they work without a click."""
        self.activateWindow()
        page = self.pages.currentWidget()
        if page is self.workspace:
            self.workspace.judge.setFocus()
        elif page is not None:
            page.setFocus()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Say what a drop would do."""
        urls = event.mimeData().urls()
        if self._importing is not None or not urls:
            return
        local = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
        self.overlay.show_offer(sources.offer(local))
        event.acceptProposedAction()

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        """Take the veil off."""
        self.overlay.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        """Do what was said."""
        self.overlay.hide()
        if self.overlay.offer is not None:
            event.acceptProposedAction()
            self._take(self.overlay.offer)

    # ------------------------------------------------------------------ recent projects

    def _remember(self) -> None:
        opened, snapshot = self._controller.opened, self._controller.snapshot
        if opened is None or snapshot is None:
            return
        pictures = any(item.path for item in opened.items)
        answered = snapshot.progress.answered
        self._settings.remember(Recent(str(opened.path), len(opened.items), answered, pictures))

    def _forget(self, file: str) -> None:
        self._settings.forget(file)
        self.start.show_recent(self._settings.recent())

    def _list_recent(self) -> None:
        menu = self.menus["file/recent"]
        for action in self._keep:
            menu.removeAction(action)
        self._keep = []
        first = menu.actions()[0]
        for number, project in enumerate(self._settings.recent(), 1):
            path = Path(project.path)
            action = QAction(f"&{number % 10} {path.stem}", self)
            action.setStatusTip(project.path)
            action.triggered.connect(lambda _=False, path=path: self.open_path(path))
            menu.insertAction(first, action)
            self._keep.append(action)

    # ------------------------------------------------------------------ commands, as in actions.py

    def new_from_folder(self) -> None:
        """Ask for a folder of images."""
        title = self.tr("Folder of images")
        source = self._files.folder(self, "sources", title)
        if source is not None:
            self.import_from(source)

    def new_from_table(self) -> None:
        """Ask for a table."""
        kinds = " ".join(f"*{suffix}" for suffix in sources.TABLES)
        source = self._files.existing(
            self, "sources", self.tr("Table"), self.tr("Tables ({0})").format(kinds)
        )
        if source is not None:
            self.import_from(source)

    def open_project(self) -> None:
        """Ask for a project."""
        kinds = self.tr("Pairloom projects (*{0})").format(paths.SUFFIX)
        path = self._files.existing(self, "projects", self.tr("Open project"), kinds)
        if path is not None:
            self.open_path(path)

    def clear_recent(self) -> None:
        """Empty the list of recent projects."""
        self._settings.forget_all()
        self.start.show_recent(())

    def try_sample_images(self) -> None:
        """Begin a project from the bundled pictures."""
        self.import_from(paths.sample_images())

    def try_sample_table(self) -> None:
        """Begin a project from the bundled table."""
        self.import_from(paths.sample_table())

    def relink(self) -> None:
        """Ask where the pictures have gone."""
        folder = self._files.folder(self, "sources", self.tr("Folder that holds the pictures now"))
        if folder is not None:
            self._controller.send(Relink(folder))

    def export_csv(self) -> None:
        """Write the groups as a table."""
        opened = self._controller.opened
        if opened is None:
            return
        proposed = opened.path.with_name("groups.csv")
        kinds = self.tr("CSV tables (*.csv)")
        csv = self._files.new(self, "exports", self.tr("Export groups"), kinds, proposed)
        if csv is not None:
            self._controller.send(Export(csv=csv))

    def export_folders(self) -> None:
        """Copy the pictures into one folder per group."""
        opened = self._controller.opened
        if opened is None:
            return
        title = self.tr("Folder to copy the pictures into, one folder per group")
        if not any(item.path for item in opened.items):
            title = self.tr("Folder for one table per group")
        folder = self._files.folder(self, "exports", title)
        if folder is not None:
            self._controller.send(Export(folders=folder))

    def close_project(self) -> None:
        """Close the open project; it is saved already."""
        self._remember()
        self._controller.send(CloseProject())

    def quit(self) -> None:
        """Close the window, and with it the program."""
        self.close()

    def undo(self) -> None:
        """Take back the last step; an answer that is still being given is only left."""
        if not self.workspace.judge.which.leave():
            self._controller.send(Undo())

    def redo(self) -> None:
        """Bring it back."""
        self._controller.send(Redo())

    def step_back(self) -> None:
        """Look at the state one step earlier; nothing is changed."""
        self._leave_start()
        self.workspace.history.step_back()

    def step_forward(self) -> None:
        """Look at the state one step later."""
        self._leave_start()
        self.workspace.history.step_forward()

    def return_to_now(self) -> None:
        """Leave the replay."""
        self.workspace.history.return_to_now()

    def _leave_start(self) -> None:
        """Go to where a step can be seen; the overview shows it as well as the judge page."""
        if self.pages.currentWidget() is self.start:
            self.show_judge()

    def answer_different(self) -> None:
        """Say that the two on the screen do not belong together."""
        self._answer(Verdict.DIFFERENT)

    def answer_unsure(self) -> None:
        """Say that it cannot be told."""
        self._answer(Verdict.UNSURE)

    def answer_same(self) -> None:
        """Say that the two on the screen belong together."""
        self._answer(Verdict.SAME)

    def _answer(self, verdict: Verdict) -> None:
        """Answer about the pair that is seen: that of a suggestion where these are looked at."""
        if self.pages.currentWidget() is self.suggestions:
            self.suggestions.answer(verdict)
        else:
            self.workspace.judge.answer(verdict)

    def set_aside(self) -> None:
        """Ask which of the two is to be set aside."""
        self.show_judge()
        self.workspace.judge.open_aside_menu()

    def explain(self) -> None:
        """Say in full why this pair is asked, or no longer."""
        self.show_judge()
        self.workspace.judge.toggle_why()

    def look_at_contradiction(self) -> None:
        """Show the answers that cannot all be right."""
        self.show_judge()
        self.workspace.judge.look_at_contradiction()

    def hide_names(self) -> None:
        """Hide file names while judging, or show them."""
        self.workspace.judge.toggle_names()

    def change_strategy(self) -> None:
        """Show what other strategies would make of the answers, and offer to take one."""
        self._offer_strategy(None)

    def _offer_strategy(self, start: Approach | None) -> None:
        """Open the dialog in which pairs are chosen otherwise, with one that is looked at first."""
        if self._choosing is None and self._controller.snapshot is not None:
            self._offer(StrategyDialog(self._controller, self.pictures, self, start=start))

    def change_grouping(self) -> None:
        """Show what other ways of finding groups would change, and offer to take one."""
        self._offer_grouping(None)

    def _offer_grouping(self, start: Approach | None) -> None:
        """Open the dialog in which groups are found otherwise, with one that is looked at first."""
        now = self._controller.snapshot
        if self._choosing is None and actions.has_one_group_each(now):
            dialog = GroupingDialog(self._controller, self.pictures, self, start=start)
            dialog.checkWanted.connect(self._offer_strategy)
            self._offer(dialog)

    def _offer(self, dialog: ChoiceDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(self._chose)
        self._choosing = dialog
        self.state.leave_to(dialog=True)
        dialog.open()

    def _chose(self) -> None:
        self._choosing = None
        self.state.leave_to(dialog=False)
        self._take_keyboard()

    def show_start(self) -> None:
        """Go to the Start page."""
        self._remember()
        self.start.show_recent(self._settings.recent())
        self.pages.setCurrentWidget(self.start)
        self._mark_page("show_start")

    def show_judge(self) -> None:
        """Go to the pair."""
        self.pages.setCurrentWidget(self.workspace)
        self.workspace.judge.setFocus()
        self._mark_page("show_judge")

    def show_overview(self) -> None:
        """Go to the groups."""
        self.pages.setCurrentWidget(self.overview)
        self.overview.setFocus()
        self._mark_page("show_overview")

    def show_compare(self) -> None:
        """Go to the comparison of strategies."""
        self.pages.setCurrentWidget(self.compare)
        self.compare.setFocus()
        self._mark_page("show_compare")

    def show_suggestions(self) -> None:
        """Go to what the answers make likely."""
        self.pages.setCurrentWidget(self.suggestions)
        self.suggestions.setFocus()
        self._mark_page("show_suggestions")

    def show_tree(self) -> None:
        """Go to the hierarchy behind the groups."""
        self.pages.setCurrentWidget(self.tree)
        self.tree.setFocus()
        self._mark_page("show_tree")

    def show_matrix(self) -> None:
        """Go to the matrix of items and groups."""
        self.pages.setCurrentWidget(self.matrix)
        self.matrix.setFocus()
        self._mark_page("show_matrix")

    def _show_group(self, slot: int) -> None:
        self.show_overview()
        self.overview.show_group(slot)

    def _show_item(self, item: int) -> None:
        self.show_overview()
        self.overview.show_item(item)

    def _show_in_common(self, item: int) -> None:
        self.show_overview()
        self.overview.show_in_common(item)

    def _show_step(self, seq: int) -> None:
        self.show_judge()
        self.workspace.show_step(seq)

    def _mark_page(self, name: str) -> None:
        self.actions_by_id[name].setChecked(True)
        actions.enable(self.actions_by_id, self._controller.snapshot)
        if self._controller.snapshot is not None:
            self._changed(self._controller.snapshot)

    def reset_layout(self) -> None:
        """Put the panels back where they were at first."""
        self.workspace.reset()
        self.show_judge()

    def follow_system(self) -> None:
        """Be light or dark as the system is."""
        self._look("system")

    def use_light(self) -> None:
        """Be light."""
        self._look("light")

    def use_dark(self) -> None:
        """Be dark."""
        self._look("dark")

    def switch_look(self) -> None:
        """Change from light to dark or back."""
        name = "use_light" if theme.current().is_dark else "use_dark"
        self.actions_by_id[name].trigger()

    def _look(self, scheme: str) -> None:
        self._settings.scheme = scheme
        theme.current().set_scheme(scheme)

    def full_screen(self) -> None:
        """Fill the screen, or stop doing so."""
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def show_keys(self) -> None:
        """Show every command with its keys."""
        self._show(KeysDialog(self.actions_by_id, self))

    def show_log(self) -> None:
        """Open the folder that holds the log."""
        log = paths.log_file()
        if log is None or not QDesktopServices.openUrl(QUrl.fromLocalFile(str(log.parent))):
            self.banner.tell(self.tr("The log is here"), str(log or self.tr("nowhere to write it")))

    def about(self) -> None:
        """Say what this program is."""
        self._show(AboutDialog(self))

    def _show(self, dialog: KeysDialog | AboutDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(self._take_keyboard)
        dialog.open()

    # ------------------------------------------------------------------ closing

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep the layout; nothing else needs saving."""
        self._remember()
        self._settings.save_layout("geometry", self.saveGeometry())
        self._settings.save_layout("workspace", self.workspace.layout_state())
        if self._importing is not None:
            self._controller.cancel()
        event.accept()
