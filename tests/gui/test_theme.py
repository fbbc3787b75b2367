"""The look: everything can be read, and no group is told by colour alone."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop import paths, theme
from desktop.style import style_sheet
from desktop.theme import DARK, LIGHT, Colors

LOOKS = pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    yield qapp
    theme.apply(qapp, "light")


def contrast(one: str, other: str) -> float:
    return theme.contrast(QColor(one), QColor(other))


@LOOKS
def test_inks_can_be_read_on_every_background(colors: Colors) -> None:
    inks = {
        name: getattr(colors, name)
        for name in (
            "text", "muted", "disabled", "accent", "same", "different", "unsure", "warning", "error"
        )
    }  # fmt: skip
    for background in (colors.window, colors.surface, colors.raised):
        for name, ink in inks.items():
            assert contrast(ink, background) >= 4.5, f"{name} on {background}"
    for name in ("text", "muted", "accent"):
        assert contrast(inks[name], colors.hover) >= 4.5, f"{name} under the pointer"
    assert contrast(colors.on_accent, colors.accent) >= 4.5


@LOOKS
def test_group_marks_can_be_seen(colors: Colors) -> None:
    assert len(set(colors.slots)) == 8
    for mark in (*colors.slots, colors.undecided):
        assert contrast(mark, colors.surface) >= 3
        assert contrast(mark, colors.window) >= 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_ink_on_a_groups_colour_can_be_read(app: QApplication, scheme: str) -> None:
    theme.apply(app, scheme)
    for slot in range(-1, 8):
        assert theme.contrast(theme.slot_ink(slot), theme.slot_color(slot)) >= 4.5


def test_groups_differ_by_colour_and_sign(app: QApplication) -> None:
    looks = [(theme.slot_color(slot).name(), theme.slot_symbol(slot)) for slot in range(64)]
    assert len(set(looks)) == 64
    assert len({theme.slot_symbol(slot) for slot in range(8)}) == 8
    assert theme.slot_text(1) == "▲2"
    assert theme.slot_text(-1) == "?"
    assert len({theme.slot_text(slot) for slot in range(200)}) == 200


# Machado, Oliveira and Fernandes (2009), severity 1.
BLINDNESS = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
               (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
               (-0.011820, 0.042940, 0.968881)),
}  # fmt: skip


@LOOKS
@pytest.mark.parametrize("kind", BLINDNESS)
def test_group_colours_stay_apart_without_red_or_green(colors: Colors, kind: str) -> None:
    def seen(mark: str) -> tuple[float, ...]:
        color = QColor(mark)
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
                  for c in (color.redF(), color.greenF(), color.blueF())]  # fmt: skip
        mixed = [sum(w * c for w, c in zip(row, linear, strict=True)) for row in BLINDNESS[kind]]
        shown = [max(0.0, min(1.0, c)) for c in mixed]
        lab = QColor.fromRgbF(*(c ** (1 / 2.2) for c in shown))
        return lab.redF(), lab.greenF(), lab.blueF()

    views = [seen(mark) for mark in colors.slots]
    nearest = min(
        sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5
        for i, one in enumerate(views)
        for other in views[i + 1 :]
    )
    assert nearest > 0.19


@LOOKS
def test_no_two_groups_look_nearly_the_same(colors: Colors) -> None:
    def lab(mark: str) -> tuple[float, float, float]:
        color = QColor(mark)
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
                            for c in (color.redF(), color.greenF(), color.blueF()))  # fmt: skip
        x, y, z = (
            value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116
            for value in (
                (0.41246 * red + 0.35758 * green + 0.18044 * blue) / 0.95047,
                0.21267 * red + 0.71515 * green + 0.07218 * blue,
                (0.01933 * red + 0.11919 * green + 0.95030 * blue) / 1.08883,
            )
        )
        return 116 * y - 16, 500 * (x - y), 200 * (y - z)

    marks = [lab(mark) for mark in colors.slots]
    nearest = min(math.dist(one, two) for i, one in enumerate(marks) for two in marks[i + 1 :])
    assert nearest > 30
    assert min(math.dist(mark, lab(colors.undecided)) for mark in marks) > 20


def test_schemes_change_palette_and_tell(app: QApplication, qtbot: QtBot) -> None:
    look = theme.apply(app, "light")
    assert not look.is_dark
    with qtbot.waitSignal(look.themeChanged):
        look.set_scheme("dark")
    assert theme.current() is look
    assert look.is_dark
    assert app.palette().color(QPalette.ColorRole.Window) == QColor(DARK.window)
    theme.apply(app, "system")
    assert look.scheme == "system"
    with pytest.raises(ValueError, match="unknown scheme"):
        look.set_scheme("pink")


@LOOKS
def test_style_sheet_uses_the_colours_alone(colors: Colors) -> None:
    used = set(re.findall(r"#[0-9A-Fa-f]{6}\b", style_sheet(colors)))
    allowed = {getattr(colors, name) for name in Colors.__slots__ if name != "slots"}
    assert used <= allowed
    assert ":focus" in style_sheet(colors)


def test_every_icon_is_drawn_in_the_ink(app: QApplication) -> None:
    icons = sorted(path.stem for path in (paths.resources() / "icons").glob("*.svg"))
    assert len(icons) >= 25
    theme.apply(app, "dark")
    for name in icons:
        drawn = theme.icon(name).pixmap(24, 24).toImage()
        inks = {
            drawn.pixelColor(x, y).name()
            for x in range(drawn.width())
            for y in range(drawn.height())
            if drawn.pixelColor(x, y).alpha() > 128
        }
        assert inks, name
    assert DARK.text.lower() in {
        theme.icon("fullscreen").pixmap(64, 64).toImage().pixelColor(x, 12).name()
        for x in range(64)
    }


def test_an_unknown_icon_is_an_error(app: QApplication) -> None:
    with pytest.raises(FileNotFoundError):
        theme.icon("no such icon")
