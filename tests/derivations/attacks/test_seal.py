"""The seal from outside: whatever Python offers on the side makes no theorem, changes none, and lends no false premise.

What stays open is what a test of the repository reads for: TOKEN, `object.__setattr__`, descriptors, `__class__`.
"""

import ast
import copy
import pickle
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from derivations import kernel
from derivations.kernel import (
    Hypothesis,
    KernelError,
    Range,
    Statement,
    Theorem,
    Undecided,
    cells,
    congruent,
    layouts,
    lifted,
    lifted_block,
    prove,
    realised,
    sealed,
    specialised,
    symmetric,
    terms,
    transitive,
    two_sided,
    unique_solution,
)
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.errors import RuleError, SealError, WrongType
from derivations.kernel.layouts import Size, Slot, strided
from derivations.kernel.roles import Role
from derivations.kernel.terms import (
    Add,
    Apply,
    Block,
    Derivative,
    Determinant,
    Family,
    Function,
    Identity,
    IndexedSum,
    Matrix,
    MatrixFamily,
    MatrixSymbol,
    Multiply,
    Number,
    Pi,
    Power,
    Replacement,
    Symbol,
    Transpose,
    number,
)
from tests.derivations.kernel.building import (
    ONE,
    ZERO,
    I,
    conj,
    equal,
    f,
    fam,
    h,
    i,
    m,
    matrix,
    positive,
    put,
    pw,
    theorem,
    x,
    y,
)
from tests.repo.sources import modules, name_of

FALSE = Statement(ZERO, ONE)
# The public names without their types: what a caller gets wrong is the point here.
loose: Any = SimpleNamespace(**{**vars(layouts), **vars(cells), **vars(terms), **vars(kernel)})
D = Size(1, "d")
# One instance of everything that a statement is made of.
PARTS: tuple[object, ...] = (
    number(2),
    Pi(),
    Symbol("x"),
    Family("q", i),
    Function("f", x),
    Add((x, y)),
    Multiply((x, y)),
    Power(x, y),
    Apply("exp", x),
    Derivative(f(x), "x"),
    IndexedSum("i", h, x),
    Matrix(((x, y),)),
    Block("i", h, strided(2), None, ((x,), (y,))),
    MatrixSymbol("A", D, D),
    MatrixFamily("R", x, D, "rotation"),
    Identity(D),
    Transpose(matrix("A", "d")),
    Determinant(Identity(D)),
    Cell("X", m, i),
    Reading("X", m, h),
    Slot(1, 0, 0),
    strided(2),
    D,
    Replacement(("p",), Symbol("p")),
    Hypothesis("positive", x),
    Range("i", h),
    Statement(x, x),
    Role("symbol"),
)


def fields_of(part: object) -> list[object]:
    return [getattr(part, name) for name in type(part).__match_args__]  # type: ignore[attr-defined]


def named(part: object) -> str:
    return type(part).__name__


