"""Exponential polynomials: finite sums of c * monomial * e^phase in one normal form, so that equal sums are equal data.

A value is a dictionary from (monomial, phase) to a Gaussian rational. A monomial is a product of integer powers of
atoms, a phase is again such a value (its items, frozen), and atoms are real: symbols, members of families, values of
functions, logarithms of positive quantities, indexed sums, 1 x 1 words. (A sum of complex terms is not real; its
conjugate is the sum of the conjugates.)

Sound, for every input: each operation computes a representation of the same function (ring laws, e^p e^q = e^(p+q),
e^(i pi r) = i^n e^(i pi (r - n/2)), e^(c log b) = b^n e^((c - n) log b), Euler's formula), so equal data denote equal
functions wherever inverted atoms are not zero and logarithms are taken of what is positive; those conditions are
recorded by the evaluator.

Complete, on this part: where neither pi nor logarithms, sums or words occur and phases are polynomials in real symbols,
members of families and rational constants, distinct data denote distinct functions. Proof: order the terms by phase up
to constants. Exponentials of polynomials whose differences are not constant are linearly independent over the rational
functions (take a shortest relation, divide by one term and differentiate: c e^p constant forces p constant); inside
one class, e to distinct algebraic constants are linearly independent over the algebraic numbers
(Lindemann-Weierstrass), so all coefficient polynomials vanish. It holds for integer values of symbols too, by
Lindemann-Weierstrass at each of them. Elsewhere unequal data mean nothing by themselves: a refutation always needs a
point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import Literal

from derivations.kernel.budget import LONG, spend, spend_on_digits, weighed
from derivations.kernel.errors import LimitReached, OutOfFragment

# (a, b, d) is the Gaussian rational (a + b i)/d in lowest terms, d > 0: integers are much faster than Fractions.
Coefficient = tuple[int, int, int]
# Atoms and letters are tagged tuples: cheap to make, to hash and to compare. Frozen sets know no order.
SymbolAtom = tuple[Literal["symbol"], str]
FamilyAtom = tuple[Literal["family"], str, "Phase"]  # name, index
FunctionAtom = tuple[Literal["function"], str, int, "Phase"]  # name, order of the derivative, argument
LogAtom = tuple[Literal["log"], "Atom | int"]
PiAtom = tuple[Literal["pi"]]
SumAtom = tuple[Literal["sum"], SymbolAtom, "Monomial", "Phase"]  # count, and one term of the body
WordAtom = tuple[Literal["word"], "frozenset[Word]"]  # a 1 x 1 word and its transpose
CellAtom = tuple[Literal["cell"], str, "Phase", "Phase"]  # name, row, column
ReadingAtom = tuple[Literal["reading"], str, "Phase", "Phase"]  # name, flat index, width
IndexedAtom = CellAtom | ReadingAtom
GeneratorAtom = tuple[Literal["generator"], int]  # number in a tower, which keeps what it stands for
Atom = SymbolAtom | FamilyAtom | FunctionAtom | LogAtom | PiAtom | SumAtom | WordAtom | IndexedAtom | GeneratorAtom
MatrixLetter = tuple[Literal["matrix"], str, bool]  # name, transposed
RotationLetter = tuple[Literal["rotation"], str, "Phase"]  # name, argument
FreeLetter = tuple[Literal["free"], str, "Phase", bool]  # name, argument, transposed
CutLetter = tuple[Literal["cut"]]  # inside a word, where the inner size is 1
Letter = MatrixLetter | RotationLetter | FreeLetter | CutLetter
Word = tuple[Letter, ...]
Monomial = frozenset[tuple[Atom, int]]
Phase = frozenset["tuple[Key, Coefficient]"]
Key = tuple[Monomial, Phase]
Value = dict[Key, Coefficient]

UNIT: Coefficient = (1, 0, 1)
NO_MONOMIAL: Monomial = frozenset()
NO_PHASE: Phase = frozenset()
CONSTANT: Key = (NO_MONOMIAL, NO_PHASE)
PI: PiAtom = ("pi",)
ZERO: Value = {}
ONE: Value = {CONSTANT: UNIT}
TERM_LIMIT = 200_000
WHOLE_POWER_LIMIT = 4096


def coefficient(re: Fraction | int, im: Fraction | int = 0) -> Coefficient:
    d = lcm(re.denominator, im.denominator)
    return (re.numerator * (d // re.denominator), im.numerator * (d // im.denominator), d)


def parts(c: Coefficient) -> tuple[Fraction, Fraction]:
    """Real and imaginary part."""
    return Fraction(c[0], c[2]), Fraction(c[1], c[2])


def constant(re: Fraction | int, im: Fraction | int = 0) -> Value:
    return {CONSTANT: coefficient(re, im)} if re or im else {}


I: Value = {CONSTANT: (0, 1, 1)}
HALF: Value = {CONSTANT: (1, 0, 2)}
HALF_OVER_I: Value = {CONSTANT: (0, -1, 2)}


def atom(a: Atom, power: int = 1) -> Value:
    return {(frozenset([(a, power)]), NO_PHASE): UNIT}


def frozen(value: Value) -> Phase:
    """A value as hashable data; `dict` takes it back."""
    spend(len(value) // 4)
    return frozenset(value.items())


def add(a: Value, b: Value) -> Value:
    small, large = (a, b) if len(a) < len(b) else (b, a)
    spend(len(small) + len(large) // 16)
    result = dict(large)
    for key, c in small.items():
        _accumulate(result, key, c)
    return result


def _accumulate(result: Value, key: Key, c: Coefficient) -> None:
    old = result.get(key)
    if old is None:
        result[key] = c
        return
    total = _plus(old, c)
    if total[0] or total[1]:
        result[key] = total
    else:
        del result[key]


def _plus(a: Coefficient, b: Coefficient) -> Coefficient:
    if a[2] == b[2]:
        return _lowest(a[0] + b[0], a[1] + b[1], a[2])
    return _lowest(a[0] * b[2] + b[0] * a[2], a[1] * b[2] + b[1] * a[2], a[2] * b[2])


def _lowest(re: int, im: int, d: int) -> Coefficient:
    if (bits := re.bit_length() + im.bit_length() + d.bit_length()) > LONG:
        spend_on_digits(bits)
    if d == 1:
        return (re, im, 1)
    g = gcd(re, im, d)
    return (re // g, im // g, d // g)


def negate(a: Value) -> Value:
    return {key: (-re, -im, d) for key, (re, im, d) in a.items()}


def subtract(a: Value, b: Value) -> Value:
    return add(a, negate(b))


def scale(a: Value, c: Coefficient) -> Value:
    if not (c[0] or c[1]):
        return {}
    return {key: _times(old, c) for key, old in a.items()}


def _times(a: Coefficient, b: Coefficient) -> Coefficient:
    if not a[1] and not b[1]:
        return _lowest(a[0] * b[0], 0, a[2] * b[2])
    return _lowest(a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0], a[2] * b[2])


def multiply(a: Value, b: Value) -> Value:
    if len(a) * len(b) > TERM_LIMIT:
        raise LimitReached(f"a product of {len(a)} by {len(b)} terms passes the limit of {TERM_LIMIT}")
    spend(len(a) * len(b))
    if a is ONE or b is ONE:
        return b if a is ONE else a
    result: Value = {}
    for left, c1 in a.items():
        for right, c2 in b.items():
            _accumulate_term(result, left, right, _times(c1, c2))
    return result


def _accumulate_term(result: Value, left: Key, right: Key, c: Coefficient) -> None:
    monomial = _monomial_product(left[0], right[0])
    if not (left[1] and right[1]):
        _accumulate(result, (monomial, left[1] or right[1]), c)
        return
    phase, factor = _settled(add(dict(left[1]), dict(right[1])))
    if factor is ONE:
        _accumulate(result, (monomial, phase), c)
    else:
        _accumulate_product(result, {(monomial, phase): c}, factor)


def _accumulate_product(result: Value, a: Value, b: Value) -> None:
    for key, c in multiply(a, b).items():
        _accumulate(result, key, c)


def _monomial_product(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    spend((len(a) + len(b)) // 8)
    powers = dict(a)
    for base, n in b:
        total = powers.get(base, 0) + n
        if total:
            powers[base] = total
        else:
            del powers[base]
    return frozenset(powers.items())


def _settled(exponent: Value) -> tuple[Phase, Value]:
    """Split e^exponent into a phase and the factor that whole powers and quarter turns leave.

    In the phase a coefficient of log b has its real part in [0, 1), a coefficient of pi its imaginary part in [0, 1/2).
    """
    factor = ONE
    rest = exponent
    for key, c in exponent.items():
        n = _whole_part(key, c) if len(key[0]) == 1 else 0
        if not n:
            continue
        ((base, _),) = key[0]
        re, im, d = c
        if base == PI:
            power = {CONSTANT: ((1, 0, 1), (0, 1, 1), (-1, 0, 1), (0, -1, 1))[n % 4]}
            left = _lowest(2 * re, 2 * im - n * d, 2 * d)
        else:
            power = _whole_power(base, n)
            left = _lowest(re - n * d, im, d)
        factor = multiply(factor, power)
        rest = {k: old for k, old in rest.items() if k != key}
        if left[0] or left[1]:
            rest[key] = left
    return frozen(rest), factor


def _whole_part(key: Key, c: Coefficient) -> int:
    """How many powers of b there are in e^(c log b), or quarter turns in e^(c pi)."""
    ((base, power),), phase = key
    re, im, d = c
    if power != 1 or phase:
        return 0
    if base == PI:
        return 2 * im // d
    return re // d if base[0] == "log" else 0


def _whole_power(logarithm_of: Atom, n: int) -> Value:
    of = logarithm_of[1] if logarithm_of[0] == "log" else logarithm_of
    if not isinstance(of, int):
        return atom(of, n)
    if abs(n) > WHOLE_POWER_LIMIT:
        raise LimitReached(f"the power {of}^{n} passes the limit of {WHOLE_POWER_LIMIT}; keep it as an exponential")
    return constant(Fraction(of) ** n)


def exponential(exponent: Value) -> Value:
    """e to the given value, which is always in the fragment if it is not too large."""
    phase, factor = _settled(weighed(exponent))
    return multiply(factor, {(NO_MONOMIAL, phase): UNIT})


def cosine(angle: Value) -> Value:
    turned = multiply(I, angle)
    return multiply(add(exponential(turned), exponential(negate(turned))), HALF)


def sine(angle: Value) -> Value:
    turned = multiply(I, angle)
    return multiply(subtract(exponential(turned), exponential(negate(turned))), HALF_OVER_I)


def logarithm(positive: Value) -> Value:
    """log of a positive rational or of one atom; rationals are split into primes, so log 6 = log 2 + log 3."""
    if len(positive) == 1:
        ((monomial, phase), (re, im, d)), *_ = positive.items()
        if not phase and not im and re > 0:
            result = _log_of_rational(Fraction(re, d))
            for base, n in monomial:
                result = add(result, scale(atom(("log", base)), (n, 0, 1)))
            return result
    raise OutOfFragment("a logarithm is taken of a positive rational times powers of positive symbols only")


def _log_of_rational(q: Fraction) -> Value:
    result: Value = {}
    for part, sign in ((q.numerator, 1), (q.denominator, -1)):
        for prime, n in factors(part).items():
            result = add(result, scale(atom(("log", prime)), (sign * n, 0, 1)))
    return result


def factors(n: int) -> dict[int, int]:
    """The primes of a positive integer with their powers."""
    found: dict[int, int] = {}
    p = 2
    while p * p <= n:
        if p > 10_000:
            raise LimitReached(f"factoring {n} passes the limit")
        while n % p == 0:
            found[p] = found.get(p, 0) + 1
            n //= p
        p += 1
    if n > 1:
        found[n] = found.get(n, 0) + 1
    return found


def power(a: Value, n: int) -> Value:
    if n < 0:
        return power(reciprocal(a), -n)
    result = ONE
    for _ in range(n):
        result = multiply(result, a)
    return result


def is_monomial(a: Value) -> bool:
    return len(a) == 1


def reciprocal(a: Value) -> Value:
    """1/a for a single term; the caller records that the inverted atoms are non-zero."""
    ((monomial, phase), (re, im, d)), *_ = a.items()
    inverse = frozenset((base, -n) for base, n in monomial)
    result: Value = {(inverse, NO_PHASE): _lowest(re * d, -im * d, re * re + im * im)}
    return multiply(result, exponential(negate(dict(phase)))) if phase else result


def conjugate(a: Value) -> Value:
    """The complex conjugate: atoms are real, except that a sum of complex terms has the conjugate sum."""
    result: Value = {}
    for (m, p), (re, im, d) in a.items():
        phase, factor = _settled(conjugate(dict(p))) if p else (p, ONE)
        _accumulate_product(result, {(_conjugate_monomial(m), phase): (re, -im, d)}, factor)
    return result


def _conjugate_monomial(m: Monomial) -> Monomial:
    if not any(base[0] == "sum" for base, _ in m):
        return m
    return frozenset((_conjugate_atom(base), n) for base, n in m)


def _conjugate_atom(base: Atom) -> Atom:
    match base:
        case ("sum", count, monomial, phase):
            return ("sum", count, _conjugate_monomial(monomial), frozen(conjugate(dict(phase))))
        case _:
            return base


def is_real(a: Value) -> bool:
    """Equal to its conjugate; sound, since atoms are real."""
    return a == conjugate(a)


def mapped(a: Value, change: Callable[[Atom], Value | None]) -> Value:
    """The value with atoms replaced by values everywhere, phases included; None keeps an atom.

    An atom with a negative power may only be replaced by a single term.
    """
    result: Value = {}
    for (monomial, phase), c in a.items():
        term: Value = {CONSTANT: c}
        for base, n in monomial:
            new = change(base)
            term = multiply(term, atom(base, n) if new is None else _power_of_replacement(new, n))
        if phase:
            term = multiply(term, exponential(mapped(dict(phase), change)))
        result = add(result, term)
    return result


def _power_of_replacement(new: Value, n: int) -> Value:
    if n < 0 and not is_monomial(new):
        raise OutOfFragment("a divisor was replaced by a value of several terms")
    return power(new, n)


def derivative(a: Value, of_atom: Callable[[Atom], Value]) -> Value:
    """The derivative, given the derivative of each atom; product rule and d e^p = p' e^p."""
    result: Value = {}
    for (monomial, phase), c in a.items():
        here: Value = {(monomial, phase): c}
        for base, n in monomial:
            slope = of_atom(base)
            if slope:
                lowered = multiply(here, scale(atom(base, -1), (n, 0, 1)))
                result = add(result, multiply(lowered, slope))
        if phase:
            result = add(result, multiply(here, derivative(dict(phase), of_atom)))
    return result


def total(parts: Iterable[Value]) -> Value:
    result: Value = {}
    for part in parts:
        spend(len(part) // 2)
        for key, c in part.items():
            _accumulate(result, key, c)
    return result


def rational(a: Mapping[Key, Coefficient]) -> Fraction | None:
    """The value as a rational number, if it is one."""
    if not a:
        return Fraction(0)
    if len(a) == 1 and CONSTANT in a and not a[CONSTANT][1]:
        return parts(a[CONSTANT])[0]
    return None
