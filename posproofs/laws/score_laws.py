"""The laws of four-term scores (Transformer-XL), in the order in which a failure explains later ones.

A law names its theorem, the laws that explain its failure and the mutants that it kills by reference, so a name that
does not exist does not import. Reading the table needs neither torch nor SymPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from posproofs.laws import score_history, score_index, score_positions, score_proofs, score_terms
from posproofs.laws.law import Law
from posproofs.laws.scored import ScoreSubject, Size
from posproofs.laws.theorems import Derivations
from posproofs.mutants import transformer_xl as wrong
from posproofs.vocabulary import Evidence

if TYPE_CHECKING:
    from derivations import rel_shift, transformer_xl
    from derivations.derivation import Entry
else:
    rel_shift, transformer_xl = Derivations("rel_shift"), Derivations("transformer_xl")


def _gather() -> Entry:
    return rel_shift.BIDIRECTIONAL


def _common_shift() -> Entry:
    return transformer_xl.SHIFT


def _negative() -> Entry:
    return transformer_xl.ODD_SINE


def _reads() -> Entry:
    return transformer_xl.DEPENDENCE


def _score() -> Entry:
    return transformer_xl.SCORE


def _sizes(subject: ScoreSubject, sizes: tuple[Size, ...]) -> str:
    return f"{', '.join(map(str, sizes))}; {', '.join(subject.dtypes)}"


def _calls(subject: ScoreSubject) -> str:
    sizes = ", ".join(map(str, score_index.sizes(subject)))
    return f"histories of one or two calls in {', '.join(score_history.DTYPES)}, then float32; {sizes}"


def _offsets(subject: ScoreSubject) -> str:
    probes = "each row on its own" if subject.convention.rows == "given" else "each coordinate of the table on its own"
    return f"2..{score_index.LONGEST} tokens; {probes}; {_sizes(subject, score_index.sizes(subject))}"


def _middle(subject: ScoreSubject) -> str:
    return f"3, 5, 9 and 33 tokens; every coordinate; {_sizes(subject, score_index.sizes(subject))}"


def _parts(subject: ScoreSubject) -> str:
    return f"parts of sequences to 57 tokens; {_sizes(subject, subject.sizes)}"


def _contents(subject: ScoreSubject) -> str:
    memory = ", memories to 33" if subject.convention.memory == "any" else ""
    return f"dense inputs; 1..33 queries{memory}; {_sizes(subject, subject.sizes)}"


def _few(subject: ScoreSubject) -> str:
    return f"3 queries, batch 2; {_sizes(subject, subject.sizes[:2])}"


PURITY = Law(
    id="transformer_xl.purity",
    family="state",
    statement="a call leaves its arguments and weights as they were, and the same call gives the same bytes again",
    consequence="a call changes its arguments",
    theorem=None,
    claims=(),
    needs=(),
    mutants=(wrong.IN_PLACE,),
    cases=score_terms.purity_cases,
    measure=score_terms.purity,
    describe=score_terms.describe,
    ranges_over=_few,
    kind="scores",
)
HISTORY = Law(
    id="transformer_xl.history",
    family="state",
    statement="the rows that are made are a function of the offsets and the dtype only, whatever was called before",
    consequence="rows depend on earlier calls",
    theorem=None,
    claims=(),
    needs=(PURITY,),
    mutants=(wrong.POISONED,),
    cases=score_history.cases,
    measure=score_history.measure,
    describe=score_history.describe,
    ranges_over=_calls,
    kind="scores",
)
GATHER = Law(
    id="transformer_xl.gather",
    family="position",
    statement="the score of query i and key j reads the row of the offset i - j and no other",
    consequence="another row is read",
    theorem=_gather,
    claims=("RF-24",),
    needs=(PURITY,),
    mutants=(
        wrong.OFF_BY_ONE,
        wrong.UNSHIFTED,
        wrong.TRANSPOSED,
        wrong.REVERSED,
        wrong.CYCLIC,
    ),
    cases=score_index.gather_cases,
    measure=score_index.gather,
    describe=score_index.describe_gather,
    ranges_over=_offsets,
    evidence=Evidence.EXHAUSTED,
    kind="scores",
    prove=score_proofs.prove_gather,
)
MEMORY = Law(
    id="transformer_xl.memory",
    family="decoding",
    statement="scores with a memory of M keys are the last rows of the scores of the whole sequence",
    consequence="a memory moves positions",
    theorem=_common_shift,
    claims=("RF-12b",),
    needs=(PURITY, GATHER),
    mutants=(wrong.MEMORY_IGNORED,),
    cases=score_positions.memory_cases,
    measure=score_positions.memory,
    describe=score_positions.describe,
    ranges_over=_parts,
    draws=score_positions.memory_draws,
    kind="scores",
    prove=score_proofs.prove_memory,
)
NEGATIVE = Law(
    id="transformer_xl.negative_offset",
    family="position",
    statement="the row of -o is that of o with its sines negated, so past and future differ",
    consequence="past equals future",
    theorem=_negative,
    claims=("RF-24",),
    needs=(PURITY, GATHER),
    mutants=(wrong.SYMMETRIC,),
    cases=score_index.negative_cases,
    measure=score_index.negative,
    describe=score_index.describe_negative,
    ranges_over=_middle,
    kind="scores",
    prove=score_proofs.prove_negative_offset,
)
SHIFT = Law(
    id="transformer_xl.shift",
    family="algebra",
    statement="tokens in front of a sequence, as a memory or not, leave the scores among the others",
    consequence="an absolute position is left",
    theorem=_common_shift,
    claims=("RF-23", "RF-12b"),
    needs=(PURITY, GATHER, MEMORY),
    mutants=(wrong.QUERY_POSITION,),
    cases=score_positions.shift_cases,
    measure=score_positions.shift,
    describe=score_positions.describe,
    ranges_over=_parts,
    draws=score_positions.shift_draws,
    kind="scores",
    prove=score_proofs.prove_shift,
)
LENGTH = Law(
    id="transformer_xl.length_extension",
    family="state",
    statement="tokens behind a sequence leave the scores before them",
    consequence="later tokens matter",
    theorem=_reads,
    claims=("RF-23",),
    needs=(PURITY, GATHER, MEMORY, SHIFT),
    mutants=(wrong.FROM_THE_END,),
    cases=score_positions.length_cases,
    measure=score_positions.length_extension,
    describe=score_positions.describe,
    ranges_over=_parts,
    draws=score_positions.length_draws,
    kind="scores",
    prove=score_proofs.prove_length_extension,
)
FOUR_TERMS = Law(
    id="transformer_xl.four_terms",
    family="declaration",
    statement="scores are (q_i + u).k_j + (q_i + v).r_(i-j) in the declared scale",
    consequence="it is another sum",
    theorem=_score,
    claims=("RF-22", "RF-25", "RF-26"),
    needs=(PURITY, GATHER, MEMORY, SHIFT, LENGTH),
    mutants=(wrong.EXCHANGED, wrong.NO_U, wrong.V_IN_CONTENT),
    cases=score_terms.cases,
    measure=score_terms.measure,
    describe=score_terms.describe,
    ranges_over=_contents,
    draws=score_terms.draws,
    kind="scores",
    prove=score_proofs.prove_four_terms,
)
SCORE_LAWS: tuple[Law, ...] = (PURITY, HISTORY, GATHER, MEMORY, NEGATIVE, SHIFT, LENGTH, FOUR_TERMS)