class TestWhatWasMadeNeverChanges:
    @pytest.mark.parametrize("part", [p for p in PARTS if not isinstance(p, Pi)], ids=named)
    def test_it_is_not_made_a_second_time(self, part: object) -> None:
        before = repr(part)
        with pytest.raises(SealError, match="never changes"):
            part.__init__(*fields_of(part))  # type: ignore[misc]
        assert repr(part) == before

    @pytest.mark.parametrize("part", PARTS, ids=named)
    def test_it_has_no_state_to_set(self, part: object) -> None:
        assert not hasattr(part, "__setstate__")
        assert not hasattr(part, "__dict__")

    @pytest.mark.parametrize("part", PARTS, ids=named)
    def test_assignment_is_refused(self, part: object) -> None:
        for name in (*type(part).__match_args__, "inside", "other", "__class__"):  # type: ignore[attr-defined]
            with pytest.raises((AttributeError, TypeError)):
                setattr(part, name, ZERO)

    @pytest.mark.parametrize("part", PARTS, ids=named)
    def test_a_copy_is_made_and_checked_again(self, part: object) -> None:
        for twin in (copy.copy(part), copy.deepcopy(part), pickle.loads(pickle.dumps(part))):  # noqa: S301
            assert twin == part
            assert type(twin) is type(part)

    @pytest.mark.parametrize("part", PARTS, ids=named)
    def test_it_has_no_subclasses(self, part: object) -> None:
        with pytest.raises(SealError, match="no subclasses"):
            type("Other", (type(part),), {"__eq__": lambda *_: True, "__hash__": lambda _: 1})

    def test_a_stored_term_that_was_edited_is_checked_when_it_is_read(self) -> None:
        stored = pickle.dumps(Symbol("honest"))
        with pytest.raises(RuleError, match="identifier"):
            pickle.loads(stored.replace(b"honest", b"not ok"))  # noqa: S301

    def test_the_meaning_of_the_names_of_a_statement_is_read_only(self) -> None:
        """Without the role of x, specialising would put an imaginary number for it: conj(i) = i."""
        known = theorem(conj(x), x)
        roles: Any = known.statement.used.roles
        for change in ("clear", "pop", "update", "setdefault"):
            assert not hasattr(roles, change)
        with pytest.raises(TypeError):
            roles["x"] = Role("free")
        with pytest.raises(SealError):
            known.statement.used.__init__({}, frozenset(), frozenset(), frozenset())  # type: ignore[misc]
        with pytest.raises(RuleError, match="not real"):
            specialised(known, {"x": put(I)})

    def test_a_witness_is_a_copy(self) -> None:
        model = {"x": put(ONE)}
        known = prove(Statement(pw(x, 2), x, (equal(pw(x, 2), x),)), model=model)
        assert isinstance(known, Theorem)
        model["x"] = put(I)
        model["y"] = put(ZERO)
        assert dict(known.witness) == {"x": put(ONE)}


