"""The program with a person at it, for `test_main_job` to kill.

    python -m tests.e2e.driver SOURCE PROJECT

Says "ready" when it is. A line on stdin, "ANSWERS UNDOS", then lets the person open the project, or
make it of the source, answer and take back that often, or without end where ANSWERS is 0. A line on
stdout, one state as JSON, acknowledges the opening and every step once the window has shown it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication

from desktop import theme
from engine.model import Verdict
from tests.e2e.person import Person, told

_UNCERTAIN = {4: Verdict.UNSURE, 7: Verdict.SAME}  # of ten answers; the others are right
_EVERY = 6  # of the endless answers, how many are followed by a step back
_BACK = 10  # steps taken back when nothing is left to ask


def main(source: Path, project: Path) -> None:
    app = QApplication([])
    theme.apply(app, "light")
    person = Person()
    person.engine.warm_up()
    person.wait(lambda: "engine.study" in sys.modules)
    _say("ready")
    answers, undos = (int(number) for number in sys.stdin.readline().split())
    if project.exists():
        person.open(project)
    else:
        person.import_folder(source, project, embedder="pixels")
    _acknowledge(person)
    if not answers:
        _go_on(person)
    for number in range(answers):
        person.answer(_UNCERTAIN.get(number % 10))
        _acknowledge(person)
    for _ in range(undos):
        person.undo()
        _acknowledge(person)
    person.wait(lambda: False, 1e9)


def _go_on(person: Person) -> None:
    """Answer without end, taking a step back now and then."""
    while True:
        for number in range(_EVERY):
            person.wait_ready()
            if person.snapshot.question is not None:
                person.answer(_UNCERTAIN.get(number))
                _acknowledge(person)
        for _ in range(1 if person.snapshot.question is not None else _BACK):
            person.undo()
            _acknowledge(person)


def _acknowledge(person: Person) -> None:
    _say(json.dumps(told(person.snapshot)))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
