"""RF-00 to RF-39: claims on absolute and relative position embeddings up to DeBERTa."""

from derivations.claims_schema import Claim, ClaimStatus

TRUE = ClaimStatus.TRUE
UNDER = ClaimStatus.TRUE_UNDER_CONDITIONS
ERRATUM = ClaimStatus.ERRATUM
WORDING = ClaimStatus.ERRATUM_WORDING
QUALITATIVE = ClaimStatus.QUALITATIVE

_NOTES = "position embeddings / RoFormer notes"
ABSOLUTE = f"{_NOTES}: motivation and absolute embeddings"
SHAW = f"{_NOTES}: relative embeddings, Shaw"
XL = f"{_NOTES}: Transformer-XL"
T5 = f"{_NOTES}: T5"
DEBERTA = f"{_NOTES}: DeBERTa and the motivation of RoPE"

# Not formatted: a table that is read entry by entry; one argument a line would double its length.
# fmt: off
CLAIMS: tuple[Claim, ...] = (
    Claim("RF-00", QUALITATIVE, ABSOLUTE, "Order matters",
        "Order carries information, in sentences as in time series. A checkable form: an encoder that ignores order "
        "gives a sentence and its reordering one code, so no label that depends on order can be read off it."),
    Claim("RF-01", UNDER, ABSOLUTE, "An RNN is aware of position",
        "A recurrent network reads its input in sequence, so two orders of the same tokens can end in different "
        "states.",
        conditions="The recurrent weights W_h are not zero and the input map is generic; with W_h = 0 the last state "
                   "depends on the last token alone."),
    Claim("RF-02", UNDER, ABSOLUTE, "A Transformer does not see order",
        "Without positions, reordering the tokens only reorders the outputs: f(P X) = P f(X) for attention, "
        "feed-forward, residual and normalisation layers at any depth.",
        conditions="No positional term, no causal mask and no padding mask."),
    Claim("RF-03", TRUE, ABSOLUTE, "Absolute position embedding",
        "An absolute position embedding adds a vector to each token embedding: x_i becomes x_i + p_i."),
    Claim("RF-04", ERRATUM, ABSOLUTE, "Sinusoidal embedding",
        "The table is printed with position called i on the left and k on the right of the definition, so the "
        "right-hand side does not depend on the position.",
        correction="p_{i,2t} = sin(i / 10000^(2t/d)) and p_{i,2t+1} = cos(i / 10000^(2t/d)) for t = 0..d/2-1, d "
                   "even."),
    Claim("RF-05", WORDING, ABSOLUTE, "What the index t counts",
        "The index t is introduced as the number of a dimension of the vector.",
        correction="t numbers a pair of dimensions, 0 <= t < d/2, and the coordinates 2t and 2t+1 count from 0."),
    Claim("RF-06", QUALITATIVE, ABSOLUTE, "Learnable embedding",
        "A learnable embedding is a table with one trained row for each position, said to do better with enough "
        "data. A checkable form: such a table contains every fixed embedding of the positions it covers, so its best "
        "training loss is at most that of the sinusoidal table.",
        also=(TRUE,)),
    Claim("RF-07", UNDER, ABSOLUTE, "Extrapolation as an advantage",
        "The sinusoidal formula gives a vector for positions beyond those of training.",
        conditions="This says that the vector can be computed, for every integer position; it does not say that a "
                   "trained model uses it well (RF-10), and a cached table ends at its length.",
        also=(QUALITATIVE,)),
    Claim("RF-08", TRUE, ABSOLUTE, "No parameters as an advantage",
        "A sinusoidal table has no trainable parameters, a learnable one has L d."),
    Claim("RF-09", TRUE, ABSOLUTE, "A learnable table cannot extrapolate",
        "A learnable table is defined for positions 0..L-1 only; a position of L or more has no row and must be an "
        "error."),
    Claim("RF-10", QUALITATIVE, ABSOLUTE, "Sinusoids beyond the trained length",
        "Beyond the trained length the sinusoidal vectors are out of distribution. A checkable form: for slow "
        "frequencies some coordinate takes values at i >= L that it never takes at i < L."),
    Claim("RF-11", ERRATUM, ABSOLUTE, "Absolute embeddings and relative position",
        "Absolute embeddings are said to carry no relation between positions.",
        correction="For sinusoids p_m . p_n = sum_t cos((m-n) theta_t) and p_{m+s} = S_s p_m with a rotation S_s. "
                   "With a matrix M = W_q^T W_k between, p_m^T M p_n depends on m-n alone if and only if each block "
                   "of a pair is a I + b J and each block between different frequencies is zero."),
    Claim("RF-12", UNDER, ABSOLUTE, "Sensitivity to a shift",
        "Putting a word in front moves every later token, and with it every position vector and score of an absolute "
        "embedding.",
        correction="The example puts two tokens in front, a word and a comma, so the shift is 2 and not 1 (1 only "
                   "when split at blanks).",
        conditions="The rows of the table at the two positions differ; sinusoidal rows always do, learnable ones "
                   "need not.",
        also=(WORDING, QUALITATIVE)),
    Claim("RF-12b", UNDER, ABSOLUTE, "Relative positions remove the sensitivity",
        "When scores depend on positions through m-n alone, the outputs of the whole stack do not change under a "
        "common shift.",
        conditions="Values and keys carry no absolute position, and the mask is itself relative (none or causal)."),
    Claim("RF-13", UNDER, SHAW, "Early relative embeddings are added to token embeddings",
        "A relative vector p is added to the token embedding before the key projection: W_k (x_n + p).",
        conditions="This is RoFormer's form. Shaw adds a vector a after the projection, and the two forms agree only "
                   "if a lies in the range of W_k; T5 adds to the score and Transformer-XL adds terms."),
    Claim("RF-14", WORDING, SHAW, "Query times key",
        "The product of query and key is called the attention value.",
        correction="Query and key give the attention score, and after softmax the weight; the attention value needs "
                   "the values V as well (GP-09)."),
    Claim("RF-15", ERRATUM, SHAW, "Shaw's equations",
        "The value is printed with a matrix W_n that changes with the position, and keys and values carry one index "
        "only.",
        correction="v_{m,n} = W_v (x_n + p^v_r) and k_{m,n} = W_k (x_n + p^k_r) with r = clip(m-n): one matrix W_v, "
                   "and two indices because r depends on m."),
    Claim("RF-16", WORDING, SHAW, "Shaw's tables",
        "The relative vectors are learnable and printed with a lost subscript, p^{k}{r}.",
        correction="Read p^k_r and p^v_r; each table has r_max - r_min + 1 rows.",
        conditions="The rows have width d when they are added before the projection (RoFormer) and the width of a "
                   "head when they are added after it (Shaw).",
        also=(UNDER,)),
    Claim("RF-17", UNDER, SHAW, "The clip",
        "clip(r, r_min, r_max) is r_min below the range, r_max above it, and r inside.",
        conditions="r_min <= r_max; otherwise max(lo, min(hi, r)) and min(hi, max(lo, r)) disagree."),
    Claim("RF-18", ERRATUM, SHAW, "Beyond the clip",
        "Tokens beyond the clipping distance are said not to interact, and m-n < r_min is described as being closer.",
        correction="Beyond the clip the vector saturates at p_{r_min} or p_{r_max}: the precise distance is dropped "
                   "and the tokens still attend. m-n < r_min is a key farther to the right."),
    Claim("RF-19", UNDER, SHAW, "No position on the query",
        "The positional part of the score, (W_q x_m)^T W_k p_r, does not depend on the absolute position of the "
        "query.",
        conditions="Two queries are compared at equal content and equal r."),
    Claim("RF-20", TRUE, XL, "Expansion into four terms",
        "With q_m = W_q (x_m + p_m) and k_n = W_k (x_n + p_n) the score is the sum of content-content, "
        "content-position, position-content and position-position, for all widths."),
    Claim("RF-21", UNDER, XL, "Most absolute models compute this",
        "The four terms are what models with absolute embeddings compute.",
        conditions="First layer, no bias on query or key, and no normalisation between the sum x + p and the "
                   "projections."),
    Claim("RF-22", TRUE, XL, "The Transformer-XL score",
        "q_m^T k_n = x_m^T W_q^T W_k x_n + x_m^T W_q^T V_k p_{m-n} + u^T W_k x_n + v^T V_k p_{m-n}, where V_k is a "
        "second key matrix for positions and u, v have the width of a head. It factors as (W_q x_m + u)^T W_k x_n + "
        "(W_q x_m + v)^T V_k p_{m-n}."),
    Claim("RF-23", ERRATUM, XL, "What the four terms depend on",
        "Each of the four terms (a) to (d) of the Transformer-XL score is described by what it looks at; the parts "
        "state them one by one.",
        correction="On (query content, key content, distance) the terms depend as (a) yes yes no, (b) yes no yes, "
                   "(c) no yes no, (d) no no yes; the description of (c) is wrong.",
        also=(TRUE, UNDER),
        parts=(
            Claim("RF-23a", TRUE, XL, "Term (a)",
                "x_m^T W_q^T W_k x_n looks at the contents of query and key, and at no position."),
            Claim("RF-23b", TRUE, XL, "Term (b)",
                "x_m^T W_q^T V_k p_{m-n} looks at the content of the query and the distance m-n."),
            Claim("RF-23c", ERRATUM, XL, "Term (c)",
                "u^T W_k x_n is described by the position of the query and the content of the key.",
                correction="It depends on the content of the key alone; the description is that of the old third "
                           "term p_m^T W_q^T W_k x_n."),
            Claim("RF-23d", UNDER, XL, "Term (d)",
                "v^T V_k p_{m-n} is described by the positions of query and key.",
                conditions="It depends on them through the distance m-n alone."),
        )),
    Claim("RF-24", TRUE, XL, "Sinusoidal vectors for relative positions",
        "In (b) and (d) the absolute p_n becomes a sinusoidal vector of the distance m-n; at -r the sines change "
        "sign and the cosines stay.",
        correction="The printed subscript is lost; read p_{m-n}.",
        also=(WORDING,)),
    Claim("RF-25", UNDER, XL, "The vectors u and v",
        "In (c) and (d) the query position p_m^T W_q^T becomes trainable vectors u and v that are the same at every "
        "position.",
        conditions="u and v have the width of the projected head, one pair for each head; they have width d only if "
                   "the head does."),
    Claim("RF-26", TRUE, XL, "Two key matrices",
        "Content keys use W_k, in (a) and (c); position keys use a matrix of their own, in (b) and (d)."),
    Claim("RF-27", ERRATUM, T5, "Labels of dimensions",
        "The axes of key and query are labelled with the lengths exchanged: the key by query length, the query by "
        "key length.",
        correction="Query (batch, head, query length, width), key (batch, head, key length, width), so that scores "
                   "are (batch, head, query length, key length)."),
    Claim("RF-28", WORDING, T5, "Size of the positional tensors",
        "Tensors with a head axis are given the full model width as their last axis.",
        correction="With a head axis the last axis is d_model / H; a table of positions is (L, d), shared by the "
                   "batch."),
    Claim("RF-29", QUALITATIVE, T5, "Cost of learnable vectors",
        "A learnable table costs L d parameters, and sinusoids are said to lack expressiveness. A checkable form of "
        "the second: the fixed table is one member of the learnable class, and p_m . p_n is even in m-n, so without "
        "weights left and right look alike.",
        also=(TRUE,)),
    Claim("RF-30", WORDING, T5, "The T5 score",
        "The bias added to the score is printed b_{i,j} beside indices m and n.",
        correction="q_m^T k_n = x_m^T W_q^T W_k x_n + b_{m,n} with b_{m,n} = B_h[bucket(n-m)], one number for each "
                   "head and bucket; T5 does not divide the score by sqrt(d)."),
    Claim("RF-31", UNDER, T5, "T5 adds one matrix and saves much",
        "Only a matrix of scalars is added to the scores, which saves parameters.",
        conditions="The added tensor is (1, H, query length, key length), the same for the whole batch; the "
                   "parameters are num_buckets times H."),
    Claim("RF-32", TRUE, T5, "Buckets",
        "Distances fall into buckets, exact for small distances and logarithmic beyond, saturating at the last one. "
        "Left and right have their own halves; the logarithmic edges can be decided with integers."),
    Claim("RF-33", ERRATUM, T5, "Correlation between words and positions",
        "The T5 authors are said to have found correlation in the middle two of the four terms.",
        correction="The finding is that there is little correlation between words and absolute positions, and it is "
                   "of Ke et al. (TUPE); it is the reason for separating the terms."),
    Claim("RF-34", UNDER, T5, "Separate projections for positions",
        "q_m^T k_n = x_m^T W_q^T W_k x_n + p_m^T U_q^T U_k p_n + a bias: words and positions have projections of "
        "their own.",
        correction="The bias is b_{m,n}, and the formula is TUPE's.",
        conditions="TUPE scales by 1 / sqrt(2 d). The position term is absolute; it is relative only if U_q^T U_k "
                   "has the form of RF-11.",
        also=(WORDING,)),
    Claim("RF-35", TRUE, T5, "The T5 code has no such projections",
        "The released T5 attention has query, key, value and output matrices and the bias table, nothing else."),
    Claim("RF-36", UNDER, DEBERTA, "The DeBERTa score",
        "q_m^T k_n = x_m^T W_q^T W_k x_n + x_m^T W_q^T W_k p_{m-n} + p_{m-n}^T W_q^T W_k x_n, said to come from "
        "replacing both p_m and p_n by p_{m-n}.",
        correction="That replacement leaves a fourth term p_{m-n}^T W_q^T W_k p_{m-n}, which is dropped.",
        conditions="DeBERTa has matrices of its own for positions and scales by 1 / sqrt(3 d); its paper indexes the "
                   "third term by n-m, released code by m-n.",
        also=(ERRATUM,)),
    Claim("RF-37", QUALITATIVE, DEBERTA, "Only the middle terms model position fully",
        "Terms that mix content and position are held to be needed. A checkable form: without them the change of the "
        "score from distance r to r' does not depend on the content."),
    Claim("RF-38", UNDER, DEBERTA, "Cost of additive relative vectors",
        "Adding relative vectors costs work that grows with the length.",
        conditions="For additive relative keys: k_{m,n} depends on the query position, so keys cannot be cached and "
                   "each new token costs O(L d) in each layer. A rotated key R_n W_k x_n has no m and can be cached.",
        also=(QUALITATIVE,)),
    Claim("RF-39", QUALITATIVE, DEBERTA, "A scalar is not enough",
        "A scalar bias is held to be too weak. A checkable form: for T5 the score at r minus that at 0 has no "
        "derivative in the content, for RoPE it has."),
)
# fmt: on
