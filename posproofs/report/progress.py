"""Progress of a run on standard error, shown by rich where a person watches and by nothing where text is piped.

It listens to the events of the engine and changes nothing: the text on standard output is the same with it and without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from posproofs.engine.records import Event, LawDone, SubjectStarted, TheoremDone

Listener = Callable[[Event], None]


@contextmanager
def progress(stream: TextIO) -> Iterator[Listener]:
    """A listener that draws on `stream` if that is a terminal; what is drawn is wiped at the end."""
    if not stream.isatty():
        yield _silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=stream), transient=True) as drawn:
        task = drawn.add_task("theorems", total=None)

        def listen(event: Event) -> None:
            match event:
                case TheoremDone(record):
                    drawn.update(task, description=record.id, advance=1)
                case SubjectStarted(name, laws):
                    drawn.reset(task, description=name, total=laws)
                case LawDone(subject, record):
                    drawn.update(task, description=f"{subject}  {record.id}", advance=1)
                case _:
                    drawn.refresh()

        yield listen


def _silent(_event: Event) -> None:
    return None
