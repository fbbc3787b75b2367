"""Does the window stay alive while 2,000 pictures are described and judged, and how quick is it?

    python -m pytest tests/benchmark/test_responsiveness.py -m benchmark -s

Prints, phase by phase, how long the GUI thread did not answer, with the stacks of the longest
stalls; then how long it takes from a key to the painted pair. Fails where the program itself kept
the GUI thread from answering for more than 100 ms; time in which the machine ran other programs
(load) is told apart and does not count. PAIRLOOM_PICTURES sets the number of pictures.

A change of the look is measured and does not count: Qt then restyles every widget in one go.
"""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop import launch
from desktop.messages import Working
from engine.model import Verdict
from tests.benchmark.stalls import Watchdog
from tests.e2e.drawings import draw_folder
from tests.e2e.person import Person

PICTURES = int(os.environ.get("PAIRLOOM_PICTURES", "2000"))
MOST = 0.1  # s
_LOOK = "changing the look"
_BUDGET = 3600  # s


class Stopwatch:
    """How long it takes from an act to the painted pair, by kind of act."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self._painted = 0.0
        self._times: dict[str, list[float]] = defaultdict(list)
        person.window.workspace.judge.pane.area.ready.connect(self._ready)

    def _ready(self, _token: int) -> None:
        self._painted = time.perf_counter()

    def measure(self, what: str, act: Callable[[], object]) -> None:
        """Act, and wait until a pair was painted after it."""
        begun = time.perf_counter()
        act()
        self._person.wait(lambda: self._painted > begun)
        self._times[what].append(self._painted - begun)

    def report(self) -> str:
        """Give the quantiles."""
        lines = [f"{'from … to the painted pair, ms':40} {'n':>4} {'p50':>5} {'p95':>5} {'max':>5}"]
        for what, times in self._times.items():
            p50, p95, most = np.quantile(times, [0.5, 0.95, 1.0]) * 1000
            lines.append(f"{what:40} {len(times):4} {p50:5.0f} {p95:5.0f} {most:5.0f}")
        return "\n".join(lines)


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Many pictures of twelve kinds, no two alike."""
    return draw_folder(tmp_path / "shapes", PICTURES, kinds=12, sides=(160, 320))


@pytest.fixture
def quick_switches() -> Iterator[None]:
    """Let threads take turns as the program does."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(launch._SWITCH_INTERVAL)
    yield
    sys.setswitchinterval(before)


@pytest.mark.benchmark
@pytest.mark.timeout(_BUDGET)
def test_the_window_is_never_blocked(
    qtbot: QtBot, quick_switches: None, pictures: Path, tmp_path: Path
) -> None:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    begun = time.perf_counter()
    person = Person()
    first = time.perf_counter() - begun
    dog, watch = Watchdog(), Stopwatch(person)
    dog.start()
    person.pass_time(0.5)
    _warm_up(person, dog)
    _create(person, dog, pictures, tmp_path / "shapes.pairloom")
    _judge(person, dog, watch)
    _look_around(person, dog)
    _look_back(person, dog, watch)
    _reopen(person, dog, tmp_path / "shapes.pairloom")
    dog.stop()
    assert person.leave()
    _say(f"\n{PICTURES} pictures; load {load:.1f} on {os.cpu_count()} processors at the start")
    _say(f"window made and shown in {first:.2f} s")
    _say(dog.report())
    _say(watch.report())
    assert [str(s) for s in dog.stalls if s.ours > MOST and s.phase != _LOOK] == []


def _warm_up(person: Person, dog: Watchdog) -> None:
    dog.phase = "warm-up"
    person.engine.warm_up()
    person.wait(lambda: "engine.study" in sys.modules)
    person.pass_time(1)


def _create(person: Person, dog: Watchdog, pictures: Path, project: Path) -> None:
    """Make the project by the dialog; the engine's own words tell the phases apart."""

    def enter(news: Working) -> None:
        dog.phase = news.text

    dog.phase = "scan"
    person.controller.working.connect(enter)
    begun = time.perf_counter()
    person.import_folder(pictures, project, embedder="lite0")
    person.controller.working.disconnect(enter)
    _say(f"\nproject made in {time.perf_counter() - begun:.0f} s")


