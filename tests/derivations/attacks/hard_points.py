"""Too large matrices, counts, values at points, searches; and how each case ends."""

from collections.abc import Callable
from fractions import Fraction

from derivations.kernel import Hypothesis, Range, Statement, prove
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.layouts import Size, strided
from derivations.kernel.terms import (
    Add,
    Block,
    Determinant,
    Identity,
    MatrixFamily,
    Multiply,
    Pi,
    Symbol,
    Term,
    Transpose,
    number,
)
from tests.derivations.attacks.hard_parts import (
    bulk,
    expansion,
    grid,
    itself,
    names,
    nested,
    proved,
)
from tests.derivations.kernel.building import (
    ONE,
    TWO,
    ZERO,
    I,
    add,
    cos,
    equal,
    exp,
    fam,
    log,
    m,
    matrix,
    mul,
    n,
    neg,
    nonzero,
    positive,
    pw,
    sub,
    total,
    x,
    y,
    z,
)


def many_facts(count: int) -> object:
    """A flat index whose bounds need a search among many facts that never closes."""
    L, W = Symbol("L"), Symbol("W")
    facts = [Hypothesis("nonnegative", sub(Symbol(f"v{k}"), mul(number(k + 1), n))) for k in range(count)]
    facts += [Hypothesis("nonnegative", sub(mul(number(k + 2), n), Symbol(f"v{k}"))) for k in range(count)]
    flat = add(mul(m, W), n, *names(count))
    return proved(Reading("X", flat, W), Cell("X", m, add(n, L)), *facts)


def rewriting(width: int) -> object:
    """A pattern of many variables that always fails at its last part, matched against many factors."""
    variables = [f"k{k}" for k in range(width)]
    pattern = mul(*(fam("q", Symbol(k)) for k in variables), fam("zz", ONE))
    hypothesis = equal(pattern, ZERO, *variables)
    return proved(mul(*(fam("q", number(k)) for k in range(3 * width))), ZERO, hypothesis)


def windows(count: int) -> object:
    """Quantified names, each of which meets many drawn members."""
    variables = tuple(f"k{k}" for k in range(count))
    members = mul(*(fam(f"q{k}", Symbol(v)) for k, v in enumerate(variables)))
    sides = [fam(f"q{k}", number(at)) for k in range(count) for at in range(12)]
    return proved(Add(tuple(sides)), ZERO, nonzero(sub(members, number(977)), *variables))


def idle_equation(left: Term) -> object:
    """A false equation beside left = 0, which is checked at points, exactly, but not rewritten with."""
    hypothesis = equal(left, ZERO)
    return proved(add(x, y), add(y, x, pw(x, 2)), hypothesis, idle=(hypothesis,))


