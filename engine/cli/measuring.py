"""Measuring: strategies by experts made of labels, and groups found without a question.

Hides what a result is made of. Promises that nothing in a project changes, and that what was found
before an interruption is told.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from engine.cli.opening import doubt_labels, leave_a_core, opened
from engine.cli.telling import (
    clustering_facts,
    clustering_in_words,
    comparison_in_words,
    composed_facts,
)
from engine.cli.terminal import DONE, INTERRUPTED, remark
from engine.dataset import counted
from engine.errors import Cancelled, ParameterError, ResourceError, UsageError
from engine.job import Job
from engine.outfile import STDOUT, check_output, write_json
from engine.parameters import named

if TYPE_CHECKING:
    from engine.constraints import Constraints
    from engine.parameters import Parameter
    from engine.study import Study

_PROJECT = ".pairloom"
_OPTIONS = {
    "groups": "finds out the number of groups; --groups is for methods that must be told",
    "compose": "composes no groups; --compose is for compositional methods",
    "degree": "composes no groups; --degree is for compositional methods",
}


def simulate(arguments: argparse.Namespace, job: Job) -> int:
    """Let labels answer the questions, and measure the grouping after each."""
    from engine.simulate import Oracle, simulate

    started = time.perf_counter()
    check_output(arguments.json, arguments.source, arguments.project, ending=".json")
    Oracle((), arguments.noise)  # a noise out of range is told before anything is read
    with opened(arguments, job, arguments.project, labelled=True) as study:
        truth = study.truth()
        if truth is None:
            raise UsageError("a study without labels was made to be simulated")
        doubt_labels(truth[truth >= 0].tolist())
        study.session.ask()
        prepared = time.perf_counter() - started
        sets = study.truth_sets() if study.session.shares else None
        oracle = Oracle(truth, arguments.noise, arguments.seed, sets=sets)
        curve = simulate(study.session, oracle, arguments.budget, job)
    result = curve.as_json(prepared, time.perf_counter() - started)
    write_json(arguments.json, result)
    if arguments.json != STDOUT:
        ari, nmi = (f"{values[-1]:.3f}" if values else "-" for values in (curve.ari, curve.nmi))
        cri = f", CRI {curve.cri[-1]:.3f}" if curve.cri else ""
        print(
            f"{curve.strategy} asked {curve.asked} of {counted(curve.budget, 'question')} about "
            f"{counted(curve.n, 'item')}: {counted(curve.groups, 'group')}, "
            f"ARI {ari}, NMI {nmi}{cri}"
        )
    return DONE


def compare(arguments: argparse.Namespace, job: Job) -> int:
    """Try strategies side by side; what was found before an interruption is told."""
    from engine import compare, export, strategies

    approaches = [strategies.read(text) for text in arguments.strategies or strategies.REGISTRY]
    check_output(arguments.json, arguments.source, ending=".json")
    leave_a_core()
    found, status = None, DONE
    with _to_compare_on(arguments, job) as study:
        if arguments.csv is not None:
            export.check_targets(study, arguments.csv, None, overwrite=True)
        in_use = study.session.approach
        if not arguments.strategies:  # those that ask the same question
            approaches = [
                (label, one)
                for label, one in approaches
                if strategies.REGISTRY[one.strategy].transitive != study.session.shares
            ]
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
            remark("interrupted; this was found until then")
            status = INTERRUPTED
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
                remark(compare.write_csv(study, found, arguments.csv))
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
    return opened(arguments, job, labelled=True)


def cluster(arguments: argparse.Namespace, job: Job) -> int:
    """Group items by a method that asks nothing, heeding answers from a file if it knows how."""
    from engine.constraint_table import read_constraints
    from engine.constraints import Constraints
    from engine.simulate import peak_rss_mb

    grouped = _grouping(arguments)
    check_output(arguments.json, arguments.source, arguments.constraints, ending=".json")
    labelled = arguments.label is not None or arguments.label_from_folders
    with opened(arguments, job, labelled=labelled) as study:
        told = Constraints()
        if arguments.constraints is not None:
            told = read_constraints(
                arguments.constraints, study.dataset, least=arguments.least_confidence
            )
        found = grouped(study, told, job)
        names = [item.name for item in study.dataset.items]
    result: dict[str, Any] = {
        "method": arguments.method,
        "n": len(names),
        "items": names,
        **found,
        "peak_rss_mb": round(peak_rss_mb(), 1),
    }
    write_json(arguments.json, result)
    if arguments.json != STDOUT:
        print(*clustering_in_words(result), sep="\n")
    return DONE


def _grouping(arguments: argparse.Namespace) -> Callable[[Study, Constraints, Job], dict[str, Any]]:
    """Make the method asked for, before anything is read: what gives the facts of its result."""
    from engine import clusterers, compositional

    named("method", {**clusterers.REGISTRY, **compositional.REGISTRY}, arguments.method)
    if arguments.method in compositional.REGISTRY:
        composer = compositional.make(
            arguments.method, _settings(arguments, compositional.parameters(arguments.method))
        )

        def composed(study: Study, told: Constraints, job: Job) -> dict[str, Any]:
            started = time.perf_counter()
            found = composer.compose(study.problem, told, job)
            seconds = time.perf_counter() - started
            labels = [item.label for item in study.dataset.items]
            facts = {"version": composer.version, **composed_facts(found, labels)}
            return {**facts, **composer.report(), "seconds": round(seconds, 3)}

        return composed
    method = clusterers.make(
        arguments.method, _settings(arguments, clusterers.parameters(arguments.method))
    )

    def clustered(study: Study, told: Constraints, job: Job) -> dict[str, Any]:
        started = time.perf_counter()
        found = method.cluster(study.problem, told, job)
        seconds = time.perf_counter() - started
        facts = {"version": method.version, **clustering_facts(found, study.truth())}
        return {**facts, **method.report(), "seconds": round(seconds, 3)}

    return clustered


def _settings(arguments: argparse.Namespace, known: Sequence[Parameter]) -> dict[str, str]:
    """Collect the parameters of a method; some have options of their own."""
    names = {parameter.name for parameter in known}
    params = dict(arguments.set)
    for name, reason in _OPTIONS.items():
        value = getattr(arguments, name)
        if value is None:
            continue
        if name not in names:
            raise ParameterError(f"{arguments.method} {reason}")
        if name in params:
            raise ParameterError(f"--{name} and --set {name}=... say the same: give one of them")
        params[name] = str(value)
    return params


def constraints(arguments: argparse.Namespace, job: Job) -> int:
    """Write the answers in force of a project."""
    from engine.constraint_table import write_constraints
    from engine.study import Study

    if not arguments.overwrite and os.path.lexists(arguments.output):
        raise ParameterError(
            f"{arguments.output} exists already",
            "Choose another name, or replace it by --overwrite.",
        )
    check_output(arguments.output, arguments.project)
    leave_a_core()
    with Study.open(arguments.project, job) as study:
        print(write_constraints(study, arguments.output))
    return DONE
