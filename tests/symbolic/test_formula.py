"""Terms read as programs: the same values as the kernel's own evaluation, over the whole catalogue."""

from collections.abc import Mapping

import pytest

from derivations import derivation
from derivations.kernel import instantiate
from derivations.kernel import values as v
from derivations.kernel.errors import KernelError
from derivations.kernel.roles import names_of
from derivations.kernel.terms import Family, Function, Symbol, Term, free_names, walk
from posproofs.errors import Refused
from posproofs.symbolic.domains import evaluated
from posproofs.symbolic.domains.exact import Exact
from posproofs.symbolic.formula import Formula
from posproofs.symbolic.program import Name, Program

SIZE = 2


def sides() -> list[tuple[str, Term, frozenset[str]]]:
    """Both sides of every theorem of the catalogue, with the names of its counts."""
    found = []
    for entry in derivation.catalogue().values():
        theorem = entry.check().theorem
        if theorem is not None:
            counts = theorem.statement.integral()
            found += [(f"{entry.id} left", theorem.statement.left, counts)]
            found += [(f"{entry.id} right", theorem.statement.right, counts)]
    # The two sides name unknown functions differently: an atom of the kernel's terms, a generator of the tower.
    return [one for one in found if not any(isinstance(node, Function) for node in walk(one[1]))]


def families(program: Program, term: Term) -> Mapping[str, object]:
    names = {node.name for node in walk(term) if isinstance(node, Family)}
    return {name: lambda index, name=name: program.symbol(name, (index,)) for name in names}


def known(name: Name) -> v.Value:
    if name.index:
        return v.atom(("family", name.tensor, v.frozen(v.constant(name.index[0]))))
    return v.atom(("symbol", name.tensor))


def read(term: Term, whole: frozenset[str]) -> tuple[Program, list[list[tuple[int, int]]]]:
    program = Program()
    symbols = {n.name for n in walk(term) if isinstance(n, Symbol)} & free_names(term)
    formula = Formula(
        program,
        dict.fromkeys(whole & free_names(term), SIZE),
        {name: program.symbol(name) for name in symbols - whole},
        families(program, term),  # type: ignore[arg-type]
        {},
    )
    return program, formula.rows(term)


def test_the_formula_is_what_the_kernel_says_on_the_catalogue() -> None:
    compared = 0
    for id_, term, whole in sides():
        try:
            wanted = instantiate(term, dict.fromkeys(whole & free_names(term), SIZE))
            program, rows = read(term, whole)
        except (KernelError, Refused):
            continue  # matrices of symbolic size, derivatives, cells: no entries at a definite size
        domain = Exact(known)
        values = evaluated(program, (n for row in rows for entry in row for n in entry), domain)
        for row, others in zip(rows, wanted, strict=True):
            for (re, im), other in zip(row, others, strict=True):
                found = v.add(values[re], v.multiply(v.I, values[im]))
                assert domain.tower.equal(found, domain.tower.quotient(other)), id_
        compared += 1
    assert compared > 70


def test_what_has_no_reading_is_refused_by_name() -> None:
    program = Program()
    formula = Formula(program, {}, {}, {}, {})
    with pytest.raises(Refused, match="the formula holds x"):
        formula.rows(Symbol("x"))


def test_names_of_roles_agree_with_integral_names() -> None:
    """An index that were read as a real symbol would be no number, and refused: `integral` must name it."""
    for _, term, whole in sides():
        assert names_of((term,)).counts <= whole
