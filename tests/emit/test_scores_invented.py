"""Invented theorems: other signs, biases and shifts. The code follows the statement, or a refusal names what is odd."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from derivations.derivation import theorem
from derivations.kernel import Hypothesis, Range, Statement, Theorem, prove
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.layouts import Size
from derivations.kernel.terms import Add, Apply, MatrixFamily, MatrixSymbol, Multiply, Symbol, Term, Transpose, number
from posproofs.emit import emit_scores, scores_reading
from posproofs.emit.shift_reading import read_shift
from posproofs.errors import NotEmittable
from tests.emit.four_terms import drawn

D, E, ONE = Size(1, "d"), Size(1, "e"), Size(1)
I, J, K, L, P = map(Symbol, "ijKLP")  # noqa: E741
M, N = Symbol("m"), Symbol("n")


def minus(a: Term, b: Term) -> Term:
    return Add((a, Multiply((number(-1), b))))


def projected(matrix: str, vector: Term) -> Term:
    return Multiply((MatrixSymbol(matrix, E, D), vector))


def row(argument: Term) -> Term:
    return Multiply((MatrixFamily("P", argument, D, "free"), MatrixSymbol("first", D, ONE)))


VECTORS: dict[str, Term] = {
    "q": projected("W_q", MatrixSymbol("x_m", D, ONE)),
    "k": projected("W_k", MatrixSymbol("x_n", D, ONE)),
    **{name: MatrixSymbol(name, E, ONE) for name in "uvw"},
}
OFFSETS = {"m - n": minus(M, N), "n - m": minus(N, M), "m + n": Add((M, N))}
Coefficients = dict[tuple[str, str], Fraction]  # of the query's side with k or r


def proved(left: Term, right: Term, *rest: object) -> Theorem:
    answer = prove(Statement(left, right, *rest))  # type: ignore[arg-type]
    assert isinstance(answer, Theorem), answer
    return answer


def score(coefficients: Coefficients, offset: str = "m - n", *, swapped: frozenset[str] = frozenset()) -> Theorem:
    """Products one by one = the same gathered by what stands on the right; `swapped` forms are b^T a for a^T b."""
    right = {"k": VECTORS["k"], "r": projected("W_r", row(OFFSETS[offset]))}
    words = [Multiply((number(c), Transpose(VECTORS[a]), right[b])) for (a, b), c in coefficients.items()]
    forms = []
    for b in ("k", "r"):
        gathered = Add(tuple(Multiply((number(c), VECTORS[a])) for (a, to), c in coefficients.items() if to == b))
        pair = (Transpose(right[b]), gathered) if b in swapped else (Transpose(gathered), right[b])
        forms.append(Multiply(pair))
    return proved(Add(tuple(words)), Add(tuple(forms)))


@dataclass(frozen=True)
class Shift:
    """A theorem, the offset of its columns, rows of X, its column for (i, j, L, K), where it holds, words for row t."""

    theorem: Callable[[], Theorem]
    offset: str
    rows: Callable[[int, int], int]
    column: Callable[[int, int, int], int]
    holds: Callable[[int, int, int, int], bool]
    words: str
    square: bool = False


def everywhere(_i: int, _j: int, _queries: int, _keys: int) -> bool:
    return True


def past(i: int, j: int, queries: int, keys: int) -> bool:
    return j <= i + keys - queries


def gather(flat: Term, width: Term, at: tuple[Term, Term], keys: Term = K, *hypotheses: Hypothesis) -> Theorem:
    assert isinstance(L, Symbol)
    ranges = (Range("i", L), Range("j", keys))
    return proved(Reading("X", flat, width), Cell("X", *at), hypotheses, ranges)


def ahead() -> Theorem:
    """Each row starts one column later than that before: it reads i + j, and ends with the matrix."""
    width = Add((K, L))
    return gather(Add((Multiply((I, Add((width, number(1))))), J)), width, (I, Add((I, J))))


def left_half() -> Theorem:
    """The columns of `bidirectional` from the first on: it reads j + L - 1 - i."""
    stride = Add((K, L, number(-1)))
    flat = Add((Multiply((I, stride)), J, L, number(-1)))
    return gather(flat, Add((K, L)), (I, minus(Add((J, L, number(-1))), I)))


SHIFTS: dict[str, Shift] = {
    "bidirectional": Shift(
        lambda: theorem("rel_shift.bidirectional"),
        "m - n",
        lambda queries, keys: keys + queries,
        lambda i, j, queries: j + queries - i,
        everywhere,
        "m - n = K - t",
    ),
    "other sign": Shift(
        lambda: theorem("rel_shift.bidirectional"),
        "n - m",
        lambda queries, keys: keys + queries,
        lambda i, j, queries: j + queries - i,
        everywhere,
        "n - m = t - K",
    ),
    "one column earlier": Shift(
        left_half,
        "m - n",
        lambda queries, keys: keys + queries,
        lambda i, j, queries: j + queries - 1 - i,
        everywhere,
        "m - n = K - 1 - t",
    ),
    "conformer": Shift(
        lambda: theorem("rel_shift.conformer"),
        "m - n",
        lambda queries, _keys: 2 * queries,
        lambda i, j, queries: j + queries - i,
        everywhere,
        "m - n = L - t",
        square=True,
    ),
    "vits": Shift(
        lambda: theorem("rel_shift.vits"),
        "m - n",
        lambda queries, _keys: 2 * queries,
        lambda i, j, queries: j - i + queries - 1,
        everywhere,
        "m - n = L - 1 - t",
        square=True,
    ),
    "causal": Shift(
        lambda: theorem("rel_shift.causal"),
        "m - n",
        lambda _queries, keys: keys + 1,
        lambda i, j, queries: j + queries - i,
        past,
        "m - n = K - t",
    ),
    "ahead": Shift(
        ahead,
        "m + n",
        lambda queries, keys: keys + queries,
        lambda i, j, _queries: i + j,
        everywhere,
        "m + n = t + K - L",
    ),
}


@st.composite
def coefficients(draw: st.DrawFn) -> Coefficients:
    """The query always meets both; biases meet what they like."""
    values = st.sampled_from([Fraction(1), Fraction(-1), Fraction(2), Fraction(-3, 2)])
    found = {(a, b): draw(values) for b in "kr" for a in "quvw" if a == "q" or draw(st.booleans())}
    return dict(draw(st.permutations(list(found.items()))))


def expected(x: dict[str, Tensor], given_coefficients: Coefficients, shift: Shift) -> tuple[Tensor, Tensor]:
    """The scores entry by entry in float64, and where the shift claims them."""
    queries, keys = x["q"].shape[2], x["k"].shape[2]
    result = torch.zeros(*x["q"].shape[:3], keys, dtype=torch.float64)
    claimed = torch.zeros(queries, keys, dtype=torch.bool)
    for i in range(queries):
        for j in range(keys):
            claimed[i, j] = shift.holds(i, j, queries, keys)
            if not claimed[i, j]:
                continue
            right = {"k": x["k"][:, :, j], "r": x["r"][:, shift.column(i, j, queries)]}
            for (a, b), c in given_coefficients.items():
                left = x["q"][:, :, i] if a == "q" else x[a]
                result[:, :, i, j] += float(c) * (left * right[b]).sum(dim=-1)
    return result, claimed


@settings(max_examples=60)
@given(
    st.sampled_from(sorted(SHIFTS)),
    coefficients(),
    st.sets(st.sampled_from("kr")),
    st.integers(1, 5),
    st.integers(0, 4),
)
def test_the_code_follows_the_statement(
    name: str, drawn_coefficients: Coefficients, swapped: set[str], queries: int, memory: int
) -> None:
    shift = SHIFTS[name]
    keys = queries if shift.square else queries + memory
    x = drawn(2, 2, queries, keys, 3, rows=shift.rows(queries, keys))
    given_tensors = {"q": x.q, "k": x.k, "r": x.r, "u": x.u, "v": x.v, "w": x.u.flip(0)}
    used = sorted({a for a, _ in drawn_coefficients} - {"q"})
    proofs = score(drawn_coefficients, shift.offset, swapped=frozenset(swapped)), shift.theorem()
    scores, in_numpy = emit_scores(*proofs), emit_scores(*proofs, to="numpy")
    five = [given_tensors[argument] for argument in ("q", "k", "r", *used)]
    wanted, claimed = expected(given_tensors, drawn_coefficients, shift)
    for seen in (scores(*five), torch.from_numpy(in_numpy(*(t.numpy() for t in five)))):
        assert torch.allclose(torch.where(claimed, seen, 0), wanted, rtol=0, atol=1e-13)
    weights = (0.25 * wanted).masked_fill(~claimed, -torch.inf).softmax(dim=-1)
    six = [*five[:2], x.values, *five[2:]]
    options = {"scale": 0.25, "mask": claimed}
    assert torch.allclose(scores.attention(*six, **options), weights @ x.values, rtol=0, atol=1e-13)
    again = in_numpy.attention(*(t.numpy() for t in six), scale=0.25, mask=claimed.numpy())
    assert torch.allclose(torch.from_numpy(again), weights @ x.values, rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", SHIFTS)
def test_the_text_says_which_offset_a_row_belongs_to(name: str) -> None:
    shift = SHIFTS[name]
    text = emit_scores(score(FOUR, shift.offset), shift.theorem()).source
    assert f"row t is that of the offset {shift.words}." in " ".join(text.split())
    assert ("Scores where " in text) == (shift.holds is past)
    # Only a shift that holds for every query and key, whatever their numbers, is taken a block of queries at a time.
    assert ("_BLOCK" in text) == (shift.holds is everywhere and not shift.square)


FOUR: Coefficients = {pair: Fraction(1) for pair in (("q", "k"), ("u", "k"), ("q", "r"), ("v", "r"))}


def test_blocks_of_an_invented_shift_join_without_a_seam() -> None:
    for name in ("one column earlier", "ahead"):
        shift = SHIFTS[name]
        scores = emit_scores(score(FOUR, shift.offset), shift.theorem())
        x = drawn(1, 1, 300, 310, 2, rows=shift.rows(300, 310))
        weights = (0.5 * scores(*x.five)).softmax(dim=-1)
        assert torch.allclose(scores.attention(*x.six, scale=0.5), weights @ x.values, rtol=0, atol=1e-13)


def test_exchanged_biases_and_the_other_sign_change_the_code() -> None:
    exchanged = {("q", "k"): Fraction(1), ("v", "k"): Fraction(1), ("q", "r"): Fraction(1), ("u", "r"): Fraction(-1)}
    text = emit_scores(score(exchanged), theorem("rel_shift.bidirectional")).source
    assert "content = (q + v[:, None]) @ k.mT" in text
    assert "_shifted((q - u[:, None]) @ r.mT" in text
    assert "def scores(q, k, r, u, v):" in text
    assert (
        "def scores(q, k, r, u):"
        in emit_scores(score({k: c for k, c in FOUR.items() if k[0] != "v"}), bidirectional()).source
    )


def bidirectional() -> Theorem:
    return theorem("rel_shift.bidirectional")


def of_two(first: Term, second: Term, *hypotheses: Hypothesis) -> Theorem:
    """An identity with these two products."""
    total = Add((first, second))
    return proved(Add((second, first)), total, hypotheses)


def at_offset(argument: Term) -> Term:
    """The product of the query with the row at that scalar."""
    return Multiply((Transpose(VECTORS["q"]), projected("W_r", row(argument))))


Q_K, Q_R = (Multiply((Transpose(VECTORS["q"]), b)) for b in (VECTORS["k"], projected("W_r", row(OFFSETS["m - n"]))))
ODD_SCORES: dict[str, tuple[Callable[[], Theorem], str]] = {
    "two projections of the query": (
        lambda: of_two(Multiply((Transpose(projected("W_p", MatrixSymbol("x_m", D, ONE))), VECTORS["k"])), Q_R),
        "q would stand for",
    ),
    "no key": (lambda: of_two(Q_R, Multiply((Transpose(VECTORS["u"]), VECTORS["k"]))), "query with the key"),
    "no offset": (lambda: of_two(Q_K, Multiply((Transpose(VECTORS["u"]), VECTORS["k"]))), "row of the offset"),
    "two biases": (lambda: of_two(Q_K, Multiply((Transpose(VECTORS["u"]), VECTORS["v"]))), "u\\^T v is not of the"),
    "key with offset": (
        lambda: of_two(Q_K, Multiply((Transpose(VECTORS["k"]), projected("W_r", row(OFFSETS["m - n"]))))),
        "is not of the query's side",
    ),
    "a rotated key": (
        lambda: of_two(
            Q_K, Multiply((Transpose(VECTORS["q"]), MatrixFamily("R", minus(M, N), E, "rotation"), VECTORS["k"]))
        ),
        "no projected query, key or offset",
    ),
    "an offset of something else": (
        lambda: of_two(Q_K, at_offset(M)),
        "not taken at one offset",
    ),
    "an offset of every other token": (
        lambda: of_two(Q_K, at_offset(Multiply((number(Fraction(1, 2)), OFFSETS["m - n"])))),
        "no integer polynomial",
    ),
    "an offset that is a product": (lambda: of_two(Q_K, at_offset(Multiply((M, N)))), "does not determine"),
    "a logarithmic offset": (
        lambda: of_two(
            Q_K,
            at_offset(Add((Apply("log", M), Apply("log", N)))),
            Hypothesis("positive", M),
            Hypothesis("positive", N),
        ),
        "is not read: a logarithm",
    ),
    "not a form": (lambda: theorem("euler.cis"), "has no place in a score"),
    "two forms in one product": (lambda: of_two(Q_K, Multiply((Q_R, Q_R))), "is not a\\^T b"),
}


@pytest.mark.parametrize("name", ODD_SCORES)
def test_what_is_no_score_of_four_terms_is_refused(name: str) -> None:
    make, words = ODD_SCORES[name]
    with pytest.raises(NotEmittable, match=words):
        emit_scores(make(), bidirectional())


def after(*terms: Term) -> Term:
    return Add(terms)


ODD_SHIFTS: dict[str, tuple[Callable[[], Theorem], str]] = {
    "the offset does not say the column": (ahead, "does not determine"),
    "not a gather": (lambda: theorem("euler.cis"), "is not a reading and its entry"),
    "every other column": (
        lambda: gather(
            after(Multiply((I, number(2), K)), Multiply((number(2), J))),
            Multiply((number(2), K)),
            (I, Multiply((number(2), J))),
        ),
        "does not step by 1",
    ),
    "the next row": (
        lambda: gather(after(Multiply((after(I, number(1)), K)), J), K, (after(I, number(1)), J)),
        "not in the row i",
    ),
    "a third length": (
        lambda: gather(after(Multiply((I, after(K, P))), J), after(K, P), (I, J), K, Hypothesis("nonnegative", P)),
        "lengths besides L and K",
    ),
    "past the end where nothing is claimed": (
        lambda: gather(
            after(Multiply((I, K)), J, L),
            K,
            (I, after(J, L)),
            K,
            Hypothesis("nonnegative", Add((K, Multiply((number(-1), L)), Multiply((number(-1), J)), number(-1)))),
        ),
        "not shown to stay inside",
    ),
    "rows of changing length": (
        lambda: gather(after(Multiply((I, after(K, I))), J), after(K, I), (I, J)),
        "does not step by 1",
    ),
    "one index": (
        lambda: proved(Reading("X", J, K), Cell("X", number(0), J), (), (Range("j", Symbol("K")),)),
        "an index of queries and one of keys",
    ),
}


@pytest.mark.parametrize("name", ODD_SHIFTS)
def test_what_is_no_shift_is_refused(name: str) -> None:
    make, words = ODD_SHIFTS[name]
    with pytest.raises(NotEmittable, match=words):
        emit_scores(score(FOUR), make())


def test_either_side_of_a_gather_identity_may_be_the_reading() -> None:
    shift = bidirectional().statement
    turned = proved(shift.right, shift.left, (), shift.ranges)
    text = emit_scores(score(FOUR), turned).source
    assert text.partition("import")[2] == emit_scores(score(FOUR), bidirectional()).source.partition("import")[2]


def test_a_condition_on_some_entries_is_no_fact_about_the_view() -> None:
    """Where j < K - L there are more keys than queries, but the view has entries for other calls too."""
    region = Hypothesis("nonnegative", Add((K, Multiply((number(-1), L)), Multiply((number(-1), J)), number(-1))))
    start = Add((K, Multiply((number(-1), L)), number(-1)))
    flat = Add((Multiply((I, K, number(3))), J, start))
    theorem_there = gather(flat, Multiply((K, number(3))), (I, Add((J, start))), K, region)
    with pytest.raises(NotEmittable, match="not shown to stay inside"):
        emit_scores(score(FOUR), theorem_there)


def test_a_block_whose_columns_are_not_all_there_is_not_taken_alone() -> None:
    """Only the reading is tried here: with K < L the statement is false, and the emitted code refuses such lengths."""
    assert isinstance(L, Symbol)
    twice = Multiply((number(2), K))
    flat = Add((Multiply((I, Add((twice, number(1))))), J))
    ranges = (Range("i", L), Range("j", K))
    shift = read_shift(Statement(Reading("X", flat, twice), Cell("X", I, Add((I, J))), (), ranges))
    assert shift.block is None
    assert not shift.cut


def test_what_was_read_is_proved_to_be_the_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that doubles every coefficient is found out."""
    words = scores_reading._words

    def doubled(term: Term) -> list[tuple[Fraction, tuple[Term, ...]]]:
        return [(2 * c, letters) for c, letters in words(term)]

    monkeypatch.setattr(scores_reading, "_words", doubled)
    with pytest.raises(NotEmittable, match="are not proved to be"):
        emit_scores(score(FOUR), bidirectional())
