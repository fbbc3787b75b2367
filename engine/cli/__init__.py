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
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.arguments import parse
from engine.cli.telling import (
    after,
    agreement,
    clustering_in_words,
    columns_in_words,
    comparison_in_words,
    described,
    entries_in_words,
    first_line,
    moment,
    parameter_facts,
    state_facts,
)
from engine.cli.terminal import Progress, interruptible, plain
from engine.dataset import Dataset, Role, SourceKind, counted
from engine.errors import (
    Cancelled,
    DatasetError,
    EngineError,
    ParameterError,
    ResourceError,
    UsageError,
)
from engine.job import Job
from engine.outfile import STDOUT, check_output, exchanged, write_json

if TYPE_CHECKING:
    from engine.clusterers import Clusterer
    from engine.study import Study

_DONE, _FOUND, _WRONG, _INTERRUPTED = 0, 1, 2, 130
_NUMBERS = (
    "Steps have the numbers that the window's history shows; taking back and going to a step use "
    "up numbers too, so some are left out. 0 is the start."
)
_PROJECT = ".pairloom"
_LISTED = 5  # unusable files that are named
_OWN_LABELS = 0.9  # labels per item, above which they say next to nothing about what is alike
_WHERE = "Name the column by --label, or use --label-from-folders; in an .npz it is y."


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
        return _INTERRUPTED
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _DONE
    except OSError as error:
        progress.clear()
        what = error.strerror or str(error)
        return _complain(f"{error.filename}: {what}" if error.filename else what)
    except MemoryError:
        progress.clear()
        return _complain("There is not enough memory for this.", "Use fewer items.")


def _complain(message: str, hint: str = "") -> int:
    _remark(f"{message} {hint}".rstrip())
    return _WRONG


def _remark(text: str) -> None:
    """Write a line to stderr, over that of the progress."""
    if sys.stderr.isatty():
        sys.stderr.write("\r" + " " * 79 + "\r")
    sys.stderr.write(plain(f"pairloom: {text}") + "\n")


# ---------------------------------------------------------------------------- the commands


