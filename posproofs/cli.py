"""The command line: reads the arguments, calls what does the work, and turns refusals into one line and an exit status.

Nothing heavier than argparse is imported until a command runs, so `posproofs --help` answers at once. A refusal of
posproofs is one line on standard error; any other exception is a bug of posproofs and keeps its traceback.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from posproofs.errors import Contradiction, PosproofsError, UnknownName, UsageError
from posproofs.vocabulary import Exit

if TYPE_CHECKING:
    from pathlib import Path

    from _typeshed import SupportsWrite

    from posproofs.engine.queries import Query
    from posproofs.engine.worker import Worker

DESCRIPTION = """\
Prove the formulas of positional attention, emit them as code, and hold released implementations to them.

exit status
  0  conforms, or only known failures
  1  a law is broken
  2  usage error, or nothing ran
  3  inconclusive or unidentified
  4  posproofs contradicted itself
"""
_INTERRUPTED = 130  # 128 + SIGINT, as shells have it
_LEAST = 16  # positions that a convention can be read from
_CLOSED_PIPE = 141  # 128 + SIGPIPE: the reader of our output went away


class _Parser(argparse.ArgumentParser):
    """argparse exits by itself and prints its usage; here a wrong call is a UsageError like any other."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see: {self.prog} --help")

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        # That of argparse drops the error of an output that cannot be written.
        (file or sys.stdout).write(self.format_help())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    if sys.stdout is None:  # the caller closed it
        return _refused(UsageError("standard output is closed; nothing was run"), Exit.USAGE)
    try:
        return int(_run(sys.argv[1:] if argv is None else list(argv)))
    except Contradiction as wrong:
        return _refused(wrong, Exit.CONTRADICTION)
    except PosproofsError as refusal:
        return _refused(refusal, Exit.USAGE)
    except KeyboardInterrupt:
        sys.stderr.write("posproofs: interrupted\n")
        return _INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return _CLOSED_PIPE
    except OSError as wrong:
        # The error of a file names the file; that of standard output names none.
        if wrong.filename is not None:
            raise
        _drop_output()
        reason = (wrong.strerror or str(wrong)).lower()
        return _refused(UsageError(f"cannot write to standard output: {reason}"), Exit.USAGE)


def _drop_output() -> None:
    # Python flushes standard output once more at its end, which would fail again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: list[str]) -> Exit:
    if argv and not argv[0].startswith("-") and argv[0] not in COMMANDS:
        raise UnknownName("command", argv[0], COMMANDS)
    try:
        arguments = parser().parse_args(argv)
    finally:
        sys.stdout.flush()  # --help leaves from in there
    if arguments.version:
        return _version()
    if arguments.command is None:
        raise UsageError("no command; see: posproofs --help")
    command: Callable[[argparse.Namespace], Exit] = arguments.run
    status = command(arguments)
    sys.stdout.flush()
    return status


def _refused(refusal: PosproofsError, status: Exit) -> int:
    first, *rest = str(refusal).splitlines() or ["no message"]
    if any(line.startswith("    ") for line in rest):  # code to copy
        sys.stderr.write(f"posproofs: error: {first}\n{chr(10).join(rest)}\n")
    else:
        sys.stderr.write(f"posproofs: error: {' '.join([first, *map(str.strip, rest)])}\n")
    return int(status)


def parser() -> argparse.ArgumentParser:
    """The whole grammar of the command."""
    plain = argparse.RawDescriptionHelpFormatter
    top = _Parser(prog="posproofs", description=DESCRIPTION, formatter_class=plain, allow_abbrev=False)
    top.add_argument("--version", action="store_true", help="print the version")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands", prog="posproofs")
    for name, (summary, describe, run) in COMMANDS.items():
        one = commands.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", allow_abbrev=False
        )
        describe(one)
        one.set_defaults(run=run)
    return top


def _describe_verify(one: argparse.ArgumentParser) -> None:
    reach = one.add_mutually_exclusive_group()
    reach.add_argument("--symbolic", action="store_true", help="stop after the theorems; needs no torch")
    reach.add_argument("--all", action="store_true", help="the wide search: more drawn cases for each law")
    one.add_argument(
        "--only", type=_ids, action="extend", default=[], metavar="ID,...", help="these theorems, claims or laws only"
    )
    one.add_argument(
        "--subjects",
        type=_ids,
        action="extend",
        default=[],
        metavar="GLOB",
        help="subjects whose names match, as torch.*",
    )
    one.add_argument("--seed", type=int, default=0, metavar="N", help="other drawn cases than those of seed 0")
    one.add_argument("--json", type=_path, metavar="FILE", help="write the whole run, posproofs.verify/1")


