"""Work done side by side in processes of its own, one piece at a time each.

Hides processes, pipes and what becomes of them. Promises that one failed piece, even one whose
process the system killed, is told by name and stops none of the others, and that no process is
left when the caller stops listening.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from engine.errors import EngineError

_CONTEXT = multiprocessing.get_context("spawn")  # torch and Qt survive no fork
_PATIENCE = 5  # s until a process that was told to end is killed


@dataclass(frozen=True)
class Failure:
    """Why a piece of work gave nothing.

    Attributes
    ----------
    reason
        In one line.
    trace
        Where it happened, over many lines; empty for what a person can put right.
    """

    reason: str
    trace: str = ""


class _Hand:
    """One process, which does what it is sent until it is told to end."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self.connection, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_serve, args=(theirs, work), daemon=True)
        self._process.start()
        theirs.close()  # or the end of the process would not be noticed here
        self.piece: Any = None

    def begin(self, piece: Any) -> None:
        """Send a piece of work."""
        self.piece = piece
        self.connection.send(piece)

    def outcome(self) -> Any:
        """Receive what came of it; a `Failure` when the process has ended over it."""
        try:
            return self.connection.recv()
        except (EOFError, ConnectionResetError):
            self._process.join(_PATIENCE)
            return Failure(f"its process ended with exit status {self._process.exitcode}")

    def dismiss(self) -> None:
        """End the process, whatever it does."""
        self.connection.close()
        self._process.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def done_side_by_side(
    work: Callable[[Any], Any], pieces: Iterable[Any], jobs: int
) -> Iterator[tuple[Any, Any]]:
    """Do pieces of work in `jobs` processes; yield (piece, outcome or `Failure`) as they are done.

    Parameters
    ----------
    work
        A function of a module, so that the processes can import it.
    pieces
        Begun in this order.

    Notes
    -----
    Numerical libraries get one thread in each process: the processes are what is parallel.
    """
    os.environ["OMP_NUM_THREADS"] = "1"  # inherited, and so there before anything is imported
    waiting = deque(pieces)
    idle: list[_Hand] = []
    busy: dict[Connection, _Hand] = {}
    try:
        while waiting or busy:
            while waiting and len(busy) < jobs:
                hand = idle.pop() if idle else _Hand(work)
                busy[hand.connection] = hand
                hand.begin(waiting.popleft())
            for ready in wait(busy):
                hand = busy[ready]  # type: ignore[index]
                outcome = hand.outcome()
                del busy[hand.connection]
                if isinstance(outcome, Failure):
                    hand.dismiss()  # nobody knows what state it is in
                else:
                    idle.append(hand)
                yield hand.piece, outcome
    finally:
        for hand in [*idle, *busy.values()]:
            hand.dismiss()


def _serve(connection: Connection, work: Callable[[Any], Any]) -> None:
    """Do what is sent; the first error ends the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group: ours to handle
    while True:
        try:
            piece = connection.recv()
        except EOFError:
            return
        try:
            outcome = work(piece)
        except EngineError as error:
            connection.send(Failure(f"{error.message} {error.hint}".rstrip()))
            raise SystemExit(1) from error
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".rstrip(": ").replace("\n", " ")
            connection.send(Failure(reason, traceback.format_exc()))
            raise SystemExit(1) from error
        connection.send(outcome)
