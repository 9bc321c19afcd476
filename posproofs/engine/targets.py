"""From the text that names somebody's code to the object, and to further copies of it that share no state.

TARGET is `package.module:object` or `path/file.py:object`. The code is executed, so this runs in a worker only. A copy
comes from executing the module's source once more, because a table that is kept in a global of the module is shared by
everything that was made from one execution; a module that keeps nothing is not executed again.
"""

from __future__ import annotations

import copy
import dis
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any, TypeVar

from posproofs.errors import UnknownName, UsageError

T = TypeVar("T")
FORMS = "package.module:object, path/file.py:object, or the name of a shipped subject (posproofs list --subjects)"
RETURNING = "posproofs_returning"  # the attribute under which `posproofs.conforms` keeps the function that it is given
_STATELESS = (ModuleType, type, str, bytes, int, float, complex, bool, type(None), BuiltinFunctionType)


@dataclass(frozen=True, slots=True)
class Target:
    """Somebody's object: as it was found, where, and how to get one that no call has touched."""

    text: str
    found: Any
    module: ModuleType
    attributes: tuple[str, ...]
    returned: Callable[[], Any] | None = None  # what gave the object, where no name of a module leads to it

    def again(self) -> Any:
        """The object of another execution of its module; the object itself where none can make a difference."""
        if self.returned is not None:
            new = self.returned()
            return copy.deepcopy(new) if new is self.found else new
        if not _keeps_state(self.module):
            return self.found
        try:
            return _walked(_executed(self.module), self.attributes)
        except Exception:  # noqa: BLE001 - a module that cannot be executed twice has one object
            return self.found

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits of the source of its module."""
        file = getattr(self.module, "__file__", None)
        return hashlib.sha256(Path(file).read_bytes() if file else b"").hexdigest()[:12]

    @property
    def package(self) -> str:
        """The distribution that it belongs to, as far as its module tells; a file's own name."""
        return self.module.__name__.partition(".")[0]


def is_own(text: str) -> bool:
    """Whether it names somebody's code, and not a shipped subject."""
    return ":" in text or text.endswith(".py")


def split(text: str) -> tuple[str, str]:
    """The module or file, and the object in it; nothing is imported. Raises UsageError: no such form, or no file."""
    where, colon, path = text.partition(":")
    if not colon or not where or not path:
        raise UsageError(f"unknown target {text!r}; wanted {FORMS}{_hint(text)}")
    if _is_file(where) and not Path(where).is_file():
        parent = Path(where).parent
        others = [str(one) for one in parent.glob("*.py")] if parent.is_dir() else []
        close = get_close_matches(where, others, n=1)
        raise UsageError(f"there is no file {where}" + (f"; did you mean {close[0]}?" if close else ""))
    return where, path


def _is_file(where: str) -> bool:
    return where.endswith(".py") or "/" in where


def resolve(text: str) -> Target:
    """Import what TARGET names. Raises UsageError: no such module, file or object, or the import fails."""
    where, path = split(text)
    module = _file(where) if _is_file(where) else _module(where)
    attributes = tuple(path.split("."))
    found = _walked(module, attributes)
    returning = getattr(found, RETURNING, None)
    return Target(text, found, module, attributes) if returning is None else given(returning, returning)


def given(function: Callable[..., Any], returned: Callable[[], Any]) -> Target:
    """The object that `returned`, a call of `function`, returns in this process.

    Its name is the one that leads to it in its own module, so that another process finds it by name; where there is
    none, as for an instance and for a function within a function, that of `function`.
    """
    found = returned()
    module = sys.modules.get(str(getattr(found, "__module__", "")))
    path = str(getattr(found, "__qualname__", ""))
    if module is not None and path and _leads_to(module, path, found):
        return Target(f"{_place(module)}:{path}", found, module, tuple(path.split(".")))
    home = sys.modules[function.__module__]
    return Target(f"{_place(home)}:{function.__qualname__}", found, home, (), returned)


def _leads_to(module: ModuleType, path: str, found: object) -> bool:
    try:
        return _walked(module, tuple(path.split("."))) is found
    except UnknownName:
        return False


def _place(module: ModuleType) -> str:
    """How TARGET names the module, seen from the current folder."""
    file, here = Path(getattr(module, "__file__", None) or "").resolve(), Path.cwd()
    installed = "site-packages" in file.parts
    if file.stem != module.__name__ or file.parent == here or installed or not file.is_relative_to(here):
        return module.__name__
    return str(file.relative_to(here))


def _hint(text: str) -> str:
    """What was probably meant by a target without a colon."""
    if text.endswith(".py") and Path(text).is_file():
        return f"; name an object in the file: {text}:NAME"
    head, dot, last = text.rpartition(".")
    return f"; did you mean {head}:{last}?" if dot else ""


