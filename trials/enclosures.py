"""Numbers of the oracle: exact Gaussian rationals as long as possible, boxes around complex numbers otherwise.

A box is a pair of intervals with outward rounding (mpmath's low-level functions, at a precision that is passed along).
A derivative is carried as a dual number main + slope*e with e*e = 0; the tag tells nested derivatives apart. Nothing
here is rounded inwards or guessed: what cannot be told is `Unclear`, what has no value is `Undefined`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mpmath import libmp

Interval = tuple[Any, Any]  # two of mpmath's raw numbers, lower and upper end
NOTHING: Interval = (libmp.fzero, libmp.fzero)


class Undefined(ArithmeticError):
    """The expression has no value there: an exact zero was divided by, or a logarithm taken of what is not positive."""


class Unclear(ArithmeticError):
    """The enclosures do not tell; nothing may be concluded."""


@dataclass(frozen=True, slots=True)
class Exact:
    re: Fraction
    im: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Box:
    """The complex numbers with both parts in these intervals."""

    re: Interval
    im: Interval = NOTHING


@dataclass(frozen=True, slots=True)
class Dual:
    """A value and its derivative by the variable that the tag stands for."""

    main: Number
    slope: Number
    tag: int


Number = Exact | Box | Dual
Plain = Exact | Box
ZERO, ONE, MINUS = Exact(Fraction(0)), Exact(Fraction(1)), Exact(Fraction(-1))


def exact(value: int | Fraction) -> Exact:
    return Exact(Fraction(value))


def _interval(value: Fraction, bits: int) -> Interval:
    if not value:
        return NOTHING
    n, d = value.numerator, value.denominator
    return libmp.from_rational(n, d, bits, "f"), libmp.from_rational(n, d, bits, "c")


def boxed(a: Plain, bits: int) -> Box:
    """The narrowest box around an exact number; a box stays as it is."""
    return a if isinstance(a, Box) else Box(_interval(a.re, bits), _interval(a.im, bits))


def _parted(a: Number, b: Number) -> tuple[int, Number, Number, Number, Number]:
    """The outermost tag, and main and slope of both by it."""
    tag = max(x.tag for x in (a, b) if isinstance(x, Dual))
    (a0, a1), (b0, b1) = ((x.main, x.slope) if isinstance(x, Dual) and x.tag == tag else (x, ZERO) for x in (a, b))
    return tag, a0, a1, b0, b1


def add(a: Number, b: Number, bits: int) -> Number:
    if isinstance(a, Exact) and isinstance(b, Exact):
        return Exact(a.re + b.re, a.im + b.im if a.im or b.im else a.im)
    if isinstance(a, Dual) or isinstance(b, Dual):
        tag, a0, a1, b0, b1 = _parted(a, b)
        return Dual(add(a0, b0, bits), add(a1, b1, bits), tag)
    x, y = boxed(a, bits), boxed(b, bits)
    real = x.im == NOTHING == y.im
    return Box(libmp.mpi_add(x.re, y.re, bits), NOTHING if real else libmp.mpi_add(x.im, y.im, bits))


def times(a: Number, b: Number, bits: int) -> Number:
    if isinstance(a, Exact) and isinstance(b, Exact):
        if not (a.im or b.im):
            return Exact(a.re * b.re)
        return Exact(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
    if ZERO in (a, b):
        return ZERO
    if isinstance(a, Dual) or isinstance(b, Dual):
        tag, a0, a1, b0, b1 = _parted(a, b)
        return Dual(times(a0, b0, bits), add(times(a0, b1, bits), times(a1, b0, bits), bits), tag)
    x, y = boxed(a, bits), boxed(b, bits)
    if x.im == NOTHING == y.im:
        return Box(libmp.mpi_mul(x.re, y.re, bits))
    return Box(*libmp.mpci_mul((x.re, x.im), (y.re, y.im), bits))


def negative(a: Number, bits: int) -> Number:
    return times(MINUS, a, bits)


def reciprocal(a: Number, bits: int) -> Number:
    match a:
        case Dual(main, slope, tag):
            inverse = reciprocal(main, bits)
            return Dual(inverse, negative(times(times(inverse, inverse, bits), slope, bits), bits), tag)
        case Exact(re, im):
            size = re * re + im * im
            if not size:
                raise Undefined("division by zero")
            return Exact(re / size, -im / size)
    if not excludes_zero(a):
        raise Unclear("division by what may be zero")
    one = (libmp.fone, libmp.fone)
    if a.im == NOTHING:
        return Box(libmp.mpi_div(one, a.re, bits))
    return Box(*libmp.mpci_div((one, NOTHING), (a.re, a.im), bits))


def whole_power(a: Number, n: int, bits: int) -> Number:
    """a**n by repeated squaring; 0**0 is 1, as for polynomials."""
    base = a if n >= 0 else reciprocal(a, bits)
    result: Number = ONE
    n = abs(n)
    while n:
        if n & 1:
            result = times(result, base, bits)
        n >>= 1
        base = times(base, base, bits) if n else base
    return result


def exp(a: Number, bits: int) -> Number:
    if isinstance(a, Dual):
        main = exp(a.main, bits)
        return Dual(main, times(main, a.slope, bits), a.tag)
    if a == ZERO:
        return ONE
    z = boxed(a, bits)
    if z.im == NOTHING:
        return Box(libmp.mpi_exp(z.re, bits))
    cosine, sine = libmp.mpi_cos_sin(z.im, bits)
    if z.re == NOTHING:
        return Box(cosine, sine)
    scale = libmp.mpi_exp(z.re, bits)
    return Box(libmp.mpi_mul(scale, cosine, bits), libmp.mpi_mul(scale, sine, bits))


def log(a: Number, bits: int) -> Number:
    """The logarithm of a positive real number."""
    if isinstance(a, Dual):
        return Dual(log(a.main, bits), times(a.slope, reciprocal(a.main, bits), bits), a.tag)
    if a == ONE:
        return ZERO
    if not certainly_positive(a):
        raise Undefined("a logarithm of what is not positive")
    return Box(libmp.mpi_log(boxed(a, bits).re, bits))


def cos(a: Number, bits: int) -> Number:
    if isinstance(a, Dual):
        return Dual(cos(a.main, bits), negative(times(sin(a.main, bits), a.slope, bits), bits), a.tag)
    if a == ZERO:
        return ONE
    z = boxed(a, bits)
    return Box(libmp.mpi_cos(z.re, bits)) if z.im == NOTHING else Box(*libmp.mpci_cos((z.re, z.im), bits))


def sin(a: Number, bits: int) -> Number:
    if isinstance(a, Dual):
        return Dual(sin(a.main, bits), times(cos(a.main, bits), a.slope, bits), a.tag)
    if a == ZERO:
        return ZERO
    z = boxed(a, bits)
    return Box(libmp.mpi_sin(z.re, bits)) if z.im == NOTHING else Box(*libmp.mpci_sin((z.re, z.im), bits))


def conj(a: Number, bits: int) -> Number:
    """Variables are real, so that the derivative of a conjugate is the conjugate of the derivative."""
    match a:
        case Exact(re, im):
            return Exact(re, -im)
        case Box(re, im):
            return Box(re, libmp.mpi_neg(im, bits))
        case Dual(main, slope, tag):
            return Dual(conj(main, bits), conj(slope, bits), tag)


def real_part(a: Number, bits: int) -> Number:
    match a:
        case Dual(main, slope, tag):
            return Dual(real_part(main, bits), real_part(slope, bits), tag)
        case Exact(re):
            return Exact(re)
        case Box(re):
            return Box(re)


def imaginary_part(a: Number, bits: int) -> Number:
    match a:
        case Dual(main, slope, tag):
            return Dual(imaginary_part(main, bits), imaginary_part(slope, bits), tag)
        case Exact(_, im):
            return Exact(im)
        case Box(_, im):
            return Box(im)


def circle(bits: int) -> Box:
    """pi."""
    return Box((libmp.mpf_pi(bits, "f"), libmp.mpf_pi(bits, "c")))


OPERATIONS: dict[str, Callable[[Number, int], Number]] = {
    "exp": exp,
    "log": log,
    "cos": cos,
    "sin": sin,
    "conj": conj,
    "re": real_part,
    "im": imaginary_part,
}


def _away(a: Interval) -> bool:
    return bool(libmp.mpf_sign(a[0]) > 0 or libmp.mpf_sign(a[1]) < 0)


def excludes_zero(a: Plain) -> bool:
    """Certainly not zero."""
    if isinstance(a, Exact):
        return bool(a.re or a.im)
    return _away(a.re) or _away(a.im)


def certainly_positive(a: Plain) -> bool:
    """True or False where it is certain that a is real and above zero, or that it is not; otherwise Unclear."""
    if isinstance(a, Exact):
        return not a.im and a.re > 0
    if _away(a.im) or libmp.mpf_sign(a.re[1]) < 0:
        return False
    if a.im == NOTHING and libmp.mpf_sign(a.re[0]) > 0:
        return True
    raise Unclear("the sign of an enclosure")


def certainly_not_real(a: Number) -> bool:
    match a:
        case Exact(_, im):
            return bool(im)
        case Box(_, im):
            return _away(im)
        case Dual(main):
            return certainly_not_real(main)


def apart(a: Plain, b: Plain, bits: int) -> bool:
    """Certainly different."""
    if isinstance(a, Exact) and isinstance(b, Exact):
        return a != b
    difference = add(a, negative(b, bits), bits)
    assert not isinstance(difference, Dual)
    return excludes_zero(difference)


def exactly_equal(a: Plain, b: Plain) -> bool:
    return isinstance(a, Exact) and a == b


def from_ends(re: tuple[Fraction, Fraction], im: tuple[Fraction, Fraction], bits: int) -> Box:
    """The box between given ends, each rounded outwards."""
    (a, b), (c, d) = re, im
    return Box((_interval(a, bits)[0], _interval(b, bits)[1]), (_interval(c, bits)[0], _interval(d, bits)[1]))


def text(a: Number) -> str:
    """The number for people; a box by the middle of each part."""
    if isinstance(a, Dual):
        return f"{text(a.main)} + ({text(a.slope)})*e"
    if isinstance(a, Exact):
        return str(a.re) if not a.im else f"{a.re} + {a.im}i"
    re, im = (libmp.to_str(libmp.mpi_mid(part, 80), 20) for part in (a.re, a.im))
    return re if a.im == NOTHING else f"{re} + {im}i"
