"""The seal: a Theorem is made by the kernel alone, never copied, stored or changed; and what it says of itself."""

import copy
import dataclasses
import pickle

import pytest

from derivations.kernel import Statement, Theorem, prove, specialised, symmetric, transitive
from derivations.kernel.errors import KernelError, RuleError, SealError
from derivations.kernel.terms import Identity, Size, Symbol
from derivations.kernel.theorem import Refuted
from tests.derivations.kernel.building import (
    ONE,
    ZERO,
    add,
    blocks,
    equal,
    fam,
    inv,
    m,
    matrix,
    mul,
    neg,
    put,
    pw,
    rot,
    sub,
    theorem,
    total,
    x,
    y,
)

FALSE = Statement(ZERO, ONE)


@pytest.fixture
def known() -> Theorem:
    return theorem(add(x, y), add(y, x))


@pytest.mark.parametrize("token", [None, object(), True, "TOKEN", SealError])
def test_forging_is_refused(token: object) -> None:
    with pytest.raises(SealError, match="made by the kernel alone"):
        Theorem(token, FALSE, method="prove", witness={})


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, pickle.dumps, lambda t: pickle.dumps(t, protocol=0)])
def test_copies_are_refused(known: Theorem, make: object) -> None:
    with pytest.raises(SealError):
        make(known)  # type: ignore[operator]


def test_a_copy_inside_a_container_is_refused(known: Theorem) -> None:
    with pytest.raises(SealError):
        copy.deepcopy([known])


def test_replace_is_refused(known: Theorem) -> None:
    with pytest.raises(TypeError):
        dataclasses.replace(known, statement=FALSE)  # type: ignore[type-var]


def test_subclasses_are_refused() -> None:
    with pytest.raises(SealError, match="no subclasses"):
        type("Forged", (Theorem,), {})


@pytest.mark.parametrize("name", ["statement", "hypotheses", "witness", "anything", "__class__"])
def test_assignment_is_refused(known: Theorem, name: str) -> None:
    with pytest.raises(SealError, match="never changes"):
        setattr(known, name, FALSE)
    with pytest.raises(SealError, match="never changes"):
        delattr(known, name)


def test_the_witness_cannot_be_edited(known: Theorem) -> None:
    with pytest.raises(TypeError):
        known.witness["x"] = None  # type: ignore[index]


def test_the_statement_cannot_be_edited(known: Theorem) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        known.statement.left = ZERO  # type: ignore[misc]


def test_the_documented_limit_is_object_setattr() -> None:
    """Whoever calls object.__setattr__ defeats the seal; the test of the repository looks for it outside the kernel."""
    empty = object.__new__(Theorem)
    with pytest.raises(AttributeError):
        _ = empty.statement
    object.__setattr__(empty, "statement", FALSE)
    assert empty.statement == FALSE


def test_errors_form_a_tree() -> None:
    assert issubclass(SealError, KernelError)
    assert issubclass(SealError, TypeError)


def test_a_theorem_says_on_what_it_rests() -> None:
    word = theorem(mul(rot(m), rot(neg(m))), Identity(Size(1, "d")))
    assert "words" in word.modules()
    assert "rules" not in word.modules()
    ruled = theorem(pw(x, 2), ONE, equal(pw(x, 2), ONE))
    assert {"rules", "values", "prove", "models", "balls"} <= set(ruled.modules())
    assert "matrices" in theorem(blocks(m), blocks(m)).modules()
    assert "sums" in theorem(total(ONE), Symbol("h")).modules()
    assert "matrices" not in theorem(x, x).modules()


def test_transitivity_and_symmetry() -> None:
    first, second = (
        theorem(pw(add(x, y), 2), mul(add(x, y), add(y, x))),
        theorem(mul(add(x, y), add(y, x)), mul(add(y, x), add(x, y))),
    )
    joined = transitive(first, second)
    assert joined.statement == Statement(first.statement.left, second.statement.right)
    assert joined.uses == (first, second)
    turned = symmetric(first)
    assert (turned.statement.left, turned.statement.right) == (first.statement.right, first.statement.left)
    with pytest.raises(RuleError, match="transitivity"):
        transitive(second, first)


def test_a_result_without_a_witness_is_refused() -> None:
    positive_x = theorem(mul(x, inv(x)), mul(y, inv(y)))
    assert len(positive_x.hypotheses) == 2
    with pytest.raises(RuleError, match="no point was found"):
        specialised(positive_x, {"x": put(sub(y, y))})


def test_using_a_theorem_as_a_rewrite() -> None:
    known = theorem(fam("q"), ONE, equal(fam("q"), ONE, "i"))
    statement = Statement(mul(fam("q", m), x), x, known.hypotheses)
    answer = prove(statement, using=(known,), idle=known.hypotheses)
    assert isinstance(answer, Theorem)
    assert answer.uses == (known,)
    assert answer.rewrites == (("using 1", 1),)
    unused = prove(Statement(x, x, known.hypotheses), using=(known,))
    assert isinstance(unused, Theorem)
    assert unused.uses == ()


def test_a_point_reads_as_one_line() -> None:
    answer = prove(Statement(mul(matrix("A", "d", "d"), fam("q", ONE)), mul(ZERO, matrix("A", "d", "d"))))
    assert isinstance(answer, Refuted)
    assert ", A=[[" in answer.text()
    assert "q[1]=" in answer.text()
    elsewhere = dataclasses.replace(answer, entry=(0, 1))
    assert elsewhere.text().endswith("in entry (0, 1)")
