"""What may be larger than the room there is for it, say with a large font.

Promised: it scrolls up and down only, takes no focus of its own, and has a name for screen readers.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget


def scrolled(inside: QWidget, name: str) -> QScrollArea:
    """Put something into an area that scrolls, on the background there is."""
    area = QScrollArea()
    area.setProperty("role", "bare")
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)
    area.setAccessibleName(name)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    for see_through in (area.viewport(), inside):
        see_through.setAutoFillBackground(False)
    return area


def scrolled_card(inside: QWidget, name: str) -> QFrame:
    """Put something into an area that scrolls, on a card."""
    card = QFrame()
    card.setProperty("role", "card")
    around = QVBoxLayout(card)
    around.setContentsMargins(2, 2, 2, 2)
    around.addWidget(scrolled(inside, name))
    return card
