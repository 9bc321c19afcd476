"""The operators make the mutants that they promise, and a mutant in place changes what its function returns."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutation.mutants import Mutant, mutants_of, optional_names
from tests.mutation.running import exchange_code, mutated_definition, mutated_module


def made(folder: Path, source: str) -> list[Mutant]:
    path = folder / "toy.py"
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    return mutants_of(path, optional_names([path]))


def changes(folder: Path, source: str) -> list[str]:
    return [m.change for m in made(folder, source)]


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("return a < 1", ["1 -> 2", "1 -> 0", "Lt -> LtE"]),
        ("return a and b", ["a and b -> b", "a and b -> a"]),
        ("return not a", ["not a -> a"]),
        ("return -a.lo", ["-a.lo -> a.lo", "lo -> hi"]),
        ("return a if b else None", ["b -> True", "b -> False"]),
        ("return [x for x in a if x]", ["x -> True", "x -> False"]),
        ("return any(a)", ["any -> all"]),
        ("return g(a, b)", ["g(a, b) -> g(b, a)"]),
        ("return gcd(a, b)", []),
        ("return toy(a, k=b)", ["k=b -> nothing"]),
        ("a.sort()", ["a.sort() -> pass"]),
        ("return 'x'", ["'x' -> 'xXX'"]),
        ("raise ValueError('x' + a)", ["raise ValueError('x' + a) -> pass"]),
        ("assert a == 'x'", []),
        ("a += b", ["a += b -> pass", "Add -> Sub"]),
    ],
)
def test_operators(body: str, wanted: list[str], tmp_path: Path) -> None:
    assert sorted(changes(tmp_path, f"def toy(a, b, k=None):\n    {body}\n")) == sorted(wanted)


def test_cases_are_left_out_and_guards_forced(tmp_path: Path) -> None:
    source = """
        def toy(a):
            match a:
                case 1 if a:
                    return a
                case _:
                    return None
        """
    assert changes(tmp_path, source) == [
        "case 1 -> nothing",
        "1 -> 2",
        "1 -> 0",
        "a -> True",
        "a -> False",
        "case _ -> nothing",
    ]


def test_what_people_and_type_checkers_read_is_not_mutated(tmp_path: Path) -> None:
    source = '''
        """A module."""
        __all__ = ["A"]
        Alias = int | str
        LIMIT = 5
        class Shown(Protocol):
            def f(self, a: "int" = 3) -> "int": ...
        class Kept:
            size: int = 7
            @cache(1)
            def f(self, a: "A | B") -> "A":
                """Doc."""
                return zip(a, a, strict=True)
        '''
    found = made(tmp_path, source)
    assert [(m.where, m.change) for m in found] == [("", "5 -> 6"), ("", "5 -> 4"), ("", "7 -> 8"), ("", "7 -> 6")]


def test_equal_lines_of_one_function_are_told_apart(tmp_path: Path) -> None:
    found = made(tmp_path, "def toy(a):\n    a += 1\n    a += 1\n")
    assert len({m.key for m in found}) == len(found) == 8
    assert [m.lines for m in found if m.nth == 2 and m.change == "1 -> 2"] == [range(3, 4)]


@pytest.mark.parametrize(
    ("where", "source", "call"),
    [
        ("toy", "def toy():\n    return 1\n", "toy()"),
        ("toy", "@lru_cache\ndef toy():\n    return 1\n", "toy()"),
        ("Toy.of", "class Toy:\n    def of(self):\n        return 1\n", "Toy().of()"),
        ("Toy.of", "class Toy:\n    @classmethod\n    def of(cls):\n        return 1\n", "Toy.of()"),
        ("Toy.of", "class Toy:\n    @property\n    def of(self):\n        return 1\n", "Toy().of"),
        ("toy", "def toy():\n    return (lambda: 1)()\n", "toy()"),
    ],
)
def test_a_mutant_is_put_in_place(where: str, source: str, call: str, tmp_path: Path) -> None:
    source = f"from functools import lru_cache\n{source}"
    module = ModuleType("toy")
    exec(source, vars(module))  # noqa: S102 - the toy stands for an imported module
    (first, *_) = made(tmp_path, source)
    exchange_code(module, where, mutated_definition(first))
    assert (first.where, first.change) == (where, "1 -> 2")
    assert eval(call, vars(module)) == 2  # noqa: S307


def test_a_function_that_a_decorator_made_is_imported_afresh(tmp_path: Path) -> None:
    """Its code is in a closure that was made long ago; exchanging the code of the decorator would change nothing."""
    source = """
        def twice(act):
            def inner():
                return 2 * act()
            return inner
        @twice
        def toy():
            return 5
        """
    found = {m.where: m for m in made(tmp_path, source) if m.change == "2 -> 3"}
    assert found.keys() == {"twice.<locals>.inner"}
    (mutant,) = found.values()
    assert not mutant.in_function
    names: dict[str, Callable[[], int]] = {}
    exec(mutated_module(mutant), names)  # noqa: S102
    assert names["toy"]() == 15
