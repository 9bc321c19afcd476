"""What the two libraries write differently in an emitted score: text with places, marked $name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from posproofs.emit.expressions import Dialect


@dataclass(frozen=True, slots=True)
class Library:
    """The functions of one module; those that are called from outside get their head and docstring elsewhere."""

    dialect: Dialect
    imports: str
    array: str
    scores: str
    whole: str  # attention of all queries at once
    blocks: str  # and of some at a time, where the shift allows that
    attended: tuple[str, ...]  # what both call
    cut: str
    strided: str
    checks: str


_TORCH_SCORES = """\
_require_shapes($given)
dtype, work = q.dtype, torch.promote_types(q.dtype, torch.float32)
$given = (x.to(work) for x in ($given))
content = $content_factor @ k.mT  # (B, H, L, K)
offset = _shifted($offset_factor @ r.mT, k.shape[-2])  # (B, H, L, K), a view
return (content + offset).to(dtype)"""

_TORCH_WHOLE = """\
_require_shapes($given)
_require_values(v_values, q, k)
scale = _checked_scale(scale, q.shape[-1])
if mask is not None:
    _require_mask(mask, (*q.shape[:-1], k.shape[-2]))
return _attended($of_attention, scale, mask)"""

_TORCH_BLOCKS = """\
_require_shapes($given)
_require_values(v_values, q, k)
scale = _checked_scale(scale, q.shape[-1])
queries, keys = q.shape[2], k.shape[2]
if mask is not None:
    _require_mask(mask, (*q.shape[:-1], keys))
    mask = mask.expand(*q.shape[:-1], keys)
results = []
# A block of queries is a call with fewer queries: the same identity holds, and its offsets are some rows of r. So
# offsets that no query of the block has are not computed, and one block is in memory at a time.
for first in range(0, queries, _BLOCK):
    part = q[:, :, first : first + _BLOCK]
    size = part.shape[2]
    rows = r[:, $rows_from : $rows_to]
    seen = None if mask is None else mask[:, :, first : first + size]
    results.append(_attended($of_block, scale, seen))
return torch.cat(results, dim=2)"""

_TORCH_ATTENDED = """\
def _attended($of_attention, scale, mask):
    # softmax(scale*(content + offset)) is wanted. Torch computes softmax(scale*content + what it is given as a mask),
    # so the offset is scaled here: before the product, where there is least to scale.
    offset = _shifted((scale * $offset_factor) @ r.mT, k.shape[-2])  # (B, H, L, K), a view
    if mask is not None:
        offset = offset.masked_fill(~mask, -math.inf)
    content = $content
    return torch.nn.functional.scaled_dot_product_attention(content, k, v_values, attn_mask=offset, scale=scale)"""

_TORCH_CUT = """\
def _shifted(x, keys):
    \"\"\"$shifted\"\"\"
    queries = x.shape[-2]
    start, stride = $start, $stride
    rows = x.flatten(-2)[..., start : start + queries * stride].unflatten(-1, (queries, stride))
    return rows[..., :keys]"""

_TORCH_STRIDED = """\
def _shifted(x, keys):
    \"\"\"$shifted\"\"\"
    queries = x.shape[-2]
    start, stride = $start, $stride
    flat = x.flatten(-2)[..., start:]
    return flat.as_strided((*x.shape[:-1], keys), (*flat.stride()[:-1], stride, 1))"""

_TORCH_CHECKS = '''\
def _require_shapes($given):
    """The shapes of `scores`, in one dtype."""
    for name, x in $named.items():
        if not isinstance(x, torch.Tensor) or not x.is_floating_point() or x.dtype != q.dtype:
            raise ValueError(f"{name} is {_seen(x)}; wanted a floating tensor, all of the dtype of q")
    $shape_checks


def _require_values(v_values, q, k):
    if not isinstance(v_values, torch.Tensor) or v_values.dtype != q.dtype:
        raise ValueError(f"v_values are {_seen(v_values)}; wanted a tensor of the dtype of q")
    if v_values.ndim != 4 or v_values.shape[:-1] != k.shape[:-1]:
        wanted = ", ".join(map(str, k.shape[:-1]))
        raise ValueError(f"v_values are {_seen(v_values)}; wanted shape ({wanted}, ...), a row for each key")


def _require_mask(mask, whole):
    if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool:
        raise ValueError(f"mask is {_seen(mask)}; wanted a tensor of bool, True where a query sees a key")
    $mask_fits


def _seen(value):
    if isinstance(value, torch.Tensor):
        return f"a {value.dtype} tensor of shape {tuple(value.shape)}"
    return f"of type {type(value).__name__}"'''

_NUMPY_SCORES = """\
$given = (np.asarray(x) for x in ($given))
_require_shapes($given)
dtype, work = q.dtype, np.promote_types(q.dtype, np.float32)
$given = (x.astype(work, copy=False) for x in ($given))
content = $content_factor @ k.swapaxes(-1, -2)  # (B, H, L, K)
offset = _shifted($offset_factor @ r.swapaxes(-1, -2), k.shape[-2])  # (B, H, L, K), a view
return (content + offset).astype(dtype, copy=False)"""

_NUMPY_ATTENTION = """\
q, k, v_values, $others = (np.asarray(x) for x in (q, k, v_values, $others))
_require_shapes($given)
_require_values(v_values, q, k)
scale = _checked_scale(scale, q.shape[-1])
dtype, work = q.dtype, np.promote_types(q.dtype, np.float32)
logits = scores(*(x.astype(work, copy=False) for x in ($given)))
logits *= scale
if mask is not None:
    mask = np.asarray(mask)
    _require_mask(mask, logits.shape)
    logits = np.where(mask, logits, -np.inf)