def _describe_check(one: argparse.ArgumentParser) -> None:
    _describe_call(one)
    one.add_argument(
        "--declare", type=_pairs, default=(), metavar="K=V,...", help="what it should be: base=500000,layout=half-split"
    )
    one.add_argument(
        "--against", metavar="OTHER", help="another piece of code: where the two part, and what explains it"
    )
    one.add_argument("--seed", type=int, default=0, metavar="N", help="other drawn cases than those of seed 0")
    one.add_argument("--json", type=_path, metavar="FILE", help="write what was found, posproofs.check/1")


def _describe_call(one: argparse.ArgumentParser) -> None:
    one.add_argument("target", metavar="TARGET", help="package.module:object, path/file.py:object, or a subject's name")
    one.add_argument("--kind", default="", metavar="K", help="what it is: rotary, table, attention, scores, module")
    one.add_argument("--dims", type=_numbers, default=(), metavar="N,...", help="widths of a head to call it with")
    one.add_argument("--shape", default="", metavar="S", help="how to call it, as check prints it")
    one.add_argument("--positions", type=_number, metavar="N", help="it takes positions below N")


def _describe_write(one: argparse.ArgumentParser) -> None:
    _describe_call(one)
    one.add_argument("-o", "--output", type=_path, metavar="FILE", help="write here instead of standard output")


def _describe_list(one: argparse.ArgumentParser) -> None:
    one.add_argument("--claims", action="store_true", help="the statements of the sources and who answers them")
    one.add_argument("--laws", action="store_true", help="what code must satisfy")
    one.add_argument("--subjects", action="store_true", help="the released implementations and their versions")
    one.add_argument("--json", action="store_true", help="print JSON, posproofs.list/1")


def _describe_show(one: argparse.ArgumentParser) -> None:
    one.add_argument("id", metavar="ID", help="a theorem, derivation, erratum, claim, law, subject or lemma")
    one.add_argument("--trust", action="store_true", help="add on what a theorem rests")


def _describe_emit(one: argparse.ArgumentParser) -> None:
    one.add_argument("id", metavar="ID", help="a theorem with an executable reading, as rotary.rotate")
    one.add_argument("--to", required=True, metavar="TARGET", help="torch or numpy")
    one.add_argument("--layout", metavar="LAYOUT", help="interleaved (default) or half-split")
    one.add_argument("--form", default="table", metavar="FORM", help="table (default), complex or real")
    one.add_argument("-o", "--output", type=_path, metavar="FILE", help="write here instead of standard output")


def _describe_export(one: argparse.ArgumentParser) -> None:
    one.add_argument("ids", type=_ids, metavar="ID,...|all", help="entries of the catalogue, or all of them")
    one.add_argument("--format", required=True, metavar="FORMAT", help="latex, markdown, ipynb or json")
    one.add_argument("-o", "--output", type=_path, metavar="DIR", help="the folder to write to; if left out, this one")


def _describe_replay(one: argparse.ArgumentParser) -> None:
    one.add_argument("id", metavar="ID", help="the replay id of a failure, as its report prints it")


def _ids(text: str) -> tuple[str, ...]:
    found = tuple(part.strip() for part in text.split(",") if part.strip())
    if not found:
        raise argparse.ArgumentTypeError("wanted names separated by commas, saw none")
    return found


def _numbers(text: str) -> tuple[int, ...]:
    found = _ids(text)
    if not all(part.isdecimal() and int(part) > 1 for part in found):
        raise argparse.ArgumentTypeError(f"wanted whole numbers from 2 on, separated by commas, saw {text}")
    return tuple(map(int, found))


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < _LEAST:
        raise argparse.ArgumentTypeError(f"wanted a whole number from {_LEAST} on, saw {text}")
    return int(text)


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    found = tuple(part.partition("=") for part in _ids(text))
    if not all(key and value for key, _, value in found):
        raise argparse.ArgumentTypeError(f"wanted KEY=VALUE separated by commas, saw {text}")
    return tuple((key, value) for key, _, value in found)


