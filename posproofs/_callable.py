"""Make a package callable, so that `posproofs.emit` can name both the package and the function in it.

Importing any `posproofs.emit.something` makes Python set `posproofs.emit` to the package, whatever stood there before.
A function under that name would therefore be a function or a module depending on what some other code imported
earlier. Giving the package itself a `__call__` leaves one object under the name, always the one in `sys.modules`.
"""

import sys
from types import ModuleType


class _CallableModule(ModuleType):
    """A module whose call goes to its function of the same name: `pkg.emit(...)` is `pkg.emit.emit(...)`."""

    def __call__(self, *args: object, **kwargs: object) -> object:
        return getattr(self, self.__name__.rpartition(".")[2])(*args, **kwargs)


def make_callable(name: str) -> None:
    """Make the module `name` callable; a package does it in its own `__init__.py` with `make_callable(__name__)`.

    Raises KeyError when no module of this name is being, or has been, imported.
    """
    # Python lets a module change its class to a subclass of ModuleType for this kind of use (the data model's
    # "Customizing module attribute access"), so the module object, its spec and its loader stay as they are.
    sys.modules[name].__class__ = _CallableModule
