"""RF-40 to RF-56: claims on rotary embedding."""

from derivations.claims_schema import Claim, ClaimStatus

TRUE = ClaimStatus.TRUE
UNDER = ClaimStatus.TRUE_UNDER_CONDITIONS
ERRATUM = ClaimStatus.ERRATUM
WORDING = ClaimStatus.ERRATUM_WORDING
QUALITATIVE = ClaimStatus.QUALITATIVE

_NOTES = "position embeddings / RoFormer notes"
GOAL = f"{_NOTES}: the goal of RoPE"
PLANE = f"{_NOTES}: RoPE in two dimensions"
SPACE = f"{_NOTES}: RoPE in d dimensions"

# Not formatted: a table that is read entry by entry; one argument a line would double its length.
# fmt: off
CLAIMS: tuple[Claim, ...] = (
    Claim("RF-40", WORDING, GOAL, "The goal",
        "The score shall be a function of the contents and of m-n alone, <q_m, k_n> = g(x_m, x_n, m-n), and the task "
        "is called finding g.",
        correction="The unknowns are f_q and f_k; g then follows as g(x, y, r) = <f_q(x, r), f_k(y, 0)>. The "
                   "solution is not unique: factors c^m on queries and c^-n on keys solve it too.",
        also=(TRUE,)),
    Claim("RF-41", TRUE, PLANE, "Complex solution",
        "In the plane, q_m = (W_q x_m) e^{i m theta} and k_n = (W_k x_n) e^{i n theta} give g = Re[(W_q x_m) (W_k "
        "x_n)^* e^{i (m-n) theta}]."),
    Claim("RF-42", ERRATUM, PLANE, "The line of the inner product",
        "The real inner product is set equal to a complex product, ((W_q x_m) e^{i m theta}) ((W_k x_n) e^{i n "
        "theta})^H.",
        correction="<q_m, k_n> = Re[(W_q x_m) (W_k x_n)^* e^{i (m-n) theta}]; the imaginary part of the product is "
                   "not zero."),
    Claim("RF-43", UNDER, PLANE, "The angle theta",
        "Multiplying by e^{i m theta} alone encodes m-n; theta is asked to be a constant other than zero.",
        correction="theta != 0 does not suffice: theta = 2 pi gives the same rotation at every position.",
        conditions="theta is not a multiple of 2 pi; all positions are distinct if and only if theta / (2 pi) is "
                   "irrational, which holds for 10000^(-2t/d)."),
    Claim("RF-44", TRUE, PLANE, "Coordinates of y = W_q x",
        "The two coordinates of y = W_q x are written out as sums of products.",
        correction="y is called a matrix; it is a vector.",
        also=(WORDING,)),
    Claim("RF-45", TRUE, PLANE, "Euler's formula",
        "e^{i theta} = cos(theta) + i sin(theta)."),
    Claim("RF-46", UNDER, PLANE, "Euler's formula as a matrix",
        "The complex number e^{i theta} is set equal to the matrix of the rotation by theta.",
        correction="phi(e^{i theta}) = R(theta), where phi(a + i b) = a I + b J with J = [[0, -1], [1, 0]].",
        conditions="Read as the image under phi, an isomorphism of rings onto the matrices a I + b J."),
    Claim("RF-47", TRUE, PLANE, "Rotated query and key",
        "In the plane query and key are R(m theta) W x_m with R(m theta) a rotation: orthogonal, of determinant 1."),
    Claim("RF-48", UNDER, SPACE, "Block-diagonal form",
        "Query and key are multiplied by a block-diagonal matrix of d/2 rotations by m theta_i; the inner product is "
        "the sum of d/2 planar ones, and R_m^T R_n = R_{n-m}.",
        conditions="The width d of a head, or of its rotated part, is even."),
    Claim("RF-49", TRUE, SPACE, "The frequencies",
        "theta_i = 10000^(-2(i-1)/d) for i = 1..d/2: the frequencies of the sinusoidal embedding, counted from 1."),
    Claim("RF-50", ERRATUM, SPACE, "The final score",
        "The score is printed x^T W_q R_{n-m} W_k x_n.",
        correction="q_m^T k_n = x_m^T W_q^T R_{n-m} W_k x_n: the transpose of W_q and the index of the first x are "
                   "missing. The printed form agrees for all data only if W_q is symmetric."),
    Claim("RF-51", ERRATUM, SPACE, "Pairs of coordinates",
        "A pair is called theta_n = (x_{2n-1}, x_{2n}) with n running up to d.",
        correction="The pair is x^(n) = (x_{2n-1}, x_{2n}) with n = 1..d/2, and it is rotated by m theta_n; theta_n "
                   "is a frequency."),
    Claim("RF-52", UNDER, SPACE, "What is rotated",
        "Pairs of coordinates of the token are rotated by their angles.",
        conditions="The projected query and key are meant. Rotating the token before the projection gives relative "
                   "scores for all data if and only if W_q^T W_k is a I + b J in each pair and zero between pairs."),
    Claim("RF-53", UNDER, SPACE, "Not every rotation",
        "A block-diagonal rotation is not the general rotation of R^d.",
        conditions="d >= 4; for d = 2 it is every rotation, since dim SO(d) - d/2 = d (d-2) / 2."),
    Claim("RF-54", TRUE, SPACE, "Invariant subspace",
        "A subspace V is invariant under R when R(V) lies in V."),
    Claim("RF-55", UNDER, SPACE, "The planes are not mixed",
        "Each plane V_i = span(e_{2i-1}, e_{2i}) is invariant under the rotation, so pairs are not mixed.",
        conditions="Interleaved layout and even d. In the half-split layout the invariant planes are span(e_i, "
                   "e_{i+d/2}); for odd d the last coordinate is in no plane."),
    Claim("RF-56", QUALITATIVE, SPACE, "Why blocks",
        "In the plane a rotation has one parameter, in R^d it has d (d-1) / 2, and blocks are presumed to be chosen "
        "for simplicity. There is a theorem: if scores depend on m-n for all q, k and R_0 = I, then R_m is "
        "orthogonal and R_m = R_1^m, and in a suitable orthonormal basis, absorbed in W_q and W_k, it is "
        "block-diagonal.",
        also=(TRUE,)),
)
# fmt: on
