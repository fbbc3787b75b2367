"""The bundled samples: what they are asked about, and what suits them.

Hidden: where they lie. Promised: a person who tries one needs to choose nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from desktop import paths
from desktop.translation import QT_TRANSLATE_NOOP


@dataclass(frozen=True, slots=True)
class Sample:
    """Proposals for a bundled sample.

    Attributes
    ----------
    question
        Shown above every pair.
    embedder
        Best for it; "" = the usual one.
    planned
        Answers after which the groups are good.
    why
        A sentence about the choice of the embedder; "" = nothing to say.
    """

    question: str
    embedder: str
    planned: int
    why: str = ""


# ARI after 100 simulated answers about the digits: 0.898 by strokes (classic), 0.461 by lite0.
_DIGITS = (
    QT_TRANSLATE_NOOP("Samples", "Do these two show the same digit?"),
    "classic",
    100,
    QT_TRANSLATE_NOOP("Samples", "Handwriting is told apart best by its strokes, so by shape."),
)
_TUMOURS = (QT_TRANSLATE_NOOP("Samples", "Are these two tumours of the same kind?"), "", 50, "")


def known(source: Path) -> Sample | None:
    """Give the proposals for a source that is a bundled sample; None for any other."""
    bundled = {paths.sample_images(): _DIGITS, paths.sample_table(): _TUMOURS}
    found = bundled.get(source.absolute())
    if found is None:
        return None
    question, embedder, planned, why = found
    return Sample(_tr(question), embedder, planned, _tr(why) if why else "")


def _tr(english: str) -> str:
    return QCoreApplication.translate("Samples", english)
