"""Too many digits, levels, nodes, or one part shared too often; and how each case ends."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from derivations.kernel import congruent, instantiate, lifted, specialised
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.layouts import Size, strided
from derivations.kernel.shapes import shape
from derivations.kernel.terms import (
    Add,
    Apply,
    Block,
    Derivative,
    Determinant,
    Matrix,
    MatrixFamily,
    Multiply,
    Symbol,
    Term,
    Transpose,
    free_names,
    number,
    substituted,
    walk,
)
from tests.derivations.attacks.hard_parts import (
    DEEP,
    WIDE,
    bulk,
    chain,
    expansion,
    itself,
    known,
    names,
    nested,
    over_all,
    proved,
)
from tests.derivations.kernel.building import (
    ONE,
    TWO,
    ZERO,
    I,
    add,
    cos,
    exp,
    f,
    fam,
    h,
    inv,
    j,
    log,
    mul,
    positive,
    put,
    pw,
    total,
    x,
    y,
)


def shared_by_substitution(levels: int) -> object:
    term: Term = x
    for _ in range(levels):
        term = substituted(term, {"x": put(add(x, x))})
    return term


def specialised_often(levels: int) -> object:
    theorem = known(x, x)
    for _ in range(levels):
        theorem = specialised(theorem, {"x": put(add(x, x))})
    return theorem


Cases = dict[str, tuple[Callable[[], object], str]]
NUMBERS: Cases = {
    "x**(10**9)": (lambda: itself(pw(x, 10**9)), "limit reached"),
    "x**-(10**9)": (lambda: itself(pw(x, -(10**9))), "limit reached"),
    "(x+y)**5000": (lambda: itself(pw(add(x, y), 5000)), "limit reached"),
    "(x+y)**200": (lambda: itself(pw(add(x, y), 200)), "proved"),
    "(a+b+c)**512": (lambda: itself(expansion(3, 512)), "limit reached"),
    "((((x+y)**9)**9)**9)**9": (lambda: itself(nested(lambda t: pw(t, 9), 4, add(x, y))), "limit reached"),
    "many squares": (lambda: itself(nested(lambda t: pw(add(t, y), 2), 40)), "limit reached"),
    "e**(x**(10**6))": (lambda: itself(exp(pw(x, 10**6))), "limit reached"),
    "2**(2**40)": (lambda: itself(pw(TWO, pw(TWO, 40))), "limit reached"),
    "2**(2**40) as a number": (lambda: itself(pw(TWO, 2**40)), "limit reached"),
    "2**512**512**512**512": (lambda: itself(nested(lambda t: pw(t, 512), 4, TWO)), "limit reached"),
    "(2**x)**512**512**512": (lambda: itself(nested(lambda t: pw(t, 512), 3, pw(TWO, x))), "proved"),
    "a number of 10**6 digits": (lambda: itself(number(10**10**6)), "LimitReached"),
    "a denominator of 10**6 digits": (lambda: itself(number(Fraction(1, 10**1_000_000))), "LimitReached"),
    "the log of a number of 2000 digits": (lambda: itself(log(number(10**2000 + 1))), "limit reached"),
    "a product of many long numbers": (lambda: itself(mul(*[number(3**4000)] * 20_000)), "limit reached"),
    "a sum of many long fractions": (
        lambda: itself(add(*[number(Fraction(1, 3**4000 + 2 * k)) for k in range(5000)])),
        "limit reached",
    ),
    "a polynomial with long coefficients": (lambda: itself(pw(add(mul(number(3**4000), x), y), 300)), "limit reached"),
    "repr of a long number": (lambda: repr(pw(x, number(10**2000))), "str"),
    "a long number in a message": (
        lambda: itself(total(x, "i", number(-(10**2000)))),
        "ShapeError",
    ),
    "the limit of a power, said": (lambda: itself(pw(x, 10**2000)), "limit reached"),
}
STEPS: dict[str, Callable[[Term], Term]] = {
    "sums": lambda t: Add((t, ONE)),
    "products": lambda t: mul(t, x),
    "powers": lambda t: pw(t, 2),
    "exponents": lambda t: pw(TWO, t),
    "exponentials": exp,
    "cosines": cos,
    "logarithms": log,
    "functions": f,
    "families": lambda t: fam("q", t),
    "sums over an index": total,
    "derivatives": lambda t: Derivative(t, "x"),
    "transposes": Transpose,
    "determinants": Determinant,
    "matrices": lambda t: Matrix(((t,),)),
    "blocks": lambda t: Block("i", h, strided(1), None, ((t,),)),
    "rotations": lambda t: Determinant(MatrixFamily("R", t, Size(1), "rotation")),
    "cells": lambda t: Cell("X", t, ONE),
    "readings": lambda t: Reading("X", t, ONE),
}
ACTS: dict[str, Callable[[Term], object]] = {
    "hash": hash,
    "repr": repr,
    "shape": shape,
    "walk": walk,
    "free_names": free_names,
    "equality": lambda t: t == chain(DEEP),
    "substitution": lambda t: substituted(t, {"x": put(y)}),
    "instantiate": lambda t: instantiate(t, {}),
    "a context": lambda t: congruent(known(x, x), "x", t),
    "a replacement": lambda t: specialised(known(x, x), {"x": put(t)}),
}


def deep_itself(step: Callable[[Term], Term]) -> object:
    return itself(nested(step))


def on_a_chain(act: Callable[[Term], object]) -> object:
    return act(chain(DEEP))


LEVELS: Cases = {
    **{f"{name} {DEEP} deep": (partial(deep_itself, step), "LimitReached") for name, step in STEPS.items()},
    **{f"{name} of a deep term": (partial(on_a_chain, act), "LimitReached") for name, act in ACTS.items()},
    "sums 90 deep": (lambda: itself(chain(90)), "proved"),
    "exponentials 90 deep": (lambda: itself(nested(exp, 90)), "proved"),
    "functions 90 deep": (lambda: itself(nested(f, 90)), "proved"),
    "cosines 90 deep": (lambda: itself(nested(cos, 90)), "limit reached"),
    "cosines of functions 40 deep": (lambda: itself(nested(lambda t: f(cos(t)), 40)), "limit reached"),
    "cosines 12 deep against another": (lambda: proved(nested(cos, 12), nested(cos, 12, y)), "limit reached"),
    "real parts 20 deep": (
        lambda: itself(nested(lambda t: exp(Apply("re", mul(I, exp(mul(I, t))))), 20)),
        "LimitReached",
    ),
    "conjugates 30 deep": (lambda: itself(nested(lambda t: Apply("conjugate", exp(mul(I, t))), 30)), "proved"),
    "derivatives 90 deep": (lambda: itself(nested(lambda t: Derivative(t, "x"), 90, exp(pw(x, 2)))), "proved"),
    "derivatives of a product, 30 deep": (
        lambda: proved(nested(lambda t: Derivative(t, "x"), 30, mul(exp(x), cos(x), pw(x, 9))), ZERO),
        "limit reached",
    ),
    "sums over an index, 40 deep": (
        lambda: itself(nested(lambda t: total(mul(t, fam("q")), "i"), 40, ONE)),
        "proved",
    ),
    "sums over different indices, 60 deep": (
        lambda: itself(over_all([f"k{k}" for k in range(60)], mul(*(fam("q", Symbol(f"k{k}")) for k in range(60))))),
        "proved",
    ),
    "sums over an index of a chained body, 40 deep": (
        lambda: itself(
            over_all(
                [f"k{k}" for k in range(40)],
                mul(*(fam("q", add(Symbol(f"k{k}"), Symbol(f"k{k + 1}"))) for k in range(39))),
            )
        ),
        "proved",
    ),
}
WIDTHS: Cases = {
    "a sum of 10**5 names": (lambda: itself(Add(tuple(names(WIDE)))), "proved"),
    "a sum of 10**5 names, reversed": (
        lambda: proved(Add(tuple(names(WIDE))), Add(tuple(reversed(names(WIDE))))),
        "proved",
    ),
    "a false sum of 10**5 names": (
        lambda: proved(Add(tuple(names(WIDE))), Add(tuple(names(WIDE, "w")))),
        "limit reached",
    ),
    "a product of 10**5 equal names": (lambda: itself(Multiply((x,) * WIDE)), "limit reached"),
    "a product of 10**4 names": (lambda: itself(Multiply(tuple(names(10_000)))), "limit reached"),
    "a product of 64 sums": (
        lambda: itself(mul(*(add(Symbol(f"a{k}"), Symbol(f"b{k}")) for k in range(64)))),
        "limit reached",
    ),
    "a product of 64 indexed sums": (
        lambda: itself(mul(*(total(add(fam(f"q{k}"), fam(f"r{k}"))) for k in range(64)))),
        "limit reached",
    ),
    "a quotient of 64 sums": (
        lambda: itself(add(*(inv(add(Symbol(f"a{k}"), Symbol(f"b{k}"))) for k in range(64)))),
        "limit reached",
    ),
    "a thousand products that multiply out": (
        lambda: itself(
            add(*(mul(*(add(Symbol(f"a{k}"), Symbol(f"b{r}_{k}")) for k in range(12))) for r in range(1000)))
        ),
        "limit reached",
    ),
    "4096 squared terms of definite sums": (
        lambda: itself(total(total(mul(fam("q"), fam("r", j)), "j", number(4096)), "i", number(4096))),
        "limit reached",
    ),
    "10**4 hypotheses": (
        lambda: itself(x, *(positive(add(pw(name, 2), ONE)) for name in names(10_000))),
        "proved",
    ),
}
SHARING: Cases = {
    "a term shared 60 times over": (lambda: itself(nested(lambda t: add(t, t), 60)), "LimitReached"),
    "a substitution repeated 60 times": (lambda: shared_by_substitution(60), "LimitReached"),
    "a theorem specialised 60 times": (lambda: specialised_often(60), "LimitReached"),
    "a lifted theorem of a large count": (
        lambda: specialised(lifted(known(x, x), "i", "k", families=("x",)), {"k": put(number(10**12))}),
        "proved",
    ),
    "instantiate a large count": (lambda: instantiate(total(fam("q")), {"h": 10**12}), "OutOfFragment"),
    "instantiate a large block": (lambda: instantiate(bulk(2), {"h": 4000}), "LimitReached"),
}
CASES = NUMBERS | LEVELS | WIDTHS | SHARING