highest = logits.max(axis=-1, keepdims=True)
weights = np.exp(logits - np.where(highest == -np.inf, 0, highest))  # without overflow
total = weights.sum(axis=-1, keepdims=True)
weights /= np.where(total == 0, 1, total)
return (weights @ v_values.astype(work, copy=False)).astype(dtype, copy=False)"""

_NUMPY_CUT = """\
def _shifted(x, keys):
    \"\"\"$shifted\"\"\"
    *others, queries, width = x.shape
    start, stride = $start, $stride
    flat = x.reshape(*others, queries * width)[..., start : start + queries * stride]
    return flat.reshape(*others, queries, stride)[..., :keys]"""

_NUMPY_STRIDED = """\
def _shifted(x, keys):
    \"\"\"$shifted\"\"\"
    *others, queries, width = x.shape
    start, stride = $start, $stride
    flat = x.reshape(*others, queries * width)[..., start:]
    steps = (*flat.strides[:-1], stride * x.itemsize, x.itemsize)
    return np.lib.stride_tricks.as_strided(flat, (*others, queries, keys), steps, writeable=False)"""

_NUMPY_CHECKS = '''\
def _require_shapes($given):
    """The shapes of `scores`, in one dtype."""
    for name, x in $named.items():
        if not np.issubdtype(x.dtype, np.floating) or x.dtype != q.dtype:
            raise ValueError(f"{name} is {_seen(x)}; wanted a floating array, all of the dtype of q")
    $shape_checks


def _require_values(v_values, q, k):
    if v_values.dtype != q.dtype:
        raise ValueError(f"v_values are {_seen(v_values)}; wanted an array of the dtype of q")
    if v_values.ndim != 4 or v_values.shape[:-1] != k.shape[:-1]:
        wanted = ", ".join(map(str, k.shape[:-1]))
        raise ValueError(f"v_values are {_seen(v_values)}; wanted shape ({wanted}, ...), a row for each key")


def _require_mask(mask, whole):
    if mask.dtype != np.bool_:
        raise ValueError(f"mask is {_seen(mask)}; wanted an array of bool, True where a query sees a key")
    $mask_fits


def _seen(array):
    return f"a {array.dtype} array of shape {array.shape}"'''

SHAPE_CHECKS = """\
if q.ndim != 4 or k.ndim != 4:
    raise ValueError(f"q is {_seen(q)} and k is {_seen(k)}; wanted shapes (B, H, L, d) and (B, H, K, d)")
batch, heads, queries, width = q.shape
keys = k.shape[2]
if not $lengths_fit:
    raise ValueError(f"there are {queries} queries and {keys} keys; wanted $lengths_fit")
wanted = {"k": (batch, heads, keys, width), "r": (heads, $rows, width)}
for name, x in $named_others.items():
    shape = wanted.get(name, (heads, width))
    if tuple(x.shape) != shape:
        raise ValueError(f"{name} is {_seen(x)}; wanted shape {shape}, as q has {tuple(q.shape)} and k {keys} keys")"""

MASK_FITS = """\
fits = all(a in (1, b) for a, b in zip(reversed(mask.shape), reversed(whole), strict=False))
if mask.ndim > len(whole) or not fits:
    raise ValueError(f"mask is {_seen(mask)}; wanted a shape that broadcasts to {tuple(whole)}")"""

BLOCK = "_BLOCK = 256  # queries at a time: few enough for the cache, enough to keep every core at work"

SCALE = """\
def _checked_scale(scale, width):
    if scale is None:
        return 1 / math.sqrt(width)
    if isinstance(scale, bool) or not isinstance(scale, (int, float)) or not math.isfinite(scale):
        raise ValueError(f"scale is {scale!r}; wanted a finite number, or None for 1/sqrt({width})")
    return float(scale)"""

LIBRARIES: Mapping[str, Library] = {
    "torch": Library(
        dialect=Dialect("torch"),
        imports="import torch",
        array="tensor",
        scores=_TORCH_SCORES,
        whole=_TORCH_WHOLE,
        blocks=_TORCH_BLOCKS,
        attended=(_TORCH_ATTENDED,),
        cut=_TORCH_CUT,
        strided=_TORCH_STRIDED,
        checks=_TORCH_CHECKS,
    ),
    "numpy": Library(
        dialect=Dialect("np"),
        imports="import numpy as np",
        array="array",
        scores=_NUMPY_SCORES,
        whole=_NUMPY_ATTENTION,
        blocks=_NUMPY_ATTENTION,
        attended=(),
        cut=_NUMPY_CUT,
        strided=_NUMPY_STRIDED,
        checks=_NUMPY_CHECKS,
    ),
}
