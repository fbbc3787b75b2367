"""Command line: every capability of the engine without a window.

Hides how commands map to the engine and how errors are told. Promises one line on stderr
and exit status 2 for whatever a person can get wrong, 130 after Ctrl-C, and that stdout holds
nothing but results.
"""

from __future__ import annotations

import argparse
import inspect
import io
import json
import logging
import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.cli import choosing, measuring
from engine.cli.arguments import parse
from engine.cli.opening import leave_a_core, opened, roles
from engine.cli.telling import (
    after,
    columns_in_words,
    described,
    entries_in_words,
    first_line,
    moment,
    parameter_facts,
    state_facts,
)
from engine.cli.terminal import (
    DONE,
    FOUND,
    INTERRUPTED,
    WRONG,
    Progress,
    interruptible,
    plain,
    remark,
)
from engine.dataset import counted
from engine.errors import (
    Cancelled,
    EngineError,
    ParameterError,
    UsageError,
)
from engine.job import Job
from engine.outfile import STDOUT, check_output, exchanged, write_json

_NUMBERS = (
    "Steps have the numbers that the window's history shows; taking back and going to a step use "
    "up numbers too, so some are left out. 0 is the start."
)
_LISTED = 5  # unusable files that are named


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv
        Arguments after the program's name; by default those of the process.

    Returns
    -------
    Exit status: 0 done, 1 `verify` found damage, 2 wrong input, 130 interrupted.
    """
    # What libraries grumble about single files is told by the reasons these files are given.
    logging.getLogger().addHandler(logging.NullHandler())
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names that the terminal cannot show
    progress = Progress()
    job = Job(progress.report if sys.stderr.isatty() else None)
    try:
        arguments = parse(argv)
        with interruptible(job):
            return _COMMANDS[arguments.command](arguments, job)
    except EngineError as error:
        progress.clear()
        return _complain(error.message, error.hint)
    except (Cancelled, KeyboardInterrupt):
        progress.clear()
        sys.stderr.write("pairloom: interrupted\n")
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        progress.clear()
        what = error.strerror or str(error)
        return _complain(f"{error.filename}: {what}" if error.filename else what)
    except MemoryError:
        progress.clear()
        return _complain("There is not enough memory for this.", "Use fewer items.")


def _complain(message: str, hint: str = "") -> int:
    remark(f"{message} {hint}".rstrip())
    return WRONG


# ---------------------------------------------------------------------------- the commands


def _methods(arguments: argparse.Namespace, job: Job) -> int:
    """List what can be asked for by name."""
    from engine import clusterers, compositional, embedders, strategies

    del job
    kinds = {"strategies": strategies, "methods": clusterers, "compositional": compositional}
    found = {
        kind: [
            {
                "name": name,
                "version": entry.version,
                "about": first_line(entry if kind == "compositional" else inspect.getmodule(entry)),
                "parameters": [parameter_facts(one) for one in package.parameters(name)],
            }
            for name, entry in package.REGISTRY.items()
        ]
        for kind, package in kinds.items()
    }
    features = [
        {
            "name": name,
            "version": embedder.version,
            "about": first_line(embedder),
        }
        for name, embedder in embedders.REGISTRY.items()
    ]
    if arguments.json:
        print(json.dumps({**found, "embedders": features}, indent=2))
        return DONE
    print("Strategies decide what to ask (--strategy):")
    print(*entries_in_words(found["strategies"]), sep="\n")
    print("\nMethods group without asking:")
    print(*entries_in_words(found["methods"]), sep="\n")
    print("\nMethods whose groups may overlap, as some are made of others:")
    print(*entries_in_words(found["compositional"]), sep="\n")
    print("\nFeatures of pictures and tables (--embedder):")
    print(*entries_in_words(features), sep="\n")
    return DONE


def _new(arguments: argparse.Namespace, job: Job) -> int:
    """Start a project."""
    with opened(arguments, job, arguments.output) as study:
        print(f"Made {arguments.output}: {described(study.dataset)}")
        print(f"{counted(study.problem.d, 'feature')} by {study.settings.embedder}")
        for line in columns_in_words(study.dataset, study.settings.embedder):
            print(line)
        for note in study.dataset.notes:
            print(note)
        for problem in study.dataset.problems[:_LISTED]:
            print(f"not used: {problem.name}: {problem.reason}")
        if (more := len(study.dataset.problems) - _LISTED) > 0:
            print(f"not used: {more} more")
    return DONE


def _info(arguments: argparse.Namespace, job: Job) -> int:
    """Say what a project holds, without replaying it."""
    from engine import answers
    from engine.answers import EventKind
    from engine.model import Approach
    from engine.project import Project

    del job
    with Project.open(arguments.project) as project:
        dataset, settings = project.dataset(), project.settings
        log = project.log()
        found = project.source_found
    path = log.path()
    verdicts = Counter(statement.verdict.value for statement in answers.statements(path))
    first = Approach(settings.strategy, tuple(settings.params.items()))
    approach = (answers.choice(path, EventKind.STRATEGY) or (first, 0))[0]
    facts: dict[str, Any] = {
        "project": str(arguments.project),
        "source": settings.source,
        "source_found": found,
        "kind": dataset.kind.value,
        "items": len(dataset),
        "copies": dataset.n_copies,
        "problems": len(dataset.problems),
        "labelled": sum(item.label is not None for item in dataset.items),
        "embedder": settings.embedder,
        "strategy": approach.strategy,
        "params": dict(approach.params),
        "seed": settings.seed,
        "question": settings.question,
        "planned": settings.planned,
        "answers": {verdict: verdicts[verdict] for verdict in ("same", "different", "unsure")},
        "steps": len(log.steps()),
        "position": log.position,
        "last_change": moment(log.events[-1].at) if log.events else None,
    }
    if arguments.json:
        print(json.dumps(facts, indent=2, ensure_ascii=False))
        return DONE
    facts["answers"] = ", ".join(f"{count} {name}" for name, count in facts["answers"].items())
    facts["params"] = " ".join(f"{key}={value}" for key, value in approach.params)
    facts["position"] = f"step #{log.position}" if log.position else "the start"
    facts["source_found"] = "yes" if found else "no: the folder or file is not there"
    for name, value in facts.items():
        if value not in ("", None):
            print(f"{name.replace('_', ' ') + ':':<14}{plain(str(value))}")
    return DONE


def _verify(arguments: argparse.Namespace, job: Job) -> int:
    """Check a project file through and through."""
    from engine.project import Project

    del job
    with Project.open(arguments.project) as project:
        findings = project.verify()
    for finding in findings:
        print(plain(finding))
    if not findings:
        print(f"{arguments.project} is sound")
    return FOUND if findings else DONE


def _replay(arguments: argparse.Namespace, job: Job) -> int:
    """Fold the answers of a project anew, up to the present or a chosen step."""
    from engine.study import Study

    check_output(arguments.json, arguments.project)
    leave_a_core()
    with Study.open(arguments.project, job) as study:
        session = study.session
        if arguments.at is None:
            snapshot = session.snapshot()
        else:
            try:
                snapshot = session.at(arguments.at)
            except UsageError:
                steps = session.log.steps()
                last = f"the last is #{steps[-1].seq}" if steps else "it has none yet"
                raise ParameterError(
                    f"{arguments.project} has no step #{arguments.at}; {last}", _NUMBERS
                ) from None
        result = state_facts(study, snapshot)
    write_json(arguments.json, result)
    if arguments.json != STDOUT:
        progress = snapshot.progress
        print(
            f"{after(snapshot.position)}: {counted(progress.answered, 'answer')}, "
            f"{counted(len(snapshot.overview.groups), 'group')}"
        )
        for group in snapshot.overview.groups:
            print(
                f"  {group.slot + 1:>3}  {counted(group.size, 'item'):>12}  {group.name}".rstrip()
            )
        for warning in result["warnings"]:
            print(plain(f"Note: {warning}"))
    return DONE


def _export(arguments: argparse.Namespace, job: Job) -> int:
    """Write the groups of a project."""
    from engine import export
    from engine.study import Study

    if arguments.csv is None and arguments.folders is None:
        raise ParameterError("nothing to export", "Give --csv OUT, --folders DIR, or both.")
    if arguments.overwrite and arguments.csv is None:
        raise ParameterError("--overwrite is for --csv", "Nothing in a folder is ever overwritten.")
    leave_a_core()
    with Study.open(arguments.project, job) as study:
        export.check_targets(study, arguments.csv, arguments.folders, overwrite=arguments.overwrite)
        if arguments.csv is not None:
            print(export.write_groups_csv(study, arguments.csv))
        if arguments.folders is not None:
            print(export.copy_into_folders(study, arguments.folders, job))
        if origin := export.origin(study):
            print(origin)
    return DONE


def _embed(arguments: argparse.Namespace, job: Job) -> int:
    """Write the features of pictures (or the scaled ones of a table) as an array."""
    import numpy as np

    from engine import embedders, readers

    check_output(arguments.output, arguments.source, ending=".npz")
    _check_archive(arguments.output, overwrite=arguments.overwrite)
    leave_a_core()
    dataset = readers.read(
        arguments.source,
        job,
        roles=roles(arguments),
        scale=arguments.scale,
        labels_from_folders=arguments.label_from_folders,
    )
    name = arguments.embedder
    name = embedders.default_for(dataset) if name == "auto" else name
    features = embedders.make(name).embed(dataset, embedders.MemoryCache(), job)
    arrays: dict[str, Any] = {
        "X": features,
        "names": np.array([item.name for item in dataset.items]),
        "content": np.array([item.content.hex() for item in dataset.items]),
        "embedder": np.array(name),
    }
    labels = [item.label for item in dataset.items]
    if all(label is not None for label in labels):
        arrays["y_names"], arrays["y"] = np.unique(np.array(labels), return_inverse=True)
    with exchanged(arguments.output) as part, part.open("xb") as file:
        np.savez_compressed(file, **arrays)
    print(f"{counted(len(dataset), 'item')}, {counted(features.shape[1], 'feature')} by {name}")
    return DONE


def _check_archive(path: Path, *, overwrite: bool) -> None:
    """Refuse a name that says something else than .npz, and a file that is there."""
    if path.suffix.lower() != ".npz":
        raise ParameterError(
            f"{path} does not end in .npz, but features are written as such an archive of arrays",
            f"Call it {path.with_suffix('.npz').name}; numpy.load reads it.",
        )
    if not overwrite and os.path.lexists(path):
        raise ParameterError(
            f"{path} exists already", "Choose another name, or replace it by --overwrite."
        )


_COMMANDS: dict[str, Callable[[argparse.Namespace, Job], int]] = {
    "methods": _methods,
    "simulate": measuring.simulate,
    "new": _new,
    "info": _info,
    "verify": _verify,
    "replay": _replay,
    "compare": measuring.compare,
    "cluster": measuring.cluster,
    "constraints": measuring.constraints,
    "choose": choosing.choose,
    "suggest": choosing.suggest,
    "export": _export,
    "embed": _embed,
}
