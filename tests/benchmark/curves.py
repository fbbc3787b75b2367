"""Learning curves: strategies x labelled data sets x seeds, beside those of other programs.

    python -m tests.benchmark.curves DATA... --strategies falcon "falcon width=fixed" -o OUT

Hides which runs are done already and in which process the others are done. Promises that the same
command goes on where it was stopped, and that one failed run costs no other.

Written into OUT: runs.jsonl (every run), table.md (also printed), curves.json ({method: {set: [ARI
after each question]}}, mean over seeds), curves.png and sets.png; with noise those of each noise.

Exit status: 0 done, 1 a set or run failed (named at the end), 2 wrong input, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine import embedders
from engine.dataset import counted
from engine.errors import EngineError, ParameterError
from engine.outfile import check_output, write_json
from engine.simulate import Oracle
from tests.benchmark import drawing, scores
from tests.benchmark.crew import Failure, done_side_by_side
from tests.benchmark.labelled import Described, Order, Source, describe, find
from tests.benchmark.runs import Book, Method, Record, Run, carry_out, code_mark, method
from tests.benchmark.scores import Curves, Peers

_ABOUT = "Measure the learning curves of strategies on labelled data sets."


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and tell what was found; see the module for the exit status."""
    arguments = _parser().parse_args(argv)
    try:
        return _measure(arguments)
    except EngineError as error:
        sys.stderr.write(f"curves: {error.message} {error.hint}".rstrip() + "\n")
        return 2
    except OSError as error:
        sys.stderr.write(f"curves: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("curves: interrupted; the same command goes on from here\n")
        return 130


def _measure(arguments: argparse.Namespace) -> int:
    out: Path = arguments.output
    methods = _methods(arguments.strategies)
    peers = _read_peers(arguments.peers, methods, arguments.rivals)
    sources = find(arguments.data, arguments.only)
    if arguments.embedder != "auto":
        embedders.make(arguments.embedder)
    for noise in arguments.noise:
        Oracle((), noise)  # what is out of range is told before anything is read
    book = _opened(out)
    failures: dict[str, Failure] = {}
    described = _described(sources, arguments, failures)
    seeds = [None] if arguments.as_is else range(arguments.seeds)
    runs = [
        Run(data, chosen, seed, noise, arguments.budget)
        for data in described
        for noise in arguments.noise
        for seed in seeds
        for chosen in methods
    ]
    records = _records(runs, book, arguments, failures)
    if records:
        _report(out, runs, records, peers, arguments)
    _tell_failures(failures)
    return 1 if failures else 0


def _opened(out: Path) -> Book:
    """Make the folder of the results where it is missing, and read what it holds already."""
    (out / "sets").mkdir(parents=True, exist_ok=True)
    book = out / "runs.jsonl"
    check_output(book)
    return Book(book)


def _described(
    sources: Sequence[Source], arguments: argparse.Namespace, failures: dict[str, Failure]
) -> list[Described]:
    """Read and describe the sets, and give them from the smallest: the first results come soon."""
    kept: Path = arguments.output / "sets"
    orders = [
        Order(source, arguments.embedder, arguments.label, arguments.most_rows, kept)
        for source in sources
    ]
    described = []
    for order, found in done_side_by_side(describe, orders, arguments.jobs):
        if isinstance(found, Failure):
            failures[order.source.name] = found
            _tell(f"{order.source.name}: FAILED: {found.reason}")
        elif found is not None:
            described.append(found)
    _tell(counted(len(described), "set") + (f", {len(failures)} failed" if failures else ""))
    return sorted(described, key=lambda one: (one.n, one.name))


def _records(
    runs: Sequence[Run], book: Book, arguments: argparse.Namespace, failures: dict[str, Failure]
) -> dict[str, Record]:
    """Give what every run gave, by key; those not in the book are done now."""
    held = {run.key: record for run in runs if (record := book.get(run))}
    records = {} if arguments.again else held
    if records:
        old = sum(record["code"] != code_mark() for record in records.values())
        other = f", {old} of them by other code in engine/: --again does all anew" if old else ""
        _tell(f"{len(records)} of {len(runs)} runs were done before{other}")
    # Two labels may mean the same run: it is done once.
    missing = {run.key: run for run in runs if run.key not in records}.values()
    done = done_side_by_side(carry_out, missing, arguments.jobs)
    for number, (run, outcome) in enumerate(done, start=1):
        if isinstance(outcome, Failure):
            failures[run.name] = outcome
            told = f"FAILED: {outcome.reason}"
        else:
            book.add(outcome)
            records[run.key] = outcome
            mean = sum(outcome["ari"]) / run.budget
            told = f"mean ARI {mean:.3f}, {outcome['seconds']['total']:.1f} s"
        _tell(f"[{number}/{len(missing)}] {run.name}: {told}")
    return records


def _report(
    out: Path,
    runs: Sequence[Run],
    records: dict[str, Record],
    peers: Peers,
    arguments: argparse.Namespace,
) -> None:
    """Write the tables, the curves and the pictures."""
    facts = {run.data.name: run.data for run in runs}
    parts = [_heading(arguments, facts.values())]
    everything: dict[str, object] = {}
    for noise in arguments.noise:
        here = [run for run in runs if run.noise == noise and run.key in records]
        if not here:
            continue
        ours = _averaged(here, records)
        others = {} if noise else scores.rivals(peers, arguments.budget, list(facts))
        compared = scores.beside(ours, others, arguments.rivals)
        several = len(arguments.noise) > 1 or noise > 0
        suffix = f" noise={noise:g}" if noise else ""
        if several:
            parts.append(f"# Wrong answers: {noise:.0%}")
        parts += _tables(ours, others, compared, facts)
        parts.append("## What it took\n\n" + scores.costs(_by_method(here, records)))
        for name, curves in ours.items():
            everything[name + suffix] = {
                one: [round(float(value), 6) for value in measured.curve]
                for one, measured in curves.items()
            }
        _draw(out, f"-noise-{noise:g}" if noise else "", ours, compared, facts, arguments.budget)
    text = "\n\n".join(parts) + "\n"
    (out / "table.md").write_text(text, encoding="utf-8")
    write_json(out / "curves.json", everything)
    sys.stdout.write(text)


def _heading(arguments: argparse.Namespace, sets: Iterable[Described]) -> str:
    rows = "the rows as filed"
    if not arguments.as_is:
        rows = f"{counted(arguments.seeds, 'shuffle')} of the rows"
    return (
        f"Agreement of the groups with the truth (ARI) over {arguments.budget} questions; "
        f"{counted(len(list(sets)), 'set')}, {rows}."
        + (" ± is the standard error over the shuffles." if arguments.seeds > 1 else "")
    )


def _tables(
    ours: Curves, others: Curves, compared: Curves, facts: dict[str, Described]
) -> list[str]:
    n_sets = len(next(iter(compared.values())))
    which = ", those that all of these have" if len(compared) > 1 else ""
    parts = [f"## Over {counted(n_sets, 'set')}{which}\n\n{scores.summary(compared)}"]
    if any(len(curves) > n_sets for curves in ours.values()) and (
        alone := scores.beside(ours, {}, None)
    ):
        n_alone = len(next(iter(alone.values())))
        parts.append(
            f"## Over {counted(n_alone, 'set')}, without the others\n\n{scores.summary(alone)}"
        )
    if len(ours) + len(others) > 1:
        first = next(iter(ours))
        table = scores.against_the_first({**ours, **others})
        parts.append(f"## {first} against each, over the sets that both have\n\n{table}")
    numbers = {one: (data.n, data.d, data.k) for one, data in facts.items()}
    parts.append(f"## Each set\n\n{scores.each_set({**ours, **others}, numbers)}")
    return parts


def _draw(
    out: Path,
    suffix: str,
    ours: Curves,
    compared: Curves,
    facts: dict[str, Described],
    budget: int,
) -> None:
    rivals = compared.keys() - ours.keys()
    drawing.draw_means(
        out / f"curves{suffix}.png", compared, rivals, f"Learning curves over {budget} questions"
    )
    every = {name: ours.get(name) or compared[name] for name in compared}
    titles = {
        one: f"{data.n} × {data.d}, k = {data.k}"
        for one, data in facts.items()
        if any(one in curves for curves in every.values())
    }
    drawing.draw_each_set(out / f"sets{suffix}.png", every, rivals, titles)


def _averaged(runs: Sequence[Run], records: dict[str, Record]) -> Curves:
    """Average over the seeds."""
    curves: dict[str, dict[str, list[list[float]]]] = {}
    for run in runs:
        by_set = curves.setdefault(run.method.label, {})
        by_set.setdefault(run.data.name, []).append(records[run.key]["ari"])
    return {
        name: {one: scores.averaged(lines) for one, lines in by_set.items()}
        for name, by_set in curves.items()
    }


def _by_method(runs: Sequence[Run], records: dict[str, Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for run in runs:
        found.setdefault(run.method.label, []).append(records[run.key])
    return found


def _methods(texts: Sequence[str]) -> list[Method]:
    methods = [method(text) for text in texts]
    labels = [one.label for one in methods]
    if len(set(labels)) < len(labels):
        raise ParameterError("two strategies have the same label", "Write “label: name key=value”.")
    return methods


def _read_peers(
    paths: Sequence[Path], methods: Sequence[Method], wanted: Sequence[str] | None
) -> Peers:
    """Read the curves of other programs; no two methods may have the same name."""
    peers: dict[str, dict[str, list[float]]] = {}
    taken = {one.label for one in methods}
    for path in paths:
        try:
            read = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ParameterError(f"{path} holds no curves: {error}") from error
        if not _are_curves(read):
            raise ParameterError(
                f"{path} holds no curves", "It must be {method: {set: [ARI ...]}}."
            )
        for name, curves in read.items():
            if name in taken:
                raise ParameterError(
                    f"{path}: there is another method called {name}",
                    "Give ours another label: “label: name key=value”.",
                )
            taken.add(name)
            peers[name] = curves
    for name in wanted or ():
        if name not in peers:
            raise ParameterError(f"no rival is called {name}; there are: {', '.join(peers)}")
    return peers


def _are_curves(read: object) -> bool:
    """Tell whether something is of the form {method: {set: [ARI ...]}}."""
    if not isinstance(read, dict) or not all(isinstance(one, dict) for one in read.values()):
        return False
    lines = [line for curves in read.values() for line in curves.values()]
    return all(
        isinstance(line, list) and all(isinstance(value, int | float) for value in line)
        for line in lines
    )


def _tell_failures(failures: dict[str, Failure]) -> None:
    """Name what failed; what has the same reason is traced once."""
    traced: set[str] = set()
    for name, failure in failures.items():
        trace = "" if failure.reason in traced else failure.trace
        traced.add(failure.reason)
        _tell(f"FAILED {name}: {failure.reason}\n{trace}".rstrip())


def _tell(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmark.curves", description=_ABOUT, allow_abbrev=False
    )
    add = parser.add_argument
    add(
        "data",
        nargs="+",
        type=Path,
        metavar="DATA",
        help="a table or .npz (X, y), a folder of these, or a folder of pictures, a folder a class",
    )
    add(
        "--strategies",
        nargs="+",
        required=True,
        metavar="S",
        help='"name key=value ..." or "label: name key=value ..."; the first is compared with all',
    )
    add("-o", "--output", type=Path, required=True, metavar="OUT", help="folder of the results")
    add("--only", nargs="+", default=[], metavar="NAME", help='sets; patterns such as "mfeat_*"')
    add(
        "--most-rows",
        type=_positive,
        metavar="N",
        help="pass over sets with more items, copies dropped",
    )
    add("--label", metavar="COL", help="column of a table that holds the labels [by its name]")
    add("--embedder", default="auto", metavar="NAME", help="features of pictures [auto]")
    rows = parser.add_mutually_exclusive_group()
    rows.add_argument(
        "--seeds",
        type=_positive,
        default=1,
        metavar="N",
        help="seeds 0 to N-1; each shuffles the rows, and is the strategy's and the expert's [1]",
    )
    rows.add_argument("--as-is", action="store_true", help="one run, the rows in the file's order")
    add("--budget", type=_positive, default=200, metavar="N", help="questions [200]")
    add("--noise", nargs="+", type=float, default=[0.0], metavar="P", help="chances of error [0]")
    add("--jobs", type=_positive, default=1, metavar="N", help="processes, one thread each [1]")
    add("--again", action="store_true", help="do anew what OUT has already")
    add(
        "--peers",
        nargs="+",
        type=Path,
        default=[],
        metavar="JSON",
        help="curves of others: {method: {set: [ARI ...]}}",
    )
    add(
        "--rivals",
        nargs="+",
        metavar="NAME",
        help="of these, the ones in the first table and the pictures [those with the most sets]",
    )
    return parser


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 1")
    return number


if __name__ == "__main__":
    sys.exit(main())
