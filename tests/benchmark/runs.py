"""Runs: one strategy asking a simulated expert about one data set, and the book of those done.

Hides how a run is set up and kept. Promises that a run is known by all that its outcome depends
on but the code, that the code it was done with is told, and that nothing done is lost when the
program is stopped.
"""

from __future__ import annotations

import functools
import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import engine
from engine import strategies
from engine.dataset import Dataset, Item, SourceKind
from engine.errors import ParameterError
from engine.job import Job
from engine.project import Settings
from engine.simulate import Oracle, simulate
from engine.study import Study
from tests.benchmark.labelled import Described

TRUE_K = "true"
"""As `groups=true`: told the set's own number of classes, as rivals are that know it."""

Record = dict[str, Any]
"""What a run gave, as JSON: see `engine.simulate.Curve.as_json`, and `carry_out` for the rest."""


@dataclass(frozen=True)
class Method:
    """A strategy as it was asked for.

    Attributes
    ----------
    label
        What it is called in tables and pictures.
    strategy, version
        Registry name and version.
    params
        All of them as texts, defaults too: a default may change, what was measured does not.
        `groups` may be `TRUE_K`.
    """

    label: str
    strategy: str
    version: int
    params: dict[str, str]


@dataclass(frozen=True)
class Run:
    """One run to be done; a piece of work for another process.

    Attributes
    ----------
    seed
        Shuffles the rows, and is the problem's and the expert's; None = the rows as they are
        filed, with seed 0.
    noise
        Chance of a wrong verdict.
    """

    data: Described
    method: Method
    seed: int | None
    noise: float
    budget: int

    @property
    def key(self) -> str:
        """All that the outcome depends on, except for the engine's code."""
        parts = (
            self.data.fingerprint,
            self.method.strategy,
            self.method.version,
            sorted(self.method.params.items()),
            self.seed,
            self.noise,
            self.budget,
        )
        return hashlib.blake2b(json.dumps(parts).encode(), digest_size=12).hexdigest()

    @property
    def name(self) -> str:
        """Say which run it is."""
        noise = f", noise {self.noise:g}" if self.noise else ""
        seed = "rows as filed" if self.seed is None else f"seed {self.seed}"
        return f"{self.data.name}, {self.method.label}, {seed}{noise}"


def method(text: str) -> Method:
    """Read "name key=value ..." or "label: name key=value ...".

    Raises
    ------
    ParameterError
        For an unknown strategy, parameter or value.
    """
    told = f"groups={TRUE_K}" in text.split()
    _, approach = strategies.read(text.replace(f"groups={TRUE_K}", "groups=2") if told else text)
    label = text.partition(":")[0].strip() if ":" in text else " ".join(text.split())
    params = dict(approach.params) | ({"groups": TRUE_K} if told else {})
    version = strategies.REGISTRY[approach.strategy].version
    return Method(label, approach.strategy, version, params)


def carry_out(run: Run) -> Record:
    """Do one run.

    The seconds until the first question count from features in memory; reading and describing
    are not in them. The peak of memory is that of the process, which begins anew with each run
    where the system allows it (Linux), and may else be an earlier run's.
    """
    code = code_mark()
    with np.load(run.data.arrays) as held:
        points, truth = held["X"], held["y"]
    if run.seed is not None:
        shuffled = np.random.default_rng(run.seed).permutation(len(points))
        points, truth = points[shuffled], truth[shuffled]
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
    seed = run.seed or 0
    job = Job()
    started = time.perf_counter()
    study = _study(run, points, seed, job)
    study.session.ask()
    prepared = time.perf_counter() - started
    curve = simulate(study.session, Oracle(truth, run.noise, seed), run.budget, job)
    record = curve.as_json(prepared, time.perf_counter() - started)
    del record["questions"]  # thousands of them, and the same run gives the same again
    return record | {
        "key": run.key,
        "set": run.data.name,
        "k": run.data.k,
        "params": run.method.params,
        "seed": run.seed,
        "noise": run.noise,
        "code": code,
    }


def _study(run: Run, points: np.ndarray, seed: int, job: Job) -> Study:
    """Put a study in memory together from features; the strategy sees these and no label."""
    items = tuple(
        Item(id=place, name=f"row {place + 1}", content=place.to_bytes(16, "little"))
        for place in range(len(points))
    )
    path = run.data.arrays
    dataset = Dataset(path.parent, path, SourceKind.ARRAY, items, features=points)
    params = dict(run.method.params)
    if params.get("groups") == TRUE_K:
        params["groups"] = str(run.data.k)
    settings = Settings(str(path), "table", run.method.strategy, params, seed)
    return Study(dataset, settings, None, points, job)


@functools.cache
def code_mark() -> str:
    """Tell the engine's code from any other, as it was when first asked: the code that runs."""
    digest = hashlib.blake2b(digest_size=8)
    root = Path(engine.__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


class Book:
    """The runs done so far, a line of JSON each, in the order in which they ended.

    Parameters
    ----------
    path
        The file; made with the first run.

    Raises
    ------
    ParameterError
        When a line of it is no record of a run.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held = {record["key"]: record for record in _lines(path)}

    def get(self, run: Run) -> Record | None:
        """Give what a run gave; of several times the last."""
        return self._held.get(run.key)

    def add(self, record: Record) -> None:
        """Write what a run gave; it is on disk when this returns."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._held[record["key"]] = record


def _lines(path: Path) -> Iterator[Record]:
    """Read the book; a last line that was cut off is cut away, for the next must begin anew."""
    if not path.exists():
        return
    text = path.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if whole != text:
        path.write_bytes(whole)
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict) or "key" not in record:
            raise ParameterError(
                f"line {number} of {path} is no record of a run",
                "Remove the line, or choose another folder for the results.",
            )
        yield record
