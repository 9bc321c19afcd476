"""The files of the repository as the checks of this folder read them.

The walk leaves out what .gitignore names and needs no git, so the checks also run in an unpacked archive.
"""

from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("derivations", "posproofs")


def ignored_names(gitignore: str) -> list[str]:
    """The patterns of a .gitignore that holds plain names only, as ours does."""
    lines = (line.strip() for line in gitignore.splitlines())
    return [line.rstrip("/") for line in lines if line and not line.startswith("#")]


def files(folder: Path = ROOT) -> Iterator[Path]:
    """Every file below `folder` that git would carry, in a fixed order."""
    skip = [".git", *ignored_names((ROOT / ".gitignore").read_text())]
    for path in sorted(folder.iterdir()):
        if any(fnmatch(path.name, pattern) for pattern in skip):
            continue
        if path.is_dir():
            yield from files(path)
        else:
            yield path


def modules(*folders: str) -> list[Path]:
    """The Python files below these folders of the repository; a folder that does not exist has none."""
    present = [ROOT / folder for folder in folders if (ROOT / folder).is_dir()]
    return [path for folder in present for path in files(folder) if path.suffix == ".py"]


def name_of(path: Path) -> str:
    """The path as a reader of a failure wants it: from the root of the repository."""
    return path.relative_to(ROOT).as_posix()
