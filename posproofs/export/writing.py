"""Writing files whole or not at all: all are prepared beside their targets before the first one takes its name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from posproofs.errors import CannotWrite


def write_all(directory: Path, files: Mapping[str, str]) -> tuple[Path, ...]:
    """Write texts by name into a directory, which is made if it is not there. Raises CannotWrite."""
    _made(directory)
    prepared: list[tuple[Path, Path]] = []
    try:
        for name, text in files.items():
            target = _target(directory / name)
            prepared.append((_prepared(target, text), target))
        for temporary, target in prepared:
            temporary.replace(target)
    except OSError as refused:
        raise _refusal(directory, refused) from refused
    finally:
        for temporary, _ in prepared:
            temporary.unlink(missing_ok=True)
    return tuple(directory / name for name in files)


def _made(directory: Path) -> None:
    if directory.exists() and not directory.is_dir():
        raise CannotWrite(f"cannot write into {directory}: it is a file; name a folder")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as refused:
        raise _refusal(directory, refused) from refused


def _target(path: Path) -> Path:
    """Where the text goes: a symbolic link stays, and what it points to is written."""
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    if target.is_dir() or (target.exists() and not os.access(target, os.W_OK)):
        raise CannotWrite(f"cannot write {target}: it is a folder or read-only; remove it or choose another folder")
    if target.is_symlink() or (target.exists() and not target.is_file()):
        raise CannotWrite(f"cannot write {target}: it is no regular file; remove it or choose another folder")
    return target


def _prepared(target: Path, text: str) -> Path:
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    Path(temporary).write_text(text, encoding="utf-8", newline="\n")
    # mkstemp makes files that only their owner reads; documents are for others too.
    Path(temporary).chmod(0o644)
    return Path(temporary)


def _refusal(directory: Path, refused: OSError) -> CannotWrite:
    reason = (refused.strerror or str(refused)).lower()
    return CannotWrite(f"cannot write into {directory}: {reason}; nothing was changed; choose another folder")
