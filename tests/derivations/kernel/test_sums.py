"""Sums as data: which atoms a symbol occurs in, how it is renamed, replaced and varied, and what leaves a sum."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from derivations.kernel import sums as s
from derivations.kernel import values as v
from derivations.kernel.errors import OutOfFragment
from derivations.kernel.values import Atom, Phase, Value

H: v.SymbolAtom = ("symbol", "h")


def sym(name: str, power: int = 1) -> Value:
    return v.atom(("symbol", name), power)


def at(name: str) -> Phase:
    return v.frozen(sym(name))


def member(name: str, family: str = "q") -> Value:
    return v.atom(("family", family, at(name)))


def total(body: Value, index: str = "i") -> Value:
    return s.summed(body, index, H)


def word_of(*letters: v.Letter) -> Atom:
    both: frozenset[v.Word] = frozenset([letters])
    return ("word", both)


def word(argument: Phase) -> Atom:
    return word_of(("matrix", "W", False), ("rotation", "R", argument))


def free_word(argument: Phase) -> Atom:
    return word_of(("free", "F", argument, False))


def sum_over(count: str) -> Atom:
    body: v.Monomial = frozenset([(("family", "q", at("#0")), 1)])
    return ("sum", ("symbol", count), body, v.NO_PHASE)


def atom_of(value: Value) -> Atom:
    (((monomial, _), _),) = value.items()
    ((base, _),) = monomial
    return base


PLACES: dict[str, Callable[[str], Atom]] = {
    "symbol": lambda n: ("symbol", n),
    "family": lambda n: ("family", "q", at(n)),
    "function": lambda n: ("function", "f", 1, at(n)),
    "row of a cell": lambda n: ("cell", "X", at(n), at("other")),
    "column of a cell": lambda n: ("cell", "X", at("other"), at(n)),
    "flat index": lambda n: ("reading", "X", at(n), at("other")),
    "width": lambda n: ("reading", "X", at("other"), at(n)),
    "logarithm": lambda n: ("log", ("symbol", n)),
    "count of a sum": sum_over,
    "body of a sum": lambda n: atom_of(total(v.atom(("family", "q", v.frozen(v.add(sym("i"), sym(n))))))),
    "phase in a sum": lambda n: atom_of(total(v.exponential(v.multiply(sym(n), member("i"))))),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_a_symbol_is_found_and_renamed_everywhere(place: Callable[[str], Atom]) -> None:
    assert s.mentions(place("m"), "m")
    assert not s.mentions(place("m"), "n")
    assert not s.mentions(place("m"), "q")
    value = v.multiply(v.atom(place("m"), 2), sym("k"))
    assert s.renamed(value, "m", "new") == v.multiply(v.atom(place("new"), 2), sym("k"))
    inside = v.exponential(v.atom(place("m")))
    assert s.value_mentions(inside, "m")
    assert not s.value_mentions(inside, "n")
    assert s.renamed(inside, "m", "new") == v.exponential(v.atom(place("new")))


@pytest.mark.parametrize("make", [word, free_word])
def test_words_are_searched_but_not_renamed(make: Callable[[Phase], Atom]) -> None:
    assert s.mentions(make(at("m")), "m")
    assert not s.mentions(make(at("m")), "n")
    assert not s.mentions(make(at("m")), "W")
    with pytest.raises(OutOfFragment, match="m cannot be renamed inside word"):
        s.renamed(v.atom(make(at("m"))), "m", "n")


def test_words_are_searched_letter_by_letter() -> None:
    both = word_of(("rotation", "R", at("m")), ("free", "F", at("n"), False))
    assert s.mentions(both, "m")
    assert s.mentions(both, "n")
    assert not s.mentions(both, "k")


def test_constants_mention_nothing() -> None:
    assert s.mentions(v.PI, "m") is False
    assert s.mentions(("log", 2), "m") is False
    assert not s.value_mentions(v.ONE, "m")


def test_replacing_a_symbol_by_a_value() -> None:
    both = v.add(sym("a"), v.ONE)
    assert s.replaced_symbol(sym("k"), "m", both) == sym("k")
    assert s.replaced_symbol(sym("m", 2), "m", both) == v.multiply(both, both)
    assert s.replaced_symbol(member("m"), "m", both) == v.atom(("family", "q", v.frozen(both)))
    derived = v.atom(("function", "f", 2, at("m")))
    assert s.replaced_symbol(derived, "m", both) == v.atom(("function", "f", 2, v.frozen(both)))
    assert s.replaced_symbol(v.atom(("log", ("symbol", "m"))), "m", v.constant(6)) == v.logarithm(v.constant(6))
    assert s.replaced_symbol(v.multiply(sym("m"), member("k")), "m", both) == v.multiply(both, member("k"))


def test_a_symbol_under_a_sum_is_replaced_without_capture() -> None:
    """In sum_i q[i] r[m], and in nested sums, an index of the replacement stays free."""
    inner = total(v.multiply(member("i"), v.atom(("family", "r", v.frozen(v.add(sym("m"), sym("i")))))))
    assert s.replaced_symbol(inner, "m", sym("a")) == s.renamed(inner, "m", "a")
    two_deep = s.summed(v.atom(("family", "q", v.frozen(v.total((sym("i"), sym("j"), sym("m")))))), "i", H)
    nested = s.summed(two_deep, "j", H)
    assert s.replaced_symbol(nested, "m", sym("a")) == s.renamed(nested, "m", "a")
    of_sum = v.atom(("function", "f", 0, v.frozen(total(member("i")))))
    around = total(v.atom(("function", "g", 0, v.frozen(v.multiply(v.multiply(sym("m"), member("i")), of_sum)))))
    assert s.replaced_symbol(around, "m", sym("a")) == s.renamed(around, "m", "a")


def test_a_count_and_a_word_keep_their_symbols() -> None:
    with pytest.raises(OutOfFragment, match="h cannot be replaced inside sum"):
        s.replaced_symbol(total(member("i")), "h", v.ONE)
    with pytest.raises(OutOfFragment, match="m cannot be replaced inside word"):
        s.replaced_symbol(v.atom(word(at("m"))), "m", v.ONE)


def test_what_does_not_depend_on_the_index_leaves_the_sum() -> None:
    assert total(v.constant(2)) == v.scale(v.atom(H), (2, 0, 1))
    body = v.multiply(v.multiply(member("i"), member("k")), v.exponential(v.multiply(v.I, sym("x"))))
    assert total(body) == v.multiply(
        total(member("i")), v.multiply(member("k"), v.exponential(v.multiply(v.I, sym("x"))))
    )
    turned = v.exponential(v.multiply(v.I, v.add(member("i"), sym("x"))))
    assert total(turned) == v.multiply(
        total(v.exponential(v.multiply(v.I, member("i")))), v.exponential(v.multiply(v.I, sym("x")))
    )
    assert total({}) == {}
    assert total(v.scale(member("i"), (2, 1, 3))) == v.scale(total(member("i")), (2, 1, 3))


def test_the_bound_index_is_named_by_depth() -> None:
    key: v.Key = (frozenset([(("family", "q", at("i")), 1)]), v.NO_PHASE)
    assert s.bound_name(key) == "#0"
    (once,) = total(member("i"))
    assert s.bound_name(once) == "#1"
    assert s.bound_name((v.NO_MONOMIAL, v.frozen(total(member("i"))))) == "#1"
    assert s.bound_name((frozenset([(("function", "f", 0, v.frozen(total(member("i")))), 1)]), v.NO_PHASE)) == "#1"
    assert s.bound_name((frozenset([(("log", atom_of(total(member("i")))), 1)]), v.NO_PHASE)) == "#1"
    assert s.bound_name((frozenset([(word(v.frozen(total(member("i")))), 1)]), v.NO_PHASE)) == "#1"
    deep = s.summed(s.summed(v.atom(("family", "q", v.frozen(v.add(sym("i"), sym("j"))))), "i", H), "j", H)
    (twice,) = deep
    assert s.bound_name(twice) == "#2"
    assert s.bound_name(v.CONSTANT) == "#0"
    beside = v.frozen(v.add(total(member("i")), sym("x")))
    assert s.bound_name((v.NO_MONOMIAL, beside)) == "#1"
    two_letters = word_of(("rotation", "R", at("m")), ("rotation", "S", beside))
    assert s.bound_name((frozenset([(two_letters, 1)]), v.NO_PHASE)) == "#1"
    plain = word_of(("matrix", "W", False))
    assert s.bound_name((frozenset([(plain, 1)]), v.NO_PHASE)) == "#0"


def test_sums_are_equal_whatever_their_index_is_called() -> None:
    assert s.summed(member("i"), "i", H) == s.summed(member("j"), "j", H)
    assert s.summed(member("i"), "i", H) != s.summed(member("i"), "i", ("symbol", "n"))
    assert s.summed(member("i"), "j", H) == v.multiply(member("i"), v.atom(H))


SLOPES = {
    "another symbol": (sym("k"), {}),
    "itself": (sym("m"), v.ONE),
    "a square": (sym("m", 2), v.scale(sym("m"), (2, 0, 1))),
    "an inverse": (sym("m", -1), v.negate(sym("m", -2))),
    "a product": (v.multiply(sym("m"), sym("k")), sym("k")),
    "an exponential": (
        v.exponential(v.multiply(sym("m"), sym("k"))),
        v.multiply(sym("k"), v.exponential(v.multiply(sym("m"), sym("k")))),
    ),
    "a function of it": (
        v.atom(("function", "f", 1, v.frozen(sym("m", 2)))),
        v.scale(v.multiply(sym("m"), v.atom(("function", "f", 2, v.frozen(sym("m", 2))))), (2, 0, 1)),
    ),
    "a logarithm": (v.atom(("log", ("symbol", "m"))), sym("m", -1)),
    "a sum": (
        total(v.multiply(sym("m", 2), member("i"))),
        v.scale(v.multiply(sym("m"), total(member("i"))), (2, 0, 1)),
    ),
    "a phase under a sum": (
        total(v.exponential(v.multiply(sym("m"), member("i")))),
        total(v.multiply(member("i"), v.exponential(v.multiply(sym("m"), member("i"))))),
    ),
}


@pytest.mark.parametrize(("value", "slope"), SLOPES.values(), ids=SLOPES.keys())
def test_derivatives(value: Value, slope: Value) -> None:
    assert s.derivative(value, "m") == slope


@pytest.mark.parametrize(
    ("value", "name", "kind"),
    [(member("m"), "m", "family"), (v.atom(word(at("m"))), "m", "word"), (total(member("i")), "h", "sum")],
)
def test_what_has_no_derivative(value: Value, name: str, kind: str) -> None:
    with pytest.raises(OutOfFragment, match=f"by {name} meets {kind}"):
        s.derivative(value, name)
