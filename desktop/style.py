"""The style sheet: spacing, corners and focus rings of the standard widgets.

Hidden: Qt style sheet syntax. Promised: only what Fusion draws badly is touched, every colour comes
from `Colors`, and a widget with the keyboard focus can be seen to have it.

Widgets ask for a look by a dynamic property: `QLabel.role` = title, heading, muted, chip;
`QPushButton.role` = primary, same, different, unsure, quiet; `QFrame.role` = card, drop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop import paths

if TYPE_CHECKING:
    from desktop.theme import Colors


def style_sheet(colors: Colors) -> str:
    """Give the style sheet in the given colours."""
    c = colors
    # One grey that can be seen on both light and dark, as style sheets take files only.
    icons = ("arrow-up", "arrow-down", "tick")
    up, down, tick = (paths.icon_file(name).as_posix() for name in icons)
    return f"""
QToolTip {{ background: {c.raised}; color: {c.text}; border: 1px solid {c.border};
    border-radius: 6px; padding: 4px 6px; }}

QLabel[role="title"] {{ font-size: 20pt; font-weight: 600; }}
QLabel[role="heading"] {{ font-size: 12pt; font-weight: 600; }}
QLabel[role="strong"] {{ font-weight: 600; }}
QLabel[role="muted"] {{ color: {c.muted}; }}
QLabel[role="error"] {{ color: {c.error}; }}
QLabel[role="chip"] {{ background: {c.hover}; color: {c.text}; border-radius: 6px;
    padding: 2px 8px; }}

QFrame[role="card"] {{ background: {c.surface}; border: 1px solid {c.border};
    border-radius: 8px; }}
QFrame[role="banner"] {{ background: {c.surface}; border: 1px solid {c.border};
    border-left: 4px solid {c.accent}; border-radius: 6px; }}
QFrame[role="banner"][tone="warning"] {{ border-left-color: {c.warning}; }}
QFrame[role="drop"] {{ background: transparent; border: 2px dashed {c.border};
    border-radius: 8px; }}
QFrame[role="drop"][active="true"] {{ border-color: {c.accent}; }}

QPushButton {{ background: {c.raised}; color: {c.text}; border: 1px solid {c.border};
    border-radius: 7px; padding: 8px 14px; }}
QPushButton:hover {{ background: {c.hover}; }}
QPushButton:pressed {{ background: {c.border}; }}
QPushButton:focus {{ border: 2px solid {c.accent}; padding: 7px 13px; }}
QPushButton:disabled {{ color: {c.disabled}; background: {c.window}; }}
QPushButton:checked {{ background: {c.hover}; border-color: {c.accent}; }}
QPushButton[role="primary"] {{ background: {c.accent}; color: {c.on_accent};
    border: 1px solid {c.accent}; font-weight: 600; }}
QPushButton[role="primary"]:focus {{ border: 2px solid {c.text}; }}
QPushButton[role="primary"]:disabled {{ background: {c.window}; color: {c.disabled};
    border: 1px solid {c.border}; }}
QPushButton[role="same"] {{ color: {c.same}; border: 1px solid {c.same}; font-weight: 600; }}
QPushButton[role="different"] {{ color: {c.different}; border: 1px solid {c.different};
    font-weight: 600; }}
QPushButton[role="unsure"] {{ color: {c.unsure}; font-weight: 600; }}
QPushButton[role="same"]:focus, QPushButton[role="different"]:focus,
QPushButton[role="unsure"]:focus {{ border: 2px solid {c.accent}; }}
QPushButton[role="same"]:disabled, QPushButton[role="different"]:disabled,
QPushButton[role="unsure"]:disabled {{ color: {c.disabled}; border: 1px solid {c.border}; }}
QPushButton[role="quiet"] {{ background: transparent; border: 1px solid transparent; }}
QPushButton[role="quiet"]:hover {{ background: {c.hover}; }}
QPushButton[role="quiet"]:focus {{ border: 2px solid {c.accent}; }}
QPushButton[role="tile"] {{ text-align: left; padding: 10px 14px; }}
QPushButton[role="tile"]:focus {{ padding: 9px 13px; }}

QPushButton[role="small"] {{ padding: 3px 10px; border-radius: 6px; }}
QPushButton[role="small"]:focus {{ padding: 2px 9px; }}

QToolBar#rail {{ background: {c.window}; border: 0; border-right: 1px solid {c.border};
    padding: 6px 4px; spacing: 4px; }}
QToolBar#rail QToolButton {{ padding: 6px 4px; }}
QToolBar#rail QToolButton:checked {{ background: {c.hover}; color: {c.accent};
    font-weight: 600; }}

QToolButton {{ border: 2px solid transparent; border-radius: 7px; padding: 4px; }}
QToolButton[role="fold"] {{ padding: 3px 8px 3px 2px; font-weight: 600; }}
QToolButton[role="fold"]:checked {{ background: transparent; }}
QToolButton:hover {{ background: {c.hover}; }}
QToolButton:pressed, QToolButton:checked {{ background: {c.hover}; }}
QToolButton:focus {{ border-color: {c.accent}; }}
QToolButton:disabled {{ color: {c.disabled}; }}

QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit, QTextEdit {{
    background: {c.surface}; color: {c.text}; border: 1px solid {c.border};
    border-radius: 6px; padding: 4px 8px; selection-background-color: {c.accent};
    selection-color: {c.on_accent}; }}
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox {{ min-height: 20px; }}
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus,
QTextEdit:focus {{ border: 2px solid {c.accent}; padding: 3px 7px; }}
QLineEdit[faulty="true"], QComboBox[faulty="true"] {{ border-color: {c.error}; }}
QLineEdit:disabled, QSpinBox:disabled, QComboBox:disabled {{ color: {c.disabled};
    background: {c.window}; }}