def _judge(person: Person, dog: Watchdog, watch: Stopwatch) -> None:
    """Answer 20 times as soon as it counts, 20 times at leisure, some unsure; undo and redo."""
    dog.phase = "judging in haste"
    for _ in range(20):
        person.wait_ready()
        ahead = "ahead" if len(person.snapshot.next_if) == len(Verdict) else "not ahead"
        watch.measure(f"answer at once, {ahead}", person.answer)
    dog.phase = "judging at 1/s"
    for _ in range(20):
        person.wait_ready()
        person.wait(lambda: len(person.snapshot.next_if) == len(Verdict))
        person.pass_time(0.6)
        watch.measure("answer at leisure, ahead", person.answer)
    dog.phase = "unsure answers"
    for _ in range(10):
        person.wait_ready()
        watch.measure("unsure, ahead", lambda: person.answer(Verdict.UNSURE))
    dog.phase = "undo"
    for _ in range(15):
        person.wait_ready()
        watch.measure("undo", person.undo)


def _look_around(person: Person, dog: Watchdog) -> None:
    """Zoom, scroll, hover, turn pages, change the look."""
    window = person.window
    dog.phase = "zooming the pair"
    left, _ = window.workspace.judge.pane.area.view_pair
    for notch in [1] * 12 + [-1] * 12:
        _wheel(person, left, notch)
    dog.phase = "zooming the dock's map"
    for notch in [1] * 8 + [-1] * 8:
        _wheel(person, window.workspace.overview.map._view.viewport(), notch)
    dog.phase = "scrolling the dock's gallery"
    gallery = window.workspace.overview.gallery
    gallery.show_group(gallery.groups.card_at(0).slot)
    for notch in [-1] * 40 + [1] * 40:
        _wheel(person, gallery.members.viewport(), notch)
    dog.phase = "turning to the overview"
    QTest.keyClick(window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    person.pass_time(0.5)
    dog.phase = "hovering over the map"
    view = window.overview.map._view.viewport()
    for at in range(60):
        QTest.mouseMove(view, QPoint(view.width() * at // 60, view.height() * (at % 20) // 20))
        person.pass_time(0.02)
    dog.phase = "zooming the map"
    for notch in [1] * 12 + [-1] * 12:
        _wheel(person, view, notch)
    dog.phase = "scrolling the gallery"
    window.overview.gallery.show_group(gallery.groups.card_at(0).slot)
    for notch in [-1] * 60 + [1] * 60:
        _wheel(person, window.overview.gallery.members.viewport(), notch)
    dog.phase = "turning to the pair"
    QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    person.pass_time(0.5)
    dog.phase = _LOOK
    for _ in range(2):
        window.switch_look()
        person.pass_time(0.5)


def _look_back(person: Person, dog: Watchdog, watch: Stopwatch) -> None:
    """Replay step by step and as a film, and come back."""
    history = person.window.workspace.history
    dog.phase = "replay by steps"
    person.wait_ready()
    for _ in range(15):
        watch.measure("replay step", history.step_back)
        person.pass_time(0.1)
    dog.phase = "replay as a film"
    history.replay.speed.setCurrentIndex(history.replay.speed.count() - 1)
    history.replay.play.click()
    person.wait(lambda: not history.replay.is_playing)
    history.return_to_now()
    person.wait_ready()


def _reopen(person: Person, dog: Watchdog, project: Path) -> None:
    dog.phase = "closing"
    person.window.close_project()
    person.wait(lambda: person.controller.opened is None)
    dog.phase = "opening"
    person.open(project)


def _wheel(person: Person, widget: QWidget, notches: int) -> None:
    """Turn the wheel over the middle of a widget, as quickly as a hand does."""
    middle = QPointF(widget.rect().center())
    event = QWheelEvent(
        middle,
        QPointF(widget.mapToGlobal(middle.toPoint())),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
    person.pass_time(0.03)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