Cases = dict[str, tuple[Callable[[], object], str]]
MATRICES: Cases = {
    "a word of 10**4 letters": (lambda: itself(Multiply((matrix("A", "d", "d"),) * 10_000)), "limit reached"),
    "a word of 10**4 rotations": (
        lambda: itself(Multiply(tuple(MatrixFamily("R", name, Size(1, "d"), "rotation") for name in names(10_000)))),
        "limit reached",
    ),
    "(A+B)**40": (lambda: itself(Multiply((add(matrix("A", "d", "d"), matrix("B", "d", "d")),) * 40)), "limit reached"),
    "(A+B)**16": (lambda: itself(Multiply((add(matrix("A", "d", "d"), matrix("B", "d", "d")),) * 16)), "limit reached"),
    "a false word of 10**4 letters": (
        lambda: proved(Multiply((matrix("A", "d", "d"),) * 10_000), Multiply((matrix("B", "d", "d"),) * 10_000)),
        "limit reached",
    ),
    "a matrix of 200 x 200 names squared": (lambda: itself(mul(grid(200), grid(200))), "limit reached"),
    "a block of 200 slots squared": (lambda: itself(mul(bulk(200), bulk(200))), "LimitReached"),
    "a layout of 10**6 slots": (lambda: strided(10**6), "LimitReached"),
    "a determinant of 12 x 12": (lambda: itself(Determinant(grid(12))), "limit reached"),
    "a block of count 4096": (
        lambda: itself(Block("i", number(4096), strided(2), strided(2), ((ONE, x), (x, ONE)))),
        "limit reached",
    ),
    "a block of count 10**12": (
        lambda: itself(Block("i", number(10**12), strided(2), strided(2), ((ONE, x), (x, ONE)))),
        "out of fragment",
    ),
    "a sum of count 10**12": (lambda: itself(total(fam("q"), "i", number(10**12))), "out of fragment"),
    "an identity of size 10**12": (
        lambda: proved(Identity(Size(10**12)), mul(TWO, Identity(Size(10**12)))),
        "limit reached",
    ),
    "matrices of size 10**6": (
        lambda: proved(matrix("A", Size(10**6), Size(10**6)), matrix("B", Size(10**6), Size(10**6))),
        "limit reached",
    ),
    "rotations of size 10**7": (
        lambda: proved(MatrixFamily("R", x, Size(10**7), "rotation"), MatrixFamily("S", x, Size(10**7), "rotation")),
        "limit reached",
    ),
    "a positive entry of a large matrix": (
        lambda: itself(x, positive(mul(Transpose(matrix("u", Size(10**6))), matrix("u", Size(10**6))))),
        "limit reached",
    ),
    "a range of 10**12": (lambda: prove(Statement(fam("q"), fam("r"), (), (Range("i", number(10**12)),))), "refuted"),
}
POINTS: Cases = {
    "a positive sum of 10**12 terms": (
        lambda: itself(x, positive(total(fam("q"), "i", number(10**12)))),
        "limit reached",
    ),
    "a non-zero sum of 10**12 terms": (lambda: itself(x, nonzero(total(x, "i", number(10**12)))), "limit reached"),
    "a positive determinant of 12 x 12": (lambda: itself(x, positive(Determinant(grid(12)))), "limit reached"),
    "a positive block of count 10**12": (
        lambda: itself(
            x,
            positive(
                Determinant(
                    mul(
                        Transpose(Block("i", number(10**12), strided(1), None, ((x,),))),
                        Block("i", number(10**12), strided(1), None, ((x,),)),
                    )
                )
            ),
        ),
        "limit reached",
    ),
    "a positive tower": (lambda: itself(x, positive(sub(exp(exp(exp(number(10)))), y))), "proved"),
    "a rotation turned 10**12 times": (
        lambda: proved(
            MatrixFamily("R", mul(number(10**12), x), Size(2), "rotation"),
            MatrixFamily("S", mul(number(10**12), x), Size(2), "rotation"),
        ),
        "no point found",
    ),
    "exp(exp(exp(10)))": (lambda: proved(exp(exp(exp(number(10)))), ZERO), "no point found"),
    "exp(exp(10)) at points": (lambda: proved(mul(x, exp(exp(number(10)))), ZERO), "refuted"),
    "exp(-exp(exp(10)))": (lambda: proved(exp(neg(exp(exp(number(10))))), ZERO), "no point found"),
    "cos(exp(exp(10)))": (lambda: proved(cos(exp(exp(number(10)))), cos(exp(exp(mul(TWO, number(5)))))), "proved"),
    "cos(x exp(exp(10)))": (lambda: proved(cos(mul(x, exp(exp(number(10))))), ZERO), "refuted"),
    "cosines of large angles": (
        lambda: proved(add(*(cos(mul(name, exp(exp(number(10))))) for name in names(50))), ZERO),
        "limit reached",
    ),
    "log near 0": (lambda: proved(log(mul(pw(number(Fraction(1, 2)), 500), exp(x))), ZERO), "out of fragment"),
    "log of a difference near 0": (
        lambda: proved(log(add(pw(sub(x, x), 2), number(Fraction(1, 10**400)))), ZERO),
        "no point found",
    ),
    "a product of balls that grow": (
        lambda: proved(mul(*([exp(mul(number(60_000), pw(x, 2)))] * 500)), ZERO),
        "refuted",
    ),
    "a hypothesis with a large power": (lambda: itself(x, positive(pw(TWO, 10**9))), "no point found"),
    "an idle equation with a large power": (lambda: idle_equation(pw(add(x, ONE), 10**9)), "refuted"),
    "an idle equation with a tower of powers": (
        lambda: idle_equation(nested(lambda t: pw(t, 400), 5, add(x, ONE))),
        "limit reached",
    ),
    "an equation over many names": (
        lambda: itself(x, equal(mul(*names(4)), expansion(40, 3)), equal(Symbol("v3"), expansion(3, 100))),
        "limit reached",
    ),
    "windows of many quantified names": (lambda: windows(8), "no point found"),
    "a flat index among many facts": (lambda: many_facts(12), "limit reached"),
    "a flat index of huge width": (
        lambda: proved(
            Reading("X", add(mul(m, number(10**300)), n), number(10**300)),
            Cell("X", m, n),
            Hypothesis("nonnegative", n),
            Hypothesis("nonnegative", sub(number(10**300 - 1), n)),
        ),
        "proved",
    ),
    "a flat index of a huge width, off by one": (
        lambda: proved(
            Reading("X", add(mul(m, number(10**300)), n), number(10**300)),
            Cell("X", m, n),
            Hypothesis("nonnegative", n),
            Hypothesis("nonnegative", sub(number(10**300), n)),
        ),
        "no point found",
    ),
    "a pattern of many variables": (lambda: rewriting(8), "limit reached"),
    "a rewrite that grows": (lambda: proved(pw(x, 100), y, equal(x, add(mul(TWO, y), pw(z, 2)))), "refuted"),
    "a rewrite that never ends": (lambda: proved(x, y, equal(x, add(x, ONE))), "limit reached"),
}
ANGLES: Cases = {
    "cos(10**6 x)": (lambda: proved(cos(mul(number(10**6), x)), cos(mul(number(-(10**6)), x))), "proved"),
    "cos(x)**200": (lambda: itself(pw(cos(x), 200)), "proved"),
    "e**(10**6 pi i)": (lambda: proved(exp(mul(number(10**6), I, Pi())), ONE), "proved"),
    "e**(10**300 pi i / 7)": (
        lambda: proved(exp(mul(number(Fraction(10**300, 7)), I, Pi())), ONE),
        "no point found",
    ),
}
CASES = MATRICES | POINTS | ANGLES
