"""The text of a score of four terms and of its attention: two products of matrices and one view that shifts rows.

Nothing of size L x L x d, or L x K x d, is made: every query meets the rows of all offsets in one product, and the
proved gather identity says where the entry of each key stands in the result.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from string import Template

from derivations.kernel import Statement
from derivations.kernel.terms import Add, Multiply, Symbol, Term, number
from derivations.kernel.values import Value
from derivations.plain import hypothesis_text, statement_text, term_text
from posproofs.emit import scores_parts as fixed
from posproofs.emit.expressions import code
from posproofs.emit.naming import RESERVED, Names
from posproofs.emit.polynomials import written
from posproofs.emit.rotation_text import Part, body, docstring, signature
from posproofs.emit.scores_parts import LIBRARIES, Library
from posproofs.emit.scores_reading import KEY, QUERY, ROW, Combination, Score, read_score
from posproofs.emit.shift_reading import FIRST, SIZE, Rows, Shift, read_shift, rows_of

# What the emitted functions call their own, so that no bias hides it.
_OWN = (
    "q k r v_values scale mask scores attention content offset start stride flat keys queries width heads batch name "
    "shape wanted highest logits weights total steps others float map results part rows seen first size range content"
)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is read of the two statements, and the Python names of the biases."""

    score: Score
    shift: Shift
    rows: Rows
    biases: dict[str, str]
    statements: tuple[Statement, Statement]
    library: Library


def sections(side: Term, statements: tuple[Statement, Statement], to: str) -> list[str]:
    """The module below its header, for a side of the first statement and the shift of the second."""
    score, shift = read_score(side, statements[0]), read_shift(statements[1])
    names = Names(RESERVED | frozenset(_OWN.split()))
    biases = {name: names.new(name) for name in score.biases}
    plan = _Plan(score, shift, rows_of(score, shift, statements[1]), biases, statements, LIBRARIES[to])
    places, library = _places(plan), plan.library

    def filled(text: str) -> str:
        return Template(text).substitute(places)

    attention = library.blocks if shift.block else library.whole
    head = signature("attention", places["of_attention"], ["scale=None", "mask=None"])
    return [
        library.imports,
        *([fixed.BLOCK] if "_BLOCK" in attention else []),
        "\n".join([f"def scores({places['given']}):", _scores_doc(plan), body(filled(library.scores).splitlines())]),
        "\n".join([head, _attention_doc(plan), body(filled(attention).splitlines())]),
        *map(filled, library.attended),
        filled(library.cut if shift.cut else library.strided),
        fixed.SCALE,
        filled(library.checks),
    ]


def notes(proofs_of_shift: str, statement: Statement) -> list[str]:
    """What the header says of the second theorem."""
    where = " and ".join(f"{r.index} = 0..{term_text(r.count)}-1" for r in statement.ranges)
    return [f"Proved for the shift ({proofs_of_shift}): {statement_text(statement)}, for {where}"]


def _places(plan: _Plan) -> dict[str, str]:
    """What stands at the $names of the fixed text."""
    score, shift = plan.score, plan.shift
    others = [ROW, *plan.biases.values()]
    given = [QUERY, KEY, *others]
    square = shift.queries == shift.keys
    places = {
        "given": ", ".join(given),
        "others": ", ".join(others),
        "of_attention": ", ".join([QUERY, KEY, "v_values", *others]),
        "of_block": ", ".join(["part", KEY, "v_values", "rows", *plan.biases.values()]),
        "named": _dictionary(given),
        "named_others": _dictionary([KEY, *others]),
        "content": _combined(plan, score.content),
        "content_factor": _factor(_combined(plan, score.content)),
        "offset_factor": _factor(_combined(plan, score.offset)),
        "start": _length(plan, shift.start),
        "stride": _length(plan, shift.stride),
        "rows": _length(plan, shift.width),
        "shifted": _shifted_words(plan),
        "rows_from": _length(plan, shift.block.start) if shift.block else "",
        "rows_to": _length(plan, shift.block.end) if shift.block else "",
        "lengths_fit": "1 <= queries == keys" if square else "1 <= queries <= keys",
    }
    for name, text in (("shape_checks", fixed.SHAPE_CHECKS), ("mask_fits", fixed.MASK_FITS)):
        places[name] = textwrap.indent(Template(text).substitute(places), "    ").lstrip()
    return places


def _dictionary(names: list[str]) -> str:
    return "{" + ", ".join(f'"{name}": {name}' for name in names) + "}"


def _factor(text: str) -> str:
    return f"({text})" if " " in text else text


def _sum(combination: Combination) -> Term:
    parts = [Symbol(name) if c == 1 else Multiply((number(c), Symbol(name))) for name, c in combination]
    return Add(tuple(parts)) if len(parts) > 1 else parts[0]