class TestExactTypes:
    @pytest.mark.parametrize(
        "make",
        [
            lambda: loose.Add([x, y]),
            lambda: loose.Add((x, 1)),
            lambda: loose.Add(("x", "y")),
            lambda: loose.Multiply({x, y}),
            lambda: loose.Power(x, 2),
            lambda: loose.Power(x, None),
            lambda: loose.Apply("exp", 2.0),
            lambda: loose.Family("q", 0),
            lambda: loose.Function("f", "x"),
            lambda: loose.Matrix([[x]]),
            lambda: loose.Matrix(([x],)),
            lambda: loose.Matrix(((1,),)),
            lambda: loose.Block("i", h, "strided", None, ((x,),)),
            lambda: loose.Block("i", h, strided(1), 1, ((x,),)),
            lambda: loose.Block("i", 2, strided(1), None, ((x,),)),
            lambda: loose.Block("i", h, strided(1), None, [[x]]),
            lambda: loose.IndexedSum("i", 3, x),
            lambda: loose.IndexedSum(x, h, x),
            lambda: loose.Derivative(f(x), x),
            lambda: loose.MatrixSymbol("A", 2, 2),
            lambda: loose.MatrixFamily("R", m, 2, "rotation"),
            lambda: loose.Identity(2),
            lambda: loose.Transpose("A"),
            lambda: loose.Determinant(1),
            lambda: loose.Cell("X", 0, 0),
            lambda: loose.Reading("X", 0, 1),
            lambda: loose.Symbol(1),
            lambda: loose.Symbol(b"x"),
            lambda: loose.Slot(1.0, 0, 0),
            lambda: loose.Slot(True, 0, 0),
            lambda: loose.Layout([loose.Slot(1, 0, 0)]),
            lambda: loose.Layout((1,)),
            lambda: loose.strided(2.0),
            lambda: loose.Size(2, 3),
            lambda: loose.Replacement("p", x),
            lambda: loose.Replacement(("p",), 1),
            lambda: loose.Hypothesis("equal", x, 1),
            lambda: loose.Hypothesis("equal", fam("q"), ONE, "i"),
            lambda: loose.Hypothesis("equal", fam("q"), ONE, (i,)),
            lambda: loose.Hypothesis(1, x),
            lambda: loose.Range("i", 3),
            lambda: loose.Statement(x, 1),
            lambda: loose.Statement("x", "x"),
            lambda: loose.Statement(x, x, [positive(x)]),
            lambda: loose.Statement(x, x, (x,)),
            lambda: loose.Statement(x, x, (), (h,)),
        ],
    )
    def test_a_part_of_another_type_is_named(self, make: Callable[[], object]) -> None:
        with pytest.raises(WrongType, match=r"wanted an? .*, saw an? \w+") as refusal:
            make()
        assert isinstance(refusal.value, KernelError)
        assert isinstance(refusal.value, TypeError)

    @pytest.mark.parametrize("value", [0.5, 1.0, True, "1/2", None, 1j])
    def test_a_number_is_exact(self, value: object) -> None:
        with pytest.raises(RuleError, match="exact"):
            number(value)  # type: ignore[arg-type]
        with pytest.raises(RuleError, match="exact"):
            Number(value)  # type: ignore[arg-type]

    def test_a_fraction_of_odd_integers_is_none(self) -> None:
        class Odd(int):
            def __mul__(self, other: object) -> int:
                return 0

            __rmul__ = __mul__

        odd = Fraction(1)
        odd._numerator = Odd(3)  # type: ignore[attr-defined]
        with pytest.raises(RuleError, match="exact"):
            Number(odd)
        with pytest.raises(RuleError, match="exact"):
            Number(type("Half", (Fraction,), {})(1, 2))

    @pytest.mark.parametrize("make", [Symbol, lambda s: Size(1, s), lambda s: Apply(s, x), lambda s: Hypothesis(s, x)])
    def test_a_string_that_lies_about_equality(self, make: Callable[[str], object]) -> None:
        class Any(str):
            __slots__ = ()
            __hash__ = str.__hash__

            def __eq__(self, _: object) -> bool:
                return True

        with pytest.raises(WrongType, match="wanted a str, saw an Any"):
            make(Any("exp"))

    def test_a_class_that_poses_as_a_term(self) -> None:
        class Posing:
            __class__ = Symbol  # type: ignore[assignment]
            name = "x"
            inside = ((), 1, 1)

            def __eq__(self, _: object) -> bool:
                return True

            def __hash__(self) -> int:
                return hash(x)

        assert isinstance(Posing(), Symbol)
        with pytest.raises(WrongType):
            Add((Posing(), y))  # type: ignore[arg-type]
        with pytest.raises(WrongType):
            Statement(Posing(), y)  # type: ignore[arg-type]

    def test_a_half_made_term_is_no_term(self) -> None:
        with pytest.raises(WrongType):
            Add((object.__new__(Add), x))

    @pytest.mark.parametrize("kind", ["negative", "", "Equal"])
    def test_a_hypothesis_of_no_known_kind(self, kind: str) -> None:
        with pytest.raises(RuleError, match="of kind"):
            Hypothesis(kind, x)  # type: ignore[arg-type]


class Turning(Mapping[str, Replacement]):
    """A mapping that shows one value when it is checked and another when it is used."""

    def __init__(self, first: Replacement, then: Replacement) -> None:
        self.shown, self.used = first, then

    def __getitem__(self, name: str) -> Replacement:
        return self.used

    def __iter__(self) -> Iterator[str]:
        return iter(("x",))

    def __len__(self) -> int:
        return 1

    def items(self) -> Any:
        return [("x", self.shown)]


