"""A watchdog for the GUI thread: how long it did not answer, why, and where it was meanwhile."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer

_BEAT = 5  # ms between heartbeats
_LATE = 0.05  # s without one: look where the threads are
_RELIST = 100  # beats after which new threads are looked for
_FRAMES = 7


@dataclass(frozen=True)
class Stall:
    """One time without heartbeat, longer than the threshold.

    Attributes
    ----------
    phase
        What was going on, as told to the watchdog.
    seconds, at
        How long, and when since the watchdog's start.
    busy
        Seconds in which the GUI thread itself ran.
    waited
        Seconds in which it could run and the machine ran something else: load, not our doing. The
        rest of `seconds` it was held up by another thread of ours, or by the disk.
    others_waited
        The longest that any other thread of ours waited so: if it held the interpreter's lock, that
        is what the GUI thread was held up by.
    collected
        Seconds spent on collecting garbage, in whichever thread.
    stack
        Where our threads were; if nobody could look, where they were just after.
    """

    phase: str
    seconds: float
    at: float
    busy: float
    waited: float
    others_waited: float
    collected: float
    stack: str

    @property
    def ours(self) -> float:
        """Seconds that the program is to blame for."""
        return self.seconds - self.waited

    def __str__(self) -> str:
        held_up = self.seconds - self.busy - self.waited
        total, busy, waited, held, others, garbage = (
            round(1000 * part)
            for part in (
                self.seconds, self.busy, self.waited, held_up, self.others_waited, self.collected
            )
        )  # fmt: skip
        return (
            f"{total} ms in “{self.phase}” at {self.at:.1f} s: {busy} busy, {waited} waiting for a "
            f"processor, {held} held up (another thread waited for {others}); garbage {garbage}"
        )


@dataclass
class _Phase:
    """Sums of one phase."""

    seconds: float = 0.0
    beats: int = 0
    stalls: list[Stall] = field(default_factory=list)


class Watchdog(QObject):
    """Beats on the GUI thread; a second thread looks on. `phase` may be set at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.phase = "start"
        self._phases: dict[str, _Phase] = {}
        self._gui = threading.get_ident()
        self._schedule = _Schedule()
        self._task = threading.get_native_id()
        self._last = self._started = time.perf_counter()
        self._ran = self._schedule.run_and_wait()
        self._collected = self._collecting = 0.0
        self._stack = ""
        self._ended = threading.Event()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        """Begin to beat, inside a running event loop or just before it."""
        self._last = self._started = time.perf_counter()
        self._ran = self._schedule.run_and_wait()
        self._timer.start(_BEAT)
        gc.callbacks.append(self._garbage)
        threading.Thread(target=self._look_on, name="watchdog", daemon=True).start()

    def stop(self) -> None:
        """End both."""
        self._timer.stop()
        self._ended.set()
        self._schedule.close()
        gc.callbacks.remove(self._garbage)

    @property
    def stalls(self) -> list[Stall]:
        """All stalls, the longest first."""
        every = [stall for phase in self._phases.values() for stall in phase.stalls]
        return sorted(every, key=lambda stall: -stall.seconds)

    def report(self, longest: int = 5) -> str:
        """Sum up the phases, and describe the longest stalls with their stacks."""
        lines = [f"{'phase':28} {'s':>6} {'beats':>6} {'>50':>4} {'>100':>4}  longest (ours), ms"]
        for name, phase in self._phases.items():
            ranked = sorted(phase.stalls, key=lambda stall: -stall.seconds)[:3]
            worst = ", ".join(f"{s.seconds * 1000:.0f} ({s.ours * 1000:.0f})" for s in ranked)
            over = sum(stall.seconds > 0.1 for stall in phase.stalls)
            lines.append(
                f"{name[:28]:28} {phase.seconds:6.1f} {phase.beats:6} {len(phase.stalls):4} "
                f"{over:4}  {worst or '-'}"
            )
        lines += [f"--- {stall}\n{stall.stack}" for stall in self.stalls[:longest]]
        return "\n".join(lines)

    # ------------------------------------------------------------------ on the GUI thread

    def _beat(self) -> None:
        now, ran = time.perf_counter(), self._schedule.run_and_wait()
        late = now - self._last
        phase = self._phases.setdefault(self.phase, _Phase())
        phase.seconds += late
        phase.beats += 1
        if late > _LATE:
            phase.stalls.append(self._stall(late, ran))
            now, ran = time.perf_counter(), self._schedule.run_and_wait()
        self._stack, self._collected = "", 0.0
        self._last, self._ran = now, ran

    def _stall(self, late: float, ran: dict[int, tuple[float, float]]) -> Stall:
        spent = {
            task: (run - self._ran[task][0], wait - self._ran[task][1])
            for task, (run, wait) in ran.items()
            if task in self._ran
        }
        busy, waited = spent.pop(self._task, (0.0, 0.0))
        return Stall(
            phase=self.phase,
            seconds=late,
            at=self._last - self._started,
            busy=busy,
            waited=waited,
            others_waited=max((wait for _, wait in spent.values()), default=0.0),
            collected=self._collected,
            # A thread that held the interpreter's lock cannot have gone on since it gave it up.
            stack=self._stack or f"(just after)\n{self._where()}",
        )

    # ------------------------------------------------------------------ on any thread

    def _garbage(self, phase: str, _info: dict[str, Any]) -> None:
        if phase == "start":
            self._collecting = time.perf_counter()
        else:
            self._collected += time.perf_counter() - self._collecting

    def _look_on(self) -> None:
        while not self._ended.wait(0.01):
            if time.perf_counter() - self._last > _LATE and not self._stack:
                self._stack = self._where()

    def _where(self) -> str:
        """Say where all threads are, the GUI thread first."""
        names = {thread.ident: thread.name for thread in threading.enumerate()}
        frames = sorted(sys._current_frames().items(), key=lambda known: known[0] != self._gui)
        return "\n".join(
            f"[{'GUI' if ident == self._gui else names.get(ident, '?')}]\n"
            + "".join(traceback.format_stack(frame)[-_FRAMES:]).rstrip()
            for ident, frame in frames
            if names.get(ident) != "watchdog"
        )


class _Schedule:
    """What the system's scheduler did with each of our threads; nothing but on Linux."""

    def __init__(self) -> None:
        self._files: dict[int, int] = {}
        self._read = 0

    def run_and_wait(self) -> dict[int, tuple[float, float]]:
        """Seconds that each thread ran, and waited for a processor."""
        if self._read % _RELIST == 0:
            self._list()
        self._read += 1
        spent = {}
        for task, file in self._files.items():
            with suppress(OSError, ValueError):  # the thread has ended
                run, wait, _ = os.pread(file, 64, 0).split()
                spent[task] = int(run) / 1e9, int(wait) / 1e9
        return spent

    def close(self) -> None:
        """Close the files."""
        while self._files:
            os.close(self._files.popitem()[1])

    def _list(self) -> None:
        self.close()
        for path in Path("/proc/self/task").glob("*/schedstat"):
            with suppress(OSError):
                self._files[int(path.parent.name)] = os.open(path, os.O_RDONLY)