def _file(where: str) -> ModuleType:
    path = Path(where)
    _on_path(path.resolve().parent)
    found = importlib.util.spec_from_file_location(path.stem, path)
    if found is None or found.loader is None:
        raise UsageError(f"{where} is no Python source; wanted a file that ends in .py")
    module = importlib.util.module_from_spec(found)
    sys.modules.setdefault(path.stem, module)  # a dataclass looks its module up
    _run(lambda: found.loader.exec_module(module), where)  # type: ignore[union-attr]  # checked above
    return module


def _module(where: str) -> ModuleType:
    _on_path(Path.cwd())
    try:
        missing = importlib.util.find_spec(where) is None
    except ModuleNotFoundError:
        missing = True
    except Exception as raised:
        raise UsageError(f"importing a parent of {where} raises {_said(raised)}") from raised
    if missing:
        file = Path(f"{where.replace('.', '/')}.py")
        hint = f"; did you mean {file}?" if file.is_file() else ""
        raise UsageError(f"there is no module {where} in this environment or folder{hint}")
    return _run(lambda: importlib.import_module(where), where)


def _on_path(folder: Path) -> None:
    """Behind everything else, so that a file of the folder never hides a library."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _run(act: Callable[[], T], where: str) -> T:
    """Import; whatever the code raises meanwhile, SystemExit included, is told in one line."""
    try:
        return act()
    except KeyboardInterrupt:
        raise
    except BaseException as raised:
        raise UsageError(f"importing {where} raises {_said(raised)}") from raised


def _said(raised: BaseException) -> str:
    lines = str(raised).strip().splitlines()
    return f"{type(raised).__name__}: {lines[0]}" if lines else type(raised).__name__


def _walked(module: ModuleType, attributes: tuple[str, ...]) -> Any:
    found: Any = module
    place = module.__name__
    for name in attributes:
        if not hasattr(found, name):
            raise UnknownName(f"object of {place}", name, [one for one in dir(found) if not one.startswith("__")])
        found = getattr(found, name)
        place += f".{name}"
    return found


class _CompiledOnce(SourceFileLoader):
    """A source of which many modules are made."""

    code: CodeType | None = None

    def get_code(self, fullname: str) -> CodeType | None:
        self.code = self.code or super().get_code(fullname)
        return self.code


@cache
def _loader(name: str, file: str) -> _CompiledOnce:
    return _CompiledOnce(name, file)


def _executed(module: ModuleType) -> ModuleType:
    """Another execution of the module's source, known to nobody else."""
    if module.__file__ is None:
        raise ImportError(module.__name__)
    loader = _loader(module.__name__, module.__file__)
    spec = importlib.util.spec_from_file_location(module.__name__, module.__file__, loader=loader)
    if spec is None:
        raise ImportError(module.__name__)
    new = importlib.util.module_from_spec(spec)
    loader.exec_module(new)
    return new


def _keeps_state(module: ModuleType) -> bool:
    """Whether calls could leave something in the module: an object that can change, a cache, an assigned global."""
    file = getattr(module, "__file__", None) or ""
    if not file.endswith(".py"):
        return False
    own = [value for name, value in vars(module).items() if not name.startswith("__")]
    return any(_can_change(value) or _class_keeps(value, module) for value in own)


def _can_change(value: object) -> bool:
    if isinstance(value, MethodType):
        return True
    if isinstance(value, FunctionType):
        kept = (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values(), *_cells(value))
        return bool(vars(value)) or _stores(value.__code__) or any(map(_can_change, kept))
    if isinstance(value, (tuple, frozenset)):
        return any(map(_can_change, value))
    return not isinstance(value, _STATELESS)


def _class_keeps(value: object, module: ModuleType) -> bool:
    """Whether a class of the module has something of its own that all its instances share and that can change."""
    if not isinstance(value, type) or value.__module__ != module.__name__:
        return False
    own = [one for name, one in vars(value).items() if not name.startswith("__") and not isinstance(one, property)]
    methods = [one.__func__ if isinstance(one, (classmethod, staticmethod)) else one for one in vars(value).values()]
    codes = [one.__code__ for one in methods if isinstance(one, FunctionType)]
    shared = [one for one in own if not isinstance(one, (classmethod, staticmethod, MemberDescriptorType))]
    return any(map(_stores, codes)) or any(map(_can_change, shared))


def _cells(function: FunctionType) -> tuple[object, ...]:
    return tuple(cell.cell_contents for cell in function.__closure__ or ())


@cache
def _stores(code: CodeType) -> bool:
    """Whether the code assigns a global, or an attribute of anything but its first argument, which is itself.

    Kept, because it is asked for every copy of somebody's code, and long to find out.
    """
    before = None
    for step in dis.get_instructions(code):
        itself = before is not None and before.opname == "LOAD_FAST" and before.argval in ("self", "ctx")
        if step.opname == "STORE_GLOBAL" or (step.opname == "STORE_ATTR" and not itself):
            return True
        before = step
    return False
