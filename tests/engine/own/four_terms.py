"""Four-term scores as people write them: gathered, shifted as Transformer-XL does, and with u and v exchanged."""

import torch
from torch import Tensor


def gathered(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    queries, keys = q.shape[2], k.shape[2]
    offset = torch.arange(queries)[:, None] + keys - queries - torch.arange(keys)
    content = torch.einsum("bhid,bhjd->bhij", q + u[:, None], k)
    return content + torch.einsum("bhid,hijd->bhij", q + v[:, None], r[:, keys - offset])


def _shifted(x: Tensor) -> Tensor:
    queries, keys, batch, heads = x.shape
    padded = torch.cat((x.new_zeros(queries, 1, batch, heads), x), dim=1)
    return padded.view(keys + 1, queries, batch, heads)[1:].reshape(queries, keys, batch, heads)


def shifted(w_head_q: Tensor, w_head_k: Tensor, r_head_k: Tensor, r_w_bias: Tensor, r_r_bias: Tensor) -> Tensor:
    content = torch.einsum("ibnd,jbnd->ijbn", w_head_q + r_w_bias, w_head_k)
    place = torch.einsum("ibnd,jnd->ijbn", w_head_q + r_r_bias, r_head_k)
    scores: Tensor = (content + _shifted(place)) / w_head_q.shape[-1] ** 0.5
    return scores


def exchanged(w_head_q: Tensor, w_head_k: Tensor, r_head_k: Tensor, r_w_bias: Tensor, r_r_bias: Tensor) -> Tensor:
    return shifted(w_head_q, w_head_k, r_head_k, r_r_bias, r_w_bias)
