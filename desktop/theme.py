"""Theme: light and dark colours, the look of widgets, and how a group is told apart.

Hidden: palettes, style sheet, icon colouring. Promised: text on its background has a contrast of
4.5 or more, marks of 3 or more, and no group is told by colour alone: every slot has a colour *and*
a sign, and the pair repeats only after 64 groups.

The group colours began as those of Okabe and Ito (2008). They were moved by annealing until each
could be seen on light or dark (contrast 3.1) and all stood as far apart in CIELAB as they go while
they keep their hues: 35 for normal eyes, 20 for protan and deutan ones, and apart from the grey of
undecided items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from desktop import paths
from desktop.style import style_sheet

SCHEMES = ("system", "light", "dark")


@dataclass(frozen=True, slots=True)
class Colors:
    """Colours by purpose, as "#rrggbb".

    Attributes
    ----------
    window, surface, raised
        Backgrounds: behind panels, of lists and pictures, of buttons.
    text, muted, disabled
        Inks on any of the three.
    border, hover
        Lines between things; background under the pointer.
    accent, on_accent
        Selection, focus, the main button; and the ink on it.
    same, different, unsure
        Verdicts: blue, orange, grey (never red and green).
    warning, error
        Inks of banners.
    slots
        Eight group colours.
    undecided
        Items in no group.
    """

    window: str
    surface: str
    raised: str
    text: str
    muted: str
    disabled: str
    border: str
    hover: str
    accent: str
    on_accent: str
    same: str
    different: str
    unsure: str
    warning: str
    error: str
    slots: tuple[str, ...]
    undecided: str


LIGHT = Colors(
    window="#F4F5F7",
    surface="#FFFFFF",
    raised="#FFFFFF",
    text="#1B1F24",
    muted="#59616B",
    disabled="#676E77",
    border="#D3D7DD",
    hover="#E9ECF1",
    accent="#2457C5",
    on_accent="#FFFFFF",
    same="#0067A3",
    different="#A84A00",
    unsure="#565D66",
    warning="#8A5A00",
    error="#B3261E",
    slots=(
        "#004886",
        "#A33000",
        "#3B9667",
        "#CF61C2",
        "#A38800",
        "#1B8BF9",
        "#8B3057",
        "#242820",
    ),
    undecided="#868C95",
)
DARK = Colors(
    window="#1A1C20",
    surface="#23262B",
    raised="#2C3036",
    text="#E7E9EC",
    muted="#A7AEB8",
    disabled="#98A0A9",
    border="#3D4249",
    hover="#343941",
    accent="#82AEFF",
    on_accent="#10131A",
    same="#6BB6EE",
    different="#F59A57",
    unsure="#B4BBC4",
    warning="#F0B95A",
    error="#FF8A80",
    slots=(
        "#729DFF",
        "#DA6E0F",
        "#09AB77",
        "#B157A4",
        "#F3DE20",
        "#59D4F7",
        "#7259F4",
        "#F6E9D8",
    ),
    undecided="#7E8690",
)

_ICON_SIZES = (16, 24, 48)  # Qt scales to those between
_SIGNS = ("■", "▲", "●", "◆", "★", "▼", "✚", "►")
_SYMBOLS = ("s", "t1", "o", "d", "star", "t", "+", "t2")


class Theme(QObject):
    """The look in force; `themeChanged` is emitted after a change, for own drawing and icons."""

    themeChanged = Signal()

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._scheme = "light"
        self._app = app
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(self._follow)

    @property
    def scheme(self) -> str:
        """What was chosen: "light", "dark" or "system"."""
        return self._scheme

    @property
    def is_dark(self) -> bool:
        """Whether the dark colours are in force."""
        if self._scheme == "system":
            return self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return self._scheme == "dark"

    @property
    def colors(self) -> Colors:
        """The colours in force."""
        return DARK if self.is_dark else LIGHT

    def set_scheme(self, scheme: str) -> None:
        """Put a scheme in force.

        Raises
        ------
        ValueError
            For a scheme that is not one of `SCHEMES`.
        """
        if scheme not in SCHEMES:
            raise ValueError(f"unknown scheme {scheme!r}: choose from {', '.join(SCHEMES)}")
        self._scheme = scheme
        colors = self.colors
        self._app.setPalette(_palette(colors))
        self._app.setStyleSheet(style_sheet(colors))
        self.themeChanged.emit()

    def _follow(self) -> None:
        if self._scheme == "system":
            self.set_scheme("system")


def apply(app: QApplication, scheme: str) -> Theme:
    """Put "light", "dark" or "system" in force for the whole application."""
    theme = app.findChild(Theme) or Theme(app)
    theme.set_scheme(scheme)
    return theme


def current() -> Theme:
    """Give the theme of the running application (light where none was applied)."""
    app = cast("QApplication", QApplication.instance())
    return app.findChild(Theme) or Theme(app)


# ------------------------------------------------------------------------------ groups


def slot_color(slot: int) -> QColor:
    """Colour of a group's slot; -1 = undecided."""
    colors = current().colors
    return QColor(colors.undecided if slot < 0 else colors.slots[slot % len(colors.slots)])


