"""The laws of whole attention modules, in the order in which a failure explains later ones.

Every law is tried first as a proof over all inputs and weights (`attention_proofs`), then on numbers. Reading the table
needs neither torch nor SymPy.
"""

from __future__ import annotations

from posproofs.laws import attention_cases, attention_proofs, attention_sides
from posproofs.laws.attended import AttentionSubject
from posproofs.laws.law import Law
from posproofs.mutants import attention as wrong

NO_PATHS = "it has one path"
NO_POSITIONS = "it has no positions, or takes no padding"
NO_CACHE = "it has no cache"
ORDERED = "the order of its rows matters"
NO_FORMULA = "no formula is written for it"
NO_TWIN = "no other library is known to have its scheme"


def _numbers(subject: AttentionSubject) -> str:
    return f"{'; '.join(map(str, subject.sizes))}; {', '.join(subject.paths)}; {', '.join(subject.dtypes)}"


CAUSAL = Law(
    id="attention.causal",
    family="masking",
    statement="an output row does not depend on later rows",
    consequence="a row sees a later one",
    theorem=None,
    claims=(),
    needs=(),
    mutants=(wrong.SEES_NEXT, wrong.SEES_FUTURE),
    cases=attention_cases.causal_cases,
    measure=attention_cases.causal,
    describe=attention_cases.describe,
    ranges_over=_numbers,
    kind="attention",
    prove=attention_proofs.prove_causal,
)
PATHS = Law(
    id="attention.paths",
    family="paths",
    statement="every path through the module gives the same: eager, fused, and each flag",
    consequence="two paths differ",
    theorem=None,
    claims=(),
    needs=(),
    mutants=(wrong.IN_TURNS, wrong.SCALED_TWICE, wrong.BIAS_DROPPED),
    cases=attention_cases.equal_cases(attention_sides.path_sides, NO_PATHS),
    measure=attention_cases.equal,
    describe=attention_cases.describe,
    ranges_over=_numbers,
    kind="attention",
    prove=attention_proofs.prove_equal(attention_sides.path_sides, NO_PATHS),
)
SHIFT = Law(
    id="attention.shift",
    family="position",
    statement="the output does not change when all positions move together, or padding stands in front",
    consequence="an absolute position is left",
    theorem=None,
    claims=(),
    needs=(CAUSAL,),
    mutants=(wrong.ONLY_QUERIES, wrong.OPPOSITE),
    cases=attention_cases.equal_cases(attention_sides.shift_sides, NO_POSITIONS),
    measure=attention_cases.equal,
    describe=attention_cases.describe,
    ranges_over=_numbers,
    kind="attention",
    prove=attention_proofs.prove_equal(attention_sides.shift_sides, NO_POSITIONS),
)
DECODING = Law(
    id="attention.decoding",
    family="decoding",
    statement="rows given one after the other with a cache come out as the rows given at once",
    consequence="decoding differs from prefill",
    theorem=None,
    claims=(),
    needs=(CAUSAL,),
    mutants=(wrong.ONE_LATE, wrong.TOP_LEFT, wrong.WITHOUT_NEWEST, wrong.OFFSETS_FROM_QUERY),
    cases=attention_cases.equal_cases(attention_sides.decoding_sides, NO_CACHE),
    measure=attention_cases.equal,
    describe=attention_cases.describe,
    ranges_over=_numbers,
    kind="attention",
    prove=attention_proofs.prove_equal(attention_sides.decoding_sides, NO_CACHE),
)
PERMUTATION = Law(
    id="attention.permutation",
    family="algebra",
    statement="without positions, rows in another order come out in that order",
    consequence="the order of rows matters",
    theorem=None,
    claims=(),
    needs=(),
    mutants=(wrong.MIXED_ROWS, wrong.COUNTED),
    cases=attention_cases.equal_cases(attention_sides.permutation_sides, ORDERED),
    measure=attention_cases.equal,
    describe=attention_cases.describe,
    ranges_over=_numbers,
    kind="attention",
    prove=attention_proofs.prove_equal(attention_sides.permutation_sides, ORDERED),
)
SAME = Law(
    id="attention.same",
    family="paths",
    statement="two libraries that implement one scheme compute the same from the same weights",
    consequence="two libraries differ",
    theorem=None,
    claims=(),
    needs=(),
    mutants=(wrong.ANOTHER_LIBRARY,),
    cases=attention_cases.equal_cases(attention_sides.twin_sides, NO_TWIN),
    measure=attention_cases.equal,
    describe=attention_cases.describe,
    ranges_over=_numbers,
    kind="attention",
    prove=attention_proofs.prove_equal(attention_sides.twin_sides, NO_TWIN),
)
FORMULA = Law(
    id="attention.formula",
    family="algebra",
    statement="the output is the formula of the declared scheme, with the weights of the module",
    consequence="it is another function",
    theorem=None,
    claims=(),
    needs=(CAUSAL, PATHS, SHIFT, DECODING, PERMUTATION, SAME),
    mutants=(wrong.OVER_QUERIES, wrong.UNSCALED, wrong.NEIGHBOURS, wrong.BACKWARDS),
    cases=attention_cases.equal_cases(attention_sides.formula_sides, NO_FORMULA),
    measure=attention_cases.equal,
    describe=attention_cases.describe,
    ranges_over=_numbers,
    kind="attention",
    prove=attention_proofs.prove_equal(attention_sides.formula_sides, NO_FORMULA),
)
ATTENTION_LAWS: tuple[Law, ...] = (CAUSAL, PATHS, SHIFT, DECODING, PERMUTATION, SAME, FORMULA)
