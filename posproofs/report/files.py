"""Writing a file whole or not at all: text goes to a temporary file beside the target, which then takes its name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from posproofs.errors import CannotWrite


@contextmanager
def pending(path: Path) -> Iterator[Callable[[str], None]]:
    """Open `path` for one text. A place that cannot be written is refused at once, before any work is done.

    The target appears, or changes, when the block ends without an exception and a text was given; otherwise it stays
    as it was. A symbolic link stays, and what it points to is written. Raises CannotWrite.
    """
    text: list[str] = []
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    temporary = _beside(path)
    try:
        yield text.append
        if text:
            _replace(temporary, path, "".join(text))
    finally:
        temporary.unlink(missing_ok=True)


def write(path: Path, text: str) -> None:
    """Write `path` whole or not at all. Raises CannotWrite."""
    with pending(path) as put:
        put(text)


def _beside(path: Path) -> Path:
    if path.is_dir():
        raise CannotWrite(f"cannot write {path}: it is a folder; name a file in it")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise CannotWrite(f"cannot write {path}: it is no regular file; choose another name")
    if path.exists() and not os.access(path, os.W_OK):
        raise CannotWrite(f"cannot write {path}: the file is read-only; choose another name")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as refused:
        raise CannotWrite(f"cannot write {path}: {_reason(refused)}; choose a folder that exists") from refused
    os.close(handle)
    return Path(name)


def _replace(temporary: Path, path: Path, text: str) -> None:
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        # mkstemp makes files that only their owner reads; the target keeps its mode, or gets that of a plain new file.
        temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        temporary.replace(path)
    except OSError as refused:
        raise CannotWrite(f"cannot write {path}: {_reason(refused)}; nothing was changed") from refused


def _reason(refused: OSError) -> str:
    return (refused.strerror or str(refused)).lower()


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