QComboBox QComboBox {{ padding-right: 26px; }}
QComboBox::drop-down {{ border: 0; width: 26px; }}
QComboBox::down-arrow {{ image: url("{down}"); width: 14px; height: 14px; }}
QComboBox[role="cell"] {{ background: transparent; border: 2px solid transparent;
    border-radius: 4px; padding: 0 0 0 4px; min-height: 16px; }}
QComboBox[role="cell"]:focus {{ border-color: {c.accent}; }}
QComboBox[role="small"] {{ background: transparent; border: 2px solid transparent;
    border-radius: 4px; padding: 0 0 0 4px; min-height: 16px; }}
QComboBox[role="small"]:focus {{ border-color: {c.accent}; }}
QAbstractSpinBox {{ padding-right: 26px; }}
QAbstractSpinBox QLineEdit {{ border: 0; padding: 0 0 0 6px; background: transparent; }}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ border: 0; width: 24px;
    subcontrol-origin: padding; background: transparent; }}
QAbstractSpinBox::up-button {{ subcontrol-position: top right; }}
QAbstractSpinBox::down-button {{ subcontrol-position: bottom right; }}
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover {{
    background: {c.hover}; }}
QAbstractSpinBox::up-arrow {{ image: url("{up}"); width: 12px; height: 12px; }}
QAbstractSpinBox::down-arrow {{ image: url("{down}"); width: 12px; height: 12px; }}

QAbstractItemView {{ background: {c.raised}; border: 1px solid {c.border};
    selection-background-color: {c.accent}; selection-color: {c.on_accent}; }}

QAbstractItemView {{ background: {c.surface}; alternate-background-color: {c.window};
    border: 1px solid {c.border}; border-radius: 6px; outline: 0; }}
QAbstractItemView:focus {{ border: 2px solid {c.accent}; }}
QRadioButton {{ border: 2px solid transparent; border-radius: 6px; padding: 1px 4px;
    spacing: 8px; }}
QRadioButton:focus {{ border-color: {c.accent}; }}
QRadioButton::indicator {{ width: 12px; height: 12px; border: 1px solid {c.muted};
    border-radius: 7px; background: {c.surface}; }}
QRadioButton::indicator:checked {{ width: 6px; height: 6px; border: 4px solid {c.accent};
    background: {c.on_accent}; }}
QAbstractItemView::indicator {{ width: 11px; height: 11px; border: 1px solid {c.muted};
    border-radius: 2px; background: {c.surface}; }}
QAbstractItemView::indicator:checked {{ image: url("{tick}"); }}
QHeaderView {{ border: 0; background: {c.window}; }}
QTreeWidget::item {{ padding: 4px 6px; }}
QTableView::item {{ padding: 2px 8px; }}
QHeaderView::section {{ background: {c.window}; color: {c.muted}; border: 0;
    border-bottom: 1px solid {c.border}; padding: 6px 10px; }}
QTableView[role="figures"]::item {{ padding: 2px 4px; }}
QTableView[role="figures"] QHeaderView::section {{ padding: 6px 5px; }}
QTableView {{ gridline-color: {c.border}; }}

QGroupBox {{ border: 1px solid {c.border}; border-radius: 8px; margin-top: 10px;
    padding: 10px 8px 8px 8px; }}
QGroupBox::title {{ subcontrol-origin: margin; left: 12px; padding: 0 4px; color: {c.muted}; }}

QProgressBar {{ background: {c.hover}; border: 0; border-radius: 4px; min-height: 8px;
    max-height: 8px; }}
QProgressBar::chunk {{ background: {c.accent}; border-radius: 4px; }}

QMenuBar {{ background: {c.window}; border-bottom: 1px solid {c.border}; padding: 2px 4px; }}
QMenuBar::item {{ padding: 4px 10px; border-radius: 6px; background: transparent; }}
QMenuBar::item:selected {{ background: {c.hover}; }}
QMenu {{ background: {c.raised}; border: 1px solid {c.border}; padding: 4px; }}
QMenu::item {{ padding: 5px 28px 5px 12px; border-radius: 6px; }}
QMenu::item:selected {{ background: {c.accent}; color: {c.on_accent}; }}
QMenu::item:disabled {{ color: {c.disabled}; background: transparent; }}
QMenu::separator {{ height: 1px; background: {c.border}; margin: 4px 8px; }}
QMenu::icon {{ padding-left: 8px; }}

QStatusBar {{ background: {c.window}; border-top: 1px solid {c.border}; color: {c.muted}; }}
QStatusBar::item {{ border: 0; }}
QStatusBar QLabel {{ color: {c.muted}; padding: 0 6px; }}

QDockWidget {{ color: {c.text}; titlebar-close-icon: none; titlebar-normal-icon: none; }}
QDockWidget::title {{ background: {c.window}; padding: 6px 10px; text-align: left; }}
QMainWindow::separator {{ background: {c.border}; width: 1px; height: 1px; margin: 2px; }}
QSplitter::handle {{ background: transparent; }}
QSplitter::handle:hover {{ background: {c.border}; }}
QSplitter::handle:horizontal {{ width: 8px; }}
QSplitter::handle:vertical {{ height: 8px; }}
QScrollArea[role="bare"] {{ background: transparent; border: 0; }}

QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; }}
QScrollBar::handle {{ background: {c.border}; border-radius: 4px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 28px; }}
QScrollBar::handle:horizontal {{ min-width: 28px; }}
QScrollBar::handle:hover {{ background: {c.disabled}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
"""
