"""Equations as oriented rewrites: hypotheses and earlier theorems, used from left to right only, every use counted.

A scalar rule replaces a monomial of atoms, a word rule a run of neighbouring letters. Names in `forall` are pattern
variables; they match where they stand alone as an atom, an index or an argument. A variable that is an index somewhere
in the rule stands for integers and is matched by indices only. The other names are fixed: under a binder or a
derivative of such a name the rule is not used, since there the name means something else, or must be free to vary.

Sound: each use replaces equals by equals, for the pattern with the binding put in is compared once more with what it
replaces. Nothing is claimed of completeness, so an equation that fails under rules is `undecided`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from derivations.kernel import matrices, sums, words
from derivations.kernel import quotients as q
from derivations.kernel import values as v
from derivations.kernel.budget import spend
from derivations.kernel.errors import LimitReached, OutOfFragment
from derivations.kernel.evaluate import Context, evaluate
from derivations.kernel.matrices import AnyValue, Blocked, Dense, Grid
from derivations.kernel.quotients import Quotient
from derivations.kernel.roles import names_of
from derivations.kernel.terms import Term, free_names
from derivations.kernel.values import Atom, Letter, Monomial, Phase, Value, Word
from derivations.kernel.words import WordSum

STEP_LIMIT = 2000
Binding = dict[str, Phase]


@dataclass(frozen=True, slots=True)
class ScalarRule:
    name: str
    pattern: tuple[tuple[Atom, int], ...]
    replacement: Value
    variables: frozenset[str]
    fixed: frozenset[str]


@dataclass(frozen=True, slots=True)
class WordRule:
    name: str
    pattern: Word
    replacement: WordSum
    variables: frozenset[str]
    fixed: frozenset[str]


Rule = ScalarRule | WordRule


def rule(name: str, sides: tuple[Term, Term], forall: tuple[str, ...], counts: frozenset[str]) -> Rule:
    """The rewrite left -> right; the left side must be one product of atoms or one word."""
    variables = frozenset(forall)
    fixed = (free_names(sides[0]) | free_names(sides[1])) - variables
    context = Context(counts=counts - variables)
    left, right = evaluate(sides[0], context), evaluate(sides[1], context)
    if context.conditions:
        raise OutOfFragment(f"{name} divides by something that can vanish and cannot be used as a rewrite")
    if isinstance(left, Quotient) and isinstance(right, Quotient):
        found: Rule = ScalarRule(name, *_scalar_sides(name, left, right), variables, fixed)
        return _checked(found, sides)
    left, right = matrices.alike(left, right)
    if isinstance(left, WordSum) and isinstance(right, WordSum):
        ((word, coefficient),) = left.terms.items() if len(left.terms) == 1 else (((), q.ZERO),)
        if word and q.equal(coefficient, q.ONE):
            return _checked(WordRule(name, word, right, variables, fixed), sides)
    raise OutOfFragment(f"the left side of {name} must be one product of matrices to be used as a rewrite")


def _checked(found: Rule, sides: tuple[Term, Term]) -> Rule:
    """A variable that is an index must be matched by an index, or the rule would speak of q[x] for any real x."""
    integral = names_of(sides).indexed
    pattern = [base for base, _ in found.pattern] if isinstance(found, ScalarRule) else []
    matched = {_lone_symbol(base[2]) for base in pattern if base[0] == "family"}
    if integral & found.variables - matched:
        raise OutOfFragment(f"{found.name} has an index that no sequence on its left side would be matched by")
    return found


def _scalar_sides(name: str, left: Quotient, right: Quotient) -> tuple[tuple[tuple[Atom, int], ...], Value]:
    if len(left.over) == 1 and left.under == v.ONE:
        ((monomial, phase), coefficient), *_ = left.over.items()
        positive = all(n > 0 for _, n in monomial)
        if monomial and positive and not phase and coefficient == v.UNIT:
            pattern = tuple(sorted(monomial, key=repr))
            return pattern, q.entire(right, f"the right side of {name}")
    raise OutOfFragment(f"the left side of {name} must be one product of atoms to be used as a rewrite")


@dataclass(slots=True)
class Rewriting:
    """The rules of one proof, and how often each was used."""

    rules: tuple[Rule, ...]
    uses: dict[str, int] = field(default_factory=dict)

    def without(self, name: str) -> Rewriting:
        """The rules that say nothing of `name`; uses are counted together."""
        if not any(name in r.fixed for r in self.rules):
            return self
        return Rewriting(tuple(r for r in self.rules if name not in r.fixed), self.uses)

    def __call__(self, value: AnyValue) -> AnyValue:
        match value:
            case Quotient(over, under):
                return q.multiply(q.whole(self._scalar(over)), q.reciprocal(q.whole(self._scalar(under))))
            case Dense(rows):
                return Dense(self._grid(rows))
            case Blocked():
                return Blocked(value.count, value.rows, value.columns, self._grid(value.entries))
            case _:
                return self._words(value)

    def _grid(self, rows: Grid) -> Grid:
        return tuple(tuple(q.whole(self._scalar(q.entire(e, "a rewritten entry"))) for e in row) for row in rows)

    def _count(self, name: str) -> None:
        self.uses[name] = self.uses.get(name, 0) + 1
        if sum(self.uses.values()) > STEP_LIMIT:
            raise LimitReached(
                f"rewriting passes the limit of {STEP_LIMIT} steps; orient the hypotheses so that they end"
            )

    def _scalar(self, value: Value) -> Value:
        while (changed := self._scalar_step(value)) is not None:
            value = changed
        return value

    def _scalar_step(self, value: Value) -> Value | None:
        for r in (r for r in self.rules if isinstance(r, ScalarRule)):
            for (monomial, phase), c in value.items():
                found = _match_monomial(r, monomial)
                if found is None:
                    continue
                self._count(r.name)
                binding, rest = found
                new = v.multiply({(rest, phase): c}, instantiated(r.replacement, binding))
                others = {key: old for key, old in value.items() if key != (monomial, phase)}
                return v.add(others, new)
        return None

    def _words(self, value: WordSum) -> WordSum:
        while (changed := self._word_step(value)) is not None:
            value = changed
        return value

    def _word_step(self, value: WordSum) -> WordSum | None:
        for r in (r for r in self.rules if isinstance(r, WordRule)):
            for word in value.terms:
                found = _match_word(r, word)
                if found is not None:
                    self._count(r.name)
                    return _word_replaced(r, value, word, found)
        return None


def _word_replaced(r: WordRule, value: WordSum, word: Word, found: tuple[Binding, int]) -> WordSum:
    binding, start = found
    result = WordSum(value.shape, {w: c for w, c in value.terms.items() if w != word})
    head, tail = word[:start], word[start + len(r.pattern) :]
    for middle, c in r.replacement.terms.items():
        inside = head + _instantiated_word(middle, binding) + tail
        factor = q.multiply(value.terms[word], q.whole(instantiated(q.entire(c, r.name), binding)))
        result = words.add(result, words.normal(inside, factor, value.shape))
    return result


def _match_monomial(r: ScalarRule, monomial: Monomial) -> tuple[Binding, Monomial] | None:
    powers = dict(monomial)
    spend(1 + len(powers))
    for binding in _assignments(r.pattern, powers, {}, r.variables):
        rest = dict(powers)
        needed = _bound_pattern(r.pattern, binding)
        if needed is None or any(rest.get(base, 0) < n for base, n in needed.items()):
            continue  # a variable was bound after a part that contains it had matched as it stood
        for base, n in needed.items():
            rest[base] -= n
        return binding, frozenset((base, n) for base, n in rest.items() if n)
    return None


def _bound_pattern(pattern: tuple[tuple[Atom, int], ...], binding: Binding) -> dict[Atom, int] | None:
    """The pattern with the binding put in, or None where it is no product of atoms any more."""
    needed: dict[Atom, int] = {}
    for base, n in pattern:
        bound = instantiated(v.atom(base), binding)
        if len(bound) != 1:
            return None
        ((monomial, phase), c), *_ = bound.items()
        if phase or c != v.UNIT:
            return None
        for part, k in monomial:
            needed[part] = needed.get(part, 0) + n * k
    return needed


def _assignments(
    pattern: tuple[tuple[Atom, int], ...], powers: dict[Atom, int], binding: Binding, variables: frozenset[str]
) -> Iterator[Binding]:
    """Every binding of the pattern variables under which the pattern divides the monomial."""
    if not pattern:
        yield binding
        return
    (wanted, n), *rest = pattern
    spend(len(powers))
    for base in sorted(powers, key=repr):
        extended = _match_atom(wanted, base, binding, variables)
        if extended is None or powers[base] < n:
            continue
        left = dict(powers)
        left[base] -= n
        yield from _assignments(tuple(rest), left, extended, variables)


def _match_atom(wanted: Atom, seen: Atom, binding: Binding, variables: frozenset[str]) -> Binding | None:
    """Bind a pattern variable that is the atom or its argument; sums that contain one are compared afterwards."""
    if wanted[0] == seen[0] == "family" and wanted[1] == seen[1]:
        return _match_argument(wanted[2], seen[2], binding, variables)
    if wanted[0] == seen[0] == "function" and wanted[1:3] == seen[1:3]:
        return _match_argument(wanted[3], seen[3], binding, variables)
    if wanted[0] == seen[0] == "symbol" and wanted[1] in variables:
        return _match_argument(v.frozen(v.atom(wanted)), v.frozen(v.atom(seen)), binding, variables)
    inside = wanted[0] == seen[0] == "sum" and any(sums.mentions(wanted, variable) for variable in variables)
    return binding if inside or wanted == seen else None


def _match_argument(wanted: Phase, seen: Phase, binding: Binding, variables: frozenset[str]) -> Binding | None:
    """Bind a lone variable. An argument that only contains one passes: the whole pattern is compared afterwards."""
    name = _lone_symbol(wanted)
    if name in variables:
        if name in binding:
            return binding if binding[name] == seen else None
        return {**binding, name: seen}
    passes = wanted == seen or any(sums.value_mentions(dict(wanted), variable) for variable in variables)
    return binding if passes else None


def _lone_symbol(argument: Phase) -> str | None:
    if len(argument) != 1:
        return None
    ((monomial, phase), c), *_ = argument
    bases = [base for base, n in monomial if n == 1]
    if len(bases) == len(monomial) == 1 and not phase and c == v.UNIT and bases[0][0] == "symbol":
        return bases[0][1]
    return None


def _match_word(r: WordRule, word: Word) -> tuple[Binding, int] | None:
    spend(len(word))
    for start in range(len(word) - len(r.pattern) + 1):
        run = word[start : start + len(r.pattern)]
        binding: Binding | None = {}
        for wanted, seen in zip(r.pattern, run, strict=True):
            binding = None if binding is None else _match_letter(wanted, seen, binding, r.variables)
        if binding is not None and _instantiated_word(r.pattern, binding) == run:
            return binding, start
    return None


def _match_letter(wanted: Letter, seen: Letter, binding: Binding, variables: frozenset[str]) -> Binding | None:
    match wanted, seen:
        case ("rotation", name, argument), ("rotation", other, at) if name == other:
            return _match_argument(argument, at, binding, variables)
        case ("free", name, argument, flag), ("free", other, at, turned) if (name, flag) == (other, turned):
            return _match_argument(argument, at, binding, variables)
        case _:
            return binding if wanted == seen else None


def instantiated(value: Value, binding: Mapping[str, Phase]) -> Value:
    """The value with pattern variables replaced, all at once."""
    staged = value
    for name in binding:
        staged = sums.replaced_symbol(staged, name, v.atom(("symbol", f"?{name}")))
    for name, found in binding.items():
        staged = sums.replaced_symbol(staged, f"?{name}", dict(found))
    return staged


def _instantiated_word(word: Word, binding: Mapping[str, Phase]) -> Word:
    return tuple(_instantiated_letter(symbol, binding) for symbol in word)


def _instantiated_letter(symbol: Letter, binding: Mapping[str, Phase]) -> Letter:
    match symbol:
        case ("rotation", name, argument):
            return ("rotation", name, v.frozen(instantiated(dict(argument), binding)))
        case ("free", name, argument, flag):
            return ("free", name, v.frozen(instantiated(dict(argument), binding)), flag)
        case _:
            return symbol
