"""Arguments of the command line: names, defaults, help texts and what a value may look like.

Hides argparse. Promises that every mistake comes out as a `ParameterError` of one line.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from engine import parameters
from engine.dataset import Role
from engine.device import DEVICES
from engine.errors import ParameterError
from engine.outfile import STDOUT

_MOST_QUESTIONS = 1_000_000  # the learning curve has a place for each

_SOURCE = (
    "a folder of pictures, a table (csv, tsv, xlsx, parquet), a folder of tables with the same "
    "columns, or an .npz with X and, optionally, y"
)


class _Parser(argparse.ArgumentParser):
    """Tells mistakes like every other error: in one line."""

    def error(self, message: str) -> NoReturn:
        raise ParameterError(message, f"See {self.prog} --help.")


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse arguments; `command` of the result names what to do.

    Raises
    ------
    ParameterError
        For whatever does not fit; says where help is.
    SystemExit
        After `--help`.
    """
    return _parser().parse_args(argv)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="pairloom-cli",
        description="Sort items by answers to “do these two belong together?”, without a window.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", required=True
    )

    def command(name: str, text: str) -> _Parser:
        added: _Parser = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        return added

    methods = command("methods", "List strategies, methods and features by name.")
    methods.add_argument("--json", action="store_true", help="as JSON")

    simulate = command("simulate", "Measure a strategy: labels answer its questions.")
    _add_source(simulate)
    _add_strategy(simulate)
    simulate.add_argument(
        "--budget", type=_budget, required=True, metavar="N", help="questions at most"
    )
    simulate.add_argument(
        "--noise", type=float, default=0.0, metavar="P", help="chance of a wrong verdict [0]"
    )
    simulate.add_argument(
        "--project", type=_path, metavar="P.pairloom", help="keep the answers as a new project"
    )
    _add_json(simulate)

    new = command("new", "Start a project from a folder, table or array.")
    _add_source(new)
    _add_strategy(new)
    new.add_argument("-o", "--output", type=_path, required=True, metavar="P.pairloom")

    info = command("info", "Say what a project holds.")
    _add_project(info)
    info.add_argument("--json", action="store_true", help="as JSON")

    _add_project(command("verify", "Check a project file; exit status 1 = damaged."))

    replay = command("replay", "Fold the answers of a project anew.")
    _add_project(replay)
    replay.add_argument(
        "--at",
        type=_step,
        metavar="N",
        help="up to the step that the window's history calls #N; 0 = the start",
    )
    _add_json(replay)

    compare = command(
        "compare",
        "Try strategies side by side: on the answers in a project, and on labels where there are.",
    )
    _add_source(
        compare, f"a project file, whose answers are replayed through each strategy; or {_SOURCE}"
    )
    compare.add_argument(
        "--strategies",
        nargs="+",
        metavar="S",
        help="“name key=value ...” or “label: name key=value ...”, after SOURCE; see methods "
        "[all, as they are, and the one that a project uses]",
    )
    compare.add_argument(
        "--budget",
        type=_budget,
        default=100,
        metavar="N",
        help="questions to an expert made of the labels; 0 = none [100]",
    )
    compare.add_argument(
        "--noise", type=float, default=0.0, metavar="P", help="chance of a wrong verdict [0]"
    )
    _add_chance(compare)
    compare.add_argument("--csv", type=_path, metavar="OUT.csv", help="a line per value")
    compare.epilog = (
        'Example: compare study.pairloom --strategies cobras "paper: falcon width=fixed order=mean"'
        ". Nothing in the project changes. Ctrl-C ends it and tells what was found so far."
    )
    _add_json(compare)

    _add_cluster(command("cluster", "Group items by a method that asks nothing."))

    constraints = command(
        "constraints", "Write the answers in force of a project, as cluster reads them."
    )
    _add_project(constraints)
    constraints.add_argument(
        "-o",
        "--output",
        type=_path,
        required=True,
        metavar="FILE.csv",
        help="a,b,answer,confidence",
    )
    constraints.add_argument(
        "--overwrite", action="store_true", help="replace FILE.csv if it is there"
    )

    choose = command(
        "choose",
        "Do something otherwise in a project from here on: one step, which the window takes back.",
    )
    _add_project(choose)
    which = choose.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--strategy",
        metavar="S",
        help="how questions are chosen: “name key=value ...”; see methods. What has spaces in it "
        'stands in quotation marks: “name "key=a file"”',
    )
    which.add_argument(
        "--grouping",
        metavar="S",
        help="how groups are found on the answers so far: a method likewise, or own",
    )
    which.add_argument(
        "--space",
        metavar="S",
        help="what items are compared in: given, or learned from the answers so far; "
        "“learned questions=yes” also chooses questions in it",
    )
    choose.add_argument("--look", action="store_true", help="only say what it would change")
    _add_json(choose)

    suggest = command(
        "suggest", "Say what the answers of a project make likely of pairs nobody was asked about."
    )
    _add_project(suggest)
    suggest.add_argument(
        "-o", "--output", type=_path, metavar="FILE.csv", help="a,b,answer,confidence"
    )
    suggest.add_argument("--overwrite", action="store_true", help="replace FILE.csv if it is there")
    _add_json(suggest)

    export = command("export", "Write the groups of a project.")
    _add_project(export)
    export.add_argument(
        "--csv", type=_path, metavar="OUT.csv", help="a line per file, in a new file"
    )
    export.add_argument(
        "--folders",
        type=_path,
        metavar="DIR",
        help="copy the pictures into one folder per group below DIR, which must be new or empty; "
        "of a table, write one CSV per group",
    )

    export.add_argument(
        "--overwrite", action="store_true", help="replace OUT.csv if it is there; nothing else is"
    )

    embed = command("embed", "Write features as .npz: X, names, content, and y if known.")
    _add_source(embed)
    embed.add_argument(
        "-o",
        "--output",
        type=_path,
        required=True,
        metavar="OUT.npz",
        help="a new file",
    )
    embed.add_argument("--overwrite", action="store_true", help="replace OUT.npz if it is there")
    return parser