def _combined(plan: _Plan, combination: Combination) -> str:
    """q + u for arrays of shapes (B, H, L, d) and (H, d)."""
    atoms: dict[Term, str] = {Symbol(QUERY): QUERY}
    atoms |= {Symbol(name): f"{given}[:, None]" for name, given in plan.biases.items()}
    return code(_sum(combination), plan.library.dialect, atoms)


def _length(plan: _Plan, value: Value) -> str:
    atoms: dict[Term, str] = {Symbol(plan.shift.keys): "keys", Symbol(plan.shift.queries): "queries"}
    atoms |= {Symbol(FIRST): FIRST, Symbol(SIZE): SIZE}
    return code(written(value), plan.library.dialect, atoms)


def _shifted_words(plan: _Plan) -> str:
    shift = plan.shift
    i, j = shift.query, shift.key
    flat = Add((Multiply((Symbol(i), written(shift.stride))), Symbol(j), written(shift.start)))
    return (
        f"Column {j} of row {i} is what x has at flat index {term_text(flat)}, "
        f"which is x[{i}, {term_text(written(shift.column))}]."
    )


def _scores_doc(plan: _Plan) -> str:
    score, shift, array = plan.score, plan.shift, plan.library.array
    chains = {name: term_text(chain) for name, chain in score.chains}
    forms = [f"({term_text(_sum(c))})^T {to}" for c, to in ((score.content, KEY), (score.offset, ROW))]
    length, count = shift.queries, shift.keys
    memory = (
        f"{count} >= {length}: the last key is that of the last query's token, so {count} - {length} are a memory. "
    )
    row = term_text(score.argument)
    return docstring(
        f"{' + '.join(forms)} for every query and key, not scaled.",
        Part(
            "Parameters",
            [
                (
                    f"q : floating {array}, shape (B, H, {length}, d)",
                    f"{chains[QUERY]} of each query.",
                ),
                (
                    f"k : {array}, shape (B, H, {count}, d)",
                    f"{chains[KEY]} of each key{memory if length != count else ''}.",
                ),
                (
                    f"r : {array}, shape (H, {term_text(written(shift.width))}, d)",
                    f"{chains[ROW]}; row t is that of the offset {row} = {_offset_text(plan.rows)}.",
                ),
                *([(f"{', '.join(plan.biases.values())} : {array}, shape (H, d)", "")] if plan.biases else []),
            ],
        ),
        Part("Returns", [(f"{array}, shape (B, H, {length}, {count})", f"{_kept(array)} {_region(plan)}".strip())]),
        Part("Raises", [("ValueError", "With what was seen and what was wanted.")]),
    )


def _kept(array: str) -> str:
    what = "Its dtype and device are those of q, and it is differentiable" if array == "tensor" else "Its dtype is q's"
    return f"{what}. Computed in float32 at least and rounded once."


def _region(plan: _Plan) -> str:
    """Where the shift is proved under a condition, what lies outside is not a score."""
    conditions = " and ".join(hypothesis_text(h) for h in plan.statements[1].hypotheses)
    where = f"query {plan.shift.query} and key {plan.shift.key}"
    return f"Scores where {conditions}, for {where}; mask the other entries." if conditions else ""


def _offset_text(rows: Rows) -> str:
    constant = term_text(written(rows.constant))
    if rows.sign == -1:
        return f"{constant} - t" if constant != "0" else "-t"
    return "t" if constant == "0" else f"t - {constant[1:]}" if constant.startswith("-") else f"t + {constant}"


def _attention_doc(plan: _Plan) -> str:
    array, length, count = plan.library.array, plan.shift.queries, plan.shift.keys
    given = ", ".join([QUERY, KEY, ROW, *plan.biases.values()])
    past = f"ones(({length}, {count}), dtype=bool)"
    causal = f"torch.{past}".replace("=bool", "=torch.bool") + f".tril({count} - {length})"
    if array == "array":
        causal = f"np.tril(np.{past}, {count} - {length})"
    computed = (
        "dtype, device and gradients as for `scores`; computed in the dtype of q by Torch's fused attention."
        if array == "tensor"
        else "Its dtype is q's. Computed in float32 at least and rounded once."
    )
    return docstring(
        f"softmax(scale*scores({given})) v_values, the softmax over the keys.",
        Part(
            "Parameters",
            [
                (f"{given} : as for `scores`", _region(plan)),
                (f"v_values : {array}, shape (B, H, {count}, e)", "A value for each key."),
                ("scale : number, optional", "By default 1/sqrt(d)."),
                (
                    f"mask : {array} of bool, broadcastable to (B, H, {length}, {count}), optional",
                    f"True where a query sees a key, for example {causal} for the past. Where it sees none, it gets 0.",
                ),
            ],
        ),
        Part("Returns", [(f"{array}, shape (B, H, {length}, e)", computed[0].upper() + computed[1:])]),
        Part("Raises", [("ValueError", "With what was seen and what was wanted.")]),
    )
