"""GP-01 to GP-28: claims on GPT, attention and the Transformer."""

from derivations.claims_schema import Claim, ClaimStatus

TRUE = ClaimStatus.TRUE
UNDER = ClaimStatus.TRUE_UNDER_CONDITIONS
WORDING = ClaimStatus.ERRATUM_WORDING
QUALITATIVE = ClaimStatus.QUALITATIVE

_NOTES = "GPT and attention notes"
GPT = f"{_NOTES}: GPT"
ATTENTION = f"{_NOTES}: attention"
TRANSFORMER = f"{_NOTES}: Transformer"

# Not formatted: a table that is read entry by entry; one argument a line would double its length.
# fmt: off
CLAIMS: tuple[Claim, ...] = (
    Claim("GP-01", UNDER, GPT, "GPT is made of self-attention layers",
        "GPT is built on the Transformer, from layers of self-attention.",
        conditions="The layers also hold a feed-forward network, normalisation and residual connections, and the "
                   "stack starts with embeddings."),
    Claim("GP-02", UNDER, GPT, "A stack of decoder layers",
        "GPT stacks decoder layers with two sub-layers each: self-attention and feed-forward.",
        correction="It is the decoder layer without its cross-attention, and its self-attention is masked.",
        conditions="The decoder layer of the original Transformer has three sub-layers."),
    Claim("GP-03", UNDER, GPT, "Normalisation first, residual after",
        "Normalisation comes before each sub-layer and a residual connection around it: x + F(LN(x)).",
        correction="GPT-1 normalises after the sum: LN(x + F(x)).",
        conditions="GPT-2 and GPT-3; the residual goes around each sub-layer, not around the layer."),
    Claim("GP-04", QUALITATIVE, GPT, "Long sequences and good text",
        "GPT is said to handle long sequences and to write well. A checkable form: the length is bounded by the "
        "table of positions (RF-09), and the cost grows with its square (CS-54)."),
    Claim("GP-05", UNDER, GPT, "One vector of fixed size loses information",
        "A sequence-to-sequence model that packs the input into one vector loses information.",
        conditions="The input is long enough: a linear encoder from T d to n numbers has a kernel of dimension at "
                   "least T d - n, and a code of finitely many bits collides once |V|^T exceeds the number of codes."),
    Claim("GP-06", UNDER, GPT, "Vanishing gradients of recurrent networks",
        "Recurrent networks suffer from vanishing gradients.",
        conditions="As in CS-09: the factors of the product stay below a bound smaller than 1."),
    Claim("GP-07", QUALITATIVE, GPT, "Quality falls with the length of the input",
        "Translation by one fixed vector gets worse for long inputs. This is an observation; GP-05 and CS-10 are its "
        "checkable forms."),
    Claim("GP-08", TRUE, ATTENTION, "Attention as a function",
        "Attention maps queries, keys and values to an attention value."),
    Claim("GP-09", UNDER, ATTENTION, "What attention computes",
        "The similarity of the query to each key weights the values, and the weighted values are summed.",
        correction="o = sum_j alpha_j v_j with alpha = softmax(s(q, k_j)); the softmax is left out.",
        conditions="The similarities are normalised by softmax before they weight the values."),
    Claim("GP-10", TRUE, ATTENTION, "Query, key and value in a translation model",
        "The query is the decoder state; keys and values are the encoder states. Luong takes the state at step t, "
        "Bahdanau the one before the update."),
    Claim("GP-11", QUALITATIVE, ATTENTION, "Weights measure how much a word helps",
        "A larger weight is read as more help. A checkable form: do/dv_j = alpha_j I and do/ds_j = alpha_j (v_j - "
        "o)."),
    Claim("GP-12", WORDING, ATTENTION, "Attention makes no hidden states",
        "Attention is said to do without the hidden states of the encoder.",
        correction="The encoder still makes a hidden state for each input; what is avoided is compressing them into "
                   "one last vector."),
    Claim("GP-13", WORDING, ATTENTION, "Which state comes first",
        "Attention is said to choose which hidden state to look at first.",
        correction="All states are used at once with positive weights; no order in time is involved, and only a "
                   "limit selects one (CS-37)."),
    Claim("GP-14", UNDER, ATTENTION, "Different weights at each step",
        "Different input words get different weights at each step.",
        conditions="Their scores differ: alpha_i / alpha_j = e^{s_i - s_j}."),
    Claim("GP-15", TRUE, ATTENTION, "Recurrence with attention",
        "The next state is made from the previous output, the previous state and the attention value; "
        "implementations differ in where the attention value enters."),
    Claim("GP-16", WORDING, TRANSFORMER, "Attention only",
        "The Transformer is called an encoder-decoder made of attention alone.",
        correction="It has no recurrence and no convolution; feed-forward networks, normalisation, residual "
                   "connections and embeddings remain, and the feed-forward part holds most of a layer's parameters."),
    Claim("GP-17", TRUE, TRANSFORMER, "Stacked units instead of time steps",
        "The encoder and the decoder stack N layers, N = 6 in the paper, instead of unrolling t steps in time."),
    Claim("GP-18", UNDER, TRANSFORMER, "Self-attention has Q = K = V",
        "In self-attention query, key and value are called equal.",
        correction="They have one source: Q = W_q X, K = W_k X, V = W_v X. Literally equal ones would force "
                   "symmetric scores.",
        conditions="Read as equal arguments before the projections; scores are symmetric for all inputs if and only "
                   "if W_q^T W_k is symmetric.",
        also=(WORDING,)),
    Claim("GP-19", UNDER, TRANSFORMER, "Masked self-attention of the decoder",
        "The decoder's first attention is self-attention, again with Q = K = V, that looks at earlier positions "
        "only.",
        correction="As GP-18: one source, three projections.",
        conditions="Position i sees j <= i (CS-45).",
        also=(WORDING,)),
    Claim("GP-20", TRUE, TRANSFORMER, "Attention from decoder to encoder",
        "In the attention between decoder and encoder the query comes from the decoder, key and value from the "
        "encoder, so it is not self-attention."),
    Claim("GP-21", TRUE, TRANSFORMER, "Where the three attentions are",
        "Self-attention is in the encoder; masked self-attention and attention to the encoder are in the decoder."),
    Claim("GP-22", TRUE, TRANSFORMER, "Many heads",
        "Several heads run attention in parallel and independently; concatenating them and applying W_O equals the "
        "sum of each head times its own block of W_O."),
    Claim("GP-23", WORDING, TRANSFORMER, "Position-wise feed-forward",
        "Position-wise is explained as signals flowing in one direction.",
        correction="One direction is what feed-forward means. Position-wise means that the same two layers are "
                   "applied to each position by itself: FFN(x_i) = W_2 relu(W_1 x_i + b_1) + b_2."),
    Claim("GP-24", TRUE, TRANSFORMER, "All queries at once",
        "Q collects the decoder states of all steps; row t of the result is the attention of q_t alone, so this "
        "agrees with GP-10. While generating, only the rows up to t exist."),
    Claim("GP-25", UNDER, TRANSFORMER, "Q differs from K in translation, all equal in self-attention",
        "In a translation model the query differs from keys and values, in self-attention all three are called "
        "equal.",
        correction="As GP-18: one source, three projections.",
        conditions="Equal means that the three come from the same sequence.",
        also=(WORDING,)),
    Claim("GP-26", UNDER, TRANSFORMER, "Vectors of all words",
        "In self-attention Q, K and V are the vectors of all words of the input.",
        conditions="In the first layer, before projection; later layers take the hidden states of the layer below."),
    Claim("GP-27", QUALITATIVE, TRANSFORMER, "Why many heads",
        "Many heads are said to collect different views. A checkable form: two heads can put v_a in one block and "
        "v_b in another, while one head with the same values stays between v_a and v_b, at a distance of at least "
        "1/sqrt(2)."),
    Claim("GP-28", TRUE, TRANSFORMER, "Encoder and decoder without recurrence",
        "The Transformer keeps the encoder-decoder structure and drops recurrence."),
)
# fmt: on
