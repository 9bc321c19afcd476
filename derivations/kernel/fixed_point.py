"""Elementary functions of dyadic numbers, as pairs of integers that enclose the value; `balls` is built on them.

The idea: an integer n stands for n / 2**bits. Each function works with more bits, counts every rounding error in whole
units of the working precision, and at the end rounds down and up. A *unit* below is 2**-w, w the working precision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import count
from math import isqrt

from derivations.kernel.errors import LimitReached

GUARD = 32
"""Extra working bits. They only make enclosures narrow: every error is counted, so soundness does not rest on them."""

LIMIT_BITS = 1 << 16
"""Greatest precision, and longest integer part that exp, cos, sin and powers accept: more would not end soon."""


def floor_div(n: int, d: int) -> int:
    """floor(n / d)."""
    return n // d


def ceil_div(n: int, d: int) -> int:
    """ceil(n / d)."""
    return -(-n // d)


def floor_shift(n: int, shift: int) -> int:
    """floor(n / 2**shift), for either sign of shift."""
    return n >> shift if shift >= 0 else n << -shift


def ceil_shift(n: int, shift: int) -> int:
    """ceil(n / 2**shift), for either sign of shift."""
    return -(-n >> shift) if shift >= 0 else n << -shift


def ceil_sqrt(n: int) -> int:
    """ceil(sqrt(n))."""
    root = isqrt(n)
    return root + (root * root < n)


def pi_bounds(w: int) -> tuple[int, int]:
    """pi in units, between two integers."""
    return _constant(_pi_units, w)


def exp_bounds(m: int, bits: int) -> tuple[int, int]:
    """exp(m / 2**bits), both ends times 2**bits.

    x = k ln 2 + r with |r| <= 1/2 and exp x = 2**k exp r. If r is wrong by delta units, exp r is wrong by less than
    2 delta units (the derivative stays below 2 for |r| <= 1/2). Below -bits, exp x < 2**-bits. The error is relative to
    the value: from about 2**20 on, the ends lie further than one step of 2**-bits apart.
    """
    if m == 0:
        return 1 << bits, 1 << bits
    if m < -(bits << bits):
        return 0, 1
    if m >> bits >= LIMIT_BITS:
        raise LimitReached(f"exp of a number above {LIMIT_BITS}; divide out a common exponential first")
    w, extra = bits + GUARD, max(0, m.bit_length() - bits) + 2
    low, high = _constant(_log2_units, w + extra)
    k, r, delta = _reduce(m << (w + extra - bits), low, high, extra)
    value, error = _taylor(1 << w, r, count(1), w)
    error += 2 * delta
    drop = w - bits - k
    return max(0, floor_shift(value - error, drop)), ceil_shift(value + error, drop)


def log_bounds(m: int, bits: int) -> tuple[int, int]:
    """log(m / 2**bits) for m > 0, both ends times 2**bits.

    x = 2**k y with 3/4 <= y < 3/2 and log y = 2 artanh z, z = (y - 1)/(y + 1), -1/7 <= z < 1/5. Rounding z costs less
    than one unit, hence less than 2 in artanh z, whose derivative 1/(1 - z**2) is at most 25/24 there.
    """
    if m == 1 << bits:
        return 0, 0
    length = m.bit_length()
    if 4 * m < 3 << length:
        length -= 1
    k = length - bits
    w = bits + GUARD + k.bit_length()
    low, high = _constant(_log2_units, w)
    value, error = _odd_series(((m - (1 << length)) << w) // (m + (1 << length)), 1, w)
    value, error = k * low + 2 * value, abs(k) * (high - low) + 2 * (error + 2)
    return floor_shift(value - error, w - bits), ceil_shift(value + error, w - bits)


def cos_bounds(lo: int, hi: int, quarters: int, *, bits: int) -> tuple[int, int]:
    """cos(x - quarters * pi/2) for every x from lo / 2**bits to hi / 2**bits, both ends times 2**bits.

    |cos x - cos y| <= |x - y|, so the value at the middle, widened by the radius, is enough, cut to [-1, 1]. The middle
    is k pi/2 + t with |t| <= 4/5, and cos(t + q pi/2) is cos t, -sin t, -cos t or sin t. If t is wrong by delta units,
    so is the result at most. pi is taken with as many more bits as the integer part of x has.
    """
    one = 1 << bits
    if lo == hi == 0:
        return ((one, one), (0, 0), (-one, -one), (0, 0))[quarters & 3]
    middle, radius = lo + hi, hi - lo  # in units of 2**-(bits + 1), so that halving is exact
    extra = max(0, middle.bit_length() - bits - 1) + 2
    if radius >= 4 * one:
        return -one, one
    if extra > LIMIT_BITS:
        raise LimitReached(f"cos or sin of a number with more than {LIMIT_BITS} bits before the point")
    w = bits + 1 + GUARD
    low, high = pi_bounds(w + extra)
    k, t, delta = _reduce(middle << (GUARD + extra + 1), low, high, extra + 1)
    value, error = _turned_cos(t, (k - quarters) & 3, w)
    error += delta + (radius << GUARD)
    return max(-one, floor_shift(value - error, GUARD + 1)), min(one, ceil_shift(value + error, GUARD + 1))


def decimal(lo: int, hi: int, digits: int, *, bits: int) -> str:
    """The numbers from lo / 2**bits to hi / 2**bits as one decimal, as described in `balls.text`.

    Both ends are rounded by one nondecreasing rule; where they agree, so does every number between them.
    """
    size, exponent = max(abs(lo), abs(hi)) >> bits, 0
    if size >= 10**15:
        exponent = (size.bit_length() - 1) * 3 // 10
        while 10 ** (exponent + 1) <= size:
            exponent += 1
    suffix, unit = f"e+{exponent}" if exponent else "", 10**exponent << bits
    for places in range(digits, -1, -1):
        low, high = ((2 * end * 10**places + unit) // (2 * unit) for end in (lo, hi))
        if low == high:
            whole, rest = divmod(abs(low), 10**places)
            return f"{'-' if low < 0 else ''}{whole}{f'.{rest:0{places}d}' if places else ''}{suffix}"
    return f"[{floor_div(lo, unit)}, {ceil_div(hi, unit)}]{suffix}"


def _reduce(x: int, low: int, high: int, drop: int) -> tuple[int, int, int]:
    """k, r and delta with x = k c + r for a constant c from low to high; r lies within delta of the truth.

    k is the integer next to x / high. r loses `drop` bits: its error is that of k c, which |k| (high - low) bounds, and
    one unit of rounding.
    """
    k = (2 * x + high) // (2 * high)
    return k, (x - k * high) >> drop, ceil_shift(abs(k) * (high - low), drop) + 1


def _turned_cos(t: int, q: int, w: int) -> tuple[int, int]:
    """cos(t + q pi/2) for |t| <= 4/5, and its error in units."""
    minus_square = -((t * t) >> w)
    if q % 2:
        value, error = _taylor(t, minus_square, (n * (n + 1) for n in count(2, 2)), w)
    else:
        value, error = _taylor(1 << w, minus_square, (n * (n + 1) for n in count(1, 2)), w)
    return -value if q in (1, 2) else value, error


def _taylor(first: int, ratio: int, divisors: Iterator[int], w: int) -> tuple[int, int]:
    """The sum of a_0 = first, a_{j+1} = a_j X / d_j, and its error in units, when `ratio` is within one unit of X.

    Needs |a_0| <= 1 and |X|, |ratio| <= d_j / 2 (in numbers), d_j >= 1. Let e_j be the error of the j-th term. One step
    multiplies (e_j |ratio| + 1), rounds (+1), divides by d_j and rounds (+1): e_{j+1} <= e_j / 2 + 3, so e_j <= 6.
    The sum stops at a term that is 0 or -1 units, truly at most 7, and the rest is at most twice that, because
    |a_{j+1}| <= |a_j| / 2. With N terms, 6 N + 14.
    """
    total, terms, term = 0, 0, first
    while term not in (0, -1):
        total += term
        terms += 1
        term = ((term * ratio) >> w) // next(divisors)
    return total, 6 * terms + 14


def _odd_series(z: int, sign: int, w: int) -> tuple[int, int]:
    """The sum of sign**j z**(2j+1) / (2j+1), j >= 0, and its error in units: artanh (sign 1) or arctan (sign -1).

    Needs |z| <= 1/3. The power is multiplied by sign * z**2, at most 1/4 and rounded by one unit, so that its error
    obeys e' <= e / 4 + 2 and stays below 3; a quotient is then wrong by less than 4. The sum stops at a power that is
    0 or -1 units, truly at most 4, and the rest is at most 4 / (1 - 1/4) < 6. With N terms, 4 N + 6 = 2 * odd + 4.
    """
    square, power, total, odd = sign * ((z * z) >> w), z, 0, 1
    while power not in (0, -1):
        total += power // odd
        power = (power * square) >> w
        odd += 2
    return total, 2 * odd + 4


@lru_cache(maxsize=64)
def _pi_units(w: int) -> tuple[int, int]:
    """pi = 16 arctan(1/5) - 4 arctan(1/239) (Machin); rounding the argument moves an arctan by less than one unit."""
    (a, a_error), (b, b_error) = (_odd_series((1 << w) // n, -1, w) for n in (5, 239))
    value, error = 16 * a - 4 * b, 16 * (a_error + 1) + 4 * (b_error + 1)
    return value - error, value + error


@lru_cache(maxsize=64)
def _log2_units(w: int) -> tuple[int, int]:
    """log 2 = 2 artanh(1/3); rounding 1/3 moves artanh by less than 2 units, its derivative being at most 9/8."""
    value, error = _odd_series((1 << w) // 3, 1, w)
    return 2 * value - 2 * (error + 2), 2 * value + 2 * (error + 2)


def _constant(units: Callable[[int], tuple[int, int]], w: int) -> tuple[int, int]:
    """A constant in units: computed with 32 to 95 more bits, so that few precisions are cached, then rounded."""
    finer = -(-(w + 32) // 64) * 64
    low, high = units(finer)
    return floor_shift(low, finer - w), ceil_shift(high, finer - w)