def _path(text: str) -> Path:
    # pathlib costs a tenth of the time that --help may take.
    from pathlib import Path

    return Path(text)


def _version() -> Exit:
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("posproofs")
    except PackageNotFoundError:
        found = "of a source tree that is not installed"
    sys.stdout.write(f"posproofs {found}\n")
    sys.stdout.flush()
    return Exit.CONFORMS


def _verify(arguments: argparse.Namespace) -> Exit:
    from posproofs.report.verify import Asked, verify

    asked = Asked(
        only=tuple(arguments.only),
        subjects=tuple(arguments.subjects),
        reach="symbolic" if arguments.symbolic else "wide" if arguments.all else "plain",
        seed=arguments.seed,
        json=arguments.json,
    )
    return verify(asked, sys.stdout)


def _check(arguments: argparse.Namespace) -> Exit:
    query = _query(arguments, arguments.declare)
    from posproofs.engine.worker import Worker

    with Worker() as worker:
        worker.begin("posproofs.engine.jobs")  # torch takes a while, and so does what is imported next
        return _checked(query, arguments, worker)


def _checked(query: Query, arguments: argparse.Namespace, worker: Worker) -> Exit:
    from posproofs.engine.queries import Query
    from posproofs.report.checked import checked, compared

    if arguments.against is not None:
        if arguments.json is not None or arguments.declare:
            raise UsageError("--against compares two pieces of code; leave out --json and --declare")
        other = Query(arguments.against, arguments.dims, "", arguments.positions, kind=arguments.kind)
        return compared(query, other, sys.stdout, worker=worker)
    return checked(query, sys.stdout, worker=worker, json=arguments.json, seed=arguments.seed)


def _query(arguments: argparse.Namespace, declare: tuple[tuple[str, str], ...] = ()) -> Query:
    from posproofs.engine.targets import is_own, split

    if is_own(arguments.target):
        split(arguments.target)  # a wrong name is told before anything heavy is imported
    from posproofs.engine.queries import Query

    return Query(arguments.target, arguments.dims, arguments.shape, arguments.positions, declare, kind=arguments.kind)


def _write(arguments: argparse.Namespace) -> Exit:
    query = _query(arguments)
    from posproofs.report.files import write
    from posproofs.report.written import written

    text = written(query)
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        write(arguments.output, text)
    return Exit.CONFORMS


def _list(arguments: argparse.Namespace) -> Exit:
    from posproofs.report.listing import listing, listing_json

    wanted = tuple(name for name in ("claims", "laws", "subjects") if getattr(arguments, name)) or ("theorems",)
    sys.stdout.write(listing_json(wanted) if arguments.json else listing(wanted))
    return Exit.CONFORMS


def _show(arguments: argparse.Namespace) -> Exit:
    from posproofs.report.show import show, show_trust

    sys.stdout.write(show_trust(arguments.id) if arguments.trust else show(arguments.id))
    return Exit.CONFORMS


def _emit(arguments: argparse.Namespace) -> Exit:
    from posproofs.emit import source
    from posproofs.report.files import write

    text = source(arguments.id, to=arguments.to, layout=arguments.layout, form=arguments.form)
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        write(arguments.output, text)
    return Exit.CONFORMS


def _export(arguments: argparse.Namespace) -> Exit:
    from posproofs.export import export

    for path in export(arguments.ids, arguments.format, arguments.output or _path(".")):
        sys.stdout.write(f"{path}\n")
    return Exit.CONFORMS


def _replay(arguments: argparse.Namespace) -> Exit:
    from posproofs.report.replayed import replay_text

    text, status = replay_text(arguments.id)
    sys.stdout.write(text)
    return status


COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], Exit]]] = {
    "verify": ("prove the catalogue and hold the installed libraries to it", _describe_verify, _verify),
    "check": ("identify your own code, and hold it to the laws of its kind", _describe_check, _check),
    "write": ("write a pytest file that holds your own code to what it was found to be", _describe_write, _write),
    "list": ("say what there is, with its status", _describe_list, _list),
    "show": ("print anything that has an id", _describe_show, _show),
    "emit": ("print a proved formula as source code", _describe_emit, _emit),
    "export": ("write derivations as documents", _describe_export, _export),
    "replay": ("run the witness of a failure again", _describe_replay, _replay),
}
