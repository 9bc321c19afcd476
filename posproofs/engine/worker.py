"""Code of others runs in another process: it may hang, print, exhaust memory or end, and none of that ends a run.

One process is started by `spawn`, so it shares no state with the caller, and is used for all the work until it fails.
The clock is a safety net: budgets count cases, and a job that exceeds its time is an error, never a verdict.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

SECONDS = 120.0  # for one job
_START_SECONDS = 60.0
_END_SECONDS = 5.0
_BETWEEN_COLLECTIONS = 50_000  # objects that a process makes before those that are young are looked through
_OUTPUT = 2000  # characters of what a job printed that are kept


@dataclass(frozen=True, slots=True)
class Reply:
    """What a job came to: its value, or why there is none; and the end of what it printed."""

    value: Any = None
    error: str = ""
    output: str = ""


class Worker:
    """A process that runs functions. Use it in a `with` block; it starts at the first call.

    A function is called by reference, so it is a name of a module, and its arguments and value can be pickled.
    """

    def __init__(self, *, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._up = False
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def begin(self, *modules: str) -> None:
        """Start the process now, and let it import these while the caller does something else."""
        if self._pipe is None:
            self._start(modules)

    def call(self, function: Callable[..., Any], *args: Any) -> Reply:
        """Run `function(*args)` there. A job that is late, or ends the process, is an error; the next starts anew."""
        try:
            pipe = self._started()
            pipe.send((function, args))
            if not pipe.poll(self._seconds):
                self.close(wait=0)
                return Reply(error=f"took longer than {self._seconds:g} seconds")
            reply = pipe.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            code = self._ended()
            return Reply(error=f"the process ended with status {code}")
        if not isinstance(reply, Reply):
            raise TypeError(f"a worker replies with a Reply, saw {type(reply).__name__}")
        return reply

    def close(self, *, wait: float = _END_SECONDS) -> None:
        """End the process: one that waits for a job by itself, one that is busy after `wait` seconds by force."""
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            # At the end of the pipe it returns, and gives back what libraries hold of the system.
            self._process.join(wait)
            self._process.kill()
            self._process.join()
            self._process.close()
        if self._folder is not None:
            self._folder.cleanup()
        self._process = self._pipe = self._folder = None
        self._up = False

    def interrupt(self) -> None:
        """End the job that another thread waits for; it is an error there."""
        if (process := self._process) is not None:
            process.kill()

    def _started(self) -> Connection:
        pipe = self._start() if self._pipe is None else self._pipe
        # The process says that it is up, so that starting it is not counted against the first job.
        if not self._up:
            if not pipe.poll(_START_SECONDS):
                self.close()
                raise TimeoutError(f"the worker process did not start within {_START_SECONDS:g} seconds")
            pipe.recv()
            self._up = True
        return pipe

    def _start(self, modules: tuple[str, ...] = ()) -> Connection:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._folder = tempfile.TemporaryDirectory(prefix="posproofs-")
        self._process = context.Process(target=serve, args=(theirs, self._folder.name, modules), daemon=True)
        self._process.start()
        theirs.close()
        return self._pipe

    def _ended(self) -> int | None:
        assert self._process is not None
        self._process.join()
        code = self._process.exitcode
        self.close()
        return code


def serve(pipe: Connection, folder: str, modules: tuple[str, ...] = ()) -> None:
    """The loop of the process: what jobs print goes to a file, each job's part of it into its reply.

    folder: where the process may leave files; it is removed with the process. modules: what is imported before the
    first job; that one of them is missing is told by the job that needs it.
    """
    # Hypothesis keeps what it learns from sources; nothing is to appear in the directory that somebody works in.
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
    # Importing Torch and its exporter makes a million objects that stay, and graphs are many small ones: with Python's
    # usual threshold a sixth of a verdict's time goes into looking through them for garbage.
    gc.set_threshold(_BETWEEN_COLLECTIONS, 20, 20)
    with tempfile.TemporaryFile(dir=folder) as printed:
        for stream in (1, 2):
            os.dup2(printed.fileno(), stream)
        pipe.send("ready")
        with suppress(ImportError):
            for name in modules:
                import_module(name)
        gc.freeze()
        while True:
            try:
                function, args = pipe.recv()
            except EOFError:
                return
            printed.seek(0)
            printed.truncate()
            reply = _done(function, args, printed.fileno())
            try:
                pipe.send(reply)
            except (AttributeError, TypeError, pickle.PicklingError) as refused:
                pipe.send(Reply(error=f"its value cannot be sent: {refused}", output=reply.output))


def _done(function: Callable[..., Any], args: tuple[Any, ...], printed: int) -> Reply:
    try:
        value, error = function(*args), ""
    except Exception as raised:  # noqa: BLE001 - the caller gets it as an error, whatever it is
        first = str(raised).splitlines()[0] if str(raised) else "no message"
        value, error = None, f"{type(raised).__name__}: {first}"
    return Reply(value, error, _tail(printed))


def _tail(printed: int) -> str:
    """The end of the file that the streams write to. Python's own buffers are flushed first."""
    sys.stdout.flush()
    sys.stderr.flush()
    size = os.fstat(printed).st_size
    return os.pread(printed, _OUTPUT, max(0, size - _OUTPUT)).decode(errors="replace")
