"""The small buttons that change how the pair is seen, each with its key in the tool tip."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from desktop import theme
from desktop.pictures import Preset
from desktop.widgets.judging.linked_views import LinkedViews


class ViewTools(QWidget):
    """Buttons for zoom, link, window and names.

    Parameters
    ----------
    views
        What they act on.

    Notes
    -----
    `namesToggled()`: names are to be hidden or shown.
    """

    namesToggled = Signal()

    def __init__(self, views: LinkedViews, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._views = views
        self._icons: dict[QToolButton, str] = {}
        self._drawn: dict[QToolButton, tuple[str, bool]] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.fit = self._button("fit", self.tr("Whole picture (0)"), views.fit)
        self.actual = self._button(
            "actual-size", self.tr("Every pixel as one, 100 % (9)"), views.actual_size
        )
        self.link = self._button("link", "", views.toggle_link)
        self.shades = self._button("contrast", self.tr("Brightness of grey pictures"), None)
        self.shades.setMenu(self._window_menu())
        self.shades.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.names = self._button("names", "", self.namesToggled.emit)
        self.names.setCheckable(True)
        for button in self._icons:
            row.addWidget(button)
        views.changed.connect(self.refresh)
        theme.current().themeChanged.connect(self._color)
        self.show_names(hidden=False)
        self.refresh()
        self._color()

    def show_names(self, *, hidden: bool) -> None:
        """Show whether names are hidden."""
        self.names.setChecked(hidden)
        text = self.tr("Show file names (H)") if hidden else self.tr("Hide file names (H)")
        self.names.setToolTip(text)
        self.names.setAccessibleName(text)

    def show_pictures(self, *, any_picture: bool) -> None:
        """Offer what makes sense for pictures only where there are some."""
        for button in (self.fit, self.actual, self.link):
            button.setVisible(any_picture)
        self.refresh()

    def refresh(self) -> None:
        """Show link, preset and inversion as they are."""
        linked = self._views.linked
        text = self.tr("Let the sides go (K)") if linked else self.tr("Link both sides (K)")
        self._icons[self.link] = "link" if linked else "unlink"
        self.link.setToolTip(text)
        self.link.setAccessibleName(text)
        self.shades.setVisible(self._views.any_grey)
        self._invert.setChecked(self._views.inverted)
        self._presets[self._views.preset].setChecked(True)
        self._draw(self.link)

    def _draw(self, button: QToolButton) -> None:
        """Give a button its icon; drawing one takes a millisecond, so only where it changed."""
        wanted = (self._icons[button], theme.current().is_dark)
        if self._drawn.get(button) != wanted:
            self._drawn[button] = wanted
            button.setIcon(theme.icon(wanted[0]))

    def _color(self) -> None:
        for button in self._icons:
            self._draw(button)

    def _button(self, icon: str, text: str, act: Callable[[], None] | None) -> QToolButton:
        button = QToolButton(self)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setIconSize(QSize(20, 20))
        button.setToolTip(text)
        button.setAccessibleName(text)
        if act is not None:
            button.clicked.connect(act)
        self._icons[button] = icon
        return button

    def _window_menu(self) -> QMenu:
        menu = QMenu(self)
        names = {
            Preset.STORED: self.tr("As stored"),
            Preset.FULL: self.tr("From darkest to brightest"),
            Preset.MIDDLE: self.tr("Middle 90 %"),
            Preset.DARK: self.tr("Dark half"),
            Preset.BRIGHT: self.tr("Bright half"),
        }
        self._presets: dict[Preset, QAction] = {}
        for preset, name in names.items():
            action = menu.addAction(name)
            action.setCheckable(True)
            action.triggered.connect(lambda _=False, preset=preset: self._views.choose(preset))
            self._presets[preset] = action
        menu.addSeparator()
        self._invert = menu.addAction(self.tr("Invert\tI"))
        self._invert.setCheckable(True)
        self._invert.triggered.connect(self._views.toggle_invert)
        menu.addAction(self.tr("Reset\tR")).triggered.connect(self._views.reset_window)
        hint = menu.addAction(self.tr("Right-drag sets window and level; [ ] change the preset"))
        hint.setEnabled(False)
        return menu
