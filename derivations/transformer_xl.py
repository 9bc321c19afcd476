"""Transformer-XL: the absolute score in four words, the substitution to the relative form, and what each term reads.

    absolute   (W_q (x_m + p_m))^T W_k (x_n + p_n)                 four words, for all sizes
    relative   (W_q x_m + u)^T W_k x_n + (W_q x_m + v)^T W_r r_(m-n)
    terms      (a) content   (b) content-offset   (c) u-content   (d) v-offset

The step from the first to the second replaces letters; it is a substitution, not an identity, and is shown as one.
(Dai et al., Transformer-XL, 2019, section 3.3; Su et al., RoFormer, 2021, eq. (6), (7).)
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from derivations.derivation import Entry, Report, Step, StepReport, derivation, equation, erratum, proved, refuted, said
from derivations.euler import product
from derivations.kernel import Refuted, Theorem, prove
from derivations.notation import Family, h, i, m, n, s

PAPER = "Transformer-XL"
d, e = sp.symbols("d e", integer=True, positive=True)
Wq, Wk, Wr = (sp.MatrixSymbol(name, e, d) for name in ("W_q", "W_k", "W_r"))
xm, xn, pm, pn = (sp.MatrixSymbol(name, d, 1) for name in ("x_m", "x_n", "p_m", "p_n"))
u, v = (sp.MatrixSymbol(name, e, 1) for name in ("u", "v"))
FIRST = sp.MatrixSymbol("first", d, 1)
T = sp.Transpose


def plus(*terms: Any) -> Any:
    """A sum of matrices that stays as written."""
    return sp.MatAdd(*terms, evaluate=False)


def offset_vector(offset: Any) -> Any:
    """r_offset: any vector that depends on the offset, as a free matrix family applied to one fixed vector."""
    return product(Family("P", offset, d, "free"), FIRST)


R = offset_vector(m - n)
ABSOLUTE = product(T(product(Wq, plus(xm, pm))), product(Wk, plus(xn, pn)))
WORDS = {
    "a": product(T(xm), T(Wq), Wk, xn),
    "b": product(T(xm), T(Wq), Wk, pn),
    "c": product(T(pm), T(Wq), Wk, xn),
    "d": product(T(pm), T(Wq), Wk, pn),
}
TERMS = {
    "a": product(T(xm), T(Wq), Wk, xn),
    "b": product(T(xm), T(Wq), Wr, R),
    "c": product(T(u), Wk, xn),
    "d": product(T(v), Wr, R),
}
SCORE_FORM = plus(
    product(T(plus(product(Wq, xm), u)), product(Wk, xn)), product(T(plus(product(Wq, xm), v)), product(Wr, R))
)

ABSOLUTE_WORDS = derivation(
    "transformer_xl.absolute",
    "the absolute score in four words, for every width of model and head",
    ABSOLUTE,
    Step(product(T(plus(product(Wq, xm), product(Wq, pm))), plus(product(Wk, xn), product(Wk, pn))), "W is linear"),
    Step(plus(*WORDS.values()), "multiply out; (A B)^T = B^T A^T"),
    source=f"{PAPER}, section 3.3; RoFormer, eq. (6)",
    claims=("RF-20", "RF-21"),
)
SCORE = derivation(
    "transformer_xl.score",
    "the relative score in four terms (a) to (d), gathered by what multiplies the key and what the offset",
    plus(*TERMS.values()),
    Step(SCORE_FORM, "(a) + (c) share W_k x_n, (b) + (d) share W_r r_(m-n)"),
    source=f"{PAPER}, section 3.3",
    claims=("RF-22", "RF-25", "RF-26"),
)
KEY_TERMS = derivation(
    "transformer_xl.key_terms",
    "(a) + (c) = (q + u)^T k",
    plus(TERMS["a"], TERMS["c"]),
    Step(product(T(plus(product(Wq, xm), u)), product(Wk, xn)), "q = W_q x_m and k = W_k x_n"),
    source=f"{PAPER}, appendix B",
    claims=("RF-22",),
)
OFFSET_TERMS = derivation(
    "transformer_xl.offset_terms",
    "(b) + (d) = (q + v)^T r",
    plus(TERMS["b"], TERMS["d"]),
    Step(product(T(plus(product(Wq, xm), v)), product(Wr, R)), "q = W_q x_m and r = W_r r_(m-n)"),
    source=f"{PAPER}, appendix B",
    claims=("RF-22", "RF-24"),
)


SHIFT = derivation(
    "transformer_xl.shift",
    "a common shift of both positions, by a memory of s tokens say, leaves every score",
    SCORE_FORM.xreplace({R: offset_vector(sp.Add(m + s, sp.Mul(-1, n + s, evaluate=False), evaluate=False))}),
    Step(SCORE_FORM, "positions enter by m - n alone"),
    source=f"{PAPER}, section 3.2",
    claims=("RF-23", "RF-12b"),
)
# (b) + (d) with sinusoids: the sine and cosine of a difference, split into tables of m and of n.
A, B, W = (sp.IndexedBase(name, real=True) for name in ("a", "b", "w"))
FACTORISED = derivation(
    "transformer_xl.factorised",
    "the identity behind Funnel's factorised form: sinusoids of m - n from tables of m and of n",
    sp.Sum(A[i] * sp.sin((m - n) * W[i]) + B[i] * sp.cos((m - n) * W[i]), (i, 0, h - 1)),
    Step(
        sp.Sum(
            (A[i] * sp.sin(m * W[i]) + B[i] * sp.cos(m * W[i])) * sp.cos(n * W[i])
            + (B[i] * sp.sin(m * W[i]) - A[i] * sp.cos(m * W[i])) * sp.sin(n * W[i]),
            (i, 0, h - 1),
        ),
        "angle addition, pair by pair",
    ),
    source="Dai et al., Funnel-Transformer, 2020, appendix A",
    claims=("RF-24",),
)
ODD_SINE = derivation(
    "transformer_xl.negative_offset",
    "at each frequency r_(-o) is r_o with its sine negated",
    sp.ImmutableMatrix([sp.sin(-m * sp.Symbol("w", real=True)), sp.cos(-m * sp.Symbol("w", real=True))]),
    Step(
        product(
            sp.ImmutableMatrix([[-1, 0], [0, 1]]),
            sp.ImmutableMatrix([sp.sin(m * sp.Symbol("w", real=True)), sp.cos(m * sp.Symbol("w", real=True))]),
        ),
        "sin is odd, cos is even",
    ),
    source=f"{PAPER}, section 3.3",
    claims=("RF-24",),
)


# What a term depends on: it is unchanged when the letter is replaced by another one, or a point shows that it is not.
INPUTS = {"x_m": xm, "x_n": xn, "offset": None}
ROLES = {"a": ("x_m", "x_n"), "b": ("x_m", "offset"), "c": ("x_n",), "d": ("offset",)}


def _varied(term: Any, what: str) -> Any:
    """The term with one of its inputs replaced by another of the same kind."""
    if what == "offset":
        return term.xreplace({R: offset_vector(m - n + s)})
    letter = INPUTS[what]
    return term.xreplace({letter: sp.MatrixSymbol(f"{what}_other", d, 1)})


def dependence(term: Any, what: str) -> Theorem | Refuted:
    """A theorem that the term does not read an input, or a point at which it does."""
    answer = prove(equation(term, _varied(term, what)))
    return answer if isinstance(answer, Theorem) else refuted(answer)


def _roles() -> Report:
    rows: list[StepReport] = []
    for name, term in TERMS.items():
        for what in INPUTS:
            answer = dependence(term, what)
            reads = what in ROLES[name]
            if isinstance(answer, Theorem) == reads:
                return Report("undecided", detail=f"({name}) and {what}: {said(answer)}")
            verdict = said(answer) if reads else "proved"
            rows.append(StepReport(term, f"({name}) {'reads' if reads else 'does not read'} {what}", verdict))
    return Report("proved", None, tuple(rows))


DEPENDENCE = Entry(
    "transformer_xl.roles",
    "what (a) to (d) read: a both contents, b the query and the offset, c the key alone, d the offset alone",
    f"{PAPER}, section 3.3",
    "table",
    _roles,
    ("RF-23",),
)

# The substitution. Each rule puts a term for a letter of one word of the absolute score.
QUERY_POSITION = product(Wq, pm)
RULES: dict[str, dict[Any, Any]] = {
    "a": {},
    "b": {pn: R, Wk: Wr},
    "c": {QUERY_POSITION: u},
    "d": {QUERY_POSITION: v, pn: R, Wk: Wr},
}
GROUPED = {
    "a": product(T(product(Wq, xm)), Wk, xn),
    "b": product(T(product(Wq, xm)), Wk, pn),
    "c": product(T(QUERY_POSITION), Wk, xn),
    "d": product(T(QUERY_POSITION), Wk, pn),
}


def spoken(term: Any) -> str:
    """A letter of the substitution as the text above names it."""
    return {R: "r_(m-n)", QUERY_POSITION: "W_q p_m"}.get(term) or str(term)


def _substitution() -> Report:
    """Each grouped word is the word; with its letters replaced it is the term; as an identity it is false."""
    rows: list[StepReport] = []
    for name, word in WORDS.items():
        proved(prove(equation(word, GROUPED[name])))
        replaced_word = GROUPED[name].xreplace(RULES[name])
        proved(prove(equation(replaced_word, TERMS[name])))
        changes = ", ".join(f"{spoken(old)} -> {spoken(new)}" for old, new in RULES[name].items())
        rows.append(StepReport(TERMS[name], f"({name}): {changes or 'nothing is replaced'}", "proved"))
    point = refuted(prove(equation(ABSOLUTE, SCORE_FORM)))
    rows.append(StepReport(SCORE_FORM, "the two scores are not equal", said(point)))
    return Report("proved", None, tuple(rows), detail="a substitution; the two scores are different functions")


SUBSTITUTION = Entry(
    "transformer_xl.substitution",
    "p_n -> r_(m-n) with W_k -> W_r in (b) and (d), and W_q p_m -> u in (c), v in (d)",
    f"{PAPER}, section 3.3",
    "table",
    _substitution,
    ("RF-22", "RF-24", "RF-25", "RF-26"),
)


def _described_word_is_another() -> Refuted:
    """What is described is the absolute word (c), which reads the position of the query; the relative (c) is not it."""
    return refuted(prove(equation(TERMS["c"], WORDS["c"])))


RF_23C = erratum(
    "errata.RF-23c",
    "in the relative form (c) = u^T W_k x_n depends on the content of the key alone",
    "(c) is the value of the key content together with the position of the query",
    _described_word_is_another,
    source="position-embedding notes (F0)",
    corrected=DEPENDENCE,
    claims=("RF-23c",),
)

ENTRIES = (
    ABSOLUTE_WORDS,
    SCORE,
    KEY_TERMS,
    OFFSET_TERMS,
    SHIFT,
    FACTORISED,
    ODD_SINE,
    DEPENDENCE,
    SUBSTITUTION,
    RF_23C,
)