def _add_project(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=_path, metavar="P.pairloom", help="a project file")


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json",
        type=_path_or_stdout,
        metavar="OUT",
        help="write the result here, anew each time; - = stdout",
    )


def _add_source(parser: argparse.ArgumentParser, what: str = _SOURCE) -> None:
    """Add what says which items there are, and how they are described."""
    add = parser.add_argument
    add("source", type=_path, metavar="SOURCE", help=what)
    labels = parser.add_mutually_exclusive_group()
    labels.add_argument(
        "--label",
        metavar="COL",
        help="column of labels, for evaluation only, never for asking; a+b: both a and b",
    )
    labels.add_argument(
        "--label-from-folders",
        action="store_true",
        help="the folder a picture lies in is its label, for evaluation only",
    )
    add(
        "--role",
        type=_role,
        action="append",
        default=[],
        metavar="COL=ROLE",
        help=f"what a table's column is for: {', '.join(role.value for role in Role)}",
    )
    add(
        "--scale",
        choices=("minmax", "none"),
        default="minmax",
        help="numbers of tables and arrays: to [0, 1], or as they are [minmax]",
    )
    add("--embedder", default="auto", metavar="NAME", help="features; see methods [auto]")


def _add_cluster(cluster: argparse.ArgumentParser) -> None:
    """Add what says how to group without asking."""
    _add_source(cluster)
    add = cluster.add_argument
    add("--method", required=True, metavar="NAME", help="see methods")
    add("--groups", type=_groups, metavar="K", help="how many, for methods that must be told")
    add(
        "--compose",
        metavar="G",
        help="what groups make together, for compositional methods: sum, max, mean, or a file of "
        "weights (.npz) or with a module (.pt)",
    )
    add(
        "--degree",
        type=_groups,
        metavar="D",
        help="how many groups an item may belong to at once, for compositional methods",
    )
    add(
        "--constraints",
        type=_path,
        metavar="FILE.csv",
        help="answers: a,b,same or a,b,different, then a confidence if you like; a and b are "
        "names as in groups.csv, or numbers of rows from 1",
    )
    add(
        "--least-confidence",
        type=float,
        default=0.0,
        metavar="P",
        help="leave out answers less sure than this; a guess counts as 0.5, quite as 0.75, "
        "certain as 1 [0]",
    )
    _add_settings(cluster, "method")
    _add_chance(cluster)
    _add_json(cluster)


def _add_settings(parser: argparse.ArgumentParser, of: str) -> None:
    parser.add_argument(
        "--set",
        type=setting,
        action="extend",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        help=f"parameters of the {of}; see methods",
    )


def _add_strategy(parser: argparse.ArgumentParser) -> None:
    """Add what asks about them."""
    add = parser.add_argument
    add("--strategy", default="falcon", metavar="NAME", help="see methods [falcon]")
    _add_settings(parser, "strategy")
    _add_chance(parser)
    add("--question", default="", metavar="TEXT", help="what “same” means here, in words")
    add("--planned", type=_count, metavar="N", help="questions you plan to answer, for display")


def _add_chance(parser: argparse.ArgumentParser) -> None:
    """Add the seed, and where it all is computed."""
    add = parser.add_argument
    add("--seed", type=_count, default=0, metavar="S", help="of everything random [0]")
    add(
        "--device",
        choices=DEVICES,
        default="auto",
        help="where large sums are computed [auto: a graphics processor if it is worth while]",
    )


def _path(text: str) -> Path:
    if text in {"", "-"} or "\0" in text:  # an unset variable of a script; Path("") is "."
        raise argparse.ArgumentTypeError(f"'{text}' is no name of a file or folder")
    return Path(text)


def _path_or_stdout(text: str) -> Path:
    return STDOUT if text == "-" else _path(text)


def _count(text: str, most: int = 2**31 - 1) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number <= most:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 0 to {most:,}")
    return number


def _groups(text: str) -> int:
    if (number := _count(text)) == 0:
        raise argparse.ArgumentTypeError("there must be at least 1 group")
    return number


def _step(text: str) -> int:
    return _count(text.removeprefix("#"))


def _budget(text: str) -> int:
    return _count(text, _MOST_QUESTIONS)


def setting(text: str) -> tuple[str, str]:
    """Read "key=value" for argparse."""
    try:
        return parameters.setting(text)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(error.message) from error


def _role(text: str) -> tuple[str, Role]:
    column, equals, role = text.rpartition("=")
    if not equals or role not in {known.value for known in Role}:
        known = ", ".join(one.value for one in Role)
        raise argparse.ArgumentTypeError(f"'{text}' is not COLUMN=ROLE with a role of: {known}")
    return column, Role(role)
