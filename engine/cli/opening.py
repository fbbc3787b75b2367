"""Opening: a study of a source, as the arguments say, and what is asked of its labels.

Hides which arguments say what about a source. Promises a refusal before anything is computed.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.terminal import remark
from engine.dataset import Dataset, Role, SourceKind, counted
from engine.errors import DatasetError
from engine.job import Job

if TYPE_CHECKING:
    from engine.study import Study

_OWN_LABELS = 0.9  # labels per item, above which they say next to nothing about what is alike
_WHERE = "Name the column by --label, or use --label-from-folders; in an .npz it is y."


def opened(
    arguments: argparse.Namespace, job: Job, path: Path | None = None, *, labelled: bool = False
) -> Study:
    """Read a source, and start a study as the arguments say.

    Parameters
    ----------
    path
        The project file to make; None = keep everything in memory.
    labelled
        Refuse a source that has no labels.
    """
    from engine.study import Study

    asking: dict[str, Any] = {}
    if "strategy" in arguments:
        asking = {
            "strategy": arguments.strategy,
            "params": dict(arguments.set),
            "question": arguments.question,
            "planned": arguments.planned,
        }
    leave_a_core()
    return Study.create(
        arguments.source,
        job,
        path=path,
        embedder=arguments.embedder,
        seed=arguments.seed,
        scale=arguments.scale,
        roles=roles(arguments),
        labels_from_folders=arguments.label_from_folders,
        accept=partial(_check_labels, arguments.label) if labelled else None,
        device=arguments.device,
        **asking,
    )


def doubt_labels(labels: Sequence[int]) -> None:
    """Say so when the labels can hardly be groups: the column may be the wrong one."""
    different = len(set(labels))
    if len(labels) > 2 and different > _OWN_LABELS * len(labels):
        remark(
            f"nearly every item has a label of its own ({counted(different, 'label')} for "
            f"{counted(len(labels), 'item')}): is this the column that was meant?"
        )


def _check_labels(name: str | None, dataset: Dataset) -> None:
    """Refuse a source without labels, or one whose labels are not in the column named."""
    columns = {column.name for column in dataset.columns if column.role is Role.LABEL}
    if dataset.kind is SourceKind.ARRAY:
        columns.add("y")
    if name is not None and name not in columns:
        raise DatasetError(f"{dataset.source.name} has no column of labels called '{name}'", _WHERE)
    if all(item.label is None for item in dataset.items):
        raise DatasetError(
            f"{dataset.source.name} has no labels to simulate an expert with", _WHERE
        )


def roles(arguments: argparse.Namespace) -> dict[str, Role] | None:
    """Collect what is said about the columns of a table; None = nothing."""
    said = dict(arguments.role)
    if arguments.label is not None:
        said[arguments.label] = Role.LABEL
    return said or None


def leave_a_core() -> None:
    """Keep one processor core free for the person's other work."""
    if "OMP_NUM_THREADS" not in os.environ:
        import torch

        torch.set_num_threads(max(1, (os.cpu_count() or 2) - 1))