def _methods(arguments: argparse.Namespace, job: Job) -> int:
    """List what can be asked for by name."""
    from engine import clusterers, embedders, strategies

    del job
    kinds = {"strategies": strategies, "methods": clusterers}
    found = {
        kind: [
            {
                "name": name,
                "version": entry.version,
                "about": first_line(inspect.getmodule(entry)),
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
        return _DONE
    print("Strategies decide what to ask (--strategy):")
    print(*entries_in_words(found["strategies"]), sep="\n")
    print("\nMethods group without asking:")
    print(*entries_in_words(found["methods"]), sep="\n")
    print("\nFeatures of pictures and tables (--embedder):")
    print(*entries_in_words(features), sep="\n")
    return _DONE


def _simulate(arguments: argparse.Namespace, job: Job) -> int:
    """Let labels answer the questions, and measure the grouping after each."""
    from engine.simulate import Oracle, simulate

    started = time.perf_counter()
    check_output(arguments.json, arguments.source, arguments.project, ending=".json")
    Oracle((), arguments.noise)  # a noise out of range is told before anything is read
    with _created(arguments, arguments.project, job, labelled=True) as study:
        truth = study.truth()
        if truth is None:
            raise UsageError("a study without labels was made to be simulated")
        _doubt_labels(truth[truth >= 0].tolist())
        study.session.ask()
        prepared = time.perf_counter() - started
        oracle = Oracle(truth, arguments.noise, arguments.seed)
        curve = simulate(study.session, oracle, arguments.budget, job)
    result = curve.as_json(prepared, time.perf_counter() - started)
    write_json(arguments.json, result)
    if arguments.json != STDOUT:
        ari, nmi = (f"{values[-1]:.3f}" if values else "-" for values in (curve.ari, curve.nmi))
        print(
            f"{curve.strategy} asked {curve.asked} of {counted(curve.budget, 'question')} about "
            f"{counted(curve.n, 'item')}: {counted(curve.groups, 'group')}, ARI {ari}, NMI {nmi}"
        )
    return _DONE


def _doubt_labels(labels: Sequence[int]) -> None:
    """Say so when the labels can hardly be groups: the column may be the wrong one."""
    different = len(set(labels))
    if len(labels) > 2 and different > _OWN_LABELS * len(labels):
        _remark(
            f"nearly every item has a label of its own ({counted(different, 'label')} for "
            f"{counted(len(labels), 'item')}): is this the column that was meant?"
        )


def _new(arguments: argparse.Namespace, job: Job) -> int:
    """Start a project."""
    with _created(arguments, arguments.output, job) as study:
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
    return _DONE


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
        return _DONE
    facts["answers"] = ", ".join(f"{count} {name}" for name, count in facts["answers"].items())
    facts["params"] = " ".join(f"{key}={value}" for key, value in approach.params)
    facts["position"] = f"step #{log.position}" if log.position else "the start"
    facts["source_found"] = "yes" if found else "no: the folder or file is not there"
    for name, value in facts.items():
        if value not in ("", None):
            print(f"{name.replace('_', ' ') + ':':<14}{plain(str(value))}")
    return _DONE


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
    return _FOUND if findings else _DONE


def _replay(arguments: argparse.Namespace, job: Job) -> int:
    """Fold the answers of a project anew, up to the present or a chosen step."""
    from engine.study import Study

    check_output(arguments.json, arguments.project)
    _leave_a_core()
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
    return _DONE


def _compare(arguments: argparse.Namespace, job: Job) -> int:
    """Try strategies side by side; what was found before an interruption is told."""
    from engine import compare, export, strategies

    approaches = [strategies.read(text) for text in arguments.strategies or strategies.REGISTRY]
    check_output(arguments.json, arguments.source, ending=".json")
    _leave_a_core()
    found, status = None, _DONE
    with _to_compare_on(arguments, job) as study:
        if arguments.csv is not None:
            export.check_targets(study, arguments.csv, None, overwrite=True)
        in_use = study.session.approach
        if not arguments.strategies and in_use not in (one for _, one in approaches):
            approaches.insert(0, ("in use", in_use))
        try:
            for comparison in compare.compare(
                study, approaches, job, budget=arguments.budget, noise=arguments.noise
            ):
                found = comparison
        except Cancelled:
            if found is None:
                raise
            _remark("interrupted; this was found until then")
            status = _INTERRUPTED
        refused = [trial.refused for trial in found.trials if trial.refused] if found else []
        if found is None or not any(trial.own or trial.curve for trial in found.trials):
            if refused:
                raise ResourceError(refused[0])
            raise ParameterError(
                "there is nothing to compare on: no answers, and no labels to make an expert of",
                "Answer some questions first, or give --budget and a source with labels.",
            )
        if arguments.json != STDOUT:  # first: files may turn out to find no room
            print(*comparison_in_words(found), sep="\n", flush=True)
        if found.complete:
            write_json(arguments.json, compare.as_json(found))
            if arguments.csv is not None:
                _remark(compare.write_csv(study, found, arguments.csv))
    return status


def _to_compare_on(arguments: argparse.Namespace, job: Job) -> Study:
    """Open the project, or read a source that has labels."""
    from engine.study import Study

    if arguments.source.suffix == _PROJECT:
        described_anew = {
            "--label": arguments.label is not None,
            "--label-from-folders": arguments.label_from_folders,
            "--role": bool(arguments.role),
            "--scale": arguments.scale != "minmax",
            "--embedder": arguments.embedder != "auto",
            "--seed": arguments.seed != 0,
        }
        for option in (option for option, given in described_anew.items() if given):
            raise ParameterError(
                f"{option} is for tables and folders; a project keeps to what it was made with"
            )
        return Study.open(arguments.source, job, device=arguments.device)
    return Study.create(
        arguments.source,
        job,
        path=None,
        embedder=arguments.embedder,
        seed=arguments.seed,
        scale=arguments.scale,
        roles=_roles(arguments),
        labels_from_folders=arguments.label_from_folders,
        accept=partial(_check_labels, arguments.label),
        device=arguments.device,
    )


def _export(arguments: argparse.Namespace, job: Job) -> int:
    """Write the groups of a project."""
    from engine import export
    from engine.study import Study

    if arguments.csv is None and arguments.folders is None:
        raise ParameterError("nothing to export", "Give --csv OUT, --folders DIR, or both.")
    if arguments.overwrite and arguments.csv is None:
        raise ParameterError("--overwrite is for --csv", "Nothing in a folder is ever overwritten.")
    _leave_a_core()
    with Study.open(arguments.project, job) as study:
        export.check_targets(study, arguments.csv, arguments.folders, overwrite=arguments.overwrite)
        if arguments.csv is not None:
            print(export.write_groups_csv(study, arguments.csv))
        if arguments.folders is not None:
            print(export.copy_into_folders(study, arguments.folders, job))
        if origin := export.origin(study):
            print(origin)
    return _DONE


def _cluster(arguments: argparse.Namespace, job: Job) -> int:
    """Group items by a method that asks nothing, heeding answers from a file if it knows how."""
    from engine import clusterers
    from engine.constraint_table import read_constraints
    from engine.constraints import Constraints
    from engine.simulate import peak_rss_mb
    from engine.study import Study

    method = _method(arguments)
    check_output(arguments.json, arguments.source, arguments.constraints, ending=".json")
    _leave_a_core()
    labelled = arguments.label is not None or arguments.label_from_folders
    with Study.create(
        arguments.source,
        job,
        path=None,
        embedder=arguments.embedder,
        seed=arguments.seed,
        scale=arguments.scale,
        roles=_roles(arguments),
        labels_from_folders=arguments.label_from_folders,
        accept=partial(_check_labels, arguments.label) if labelled else None,
        device=arguments.device,
    ) as study:
        told = Constraints()
        if arguments.constraints is not None:
            told = read_constraints(
                arguments.constraints, study.dataset, least=arguments.least_confidence
            )
        started = time.perf_counter()
        found = method.cluster(study.problem, told, job)
        seconds = time.perf_counter() - started
        truth, names = study.truth(), [item.name for item in study.dataset.items]
    result: dict[str, Any] = {
        "method": arguments.method,
        "version": clusterers.REGISTRY[arguments.method].version,
        "n": len(names),
        "items": names,
        "labels": found.labels.tolist(),
        "confidence": [round(value, 4) for value in found.confidence.tolist()],
        "groups": found.n_groups,
        "metrics": None if truth is None else agreement(truth, found.labels),
        **method.report(),
        "seconds": round(seconds, 3),
        "peak_rss_mb": round(peak_rss_mb(), 1),
    }
    write_json(arguments.json, result)
    if arguments.json != STDOUT:
        print(*clustering_in_words(result), sep="\n")
    return _DONE


def _method(arguments: argparse.Namespace) -> Clusterer:
    """Make the method asked for; told once, the number of groups is its parameter."""
    from engine import clusterers

    known = {parameter.name for parameter in clusterers.parameters(arguments.method)}
    params = dict(arguments.set)
    if arguments.groups is not None:
        if "groups" not in known:
            raise ParameterError(
                f"{arguments.method} finds out the number of groups; --groups is for methods that "
                f"must be told"
            )
        if "groups" in params:
            raise ParameterError("--groups and --set groups=... say the same: give one of them")
        params["groups"] = str(arguments.groups)
    return clusterers.make(arguments.method, params)


def _constraints(arguments: argparse.Namespace, job: Job) -> int:
    """Write the answers in force of a project."""
    from engine.constraint_table import write_constraints
    from engine.study import Study

    if not arguments.overwrite and os.path.lexists(arguments.output):
        raise ParameterError(
            f"{arguments.output} exists already",
            "Choose another name, or replace it by --overwrite.",
        )
    check_output(arguments.output, arguments.project)
    _leave_a_core()
    with Study.open(arguments.project, job) as study:
        print(write_constraints(study, arguments.output))
    return _DONE


def _embed(arguments: argparse.Namespace, job: Job) -> int:
    """Write the features of pictures (or the scaled ones of a table) as an array."""
    import numpy as np

    from engine import embedders, readers

    check_output(arguments.output, arguments.source, ending=".npz")
    _check_archive(arguments.output, overwrite=arguments.overwrite)
    _leave_a_core()
    dataset = readers.read(
        arguments.source,
        job,
        roles=_roles(arguments),
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
    return _DONE


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


# ---------------------------------------------------------------------------- shared by commands


def _created(
    arguments: argparse.Namespace, path: Path | None, job: Job, *, labelled: bool = False
) -> Study:
    """Start a study as the arguments say."""
    from engine.study import Study

    _leave_a_core()
    return Study.create(
        arguments.source,
        job,
        path=path,
        embedder=arguments.embedder,
        strategy=arguments.strategy,
        params=dict(arguments.set),
        seed=arguments.seed,
        scale=arguments.scale,
        roles=_roles(arguments),
        labels_from_folders=arguments.label_from_folders,
        question=arguments.question,
        planned=arguments.planned,
        accept=partial(_check_labels, arguments.label) if labelled else None,
        device=arguments.device,
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


def _roles(arguments: argparse.Namespace) -> dict[str, Role] | None:
    """Collect what is said about the columns of a table; None = nothing."""
    roles = dict(arguments.role)
    if arguments.label is not None:
        roles[arguments.label] = Role.LABEL
    return roles or None


def _leave_a_core() -> None:
    """Keep one processor core free for the person's other work."""
    if "OMP_NUM_THREADS" not in os.environ:
        import torch

        torch.set_num_threads(max(1, (os.cpu_count() or 2) - 1))


_COMMANDS: dict[str, Callable[[argparse.Namespace, Job], int]] = {
    "methods": _methods,
    "simulate": _simulate,
    "new": _new,
    "info": _info,
    "verify": _verify,
    "replay": _replay,
    "compare": _compare,
    "cluster": _cluster,
    "constraints": _constraints,
    "export": _export,
    "embed": _embed,
}
