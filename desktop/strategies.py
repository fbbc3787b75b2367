"""Strategies, methods and spaces in words: what people choose between.

Hidden: the registries' names. Promised: every strategy and every method has a title and a sentence
(`tests/gui/test_strategy_words.py`); parameters speak for themselves, by their `help`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from desktop.messages import Offer
from desktop.translation import QT_TRANSLATE_NOOP
from engine.model import Approach
from engine.parameters import unmarked

TITLES = {
    "falcon": QT_TRANSLATE_NOOP("Strategies", "Telling examples (FALCON)"),
    "hmcahc": QT_TRANSLATE_NOOP("Strategies", "Merging step by step (HMCAHC)"),
    "cobras": QT_TRANSLATE_NOOP("Strategies", "Small sets of like items (COBRAS)"),
    "acdm": QT_TRANSLATE_NOOP("Strategies", "Spreading among neighbours (ACDM)"),
    "components": QT_TRANSLATE_NOOP("Strategies", "Checking a first guess (RCC)"),
    "mpck-npu": QT_TRANSLATE_NOOP("Strategies", "Least certain items (NPU)"),
    "explore-consolidate": QT_TRANSLATE_NOOP("Strategies", "One of each, then the rest"),
    "active-pck": QT_TRANSLATE_NOOP("Strategies", "One of each, round groups (PCK)"),
    "composing": QT_TRANSLATE_NOOP("Strategies", "Several groups at once"),
    "random": QT_TRANSLATE_NOOP("Strategies", "Random pairs"),
    "own": QT_TRANSLATE_NOOP("Strategies", "As the questions go"),
    "fc2": QT_TRANSLATE_NOOP("Strategies", "Answers that spread (CS-PDS, FC2)"),
    "rcc": QT_TRANSLATE_NOOP("Strategies", "Nearness alone (RCC)"),
    "rcc-dr": QT_TRANSLATE_NOOP("Strategies", "Nearness in fewer dimensions (RCC-DR)"),
    "tahc": QT_TRANSLATE_NOOP("Strategies", "Merging the nearest (hierarchy)"),
    "kmeans": QT_TRANSLATE_NOOP("Strategies", "Round clouds (k-means)"),
    "pck": QT_TRANSLATE_NOOP("Strategies", "Round clouds that heed answers (PCK)"),
    "given": QT_TRANSLATE_NOOP("Strategies", "The features they came with"),
    "learned": QT_TRANSLATE_NOOP("Strategies", "What the answers teach"),
}
_ABOUT = {
    "falcon": QT_TRANSLATE_NOOP(
        "Strategies",
        "Compares examples of every kind there seems to be, then looks where they explain the"
        " data badly. A good choice for most data, and the number of groups need not be known.",
    ),
    "hmcahc": QT_TRANSLATE_NOOP(
        "Strategies",
        "Merges the nearest groups again and again, and asks where a merge is doubtful. Best with"
        " a known number of groups and a handful of questions: more can make its groups worse. The"
        " whole tree can be looked at.",
    ),
    "cobras": QT_TRANSLATE_NOOP(
        "Strategies",
        "Cuts the data into small sets of like items, asks which sets belong together, and cuts"
        " the largest ones again.",
    ),
    "acdm": QT_TRANSLATE_NOOP(
        "Strategies",
        "Lets every answer spread from neighbour to neighbour, and asks where neighbours disagree."
        " In our measurements it took the fewest questions, as long as nobody erred.",
    ),
    "components": QT_TRANSLATE_NOOP(
        "Strategies",
        "Groups everything before the first question, a guess nobody has checked. Asks which of its"
        " groups belong together and whether each is one; then another way of asking goes on. The"
        " groups keep the shape of the guess where answers do not say otherwise.",
    ),
    "mpck-npu": QT_TRANSLATE_NOOP(
        "Strategies",
        "Asks about the item whose group is least certain for the questions it costs. Groups are"
        " clouds, each with its own sense of distance.",
    ),
    "explore-consolidate": QT_TRANSLATE_NOOP(
        "Strategies",
        "First looks for one item of every group, then places random items among them. Groups are"
        " clouds, each with its own sense of distance.",
    ),
    "active-pck": QT_TRANSLATE_NOOP(
        "Strategies",
        "First looks for one item of every group, then places random items among them. Groups are"
        " round clouds.",
    ),
    "composing": QT_TRANSLATE_NOOP(
        "Strategies",
        "For items that may belong to several groups at once. Asks whether two have a group in"
        " common: an answer is about its pair, and nothing follows from it for others.",
    ),
    "random": QT_TRANSLATE_NOOP(
        "Strategies",
        "Asks about any two items. Slow to learn from; for comparison, and for checking a grouping"
        " without bias.",
    ),
    "own": QT_TRANSLATE_NOOP(
        "Strategies",
        "The groups of the strategy that chooses the pairs. They follow every answer at once.",
    ),
    "fc2": QT_TRANSLATE_NOOP(
        "Strategies",
        "Lets your answers spread to nearby items, and builds the groups on what was said and"
        " learned. In our measurements it did no better, on average, than the questions' own"
        " groups.",
    ),
    "rcc": QT_TRANSLATE_NOOP(
        "Strategies",
        "Lets neighbours draw together until groups appear. It needs no answer and no number of"
        " groups; your answers are only kept to, item by item.",
    ),
    "rcc-dr": QT_TRANSLATE_NOOP(
        "Strategies",
        "As RCC, while it looks for the few dimensions that matter. For data with very many"
        " features.",
    ),
    "tahc": QT_TRANSLATE_NOOP(
        "Strategies",
        "Merges the nearest groups until so many are left. Your answers are only kept to, item by"
        " item.",
    ),
    "kmeans": QT_TRANSLATE_NOOP(
        "Strategies",
        "Finds so many round groups of like items. Your answers are only kept to, item by item.",
    ),
    "pck": QT_TRANSLATE_NOOP(
        "Strategies",
        "Finds so many round groups, and pays for every answer that they break.",
    ),
}
_BRIEF = {
    "fc2": QT_TRANSLATE_NOOP("Strategies", "FC2"),
    "rcc": QT_TRANSLATE_NOOP("Strategies", "RCC"),
    "rcc-dr": QT_TRANSLATE_NOOP("Strategies", "RCC-DR"),
    "tahc": QT_TRANSLATE_NOOP("Strategies", "merging the nearest"),
    "kmeans": QT_TRANSLATE_NOOP("Strategies", "k-means"),
    "pck": QT_TRANSLATE_NOOP("Strategies", "PCK"),
}
FIRST = "falcon"
"""The one that is recommended."""
GUESSING = "rcc"
"""The method that finds groups before any answer."""


def title(name: str) -> str:
    """Name a strategy; one that has no title goes by its registry name."""
    return QCoreApplication.translate("Strategies", TITLES.get(name, name))


def first_guess(*, pictures: bool) -> Approach:
    """Give how groups are found before any answer.

    RCC has a scale of its own. Stretched, it guesses the classes of pictures better (AMI of 450
    blood cells .56 to .71, 600 letters .78 to .82, 1,000 hands .34 to .57), but not of tables.
    """
    return Approach(GUESSING, (("stretch", "16.0"),) if pictures else ())


def brief(name: str) -> str:
    """Name a method in the middle of a sentence."""
    return QCoreApplication.translate("Strategies", _BRIEF.get(name, name))


def about(name: str) -> str:
    """Say in a sentence or two how a strategy goes about it."""
    return QCoreApplication.translate("Strategies", _ABOUT.get(name, ""))


def usual(offers: Sequence[Offer], name: str) -> dict[str, str]:
    """Give the usual values of a strategy's parameters; none where it is not offered.

    Of a parameter that must be given "" is the usual value.
    """
    found = next((offer.parameters for offer in offers if offer.strategy == name), ())
    return {one.name: one.default or "" for one in found}


def complete(offers: Sequence[Offer], approach: Approach) -> Approach:
    """Add the parameters that an approach does not name, as usual: then equals can be told."""
    values = usual(offers, approach.strategy) | dict(approach.params)
    return Approach(approach.strategy, tuple(values.items()))


def alike(one: Approach, other: Approach) -> bool:
    """Whether two complete approaches are the same: of a file that is kept, the content counts."""

    def told(approach: Approach) -> dict[str, str]:
        return {key: unmarked(value)[1] or value for key, value in approach.params}

    return one.strategy == other.strategy and told(one) == told(other)


def unlike(approach: Approach, other: Mapping[str, str]) -> tuple[str, ...]:
    """Name the parameters, with their values, that are not as in `other`."""
    return tuple(
        f"{key} = {_brief(value)}"
        for key, value in approach.params
        if other.get(key, value) != value
    )


def _brief(value: str) -> str:
    """Leave out the folder of a file whose content is kept: it need not be there any more."""
    name, marked = unmarked(value)
    return f"{Path(name).name}#{marked}" if marked is not None else value


def described(approach: Approach, usual: Mapping[str, str]) -> str:
    """Name a strategy with the parameters that are not as usual."""
    other = ", ".join(unlike(approach, usual))
    return f"{title(approach.strategy)}: {other}" if other else title(approach.strategy)
