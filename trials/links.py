"""Chains of inference as they are drawn: a beginning, right steps, and in most of them a wrong one at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import TypeAlias

from trials.beginnings import STARTS
from trials.chains import Chain, Inside, Lift, Make, Put, Step, Swap, Then, predicted
from trials.language import (
    Equation,
    Lambda,
    Member,
    Node,
    Op,
    Product,
    Raised,
    Slope,
    Sum,
    Total,
    Var,
    negative,
    num,
)
from trials.language_matrices import (
    ONE_DIM,
    Array,
    Blocks,
    Dim,
    Flipped,
    Letter,
    Turning,
    Unit,
    dims,
    walk,
)
from trials.reworking import cos, reworked, sin
from trials.suppositions import D, E

X, Y, A, I, M, N = (Var(name) for name in ("x", "y", "a", "i", "m", "n"))
PHI, HOLE = Var("phi"), Var("hole")
PAIR = ("interleaved", (0, 1))
BLOCK_DIM: Dim = (2, "h")


def drawn_chain(chance: Random) -> Chain:
    """A start, up to two right steps and, in four cases of five, a wrong one."""
    begin = chance.choice(STARTS)
    start = begin(chance)
    known, steps = start.start, list(start.steps)
    for first in steps:
        known = predicted(known, first)
    if start.defect is not None:
        return replace(start, expected=None)
    for _ in range(chance.randint(0, 2)):
        step = _right(known, chance)
        if step is not None:
            known = predicted(known, step)
            steps.append(step)
    if chance.random() < 0.8:
        wrong = _wrong(known, chance)
        if wrong is not None:
            return replace(start, steps=(*steps, wrong[0]), expected=None, defect=wrong[1])
    return replace(start, steps=tuple(steps), expected=known if steps else None)


def _names(known: Equation, kind: type | tuple[type, ...]) -> list[Node]:
    found = {node for side in (known.left, known.right) for node in walk(side) if isinstance(node, kind)}
    return sorted(found, key=repr)


def _bound(known: Equation) -> frozenset[str]:
    nodes = [n for side in (known.left, known.right) for n in walk(side) if isinstance(n, (Total, Blocks))]
    return frozenset(n.index for n in nodes) | {reach.index for reach in known.reaches}


def _plain(known: Equation) -> bool:
    return isinstance(known.left, (Total, Sum, Product, Op, Var, Member, Raised)) and _is_number(known.left)


def _mixed(known: Equation) -> bool:
    """Blocks beside letters, between which nothing new is proved."""
    return bool(_names(known, (Blocks, Array)) and _names(known, Letter))


def _is_number(node: Node) -> bool:
    return dims(node) == (ONE_DIM, ONE_DIM)


def _right(known: Equation, chance: Random) -> Step | None:
    """A step that is in order for this equation."""
    kind = chance.randrange(7)
    if kind == 0:
        return Swap()
    if kind == 1 and known.demands == () and known.reaches == () and not _mixed(known):
        return Then(Equation(known.right, reworked(known.right, chance, steps=1)))
    if kind == 2:
        return _context(known, chance)
    if kind == 3:
        return _lift(known, chance)
    if kind == 4:
        return _realisation(known, chance)
    return _replacement(known, chance)


def _context(known: Equation, chance: Random) -> Step | None:
    if not _is_number(known.left):
        rows, columns = dims(known.left)
        hole = Letter("hole", rows, columns)
        return Inside(
            "hole",
            chance.choice((Flipped(hole), Product((num(3), hole)), Product((Flipped(hole), hole)), Sum((hole, hole)))),
        )
    bodies: tuple[Node, ...] = (
        Product((HOLE, Var("b"))),
        Sum((HOLE, Raised(HOLE, num(2)))),
        Total("k", Var("h"), Product((HOLE, Member("z", Var("k"))))),
        Raised(Sum((Raised(HOLE, num(2)), num(1))), num(-1)) if not known.reaches else HOLE,
    )
    return Inside("hole", chance.choice(bodies))


def _free_variables(known: Equation) -> list[str]:
    """Real variables that may become members of sequences."""
    taken = _bound(known) | {"h", "phi", "K", "L"} | {m.sequence for m in _names(known, Member)}
    indexed = {v.name for m in _names(known, Member) for v in walk(m) if isinstance(v, Var)}
    turning = {v.name for m in _names(known, Turning) for v in walk(m) if isinstance(v, Var)}
    return [v.name for v in _names(known, Var) if v.name not in taken | indexed | turning]


def _lift(known: Equation, chance: Random) -> Step | None:
    if known.reaches or "k" in _bound(known):
        return None
    names = tuple(name for name in _free_variables(known) if name in ("x", "y", "a", "c", "s", "e", "f", "z"))
    sequences = tuple(name for name in names if chance.random() < 0.7)
    if any(m.sequence in sequences for m in _names(known, Member)):
        return None
    if isinstance(known.left, Array) and isinstance(known.right, Array):
        across = PAIR if len(known.left.rows[0]) > 1 else None
        down = (chance.choice(("interleaved", "halves")), chance.choice(((0, 1), (1, 0))))
        return Lift("k", "h", sequences, down, across)
    return Lift("k", "h", sequences) if _plain(known) else None


def _replacement(known: Equation, chance: Random) -> Step | None:
    """Real terms for variables, formulas for sequences, words for letters."""
    by: dict[str, Lambda] = {}
    for name in _free_variables(known):
        if chance.random() < 0.5 and not _waved(known, name):
            by[name] = Lambda(
                (), chance.choice((Sum((Var("b"), num(1))), Product((Var("b"), Var("a"))), num(3), Var("b")))
            )
    for member in _names(known, Member):
        if member.sequence not in ("theta", "c", "s", "e", "f") and chance.random() < 0.4:
            k = Var("p")
            by[member.sequence] = Lambda(
                ("p",), chance.choice((Product((Member("w", k), A)), k, Member("w", Sum((k, num(1))))))
            )
    for letter in _names(known, Letter):
        if letter.name in "AWuv" and not known.demands and chance.random() < 0.4:
            other = Letter(letter.name, letter.rows, letter.columns)
            square = Product((Letter("K", letter.rows, letter.rows), other))
            by[letter.name] = Lambda((), chance.choice((square, Sum((other, square)))))
    return Put(by) if by else None


def _waved(known: Equation, name: str) -> bool:
    """Does the variable stand in an angle, where it must stay whole?"""
    return any(Var(name) in walk(op.argument) for op in _names(known, Op))


def _realisation(known: Equation, chance: Random) -> Step | None:
    families = {t.name: t.dim for t in _names(known, Turning)}
    if families.get("R") != D:
        return None
    return chance.choice((Make("R", _block_rotation(), _sizes(BLOCK_DIM)), Make("R", _plane(), _sizes((2, "")))))


def _sizes(dim: Dim) -> Mapping[str, Lambda]:
    multiple, name = dim
    return {"d": Lambda((), Product((num(multiple), Var(name))) if name else num(multiple))}


def _block_rotation(*, sign: int = -1) -> Lambda:
    angle = Product((Var("p"), Member("theta", I)))
    entries = ((cos(angle), Product((num(sign), sin(angle)))), (sin(angle), cos(angle)))
    return Lambda(("p",), Blocks("i", "h", PAIR, PAIR, entries))


def _plane(angle: Node | None = None, scale: int = 1) -> Lambda:
    angle = angle or Product((Var("p"), PHI))
    entries = ((cos(angle), negative(sin(angle))), (sin(angle), cos(angle)))
    return Lambda(("p",), Array(tuple(tuple(Product((num(scale), e)) for e in row) for row in entries)))


Wrong: TypeAlias = "tuple[Step, str] | None"


def _wrong(known: Equation, chance: Random) -> Wrong:
    """A step that must be refused, or that leads to something true by luck."""
    for _ in range(6):
        kinds: tuple[Callable[[Equation, Random], Wrong], ...] = WRONG
        if chance.random() < 0.6:  # what few equations allow is tried where one does
            kinds = (_caught, _no_integer) if known.reaches else (_captured,) if _bound(known) else WRONG
        found = chance.choice(kinds)(known, chance)
        if found is not None:
            return found
    return None


def _captured(known: Equation, chance: Random) -> Wrong:
    """A term that contains the index that is bound where it is put."""
    bound = sorted(_bound(known))
    free = [name for name in _free_variables(known) if not _waved(known, name)]
    if not (bound and free):
        return None
    index = Var(chance.choice(bound))
    return Put({chance.choice(free): Lambda((), chance.choice((index, Member("x", index))))}), "swapped symbols"


def _caught(known: Equation, chance: Random) -> Wrong:
    """A context that binds an index of the equation, or varies one of its variables."""
    if not _is_number(known.left):
        return None
    free = _free_variables(known)
    if known.reaches:
        name = known.reaches[0].index
        return Inside("hole", Total(name, Var("h"), HOLE)), "swapped symbols"
    if not free:
        return None
    name = chance.choice(free)
    return Inside("hole", chance.choice((Total(name, Var("h"), HOLE), Slope(HOLE, name)))), "swapped symbols"


def _not_real(known: Equation, chance: Random) -> Wrong:
    free = _free_variables(known)
    if not free:
        return None
    return Put({chance.choice(free): Lambda((), chance.choice((num(0, 1), Product((num(0, 1), Var("b"))))))}), "factor"


def _no_integer(known: Equation, chance: Random) -> Wrong:
    """A real number where an integer is meant: an index, a count, a size."""
    indexed = sorted({v.name for m in _names(known, Member) for v in walk(m) if isinstance(v, Var)} - _bound(known))
    counts = sorted({t.count.name for t in _names(known, Total) if isinstance(t.count, Var)})
    names = indexed + counts
    if known.reaches:  # beyond its range an index is no index any more
        return Put({known.reaches[-1].index: Lambda((), chance.choice((num(2), num(3), num(-1))))}), "index"
    if not names:
        return None
    real = chance.choice((Product((num(1) if counts else A, Var("b"))), Sum((Var("b"), num(-1))), num(0), num(-1)))
    return Put({chance.choice(names): Lambda((), real)}), "index"


def _another_size(known: Equation, chance: Random) -> Wrong:
    letters = _names(known, Letter)
    if not letters:
        return None
    letter = chance.choice(letters)
    if letter.rows == letter.columns:
        return Put({letter.name: Lambda((), Unit(E))}), "transposition"
    return Put({letter.name: Lambda((), Flipped(letter))}), "transposition"


def _no_rotation(known: Equation, chance: Random) -> Wrong:
    families = {t.name: t.dim for t in _names(known, Turning)}
    if families.get("R") != D:
        return None
    p = Var("p")
    wrong: tuple[Step, ...] = (
        Make("R", _block_rotation(sign=1), _sizes(BLOCK_DIM)),
        Make("R", _plane(scale=2), _sizes((2, ""))),
        Make("R", _plane(Product((Sum((p, num(1))), PHI))), _sizes((2, ""))),
        Make("R", _plane(Product((p, p, PHI))), _sizes((2, ""))),
        Make("R", _plane(scale=-1), _sizes((2, ""))),
        Make("R", _block_rotation(), _sizes((3, "h"))),
        Put({"R": Lambda(("p",), Letter("A", D, D))}),
    )
    return chance.choice(wrong), "sign"


def _no_group(known: Equation, chance: Random) -> Wrong:
    """A lift whose index is in use, or that makes a sequence of a count."""
    if not _is_number(known.left):
        return None
    free = _free_variables(known)
    counts = sorted({t.count.name for t in _names(known, Total) if isinstance(t.count, Var)})
    if counts:
        return Lift("k", "g", (chance.choice(counts),)), "index"
    if len(free) > 1:
        index, sequence = chance.sample(free, 2)
        return Lift(index, "h", (sequence,)), "index"
    return None


def _no_joint(known: Equation, chance: Random) -> Wrong:
    """A second equation that begins elsewhere."""
    if _mixed(known):
        return None
    other = Product((num(2), known.right))
    return Then(Equation(other, reworked(other, chance, steps=1))), "factor"


def _vanishing(known: Equation, chance: Random) -> Wrong:
    """A context that divides, or a term that makes a hypothesis false."""
    if not _is_number(known.left):
        return None
    if known.demands and known.demands[0].kind != "equal":
        return Put(
            {"x": Lambda((), chance.choice((num(0), num(-1), Sum((Var("b"), negative(Var("b")))), A)))}
        ), "factor"
    return Inside("hole", Product((HOLE, Raised(HOLE, num(-1))))), "exponent"


WRONG: tuple[Callable[[Equation, Random], Wrong], ...] = (
    _captured,
    _captured,
    _caught,
    _caught,
    _not_real,
    _no_integer,
    _another_size,
    _no_rotation,
    _no_group,
    _no_joint,
    _vanishing,
    _vanishing,
)
