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
            prepared.append((_prepared(directory, name, text), directory / name))
        for temporary, target in prepared:
            temporary.replace(target)
    except OSError as refused:
        raise _refusal(directory, refused) from refused
    finally:
        for temporary, _ in prepared:
            temporary.unlink(missing_ok=True)
    return tuple(target for _, target in prepared)


def _made(directory: Path) -> None:
    if directory.exists() and not directory.is_dir():
        raise CannotWrite(f"cannot write into {directory}: it is a file; name a folder")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as refused:
        raise _refusal(directory, refused) from refused


def _prepared(directory: Path, name: str, text: str) -> Path:
    target = directory / name
    if target.is_dir() or (target.exists() and not os.access(target, os.W_OK)):
        raise CannotWrite(f"cannot write {target}: it is a folder or read-only; remove it or choose another folder")
    handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=directory)
    os.close(handle)
    Path(temporary).write_text(text, encoding="utf-8", newline="\n")
    # mkstemp makes files that only their owner reads; documents are for others too.
    Path(temporary).chmod(0o644)
    return Path(temporary)


def _refusal(directory: Path, refused: OSError) -> CannotWrite:
    reason = (refused.strerror or str(refused)).lower()
    return CannotWrite(f"cannot write into {directory}: {reason}; nothing was changed; choose another folder")