class TestMappingsAreReadOnce:
    def test_a_replacement_that_turns_imaginary(self) -> None:
        found = specialised(theorem(conj(x), x), Turning(put(ONE), put(I)))
        assert found.statement == Statement(conj(ONE), ONE)

    def test_a_model_that_turns_imaginary(self) -> None:
        """x^2 = -1 holds for no real x, whatever the model answers when it is asked again."""
        impossible = Statement(pw(x, 2), number(-1), (equal(pw(x, 2), number(-1)),))
        assert isinstance(prove(impossible, model=Turning(put(ONE), put(I))), Undecided)
        with pytest.raises(RuleError, match="not real"):
            prove(impossible, model=Turning(put(I), put(ONE)))

    @pytest.mark.parametrize("wrong", [[("x", put(ONE))], "x", 3, {"x": ONE}, {1: put(ONE)}, {"x": None}])
    def test_other_mappings_are_refused(self, wrong: object) -> None:
        known = theorem(conj(x), x)
        uses: tuple[Callable[[], object], ...] = (
            lambda: loose.specialised(known, wrong),
            lambda: loose.specialised(known, {}, model=wrong),
            lambda: loose.prove(known.statement, model=wrong),
        )
        for use in uses:
            with pytest.raises(WrongType, match="wanted"):
                use()

    def test_a_read_only_view_will_do(self) -> None:
        assert isinstance(specialised(theorem(conj(x), x), MappingProxyType({"x": put(ONE)})), Theorem)


def lookalikes() -> list[object]:
    """Objects with everything that a theorem has, but the proof."""
    given = {"statement": FALSE, "hypotheses": (), "witness": {}, "lemmas": frozenset[str](), "uses": ()}
    plain = SimpleNamespace(**given)
    posing = type("Posing", (), {**given, "__class__": Theorem})()
    empty = object.__new__(Theorem)
    return [plain, posing, empty, FALSE, None, Theorem]


class Crafted:
    def __reduce__(self) -> tuple[object, ...]:
        return object.__new__, (Theorem,), (None, {"statement": FALSE, "witness": {}})


class TestPremises:
    @pytest.mark.parametrize("fake", lookalikes(), ids=["namespace", "posing", "empty", "statement", "None", "class"])
    def test_what_is_no_theorem_is_no_premise(self, fake: object) -> None:
        known = theorem(x, x)
        unit = put(Matrix(((ONE,),)), "p")
        uses: list[Callable[[], object]] = [
            lambda: transitive(fake, known),  # type: ignore[arg-type]
            lambda: transitive(known, fake),  # type: ignore[arg-type]
            lambda: symmetric(fake),  # type: ignore[arg-type]
            lambda: congruent(fake, "x", x),  # type: ignore[arg-type]
            lambda: specialised(fake, {}),  # type: ignore[arg-type]
            lambda: lifted(fake, "i", "h", families=()),  # type: ignore[arg-type]
            lambda: lifted_block(fake, "i", "h", families=(), rows=strided(1), columns=None),  # type: ignore[arg-type]
            lambda: two_sided(fake),  # type: ignore[arg-type]
            lambda: unique_solution(fake, known, known),  # type: ignore[arg-type]
            lambda: unique_solution(known, fake, known),  # type: ignore[arg-type]
            lambda: unique_solution(known, known, fake),  # type: ignore[arg-type]
            lambda: realised(fake, "R", unit, sizes={}),  # type: ignore[arg-type]
            lambda: prove(Statement(x, x), using=(fake,)),  # type: ignore[arg-type]
        ]
        for use in uses:
            with pytest.raises((WrongType, AttributeError)):
                use()

    @pytest.mark.parametrize(
        "use",
        [
            lambda known: loose.prove(str(known.statement)),
            loose.prove,
            lambda known: loose.prove(known.statement, using=known),
            lambda known: loose.prove(known.statement, using=[known]),
            lambda known: loose.prove(known.statement, idle=(x,)),
            lambda known: loose.prove(known.statement, idle=[positive(x)]),
            lambda known: loose.congruent(known, 1, x),
            lambda known: loose.congruent(known, "x", "x"),
            lambda known: loose.congruent(known, "x", 1),
            lambda known: loose.lifted(known, 1, "h", families=()),
            lambda known: loose.lifted(known, "i", 1, families=()),
            lambda known: loose.lifted(known, "i", "h", families="x"),
            lambda known: loose.lifted(known, "i", "h", families=["x"]),
            lambda known: loose.lifted(known, "i", "h", families=(x,)),
            lambda known: loose.realised(known, 1, put(x, "p"), sizes={}),
            lambda known: loose.realised(known, "R", x, sizes={}),
            lambda known: loose.realised(known, "R", put(x, "p"), sizes=None),
        ],
    )
    def test_an_argument_of_another_type_is_named(self, use: Callable[[Theorem], object]) -> None:
        with pytest.raises(WrongType, match="wanted"):
            use(theorem(x, x))

    def test_a_stored_theorem_is_not_read_back(self) -> None:
        """Bytes that ask for an empty Theorem and then fill it, as an edited file would."""
        stored = pickle.dumps(Crafted())
        with pytest.raises(SealError, match="never changes"):
            pickle.loads(stored)  # noqa: S301


