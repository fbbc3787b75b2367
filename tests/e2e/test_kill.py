"""kill -9 at any moment: every answer that was acknowledged is there when the file is reopened.

PAIRLOOM_KILLS sets the number of kills (default 25).
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from engine.answers import AnswerLog
from engine.dataset import Dataset, Item, SourceKind
from engine.project import Project, Settings

KILLS = int(os.environ.get("PAIRLOOM_KILLS", "25"))

ROOT = Path(__file__).parents[2]

APPEND = """
import sys
from pathlib import Path
from engine.answers import AnswerLog, EventKind
from engine.model import Answer, Pair, Verdict
from engine.project import Project

assert "torch" not in sys.modules
project = Project.open(Path(sys.argv[1]))
log = AnswerLog(project.events())
while True:
    event = log.draft(EventKind.ANSWER, answer=Answer(Pair(0, 1), Verdict.SAME), engine="x/1")
    project.append(event)
    log.absorb(event)
    print(event.seq, flush=True)
"""

COPY = """
import sys
from pathlib import Path
from engine.project import Project

project = Project.open(Path(sys.argv[1]))
while True:
    project.save_copy(Path(sys.argv[2]))
    print("copied", flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "killed often.pairloom"
    items = tuple(Item(number, str(number), bytes([number]) * 16) for number in range(20))
    dataset = Dataset(tmp_path, tmp_path, SourceKind.IMAGES, items)
    Project.create(path, dataset=dataset, settings=Settings(str(tmp_path), "x", "x")).close()
    return path


def run_and_kill(program: str, *arguments: Path, after: float) -> list[str]:
    """Run until `after` seconds past its first line, kill it, return the lines it wrote."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        first = child.stdout.readline()
        time.sleep(after)
        child.kill()
        lines = [first, *child.stdout]
        assert first, child.stderr.read()
    return [line for line in lines if line.endswith("\n")]


def test_no_acknowledged_answer_is_lost(path: Path) -> None:
    chance = np.random.default_rng(0)
    acknowledged = 0
    for _ in range(KILLS):
        lines = run_and_kill(APPEND, path, after=chance.uniform(0, 0.05))
        with Project.open(path) as project:
            events = project.events()
            assert project.verify() == ()
        assert acknowledged < int(lines[-1]) <= len(events) <= int(lines[-1]) + 1
        AnswerLog(events)
        acknowledged = len(events)


def test_a_copy_is_whole_or_not_there(path: Path) -> None:
    copy = path.with_name("copy.pairloom")
    chance = np.random.default_rng(1)
    for _ in range(max(1, KILLS // 5)):
        run_and_kill(COPY, path, copy, after=chance.uniform(0, 0.05))
        with Project.open(copy) as project:
            assert project.verify() == ()
