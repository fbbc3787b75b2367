"""One table of every command: menus, rail, shortcuts, the keyboard sheet and tests read it.

Hidden: how commands become `QAction`s. Promised: what is not in `COMMANDS` cannot be done by menu
or shortcut, and no two commands share a key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAction, QKeySequence

from desktop import theme
from desktop.translation import QT_TRANSLATE_NOOP
from engine.model import Snapshot

When = Callable[[Snapshot | None], bool]


def always(_snapshot: Snapshot | None) -> bool:
    """Allow at any time."""
    return True


def is_open(snapshot: Snapshot | None) -> bool:
    """Allow while a project is open."""
    return snapshot is not None


def has_one_group_each(snapshot: Snapshot | None) -> bool:
    """Allow while a project is open in which no item may belong to several groups."""
    return is_open(snapshot) and not shares_groups(snapshot)


def shares_groups(snapshot: Snapshot | None) -> bool:
    """Allow where items may belong to several groups."""
    return snapshot is not None and snapshot.shares


def can_answer(snapshot: Snapshot | None) -> bool:
    """Allow while a question is asked."""
    return snapshot is not None and snapshot.question is not None


def can_undo(snapshot: Snapshot | None) -> bool:
    """Allow while there is something to take back."""
    return snapshot is not None and snapshot.undo is not None


def can_redo(snapshot: Snapshot | None) -> bool:
    """Allow while there is something to bring back."""
    return snapshot is not None and snapshot.redo is not None


def can_settle(snapshot: Snapshot | None) -> bool:
    """Allow while answers contradict each other."""
    return snapshot is not None and bool(snapshot.conflicts)


def can_replay(snapshot: Snapshot | None) -> bool:
    """Allow while there are steps to look back at."""
    return snapshot is not None and bool(snapshot.history)


@dataclass(frozen=True, slots=True)
class Command:
    """One thing a person can do.

    Attributes
    ----------
    id
        Name of the window's slot that does it.
    menu
        Menu it stands in; "" = none. A "/" opens a submenu.
    text
        English text with mnemonic.
    keys
        Key sequences in portable form.
    when
        Whether it can be done in a state (None = no project is open).
    icon
        Name of its icon; "" = none.
    checkable, separated
        A switch; a line is drawn above it.
    told
        Keys that another widget takes itself and that are only told here.
    shared
        Text where items may belong to several groups; "" = the same.
    """

    id: str
    menu: str
    text: str
    keys: tuple[str, ...] = ()
    when: When = always
    icon: str = ""
    checkable: bool = False
    separated: bool = False
    told: str = ""
    shared: str = ""


_T = "Actions"
_WHY_NOT = QT_TRANSLATE_NOOP(
    "Actions", "{0}: not in this project, as its items may belong to several groups"
)
MENUS = (
    ("file", QT_TRANSLATE_NOOP("Actions", "&File")),
    ("file/recent", QT_TRANSLATE_NOOP("Actions", "Open &recent")),
    ("file/samples", QT_TRANSLATE_NOOP("Actions", "Bundled &samples")),
    ("edit", QT_TRANSLATE_NOOP("Actions", "&Edit")),
    ("judge", QT_TRANSLATE_NOOP("Actions", "&Judge")),
    ("view", QT_TRANSLATE_NOOP("Actions", "&View")),
    ("view/panels", QT_TRANSLATE_NOOP("Actions", "&Panels")),
    ("view/look", QT_TRANSLATE_NOOP("Actions", "&Look")),
    ("help", QT_TRANSLATE_NOOP("Actions", "&Help")),
)

COMMANDS = (
    Command(
        "new_from_folder",
        "file",
        QT_TRANSLATE_NOOP("Actions", "&New from a folder of images…"),
        ("Ctrl+N",),
        icon="image",
    ),
    Command(
        "new_from_table",
        "file",
        QT_TRANSLATE_NOOP("Actions", "New from a &table…"),
        ("Ctrl+Shift+N",),
        icon="table",
    ),
    Command(
        "open_project",
        "file",
        QT_TRANSLATE_NOOP("Actions", "&Open project…"),
        ("Ctrl+O",),
        icon="folder-open",
    ),
    Command(
        "clear_recent",
        "file/recent",
        QT_TRANSLATE_NOOP("Actions", "&Clear this list"),
        separated=True,
    ),
    Command(
        "try_sample_images",
        "file/samples",
        QT_TRANSLATE_NOOP("Actions", "Handwritten &digits (pictures)"),
        icon="image",
    ),
    Command(
        "try_sample_table",
        "file/samples",
        QT_TRANSLATE_NOOP("Actions", "Breast &tumours (a table)"),
        icon="table",
    ),
    Command(
        "relink",
        "file",
        QT_TRANSLATE_NOOP("Actions", "Re&link pictures…"),
        when=is_open,
        icon="link",
        separated=True,
    ),
    Command(
        "export_csv",
        "file",
        QT_TRANSLATE_NOOP("Actions", "&Export groups.csv…"),
        ("Ctrl+E",),
        is_open,
        "export",
        separated=True,
    ),
    Command(
        "export_folders",
        "file",
        QT_TRANSLATE_NOOP("Actions", "Export pictures into &folders…"),
        ("Ctrl+Shift+E",),
        is_open,
        "export-folders",
    ),
    Command(
        "close_project",
        "file",
        QT_TRANSLATE_NOOP("Actions", "&Close project"),
        ("Ctrl+W",),
        is_open,
        "close",
        separated=True,
    ),
    Command("quit", "file", QT_TRANSLATE_NOOP("Actions", "&Quit"), ("Ctrl+Q",), icon="exit"),
    Command("undo", "edit", QT_TRANSLATE_NOOP("Actions", "&Undo"), ("Ctrl+Z",), can_undo, "undo"),
    Command(
        "redo",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "&Redo"),
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        can_redo,
        "redo",
    ),
    Command(
        "step_back",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Look one step &back"),
        ("Alt+Left",),
        can_replay,
        "back",
        separated=True,
    ),
    Command(
        "step_forward",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Look one step &forward"),
        ("Alt+Right",),
        can_replay,
        "forward",
    ),
    Command(
        "return_to_now",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Return to &now"),
        ("Alt+End",),
        can_replay,
        "last",
    ),
    Command(
        "answer_different",
        "judge",
        QT_TRANSLATE_NOOP("Actions", "&Different"),
        when=can_answer,
        icon="different",
        told="D, ←",
        shared=QT_TRANSLATE_NOOP("Actions", "&Nothing in common"),
    ),
    Command(
        "answer_unsure",
        "judge",
        QT_TRANSLATE_NOOP("Actions", "&Unsure"),
        when=can_answer,
        icon="unsure",
        told="U, ↓",
    ),
    Command(
        "answer_same",
        "judge",
        QT_TRANSLATE_NOOP("Actions", "&Same"),
        when=can_answer,
        icon="same",
        told="S, →",
        shared=QT_TRANSLATE_NOOP("Actions", "&In common"),
    ),
    Command(
        "set_aside",
        "judge",
        QT_TRANSLATE_NOOP("Actions", "Set &aside…"),
        when=can_answer,
        icon="aside",
        told="X, ↑",
        separated=True,
    ),
    Command(
        "explain",
        "judge",
        QT_TRANSLATE_NOOP("Actions", "&Why this pair"),
        when=can_answer,
        icon="info",
        told="W",
    ),
    Command(
        "look_at_contradiction",
        "judge",
        QT_TRANSLATE_NOOP("Actions", "Look at the &contradiction"),
        when=can_settle,
        icon="warning",
        told="C",
    ),
    Command(
        "hide_names",
        "judge",
        QT_TRANSLATE_NOOP("Actions", "&Hide or show file names"),
        when=is_open,
        icon="",
        told="H",
    ),
    Command(
        "change_strategy",
        "judge",
        QT_TRANSLATE_NOOP("Actions", "Change how &pairs are chosen…"),
        ("Ctrl+Shift+H",),
        is_open,
        "strategy",
        separated=True,
    ),
    Command(
        "change_grouping",
        "judge",
        QT_TRANSLATE_NOOP("Actions", "Change how &groups are found…"),
        ("Ctrl+Shift+G",),
        has_one_group_each,
        "overview",
    ),
    Command(
        "show_start",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&Start"),
        ("Ctrl+1",),
        icon="home",
        checkable=True,
    ),
    Command(
        "show_judge",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&Judge"),
        ("Ctrl+2",),
        is_open,
        "judge",
        checkable=True,
    ),
    Command(
        "show_overview",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&Overview"),
        ("Ctrl+3",),
        is_open,
        "overview",
        checkable=True,
    ),
    Command(
        "show_tree",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&Tree"),
        ("Ctrl+4",),
        has_one_group_each,
        "tree",
        checkable=True,
    ),
    Command(
        "show_matrix",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&Matrix"),
        ("Ctrl+7",),
        shares_groups,
        "matrix",
        checkable=True,
    ),
    Command(
        "show_compare",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&Compare"),
        ("Ctrl+5",),
        is_open,
        "compare",
        checkable=True,
    ),
    Command(
        "show_suggestions",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Su&ggestions"),
        ("Ctrl+6",),
        has_one_group_each,
        "suggestions",
        checkable=True,
    ),
    Command(
        "reset_layout",
        "view/panels",
        QT_TRANSLATE_NOOP("Actions", "&Reset the layout"),
        (),
        is_open,
        separated=True,
    ),
    Command(
        "follow_system",
        "view/look",
        QT_TRANSLATE_NOOP("Actions", "As the &system"),
        checkable=True,
    ),
    Command("use_light", "view/look", QT_TRANSLATE_NOOP("Actions", "&Light"), checkable=True),
    Command("use_dark", "view/look", QT_TRANSLATE_NOOP("Actions", "&Dark"), checkable=True),
    Command(
        "switch_look",
        "view/look",
        QT_TRANSLATE_NOOP("Actions", "S&witch between light and dark"),
        ("Ctrl+D",),
        icon="theme",
        separated=True,
    ),
    Command(
        "full_screen",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&Full screen"),
        ("F11",),
        icon="fullscreen",
        checkable=True,
        separated=True,
    ),
    Command(
        "show_keys",
        "help",
        QT_TRANSLATE_NOOP("Actions", "&Keyboard…"),
        ("Ctrl+K", "?"),
        icon="keyboard",
    ),
    Command(
        "show_log",
        "help",
        QT_TRANSLATE_NOOP("Actions", "Show the &log folder"),
        icon="folder",
    ),
    Command(
        "about",
        "help",
        QT_TRANSLATE_NOOP("Actions", "&About Pairloom"),
        icon="info",
        separated=True,
    ),
)


def build(owner: QObject) -> dict[str, QAction]:
    """Make the action of every command, connected to the owner's method of the same name.

    Parameters
    ----------
    owner
        The window; it has a method for each command's id.
    """
    made = {}
    for command in COMMANDS:
        action = QAction(owner)
        action.setObjectName(command.id)
        action.setShortcuts([QKeySequence(keys) for keys in command.keys])
        action.setCheckable(command.checkable)
        _name(action, command)
        action.triggered.connect(getattr(owner, command.id))
        made[command.id] = action
    color(made)
    return made


def _name(action: QAction, command: Command, *, shared: bool = False) -> None:
    told = f"\t{command.told}" if command.told else ""
    english = command.shared if shared and command.shared else command.text
    action.setText(text(english) + told)
    _tell(action, plain(action), keys(command))


def _tell(action: QAction, said: str, shown: str) -> None:
    action.setToolTip(f"{said} ({shown})" if shown else said)
    action.setStatusTip(said)


def color(made: dict[str, QAction]) -> None:
    """Give the actions icons in the colours in force."""
    for command in COMMANDS:
        if command.icon:
            made[command.id].setIcon(theme.icon(command.icon))


def enable(made: dict[str, QAction], snapshot: Snapshot | None) -> None:
    """Allow what can be done in this state, name it as it is read there, or say why not."""
    shared = shares_groups(snapshot)
    for command in COMMANDS:
        action = made[command.id]
        action.setEnabled(command.when(snapshot))
        if command.shared:
            _name(action, command, shared=shared)
        elif command.when is has_one_group_each:
            why_not = text(_WHY_NOT).format(words(command)) if shared else words(command)
            _tell(action, why_not, keys(command))


def words(command: Command) -> str:
    """Give the text of a command as it is read."""
    return text(command.text).replace("&", "").rstrip("…")


def plain(action: QAction) -> str:
    """Give the text of an action as it is read."""
    return action.text().partition("\t")[0].replace("&", "").rstrip("…")


def keys(command: Command) -> str:
    """Give the keys of a command as this system writes them."""
    native = QKeySequence.SequenceFormat.NativeText
    return command.told or ", ".join(QKeySequence(k).toString(native) for k in command.keys)


def text(english: str) -> str:
    """Translate a text of this table."""
    return QCoreApplication.translate("Actions", english)
