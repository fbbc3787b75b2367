"""Choosing in a project: how questions are chosen, groups found and items compared; suggestions.

Promises that a choice is one step of the project, which the window can take back, and that looking
and suggesting change nothing.
"""

from __future__ import annotations

import argparse
import os

from engine.cli.opening import leave_a_core
from engine.cli.terminal import DONE
from engine.dataset import counted
from engine.errors import ParameterError
from engine.job import Job
from engine.model import Approach, StepKind, Verdict
from engine.outfile import STDOUT, check_output, write_json
from engine.parameters import setting, words

_SHOWN = 10
_KINDS = {
    "strategy": StepKind.STRATEGY,
    "grouping": StepKind.GROUPING,
    "space": StepKind.SPACE,
}


def choose(arguments: argparse.Namespace, job: Job) -> int:
    """Look at what a choice would change, and take it unless only a look was asked for."""
    from engine.study import Study

    name = next(one for one in _KINDS if getattr(arguments, one) is not None)
    method, *settings = words(getattr(arguments, name)) or [""]
    approach = Approach(method, tuple(map(setting, settings)))
    check_output(arguments.json, arguments.project, ending=".json")
    leave_a_core()
    with Study.open(arguments.project, job) as study:
        outlook = study.session.consider(approach, job, _KINDS[name])
        if not arguments.look:
            study.session.choose(outlook.approach, outlook.kind)
        labels = outlook.look.clustering.labels if outlook.look is not None else None
    effect = outlook.effect
    write_json(
        arguments.json,
        {
            "choice": name,
            "approach": str(outlook.approach),
            "taken": not arguments.look,
            "groups_before": effect.groups_before,
            "groups": effect.groups_after,
            "moved": effect.moved,
            "answers": outlook.answers,
            "labels": None if labels is None else labels.tolist(),
            "warnings": list(outlook.warnings),
        },
    )
    if arguments.json != STDOUT:
        done = "would make" if arguments.look else "makes"
        print(
            f"{method} {done} {counted(effect.groups_after, 'group')} of what was "
            f"{counted(effect.groups_before, 'group')}; {counted(effect.moved, 'item')} moved"
        )
        for warning in outlook.warnings:
            print(f"beware: {warning}")
    return DONE


def suggest(arguments: argparse.Namespace, job: Job) -> int:
    """Say what the answers of a project make likely of pairs nobody was asked about."""
    from engine.constraint_table import COLUMNS
    from engine.export import write_table
    from engine.study import Study

    if arguments.output is not None and not arguments.overwrite:
        if os.path.lexists(arguments.output):
            raise ParameterError(
                f"{arguments.output} exists already",
                "Choose another name, or replace it by --overwrite.",
            )
        check_output(arguments.output, arguments.project)
    check_output(arguments.json, arguments.project, ending=".json")
    leave_a_core()
    with Study.open(arguments.project, job) as study:
        found = study.session.suggest(job)
        names = [item.name for item in study.dataset.items]
        lines = [
            [names[one.pair.a], names[one.pair.b], one.verdict.value, f"{one.confidence:.2f}"]
            for one in found.found
        ]
        wrote = (
            "" if arguments.output is None else write_table(study, arguments.output, COLUMNS, lines)
        )
    write_json(
        arguments.json,
        {
            "learned_after": found.learned_after,
            "must": found.must,
            "cannot": found.cannot,
            "suggestions": [
                {
                    "pair": list(one.pair),
                    "items": line[:2],
                    "verdict": one.verdict.value,
                    "confidence": round(one.confidence, 3),
                    "changes_groups": one.changes,
                    "because": list(one.because),
                }
                for one, line in zip(found.found, lines, strict=True)
            ],
        },
    )
    if arguments.json != STDOUT:
        print(
            f"{counted(len(lines), 'suggestion')} learned from "
            f"{counted(found.learned_after, 'answer')}; none is an answer before a person says so"
        )
        for one, line in zip(found.found[:_SHOWN], lines, strict=False):
            word = "together" if one.verdict is Verdict.SAME else "apart"
            print(f"{word:9}{line[3]}  {line[0]} - {line[1]}")
        if wrote:
            print(wrote)
    return DONE
