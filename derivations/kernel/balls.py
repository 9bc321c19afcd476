"""Rigorous enclosures of real and complex numbers, with integers alone.

The idea: a real number is held between two multiples of 2**-bits, and every operation rounds the lower end down and the
upper end up, so the true value never leaves the interval. Precision is absolute (fixed point) and stored in the value;
there is no global state. A predicate that answers False means "not certain at this precision": the caller may repeat
the computation with more bits. A `Ball` is a complex number: a pair of intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import TypeVar

from derivations.kernel import fixed_point as fp
from derivations.kernel.budget import LONG, spend_on_digits
from derivations.kernel.errors import KernelError, LimitReached

DEFAULT_BITS = 128


class Indeterminate(KernelError):
    """The operation is not defined on the whole enclosure, for example a divisor that may be zero."""


@dataclass(frozen=True, slots=True, repr=False)
class Interval:
    """The real numbers x with lo <= x * 2**bits <= hi. `==` compares end points, not the numbers enclosed."""

    lo: int
    hi: int
    bits: int

    def __post_init__(self) -> None:
        if self.lo > self.hi:
            raise ValueError("Interval: the lower end lies above the upper end; wanted lo <= hi")
        _check_bits(self.bits)

    @classmethod
    def from_fraction(cls, value: Fraction | int, bits: int = DEFAULT_BITS) -> Interval:
        """The narrowest enclosure of an exact rational number; a float must be made a Fraction by the caller."""
        return cls.between(value, value, bits=bits)

    @classmethod
    def between(cls, lower: Fraction | int, upper: Fraction | int, *, bits: int = DEFAULT_BITS) -> Interval:
        """The narrowest enclosure of all numbers from `lower` to `upper`."""
        if not (isinstance(lower, (int, Fraction)) and isinstance(upper, (int, Fraction))):
            seen = f"{type(lower).__name__} and {type(upper).__name__}"
            raise TypeError(f"Interval: ends of types {seen}; wanted int or Fraction (for a float, Fraction(x))")
        _check_bits(bits)
        lo = fp.floor_div(lower.numerator << bits, lower.denominator)
        return cls(lo, fp.ceil_div(upper.numerator << bits, upper.denominator), bits)

    @property
    def lower(self) -> Fraction:
        """The lower end."""
        return Fraction(self.lo, 1 << self.bits)

    @property
    def upper(self) -> Fraction:
        """The upper end."""
        return Fraction(self.hi, 1 << self.bits)

    @property
    def width(self) -> Fraction:
        """The distance between the ends."""
        return Fraction(self.hi - self.lo, 1 << self.bits)

    def at_bits(self, bits: int) -> Interval:
        """The same numbers at another precision: exact when it grows, rounded outwards when it shrinks."""
        _check_bits(bits)
        drop = self.bits - bits
        return Interval(fp.floor_shift(self.lo, drop), fp.ceil_shift(self.hi, drop), bits)

    def excludes_zero(self) -> bool:
        """Certainly not zero."""
        return self.lo > 0 or self.hi < 0

    def is_positive(self) -> bool:
        """Certainly above zero."""
        return self.lo > 0

    def contains(self, value: Fraction | int) -> bool:
        """Whether this rational number lies in the enclosure; exact."""
        scaled = value.numerator << self.bits
        return self.lo * value.denominator <= scaled <= self.hi * value.denominator

    def __repr__(self) -> str:
        return f"Interval({text(self, 8)}, bits={self.bits})"

    def __neg__(self) -> Interval:
        return Interval(-self.hi, -self.lo, self.bits)

    def __abs__(self) -> Interval:
        ends = abs(self.lo), abs(self.hi)
        return Interval(min(ends) if self.excludes_zero() else 0, max(ends), self.bits)

    def __add__(self, other: Interval | Fraction | int) -> Interval:
        """Exact: no rounding."""
        y = _as_interval(other, self.bits)
        return NotImplemented if y is None else Interval(self.lo + y.lo, self.hi + y.hi, self.bits)

    __radd__ = __add__

    def __sub__(self, other: Interval | Fraction | int) -> Interval:
        """Exact: no rounding."""
        y = _as_interval(other, self.bits)
        return NotImplemented if y is None else Interval(self.lo - y.hi, self.hi - y.lo, self.bits)

    def __rsub__(self, other: Fraction | int) -> Interval:
        return -self + other

    def __mul__(self, other: Interval | Fraction | int) -> Interval:
        """The extreme products are among the four products of end points; one rounding at each end."""
        y = _as_interval(other, self.bits)
        if y is None:
            return NotImplemented
        products = self.lo * y.lo, self.lo * y.hi, self.hi * y.lo, self.hi * y.hi
        if (length := max(map(int.bit_length, products))) > LONG:
            spend_on_digits(length)
        return Interval(fp.floor_shift(min(products), self.bits), fp.ceil_shift(max(products), self.bits), self.bits)

    __rmul__ = __mul__

    def __truediv__(self, other: Interval | Fraction | int) -> Interval:
        """The extreme quotients are among the four of end points, because the divisor keeps its sign."""
        y = _as_interval(other, self.bits)
        if y is None:
            return NotImplemented
        if not y.excludes_zero():
            raise Indeterminate(f"division by {y!r}, which may be zero; use more bits, or show that it is not zero")
        pairs = [(x << self.bits, d) for x in (self.lo, self.hi) for d in (y.lo, y.hi)]
        lo, hi = min(fp.floor_div(x, d) for x, d in pairs), max(fp.ceil_div(x, d) for x, d in pairs)
        return Interval(lo, hi, self.bits)

    def __rtruediv__(self, other: Fraction | int) -> Interval:
        x = _as_interval(other, self.bits)
        return NotImplemented if x is None else x / self

    def __pow__(self, exponent: int) -> Interval:
        """x**n; an even power is taken of |x| so that it is never negative. 0**0 is 1, as for polynomials."""
        if exponent < 0:
            return (1 / self) ** -exponent
        even = _power(abs(self), exponent - exponent % 2, _exact(1, self.bits))
        return self * even if exponent % 2 else even


@dataclass(frozen=True, slots=True, repr=False)
class Ball:
    """The complex numbers whose real part lies in `re` and whose imaginary part lies in `im`."""

    re: Interval
    im: Interval

    def __post_init__(self) -> None:
        _same_bits(self.re, self.im.bits)

    @classmethod
    def from_fraction(cls, re: Fraction | int, im: Fraction | int = 0, *, bits: int = DEFAULT_BITS) -> Ball:
        """The narrowest enclosure of re + i im."""
        return cls(Interval.from_fraction(re, bits), Interval.from_fraction(im, bits))

    @property
    def bits(self) -> int:
        """The precision of both parts."""
        return self.re.bits

    def at_bits(self, bits: int) -> Ball:
        """As `Interval.at_bits`, for both parts."""
        return Ball(self.re.at_bits(bits), self.im.at_bits(bits))

    def conjugate(self) -> Ball:
        """re - i im; exact."""
        return Ball(self.re, -self.im)

    def excludes_zero(self) -> bool:
        """Certainly not zero: one part certainly is not."""
        return self.re.excludes_zero() or self.im.excludes_zero()

    def is_positive(self) -> bool:
        """Certainly real and positive: the imaginary part must be exactly zero, not merely enclose it."""
        return self.re.is_positive() and self.im.lo == self.im.hi == 0

    def contains(self, re: Fraction | int, im: Fraction | int = 0) -> bool:
        """Whether re + i im lies in the enclosure; exact."""
        return self.re.contains(re) and self.im.contains(im)

    def __repr__(self) -> str:
        return f"Ball({text(self, 8)}, bits={self.bits})"

    def __neg__(self) -> Ball:
        return Ball(-self.re, -self.im)

    def __abs__(self) -> Interval:
        """sqrt(re**2 + im**2): squares of integers are exact, so only the integer root is rounded."""
        re, im = abs(self.re), abs(self.im)
        return Interval(isqrt(re.lo**2 + im.lo**2), fp.ceil_sqrt(re.hi**2 + im.hi**2), self.bits)

    def __add__(self, other: Ball | Interval | Fraction | int) -> Ball:
        w = _as_ball(other, self.bits)
        return NotImplemented if w is None else Ball(self.re + w.re, self.im + w.im)

    __radd__ = __add__

    def __sub__(self, other: Ball | Interval | Fraction | int) -> Ball:
        w = _as_ball(other, self.bits)
        return NotImplemented if w is None else Ball(self.re - w.re, self.im - w.im)

    def __rsub__(self, other: Interval | Fraction | int) -> Ball:
        return -self + other

    def __mul__(self, other: Ball | Interval | Fraction | int) -> Ball:
        w = _as_ball(other, self.bits)
        if w is None:
            return NotImplemented
        if self.im.lo == self.im.hi == w.im.lo == w.im.hi == 0:  # both real: the same bounds from one product of four
            return Ball(self.re * w.re, w.im)
        return Ball(self.re * w.re - self.im * w.im, self.re * w.im + self.im * w.re)

    __rmul__ = __mul__

    def __truediv__(self, other: Ball | Interval | Fraction | int) -> Ball:
        """z / w = z conj(w) / |w|**2, both first scaled by one power of two so that |w|**2 cannot round to zero."""
        w = _as_ball(other, self.bits)
        if w is None:
            return NotImplemented
        if not w.excludes_zero():
            raise Indeterminate(f"division by {w!r}, which may be zero; use more bits, or show that it is not zero")
        shift = max(0, self.bits + 1 - max(abs(w.re).lo, abs(w.im).lo).bit_length())
        z, w = _scaled(self, shift), _scaled(w, shift)
        norm, product = w.re**2 + w.im**2, z * w.conjugate()
        return Ball(product.re / norm, product.im / norm)

    def __rtruediv__(self, other: Interval | Fraction | int) -> Ball:
        z = _as_ball(other, self.bits)
        return NotImplemented if z is None else z / self

    def __pow__(self, exponent: int) -> Ball:
        """z**n for an integer n, by repeated squaring; 0**0 is 1."""
        base = self if exponent >= 0 else 1 / self
        return _power(base, abs(exponent), Ball(_exact(1, self.bits), _exact(0, self.bits)))


Number = TypeVar("Number", Interval, Ball)


def separated(a: Interval | Ball, b: Interval | Ball) -> bool:
    """Whether the two numbers are certainly different (a subtraction is exact, so nothing is lost)."""
    return (a - b).excludes_zero()


def pi(bits: int = DEFAULT_BITS) -> Interval:
    """pi = 16 arctan(1/5) - 4 arctan(1/239) (Machin); the remainder is bounded in `fixed_point`."""
    return Interval(*fp.pi_bounds(bits), bits)


def sqrt(x: Interval) -> Interval:
    """Square root of a nonnegative real: the integer square root, rounded down and up; it is exact, so no remainder."""
    if x.lo < 0:
        raise Indeterminate(f"square root of {x!r}, which may be negative; use more bits, or show that it is not")
    return Interval(isqrt(x.lo << x.bits), fp.ceil_sqrt(x.hi << x.bits), x.bits)


def log(x: Interval) -> Interval:
    """Natural logarithm of a positive real: increasing, so the end points are enough; see `fixed_point.log_bounds`."""
    if x.lo <= 0:
        raise Indeterminate(f"logarithm of {x!r}, which may be zero or negative; use more bits, or show it positive")
    return Interval(fp.log_bounds(x.lo, x.bits)[0], fp.log_bounds(x.hi, x.bits)[1], x.bits)


def exp(x: Number) -> Number:
    """Real: increasing, so the end points are enough (`fixed_point.exp_bounds`). Complex: e**re (cos im + i sin im)."""
    if isinstance(x, Ball):
        scale = exp(x.re)
        return Ball(scale * cos(x.im), scale * sin(x.im))
    lo, hi = fp.exp_bounds(x.lo, x.bits)
    return Interval(lo, hi if x.lo == x.hi else fp.exp_bounds(x.hi, x.bits)[1], x.bits)


def cos(x: Number) -> Number:
    """Real: see `fixed_point.cos_bounds`. Complex: cos(a + ib) = cos a cosh b - i sin a sinh b."""
    if isinstance(x, Ball):
        cosh, sinh = _hyperbolic(x.im)
        return Ball(cos(x.re) * cosh, -(sin(x.re) * sinh))
    return Interval(*fp.cos_bounds(x.lo, x.hi, 0, bits=x.bits), x.bits)


def sin(x: Number) -> Number:
    """Real: cos(x - pi/2), see `fixed_point.cos_bounds`. Complex: sin(a + ib) = sin a cosh b + i cos a sinh b."""
    if isinstance(x, Ball):
        cosh, sinh = _hyperbolic(x.im)
        return Ball(sin(x.re) * cosh, cos(x.re) * sinh)
    return Interval(*fp.cos_bounds(x.lo, x.hi, 1, bits=x.bits), x.bits)


def to_float_midpoint(x: Interval) -> float:
    """The float nearest to the middle of the enclosure: for display and for feeding code, never for a decision."""
    try:
        return (x.lo + x.hi) / (1 << (x.bits + 1))
    except OverflowError:
        raise LimitReached(f"{x!r} exceeds the range of a float; keep it as an enclosure") from None


def to_complex_midpoint(z: Ball) -> complex:
    """The floats nearest to the middles of both parts; as `to_float_midpoint`."""
    return complex(to_float_midpoint(z.re), to_float_midpoint(z.im))


def text(value: Interval | Ball, digits: int) -> str:
    """The value with at most `digits` decimals, such as 0.4826 - 1.0624i; only certain decimals are printed.

    What is printed is the true value correctly rounded (ties upwards). Where even the integer is uncertain the text is
    [a, b], two integers around the value. Values of 10**15 and more are written as mantissa and exponent.
    """
    if not 0 <= digits <= 1000:
        raise ValueError(f"text: digits is {digits}; wanted 0 to 1000")
    if isinstance(value, Interval):
        return fp.decimal(value.lo, value.hi, digits, bits=value.bits)
    if value.im.lo == value.im.hi == 0:
        return text(value.re, digits)
    imaginary = text(value.im, digits)
    sign, size = ("-", imaginary[1:]) if imaginary.startswith("-") else ("+", imaginary)
    return f"{text(value.re, digits)} {sign} {size}i"


def _hyperbolic(b: Interval) -> tuple[Interval, Interval]:
    """cosh b = (e**b + e**-b)/2 and sinh b = (e**b - e**-b)/2."""
    up, down = exp(b), exp(-b)
    return (up + down) / 2, (up - down) / 2


def _power(base: Number, exponent: int, one: Number) -> Number:
    """Repeated squaring, stopped when a factor grows past the limit; on nonnegative intervals products are monotone."""
    result = one
    while exponent:
        if exponent & 1:
            result = result * base
        exponent >>= 1
        if exponent:
            base = base * base
        if abs(base).hi.bit_length() > base.bits + fp.LIMIT_BITS:
            raise LimitReached(f"power: more than {fp.LIMIT_BITS} bits before the point; use a smaller exponent")
    return result


def _check_bits(bits: int) -> None:
    if not 8 <= bits <= fp.LIMIT_BITS:
        raise ValueError(f"precision of {bits} bits; wanted 8 to {fp.LIMIT_BITS}")


def _same_bits(x: Interval, bits: int) -> Interval:
    if x.bits != bits:
        raise ValueError(f"one operand has {x.bits} bits, the other {bits}; bring both to one precision with at_bits")
    return x


def _exact(value: int, bits: int) -> Interval:
    return Interval(value << bits, value << bits, bits)


def _as_interval(value: object, bits: int) -> Interval | None:
    """The operand as an interval of this precision; None for what is not an exact real number (a float above all)."""
    if isinstance(value, Interval):
        return _same_bits(value, bits)
    if isinstance(value, int):
        return _exact(value, bits)
    return Interval.from_fraction(value, bits) if isinstance(value, Fraction) else None


def _as_ball(value: object, bits: int) -> Ball | None:
    if isinstance(value, Ball):
        _same_bits(value.re, bits)
        return value
    real = _as_interval(value, bits)
    return None if real is None else Ball(real, _exact(0, bits))


def _scaled(z: Ball, shift: int) -> Ball:
    """z * 2**shift, exactly, for shift >= 0."""
    re, im = (Interval(part.lo << shift, part.hi << shift, z.bits) for part in (z.re, z.im))
    return Ball(re, im)
