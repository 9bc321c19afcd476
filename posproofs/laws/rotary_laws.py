"""The laws of rotary embeddings, in the order in which a failure explains later ones.

A law names its theorem, the laws that explain its failure and the mutants that it kills by reference, so a name that
does not exist does not import. Reading the table needs neither torch nor SymPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from posproofs.laws import algebra, declaration, output, position, rotary_proofs, state
from posproofs.laws.law import Law
from posproofs.laws.subject import Subject, Width
from posproofs.laws.theorems import Derivations
from posproofs.mutants import rotary as wrong
from posproofs.mutants import rotary_calls as calls
from posproofs.mutants import rotary_declared as other
from posproofs.mutants import rotary_outputs as odd
from posproofs.mutants import rotary_turns as turns
from posproofs.vocabulary import Evidence

if TYPE_CHECKING:
    from derivations import rotary, rotary_planes
    from derivations.derivation import Entry
else:
    rotary, rotary_planes = Derivations("rotary"), Derivations("rotary_planes")


def _relative() -> Entry:
    return rotary.RELATIVE


def _isometry() -> Entry:
    return rotary.ISOMETRY_UP_TO_SCALE


def _vjp() -> Entry:
    return rotary_planes.VJP


def _rotate() -> Entry:
    return rotary.ROTATE_INTERLEAVED


def _widths(subject: Subject, widths: tuple[Width, ...]) -> str:
    shown = ", ".join(dict.fromkeys(str(w.head) if w.head == w.rotary else f"{w.head}/{w.rotary}" for w in widths))
    return f"widths {shown}; {', '.join(subject.dtypes)}"


def _edges(subject: Subject) -> str:
    return f"every basis vector; {_widths(subject, algebra.widths(subject))}; positions at edges of tables and formats"


def _span(subject: Subject) -> str:
    near = len(subject.within(tuple(range(position.SPAN))))
    return f"every pair of positions 0..{near - 1}; every basis vector; {_widths(subject, position.widths(subject))}"


def _dense(subject: Subject) -> str:
    last = max(subject.within(declaration.POSITIONS))
    return f"dense inputs; {_widths(subject, subject.widths)}; positions to {last}"


def _shapes(subject: Subject) -> str:
    return f"batches, heads and rows; {_widths(subject, state.widths(subject))}"


def _numbers(subject: Subject) -> str:
    last = output.positions_of(subject)[-1]
    return f"rows of numbers and of zeros; {_widths(subject, output.widths(subject))}; positions to {last}"


def _histories(subject: Subject) -> str:
    return f"histories of one to four calls; {_widths(subject, state.widths(subject))}"


OUTPUT = Law(
    id="rotary.output",
    family="precision",
    statement="of numbers come finite numbers, of the shape and in the dtype of x",
    consequence="NaN, infinity, or another dtype",
    theorem=None,
    claims=(),
    needs=(),
    mutants=(
        *(odd.OVER_TANGENT, odd.NEGATIVE_BASE, turns.OVERFLOWING, odd.POWER_OF_POSITION),
        *(odd.WIDENED, odd.NARROWED, odd.REST_LOST),
    ),
    cases=output.cases,
    measure=output.measure,
    describe=output.describe,
    ranges_over=_numbers,
)
PURITY = Law(
    id="rotary.purity",
    family="state",
    statement="a call leaves input, positions and tables as they were, and the same call gives the same bytes again",
    consequence="a call changes its arguments",
    theorem=None,
    claims=(),
    needs=(OUTPUT,),
    mutants=(wrong.IN_PLACE, wrong.MOVED_POSITIONS, calls.HALF_IN_PLACE, calls.COUNTS_ON),
    cases=state.purity_cases,
    measure=state.purity,
    describe=algebra.named,
    ranges_over=_shapes,
)
HISTORY = Law(
    id="rotary.history",
    family="state",
    statement="the rotation is a function of the positions only, whatever was called before",
    consequence="result depends on earlier calls",
    theorem=None,
    claims=(),
    needs=(
        OUTPUT,
        PURITY,
    ),
    mutants=(
        *(wrong.STALE, wrong.POISONED, wrong.GROWING),
        *(calls.SHARED, calls.SHORT_TABLE, calls.CAST, calls.FIRST_START),
        *(calls.LAST_WIDTH, calls.FIRST_WIDTH),
    ),
    cases=state.history_cases,
    measure=state.history,
    describe=state.describe_history,
    ranges_over=_histories,
    draws=state.history_draws,
)
LOCALITY = Law(
    id="rotary.locality",
    family="state",
    statement="an output row depends on its own input row and position only",
    consequence="a row depends on other rows",
    theorem=None,
    claims=("RF-52",),
    needs=(OUTPUT, PURITY, HISTORY),
    mutants=(
        *(wrong.ROW_LEAK, calls.BASE_OF_CALL, calls.ODD_HEADS, calls.FIRST_ROW),
        *(calls.ONE_POSITION, calls.REVERSED_ROWS, calls.FROM_ZERO, calls.TWICE),
        *(calls.HEADS_FOR_ROWS, calls.BATCH_AXIS, calls.LONG_BY_START),
    ),
    cases=state.locality_cases,
    measure=state.locality,
    describe=state.describe_shape,
    ranges_over=_shapes,
    draws=state.locality_draws,
    prove=rotary_proofs.prove_locality,
)
ISOMETRY = Law(
    id="rotary.isometry",
    family="algebra",
    statement="R(p)^T R(p) = s^2 I with one s for all positions",
    consequence="it is not a rotation",
    theorem=_isometry,
    claims=("RF-47", "RF-53"),
    needs=(OUTPUT, PURITY, HISTORY, LOCALITY),
    mutants=(
        *(wrong.LOST_MINUS, wrong.TILED, wrong.ALIASED, wrong.SCALED),
        *(turns.COSINE_SCALED, turns.FIRST_SCALED, turns.UNEQUAL, turns.DECAYING, other.CROSSED),
    ),
    cases=algebra.isometry_cases,
    measure=algebra.isometry,
    describe=algebra.describe_positions,
    ranges_over=_edges,
    prove=rotary_proofs.prove_isometry,
)
POSITION = Law(
    id="rotary.position",
    family="position",
    statement="the output depends on the position, and distinct positions give distinct rotations",
    consequence="positions are merged or ignored",
    theorem=None,
    claims=("RF-43",),
    needs=(OUTPUT, PURITY, HISTORY),
    mutants=(
        *(wrong.IDENTITY, wrong.ALONG_HEADS, wrong.ROUNDED, wrong.WRAPPED, wrong.CLAMPED),
        *(turns.HALF_POSITIONS, turns.SHORT_POSITIONS, turns.ENDING, turns.INTEGER_DIVISION),
        *(turns.EVEN_ONLY, turns.ONE_HEAD, turns.LAST_LEFT),
        *(turns.EMPTY, turns.ROUNDED_ANGLES, turns.INPUT_POSITIONS),
    ),
    cases=position.cases,
    measure=position.measure,
    describe=position.describe,
    ranges_over=_span,
    evidence=Evidence.EXHAUSTED,
)
GRAM = Law(
    id="rotary.gram",
    family="algebra",
    statement="R(m)^T R(n) depends on n - m only",
    consequence="scores depend on more than the offset",
    theorem=_relative,
    claims=("RF-40", "RF-50"),
    needs=(OUTPUT, PURITY, HISTORY, LOCALITY, ISOMETRY, POSITION),
    mutants=(wrong.COMPRESSED, turns.SKIPPING, turns.LONG_BEYOND, turns.ROUGH_PI, other.KEYS_BACK),
    cases=algebra.gram_cases,
    measure=algebra.gram,
    describe=algebra.describe_gram,
    ranges_over=_edges,
    prove=rotary_proofs.prove_gram,
)
VJP = Law(
    id="rotary.vjp",
    family="algebra",
    statement="the gradient with respect to x is R(p)^T times the gradient of the output",
    consequence="the gradient is wrong or lost",
    theorem=_vjp,
    claims=(),
    needs=(OUTPUT, PURITY, HISTORY, LOCALITY, ISOMETRY),
    mutants=(wrong.DETACHED, turns.HALF_GRADIENT, turns.SECOND_DETACHED),
    cases=algebra.vjp_cases,
    measure=algebra.vjp,
    describe=algebra.describe_positions,
    ranges_over=_edges,
    prove=rotary_proofs.prove_vjp,
)
FORMULA = Law(
    id="rotary.formula",
    family="declaration",
    statement="the output is that of the emitted function in the declared layout, direction, width and base",
    consequence="it is not what it declares",
    theorem=_rotate,
    claims=("RF-48", "RF-49"),
    needs=(OUTPUT, PURITY, HISTORY, LOCALITY, ISOMETRY, POSITION, GRAM),
    mutants=(
        *(wrong.SHIFTED, wrong.WRONG_BASE, wrong.ROUNDED_FREQUENCIES, wrong.OTHER_SIGN),
        *(turns.HALF_FREQUENCIES, turns.HALF_EXPONENT, turns.REVERSED, turns.DEGREES, turns.EXCHANGED),
        *(turns.LAST_BACK, turns.AHEAD, turns.ONE_TOO_FAR, turns.INTERPOLATED),
        *(turns.OTHER_LAYOUT, turns.SQUARED, turns.UNSCALED, other.EXCHANGED_KEYS, other.OVER_HEAD),
        *(other.LLAMA3_DROPPED, other.YARN_DROPPED, other.YARN_STRETCHED, other.LINEAR_DROPPED),
    ),
    cases=declaration.cases,
    measure=declaration.measure,
    describe=declaration.describe,
    ranges_over=_dense,
    draws=declaration.draws,
    prove=rotary_proofs.prove_formula,
)

ROTARY_LAWS: tuple[Law, ...] = (OUTPUT, PURITY, HISTORY, LOCALITY, ISOMETRY, POSITION, GRAM, VJP, FORMULA)