def slot_ink(slot: int) -> QColor:
    """Ink that can be read on `slot_color(slot)`."""
    black, white = QColor("#000000"), QColor("#FFFFFF")
    color = slot_color(slot)
    return max((black, white), key=lambda ink: contrast(ink, color))


def slot_symbol(slot: int) -> str:
    """Sign of a group's slot as pyqtgraph names it; undecided items are small circles."""
    return "o" if slot < 0 else _SYMBOLS[_sign_of(slot)]


def slot_text(slot: int) -> str:
    """Sign and number of a group's slot, such as "▲2"; "?" for undecided."""
    return "?" if slot < 0 else f"{_SIGNS[_sign_of(slot)]}{slot + 1}"


def _sign_of(slot: int) -> int:
    """Shift the signs by one each time the colours come round again: 64 distinct pairs."""
    return (slot + slot // len(_SIGNS)) % len(_SIGNS)


def picture_ground() -> QColor:
    """Background of pictures: a neutral grey that neither glares nor swallows dark edges."""
    return QColor("#121417" if current().is_dark else "#D9DCE1")


def contrast(one: QColor, other: QColor) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.1, relative luminance)."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(color: QColor) -> float:
    channels = (color.redF(), color.greenF(), color.blueF())
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# ------------------------------------------------------------------------------- icons


def icon(name: str, color: str | None = None) -> QIcon:
    """Line icon of `resources/icons`, in the ink of the theme (or `color`).

    Ask again after `themeChanged`.

    Raises
    ------
    FileNotFoundError
        When there is no such icon.
    """
    svg = paths.icon_file(name).read_text(encoding="utf-8")
    colors = current().colors
    found = QIcon()
    for mode, ink in (
        (QIcon.Mode.Normal, color or colors.text),
        (QIcon.Mode.Disabled, colors.disabled),
    ):
        renderer = QSvgRenderer(QByteArray(svg.replace("currentColor", ink).encode()))
        for size in _ICON_SIZES:
            found.addPixmap(_drawn(renderer, size), mode)
    return found


def _drawn(renderer: QSvgRenderer, size: int) -> QPixmap:
    ratio = QGuiApplication.primaryScreen().devicePixelRatio()
    pixmap = QPixmap(QSize(size, size) * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap


# ----------------------------------------------------------------------------- palette


def _palette(colors: Colors) -> QPalette:
    role = QPalette.ColorRole
    inks = {
        role.Window: colors.window,
        role.WindowText: colors.text,
        role.Base: colors.surface,
        role.AlternateBase: colors.window,
        role.Text: colors.text,
        role.PlaceholderText: colors.muted,
        role.Button: colors.raised,
        role.ButtonText: colors.text,
        role.BrightText: colors.error,
        role.ToolTipBase: colors.raised,
        role.ToolTipText: colors.text,
        role.Highlight: colors.accent,
        role.HighlightedText: colors.on_accent,
        role.Accent: colors.accent,
        role.Link: colors.accent,
        role.LinkVisited: colors.accent,
        role.Light: colors.raised,
        role.Midlight: colors.hover,
        role.Mid: colors.border,
        role.Dark: colors.border,
        role.Shadow: colors.border,
    }
    palette = QPalette()
    for which, ink in inks.items():
        palette.setColor(which, QColor(ink))
    disabled = QPalette.ColorGroup.Disabled
    for which in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(disabled, which, QColor(colors.disabled))
    palette.setColor(disabled, role.Highlight, QColor(colors.hover))
    return palette
