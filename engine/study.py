"""Study: a source read, described, laid out and ready to be asked about, in a file or in memory.

Hides the order in which reader, embedder, problem, map and session come together, and what of
it is kept. Promises that making one leaves nothing behind when it fails or is stopped; that
opening one computes nothing that was computed before, needs no picture, and shows the same map.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from engine import embedders, readers, strategies
from engine.dataset import Dataset, Role, counted, label_parts
from engine.errors import ProjectDamagedError, ProjectError, UsageError
from engine.job import Job
from engine.layout import project_to_map
from engine.model import FloatArray, IntArray
from engine.problem import Contents, Problem, StepCache
from engine.project import Project, Relinked, Settings
from engine.session import Session

_SIDECARS = ("", "-journal", "-wal", "-shm")


class Study:
    """All parts of one sorting, put together. Made by `create` or `open`; a context manager.

    Parameters
    ----------
    dataset, settings
        What is sorted, and how.
    project
        The file that keeps it; owned from now on. None = in memory.
    embedding
        float[n, d], one row per item.
    device
        Where large sums are computed; see `Problem`.

    Attributes
    ----------
    dataset, settings, project
        As given; `project` is None for a study in memory.
    problem
        The features with seed and step cache.
    session
        Asks and takes answers; with a project every event is on disk before the state moves on.
    """

    def __init__(
        self,
        dataset: Dataset,
        settings: Settings,
        project: Project | None,
        embedding: npt.ArrayLike,
        job: Job,
        device: str = "auto",
    ) -> None:
        self.dataset = dataset
        self.settings = settings
        self.project = project
        self.problem = Problem(
            embedding,
            settings.seed,
            steps=StepCache(shelf=project),
            contents=Contents(project),
            device=device,
        )
        self._coordinates: FloatArray | None = None
        if project is not None:
            self._coordinates = _kept(project, "map", len(dataset), lambda: self._draw(job))
        self.session = Session(
            self.problem,
            settings.strategy,
            settings.params,
            log=project.log() if project else None,
            commit=project.append if project else None,
            planned=settings.planned,
            job=job,
        )

    @classmethod
    def create(
        cls,
        source: Path,
        job: Job,
        *,
        path: Path | None,
        embedder: str = "auto",
        strategy: str = "falcon",
        params: Mapping[str, str] | None = None,
        seed: int = 0,
        scale: str = "minmax",
        roles: Mapping[str, Role] | None = None,
        labels_from_folders: bool = False,
        question: str = "",
        planned: int | None = None,
        accept: Callable[[Dataset], None] | None = None,
        device: str = "auto",
    ) -> Study:
        """Read a source and start a study of it.

        Parameters
        ----------
        source
            Folder of pictures, table, folder of tables, or .npz.
        job
            Progress of reading, describing and drawing; may stop it.
        path
            The project file to be made; None = keep everything in memory.
        embedder
            Registry name, or "auto" for the usual one.
        scale, roles, labels_from_folders
            See `readers.read`.
        accept
            Looks at what was read before anything is made of it, and may raise.
        device
            Where large sums are computed; see `Problem`. No part of the project.

        Raises
        ------
        DatasetError, EmbeddingError, ParameterError, ProjectError, ResourceError
            When the source, a name or value, or the file cannot be used.
        Cancelled
            When stopped. As with an error, no file is left behind.
        """
        approach = strategies.complete(strategy, params or {})
        if embedder != "auto":
            embedders.make(embedder)
        _check_target(path)
        dataset = readers.read(
            Path(source), job, roles=roles, scale=scale, labels_from_folders=labels_from_folders
        )
        if accept is not None:
            accept(dataset)
        settings = Settings(
            source=str(dataset.source.absolute()),
            embedder=embedders.default_for(dataset) if embedder == "auto" else embedder,
            strategy=strategy,
            params=dict(approach.params),
            seed=seed,
            question=question,
            planned=planned,
            scale=scale,
            labels_from_folders=labels_from_folders,
        )
        if path is None:
            memory = embedders.MemoryCache()
            embedding = _embed(dataset, settings, memory, job)
            return cls(dataset, settings, None, embedding, job, device)
        project = Project.create(path, dataset=dataset, settings=settings)
        try:
            study = cls._of(project, dataset, job, device)
            project.write_shelf()  # files that the strategy reads may be gone next time
        except BaseException:
            project.close()
            for suffix in _SIDECARS:
                Path(f"{project.path}{suffix}").unlink(missing_ok=True)
            raise
        return study

    @classmethod
    def open(cls, path: Path, job: Job, *, device: str = "auto") -> Study:
        """Open a project file where it was left; works also when its source folder is gone.

        Raises
        ------
        ProjectError
            When the file cannot be used; see `Project.open`.
        DatasetError, EmbeddingError
            When the program was killed while the project was made, and the source has gone since.
        Cancelled
            When stopped; the file is closed again.
        """
        project = Project.open(Path(path))
        try:
            return cls._of(project, project.dataset(), job, device)
        except BaseException:
            project.close()
            raise

    @classmethod
    def _of(cls, project: Project, dataset: Dataset, job: Job, device: str) -> Study:
        """Put a study together from a project file; what the file lacks is computed and kept."""
        settings = project.settings
        embedding = _kept(
            project, "embedding", len(dataset), lambda: _embed(dataset, settings, project, job)
        )
        return cls(dataset, settings, project, embedding, job, device)

    def relink(self, folder: Path, job: Job) -> Relinked:
        """Follow the items to another folder (or table file), recognised by their content.

        Raises
        ------
        ProjectError
            When none of the items is there; nothing is changed then.
        DatasetError
            When the folder cannot be read.
        UsageError
            For a study in memory.
        """
        if self.project is None:
            raise UsageError("a study in memory has no project to relink")
        there = readers.read(
            Path(folder),
            job,
            roles={column.name: column.role for column in self.dataset.columns} or None,
            scale=self.settings.scale,
            labels_from_folders=self.settings.labels_from_folders,
        )
        result = self.project.relink(there.root, there)
        self.dataset, self.settings = self.project.dataset(), self.project.settings
        return result

    @property
    def coordinates(self) -> FloatArray:
        """The map, float32[n, 2] within [-1, 1]; in memory it is drawn when first asked for."""
        if self._coordinates is None:
            self._coordinates = self._draw(Job())
        return self._coordinates

    @property
    def source_found(self) -> bool:
        """Whether the folder or file that was read is still there; see `relink` if not."""
        return self.dataset.source.exists() if self.project is None else self.project.source_found

    def truth(self) -> IntArray | None:
        """Give the labels for evaluation, int32[n] numbered in order of first appearance.

        -1 where an item has none; None when no item has one. No strategy ever sees them.
        """
        numbers: dict[str, int] = {}
        truth = [
            -1 if item.label is None else numbers.setdefault(item.label, len(numbers))
            for item in self.dataset.items
        ]
        return np.array(truth, dtype=np.int32) if numbers else None

    def truth_sets(self) -> tuple[frozenset[str] | None, ...] | None:
        """Give the groups that the labels name, of which "a+b" names two; for evaluation only.

        None where an item has no label, and for all when no item has one.
        """
        sets = tuple(
            None if item.label is None else label_parts(item.label) for item in self.dataset.items
        )
        return sets if any(sets) else None

    def close(self) -> None:
        """Close the project file. Harmless when closed already."""
        if self.project is not None:
            self.project.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _draw(self, job: Job) -> FloatArray:
        return project_to_map(self.problem.points, self.settings.seed, job)


def _check_target(path: Path | None) -> None:
    """Refuse a project file that cannot be made before hours are spent on describing pictures."""
    if path is None:
        return
    if os.path.lexists(path):
        raise ProjectError(
            f"{path} exists already.", "Choose another name, or open the file that is there."
        )
    if not Path(path).absolute().parent.is_dir():
        raise ProjectError(f"The folder of {path} does not exist.", "Make it, or choose another.")


def _embed(
    dataset: Dataset, settings: Settings, cache: embedders.FeatureCache, job: Job
) -> FloatArray:
    return embedders.make(settings.embedder).embed(dataset, cache, job)


def _kept(project: Project, name: str, rows: int, compute: Callable[[], FloatArray]) -> FloatArray:
    """Return the array that a project keeps under a name, computing it once."""
    held = project.load_array(name)
    if held is None:
        computed = compute()
        project.save_array(name, computed)
        return computed
    if held.ndim != 2 or len(held) != rows:
        raise ProjectDamagedError(
            f"{project.path.name} is damaged: the array {name} does not fit its "
            f"{counted(rows, 'item')}.",
            "A backup copy may be sound.",
        )
    return held.astype(np.float32, copy=False)