# Ways around the seal that Python leaves open; whoever takes one can be seen.
AROUND = frozenset({"__init__", "__new__", "__reduce_ex__", "__set__", "__setattr__", "__setstate__", "__class__"})
SEALED = frozenset({"derivations/kernel/sealed.py", "derivations/kernel/statement.py", "derivations/kernel/theorem.py"})


def ways_around(source: str) -> list[str]:
    """Calls of a method in AROUND, but on super(), and assignments to __class__, but of a module, sys.modules[...]."""
    found = []
    for part in ast.walk(ast.parse(source)):
        match part:
            case ast.Call(func=ast.Attribute(value=of, attr=attr)) if attr in AROUND and not _of_super(of):
                found.append((part.lineno, attr))
            case ast.Attribute(value=ast.Name() | ast.Attribute(), attr="__class__", ctx=ast.Store()):
                found.append((part.lineno, "__class__"))
            case ast.Call(func=ast.Name(id="setattr" | "getattr"), args=[_, ast.Constant(value=str(attr)), *_]) if (
                attr in AROUND | {"TOKEN"}
            ):
                found.append((part.lineno, attr))
    return [f"line {line}: {attr}" for line, attr in sorted(found)]


def _of_super(of: ast.expr) -> bool:
    return isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id == "super"


@pytest.mark.parametrize(
    "path", [p for p in modules("derivations", "posproofs", "trials") if name_of(p) not in SEALED], ids=name_of
)
def test_nobody_goes_around_the_seal(path: Path) -> None:
    assert ways_around(path.read_text()) == []


@pytest.mark.parametrize(
    ("planted", "seen"),
    [
        ("known.statement.__init__(a, b)", "__init__"),
        ("known.statement.left.__setstate__(['y'])", "__setstate__"),
        ("object.__setattr__(known, 'statement', s)", "__setattr__"),
        ("Theorem.statement.__set__(known, s)", "__set__"),
        ("forged = object.__new__(Theorem)", "__new__"),
        ("fake.__class__ = Theorem", "__class__"),
        ("getattr(theorem, 'TOKEN')", "TOKEN"),
        ("setattr(fake, '__class__', Theorem)", "__class__"),
    ],
)
def test_a_planted_way_around_is_reported(planted: str, seen: str) -> None:
    assert [line.partition(": ")[2] for line in ways_around(planted)] == [seen]


def test_ordinary_classes_are_not_reported() -> None:
    assert ways_around("class A(B):\n    def __init__(self):\n        super().__init__()\n        self.x = 1\n") == []


def test_every_kind_of_term_is_attacked() -> None:
    """A new kind of term belongs among PARTS."""
    assert {type(part) for part in PARTS if hasattr(part, "inside")} == sealed._KINDS
