"""Progress in plain words, and the strip of effects."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from desktop import theme
from desktop.controller import Controller
from desktop.docks.progress import ProgressDock
from desktop.messages import Changed, Closed, Opened, Replayed
from desktop.widgets import words
from desktop.widgets.history.effect_strip import EffectStrip
from engine.model import Conflict, Effect, Pair, Verdict
from tests.gui.handmade import NOON, answer_step, chain, controller_on, moved_on


@pytest.fixture(autouse=True, scope="module")
def look(qapp: object) -> None:
    theme.apply(qapp, "light")  # type: ignore[arg-type]


def shown_dock(qtbot: QtBot, n_answers: int) -> tuple[Controller, Opened, ProgressDock]:
    controller, opened = controller_on(history=chain(n_answers))
    dock = ProgressDock(controller)
    qtbot.addWidget(dock)
    dock.resize(320, 360)
    dock.show()
    controller.receive(opened)
    return controller, opened, dock


def figures(dock: ProgressDock) -> dict[str, str]:
    return {name: value.text() for name, (_, value) in dock._rows.items() if not value.isHidden()}


def test_figures_in_words(qtbot: QtBot) -> None:
    _, _, dock = shown_dock(qtbot, 30)
    assert dock._asked.text() == "30 of 200 planned questions answered"
    assert dock._bar.value() == 30
    assert dock._recent.text() == "Of the last 20 answers, 3 changed the groups."
    assert figures(dock) == {"groups": "4 (was 5)", "unsure": "7", "implied": "90"}
    assert dock._pace.text() == "At your pace, 3 s an answer, the rest takes about 9 min."


def test_a_new_state_paints_nothing_before_all_of_the_window_has_it(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot, 30)
    painted: list[str] = []
    dock._strip.paintEvent = lambda _event: painted.append("strip")  # type: ignore[method-assign]
    dock._strip.update()
    qtbot.waitUntil(lambda: painted != [])
    painted.clear()
    progress = replace(opened.snapshot.progress, answered=90)
    dock._strip.update()
    controller.receive(Changed(moved_on(opened.snapshot, progress=progress)))
    assert painted == []
    assert dock._bar.value() == 90
    qtbot.waitUntil(lambda: painted != [])


def test_no_plan_no_estimate(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot, 30)
    progress = replace(opened.snapshot.progress, planned=None)
    controller.receive(Changed(moved_on(opened.snapshot, progress=progress)))
    assert dock._asked.text() == "30 questions answered"
    assert dock._bar.isHidden()
    assert dock._pace.isHidden()


def test_what_needs_attention_is_told(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot, 3)
    overview = opened.snapshot.overview
    slots = overview.slots.copy()
    slots[:6] = -1
    controller.receive(
        Changed(
            moved_on(
                opened.snapshot,
                overview=replace(overview, slots=slots),
                conflicts=(Conflict(3, Pair.of(0, 1), Verdict.SAME, ()),),
                progress=replace(opened.snapshot.progress, set_aside=2, recent_changes=0),
            )
        )
    )
    told = figures(dock)
    assert (told["undecided"], told["aside"], told["conflicts"]) == ("6", "2", "1")
    assert dock._recent.text() == "None of the last 3 answers changed the groups."


def test_a_replay_tells_the_state_that_is_shown(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot, 30)
    past = replace(
        opened.snapshot,
        position=10,
        live=False,
        progress=replace(opened.snapshot.progress, answered=10),
    )
    controller.view(10)
    controller.receive(Replayed(past))
    assert dock._asked.text().startswith("10 of 200")
    assert len(dock._strip._steps) == 10
    controller.view(None)
    assert dock._asked.text().startswith("30 of 200")


def test_nothing_is_told_without_a_project_or_answers(qtbot: QtBot) -> None:
    controller, _, dock = shown_dock(qtbot, 0)
    assert dock._recent.text() == "No answers yet."
    controller.receive(Closed())
    assert dock._asked.text() == "No project is open"
    assert figures(dock) == {}


def test_nothing_is_cut_off_at_320_pixels(qtbot: QtBot) -> None:
    _, _, dock = shown_dock(qtbot, 30)
    for label in (dock._asked, dock._pace, dock._recent):
        assert label.heightForWidth(label.width()) <= label.height()
    assert dock.widget().widget().minimumSizeHint().width() <= 320


# ------------------------------------------------------------------------------ the strip


@pytest.mark.parametrize("n", [1, 7, 80, 2000])
def test_bars_stay_within_the_strip(qtbot: QtBot, n: int) -> None:
    strip = EffectStrip()
    qtbot.addWidget(strip)
    strip.resize(300, 48)
    strip.show_steps(chain(n))
    bars = strip.bars()
    assert 1 <= len(bars) <= n
    rights = np.array([bar.right() for bar, _, _ in bars])
    assert rights.max() <= 300
    assert np.all(np.diff(rights) > 0)
    assert not strip.grab().isNull()
    assert strip.accessibleDescription() == f"{n // 10} of {n} answers changed the groups"


def test_an_answer_that_changed_nothing_is_lower_than_any_that_did(qtbot: QtBot) -> None:
    strip = EffectStrip()
    qtbot.addWidget(strip)
    strip.resize(300, 48)
    effects = (Effect(4, 4, 0), Effect(4, 3, 0), Effect(3, 3, 1), Effect(3, 3, 400))
    steps = (answer_step(i + 1, i, 0, 1, effect=effect) for i, effect in enumerate(effects))
    strip.show_steps(tuple(steps))
    tall = [bar.height() for bar, _, _ in strip.bars()]
    assert tall[0] < tall[1] <= tall[2] < tall[3]
    assert strip.bars()[3][0].top() >= 0


# ------------------------------------------------------------------------------ words


@pytest.mark.parametrize(
    ("effect", "text"),
    [
        (Effect(5, 4, 31), "2 groups joined · 31 items moved"),
        (Effect(5, 5, 1), "1 item moved"),
        (Effect(5, 6, 0), "1 new group"),
        (Effect(5, 2, 9), "3 groups fewer · 9 items moved"),
        (Effect(2, 5, 9), "3 new groups · 9 items moved"),
        (Effect(5, 5, 0), "no change"),
        (None, ""),
    ],
)
def test_effects(effect: Effect | None, text: str) -> None:
    assert words.effect(effect) == text


def test_certainty_is_never_rounded_up_to_all() -> None:
    told = [words.certainty(margin).split()[1] for margin in (0.0, 0.006, 0.999, 1.0)]
    assert told == ["0.00", "0.01", "0.99", "1.00"]


def test_times_of_other_days_say_the_day() -> None:
    today = words.clock(NOON, NOON + 60)
    assert today.count(":") == 2
    yesterday = words.clock(NOON, NOON + 86_400)
    assert today[:5] in yesterday
    assert len(yesterday) > len(today)
