"""Every strategy and parameter can be told to people: titles, sentences, fields."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from desktop import strategies as words
from desktop.messages import Offer
from desktop.widgets.choosing.strategy_choice import SLIPS, StrategyChoice
from engine import strategies
from engine.model import Approach

EACH = pytest.mark.parametrize("name", strategies.REGISTRY)
OFFERS = tuple(Offer(name, strategies.parameters(name)) for name in strategies.REGISTRY)


@EACH
def test_every_strategy_has_a_title_and_a_sentence(name: str) -> None:
    assert name in words.TITLES
    assert words.title(name) != name
    assert words.about(name).endswith(".")


def test_titles_are_told_apart() -> None:
    titles = [words.title(name) for name in strategies.REGISTRY]
    assert len(set(titles)) == len(titles)
    assert words.FIRST in strategies.REGISTRY


@EACH
def test_what_the_form_says_is_what_the_engine_takes(qtbot: QtBot, name: str) -> None:
    choice = StrategyChoice(folded=False)
    qtbot.addWidget(choice)
    start = strategies.complete(name, {})
    choice.offer(OFFERS, start)
    choice.show()
    assert choice.approach == start
    assert choice.unusual == {}
    assert choice.fault == ""
    strategies.make(name, choice.unusual)


def test_the_recommended_one_stands_first_and_a_few_settings_are_in_sight(qtbot: QtBot) -> None:
    choice = StrategyChoice(folded=False)
    qtbot.addWidget(choice)
    choice.offer(tuple(reversed(OFFERS)))
    choice.show()
    assert choice.strategy == words.FIRST
    assert choice.names.itemData(0) == words.FIRST
    form = choice.settings.form
    seen = [name for name, field in form.fields.items() if field.isVisible()]
    assert 1 <= len(seen) <= 4 < len(form.fields)


def test_slips_are_shares_that_the_engine_takes() -> None:
    shares = [share for share in SLIPS if share]
    approaches = [strategies.complete("falcon", {"noise": share}) for share in shares]
    assert [dict(one.params)["noise"] for one in approaches] == shares
    assert approaches[0] == strategies.complete("falcon", {})


def test_of_a_file_that_is_kept_the_folder_is_not_told() -> None:
    kept = Approach("composing", (("compose", "/of/someone/w.npz#0123456789abcdef"),))
    assert words.unlike(kept, {"compose": "sum"}) == ("compose = w.npz#0123456789abcdef",)


def test_a_file_is_the_same_by_whatever_way_it_is_named() -> None:
    one, same, other = (
        Approach("composing", (("compose", text), ("degree", "2")))
        for text in ("w.npz#0123456789abcdef", "/of/w.npz#0123456789abcdef", "w.npz#" + 16 * "0")
    )
    assert words.alike(one, same)
    assert not words.alike(one, other)
    assert not words.alike(one, Approach("random", one.params))
