"""Equations as oriented rewrites: hypotheses and earlier theorems, used from left to right only, every use counted.

A scalar rule replaces a monomial of atoms, a word rule a run of neighbouring letters. Names in `forall` are pattern
variables; they match where they stand alone as an index or argument. Rewriting is sound because each use replaces
equals by equals; nothing is claimed of its completeness, so an equation that fails under rules is `undecided`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from derivations.kernel import matrices, sums, words
from derivations.kernel import quotients as q
from derivations.kernel import values as v
from derivations.kernel.errors import LimitReached, OutOfFragment
from derivations.kernel.evaluate import Context, evaluate
from derivations.kernel.matrices import AnyValue, Blocked, Dense, Grid
from derivations.kernel.quotients import Quotient
from derivations.kernel.terms import Term
from derivations.kernel.values import Atom, Monomial, Phase, Value
from derivations.kernel.words import Letter, Word, WordSum

STEP_LIMIT = 2000
Binding = dict[str, Phase]


@dataclass(frozen=True, slots=True)
class ScalarRule:
    name: str
    pattern: tuple[tuple[Atom, int], ...]
    replacement: Value
    variables: frozenset[str]


@dataclass(frozen=True, slots=True)
class WordRule:
    name: str
    pattern: Word
    replacement: WordSum
    variables: frozenset[str]


Rule = ScalarRule | WordRule


def rule(name: str, sides: tuple[Term, Term], forall: tuple[str, ...], counts: frozenset[str]) -> Rule:
    """The rewrite left -> right; the left side must be one product of atoms or one word."""
    context = Context(counts=counts)
    left, right = evaluate(sides[0], context), evaluate(sides[1], context)
    if context.conditions:
        raise OutOfFragment(f"{name} divides by something that can vanish and cannot be used as a rewrite")
    if isinstance(left, Quotient) and isinstance(right, Quotient):
        return _scalar_rule(name, left, right, frozenset(forall))
    left, right = matrices.alike(left, right)
    if isinstance(left, WordSum) and isinstance(right, WordSum):
        ((word, coefficient),) = left.terms.items() if len(left.terms) == 1 else (((), q.ZERO),)
        if word and q.equal(coefficient, q.ONE):
            return WordRule(name, word, right, frozenset(forall))
    raise OutOfFragment(f"the left side of {name} must be one product of matrices to be used as a rewrite")


def _scalar_rule(name: str, left: Quotient, right: Quotient, variables: frozenset[str]) -> ScalarRule:
    if len(left.over) == 1 and left.under == v.ONE:
        ((monomial, phase), coefficient), *_ = left.over.items()
        positive = all(n > 0 for _, n in monomial)
        if monomial and positive and not phase and coefficient == v.UNIT:
            pattern = tuple(sorted(monomial, key=repr))
            return ScalarRule(name, pattern, q.entire(right, f"the right side of {name}"), variables)
    raise OutOfFragment(f"the left side of {name} must be one product of atoms to be used as a rewrite")


@dataclass(slots=True)
class Rewriting:
    """The rules of one proof, and how often each was used."""

    rules: tuple[Rule, ...]
    uses: dict[str, int] = field(default_factory=dict)

    def __call__(self, value: AnyValue) -> AnyValue:
        match value:
            case Quotient(over, under):
                return q.multiply(q.whole(self._scalar(over)), q.reciprocal(q.whole(self._scalar(under))))
            case Dense(rows):
                return Dense(self._grid(rows))
            case Blocked():
                return Blocked(value.count, value.rows, value.columns, self._grid(value.entries))
            case WordSum():
                return self._words(value)

    def _grid(self, rows: Grid) -> Grid:
        return tuple(tuple(q.whole(self._scalar(q.entire(e, "a rewritten entry"))) for e in row) for row in rows)

    def _count(self, name: str) -> None:
        self.uses[name] = self.uses.get(name, 0) + 1
        if sum(self.uses.values()) > STEP_LIMIT:
            raise LimitReached(f"rewriting passes the limit of {STEP_LIMIT} steps; orient the hypotheses so that they end")

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
        inside = words.reduced(head + _instantiated_word(middle, binding) + tail)
        factor = q.multiply(value.terms[word], q.whole(instantiated(q.entire(c, r.name), binding)))
        result = words.add(result, WordSum(value.shape, {inside: factor}))
    return result


def _match_monomial(r: ScalarRule, monomial: Monomial) -> tuple[Binding, Monomial] | None:
    powers = dict(monomial)
    for binding in _assignments(r.pattern, powers, {}, r.variables):
        rest = dict(powers)
        for base, n in _bound_pattern(r.pattern, binding):
            rest[base] -= n
        return binding, frozenset((base, n) for base, n in rest.items() if n)
    return None


def _bound_pattern(pattern: tuple[tuple[Atom, int], ...], binding: Binding) -> list[tuple[Atom, int]]:
    needed: dict[Atom, int] = {}
    for base, n in pattern:
        bound = _bound_atom(base, binding)
        needed[bound] = needed.get(bound, 0) + n
    return list(needed.items())


def _bound_atom(base: Atom, binding: Binding) -> Atom:
    ((monomial, _), _), *_ = instantiated(v.atom(base), binding).items()
    ((bound, _),) = monomial
    return bound


def _assignments(
    pattern: tuple[tuple[Atom, int], ...], powers: dict[Atom, int], binding: Binding, variables: frozenset[str]
) -> Iterator[Binding]:
    """Every binding of the pattern variables under which the pattern divides the monomial."""
    if not pattern:
        yield binding
        return
    (wanted, n), *rest = pattern
    for base in sorted(powers, key=repr):
        extended = _match_atom(wanted, base, binding, variables)
        if extended is None or powers[base] < n:
            continue
        left = dict(powers)
        left[base] -= n
        yield from _assignments(tuple(rest), left, extended, variables)


def _match_atom(wanted: Atom, seen: Atom, binding: Binding, variables: frozenset[str]) -> Binding | None:
    """Bind the argument of a family or function where it is a pattern variable; all else must be equal."""
    if wanted[0] == seen[0] == "family" and wanted[1] == seen[1]:
        return _match_argument(wanted[2], seen[2], binding, variables)  # type: ignore[arg-type]
    if wanted[0] == seen[0] == "function" and wanted[1:3] == seen[1:3]:
        return _match_argument(wanted[3], seen[3], binding, variables)  # type: ignore[arg-type]
    return binding if wanted == seen else None


def _match_argument(wanted: Phase, seen: Phase, binding: Binding, variables: frozenset[str]) -> Binding | None:
    name = _lone_symbol(wanted)
    if name in variables:
        if name in binding:
            return binding if binding[name] == seen else None
        return {**binding, name: seen}
    return binding if wanted == seen else None


def _lone_symbol(argument: Phase) -> str | None:
    value = dict(argument)
    for base in v.atoms(value):
        if base[0] == "symbol" and value == v.atom(base):
            return str(base[1])
    return None


def _match_word(r: WordRule, word: Word) -> tuple[Binding, int] | None:
    for start in range(len(word) - len(r.pattern) + 1):
        binding: Binding | None = {}
        for wanted, seen in zip(r.pattern, word[start:], strict=False):
            binding = _match_letter(wanted, seen, binding, r.variables)
            if binding is None:
                break
        else:
            return binding or {}, start
    return None


def _match_letter(wanted: Letter, seen: Letter, binding: Binding, variables: frozenset[str]) -> Binding | None:
    if wanted[:2] != seen[:2] or wanted[3:] != seen[3:]:
        return None
    if wanted[0] == "matrix":
        return binding if wanted == seen else None
    return _match_argument(wanted[2], seen[2], binding, variables)  # type: ignore[arg-type]


def instantiated(value: Value, binding: Mapping[str, Phase]) -> Value:
    """The value with pattern variables replaced, all at once."""
    staged = value
    for name in binding:
        staged = sums.replaced_symbol(staged, name, v.atom(("symbol", f"?{name}")))
    for name, found in binding.items():
        staged = sums.replaced_symbol(staged, f"?{name}", dict(found))
    return staged


def _instantiated_word(word: Word, binding: Mapping[str, Phase]) -> Word:
    return tuple(
        symbol if symbol[0] == "matrix" else (*symbol[:2], v.frozen(instantiated(dict(symbol[2]), binding)), *symbol[3:])  # type: ignore[call-overload]
        for symbol in word
    )
