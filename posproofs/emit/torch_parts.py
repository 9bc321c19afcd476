"""Torch text that no statement changes: the choice in `apply`, the autograd function, and the checks of arguments."""

from __future__ import annotations

CHOICE = """\
if torch.is_grad_enabled() and ({learned}):
    return _plain({inner}).to(dtype)  # differentiable in the tables too
if torch.compiler.is_compiling():
    return TRACED.to(dtype)
if torch.is_grad_enabled() and x.requires_grad:
    return _Linear.apply(x, _fast, _fast_back, {tables}).to(dtype)
return _fast({inner}).to(dtype)"""

TRACED = "_plain({inner})"  # a compiler fuses it into one pass

TRACED_PAIRS = "_traced({inner}, dtype)"

PLAIN_ONLY = "return _plain({inner}).to(dtype)"

PRODUCT_ONLY = "return _product({inner}).to(dtype)"

LINEAR = '''\
class _Linear(torch.autograd.Function):
    """forward(x, *tables), linear in x, with the transposed map backward(gradient, *tables) as its gradient."""

    @staticmethod
    def forward(x, forward, backward, *tables):
        return forward(x, *tables)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.forward_map, ctx.backward_map, *tables = inputs
        ctx.save_for_backward(*tables)

    @staticmethod
    def backward(ctx, gradient):
        # The transpose of the transpose is the map, so second derivatives need no third function.
        turned = _Linear.apply(gradient, ctx.backward_map, ctx.forward_map, *ctx.saved_tensors)
        return (turned, None, None, *(None for _ in ctx.saved_tensors))'''

PAIR_PRODUCT = '''\
def _pair_product(x, cos, sin):
    """(cos + i*sin) * (x0 + i*x1) for every pair, in one pass over memory."""
    return torch.view_as_real(_as_pairs(x) * _one_table(cos, sin)).flatten(-2)


def _as_pairs(x):
    """The pairs of x as complex numbers, without a copy where memory allows it."""
    pairs = x.unflatten(-1, (-1, 2))
    if torch.compiler.is_compiling():  # a compiler does not know at which place of its storage x begins
        return torch.complex(*pairs.unbind(-1))
    even = x.is_contiguous() or (x.stride(-1) == 1 and not any(stride % 2 for stride in x.stride()[:-1]))
    if not even or x.storage_offset() % 2:
        pairs = pairs.clone(memory_format=torch.contiguous_format)
    return torch.view_as_complex(pairs)


def _one_table(cos, sin):
    """cos + i*sin, without a copy for the tables that `table` made."""
    waves = getattr(cos, "cosines_of", None)
    if waves is None or waves is not getattr(sin, "sines_of", None) or torch.compiler.is_compiling():
        return torch.complex(cos, sin)
    # Somebody may have given the two another shape or other memory since.
    same_memory = cos.data_ptr() == waves.data_ptr() and sin.data_ptr() == waves.data_ptr() + waves.element_size()
    same_shape = cos.shape == sin.shape == waves.shape[:-1] and cos.stride() == sin.stride() == waves.stride()[:-1]
    return torch.view_as_complex(waves) if same_memory and same_shape else torch.complex(cos, sin)'''

TRACED_FOR_PAIRS = '''\
def _traced(x, cos, sin, dtype):
    """What a compiler gets: the plain expression, which it fuses into one pass, but for pairs on a CPU a call.

    For a CPU it would write that pass without vector instructions, and the call is faster where nothing has to be cast.
    """
    simple = x.device.type == "cpu" and x.dtype == dtype and x.is_contiguous()
    if torch.compiler.is_dynamo_compiling() and simple and not (torch.is_grad_enabled() and x.requires_grad):
        return CALL
    return _plain(x, cos, sin)


def _called(x, cos, sin):
    """_pair_product for a contiguous x of which nothing is differentiated: with fewer steps around the product."""
    pairs = x.clone() if x.storage_offset() % 2 else x
    return (pairs.view(x.dtype.to_complex()) * _one_table(cos, sin)).view(x.dtype)


# One operator serves every emitted module of a process: it always means _pair_product.
if not hasattr(torch.ops.posproofs, "pair_product"):
    torch.library.define("posproofs::pair_product", "(Tensor x, Tensor cos, Tensor sin) -> Tensor")
    torch.library.impl("posproofs::pair_product", "cpu", _called)
    torch.library.register_fake("posproofs::pair_product", lambda x, cos, sin: torch.empty_like(x))'''

CHECKS = '''\
def _groups(dim):
    if isinstance(dim, bool) or not isinstance(dim, int) or dim <= 0 or dim % SLOTS:
        raise ValueError(f"the width that turns is {dim!r}; wanted a positive multiple of SLOTS")
    return dim // SLOTS


def _require_floating(x):
    if not isinstance(x, torch.Tensor) or not x.is_floating_point() or x.ndim == 0:
        raise ValueError(f"x is {_seen(x)}; wanted a floating tensor of shape (..., T, D): cast it first")


def _require_positions(positions):
    if not isinstance(positions, torch.Tensor) or positions.is_complex() or positions.dtype == torch.bool:
        raise ValueError(f"positions are {_seen(positions)}; wanted a tensor of integers or real numbers")


def _require_table_dtype(dtype):
    if dtype not in (torch.float32, torch.float64):
        raise ValueError(f"dtype is {dtype}; wanted torch.float32 or torch.float64: coarser angles merge positions")


def _seen(value):
    if isinstance(value, torch.Tensor):
        return f"a {value.dtype} tensor of shape {tuple(value.shape)}"
    return f"of type {type(value).__name__}"


def _fits(shape, whole):
    """Whether shape broadcasts to whole without enlarging it."""
    if len(shape) > len(whole):
        return False
    return all(a in (1, b) for a, b in zip(reversed(shape), reversed(whole), strict=False))


def _turning_width(x, positions, rotary_dim):
    _require_floating(x)
    _require_positions(positions)
    width = x.shape[-1]
    dim = width if rotary_dim is None else rotary_dim
    _groups(dim)
    if dim > width:
        raise ValueError(f"rotary_dim is {dim}; wanted at most the width of x, which is {width}")
    if not _fits(positions.shape, x.shape[:-1]):
        raise ValueError(
            f"positions are {_seen(positions)}; wanted a shape that broadcasts to {tuple(x.shape[:-1])}, "
            "that of x without its last dimension"
        )
    return dim


def _working_dtype(x, **tables):
    """The widest dtype of x and the tables, at least float32."""
    _require_floating(x)
    work = torch.promote_types(x.dtype, torch.float32)
    groups = _groups(x.shape[-1])
    fitting = (x.shape[-2:-1] + (groups,),)  # the usual shape, (T, h); others are looked at closely
    for name, table in tables.items():
        if not isinstance(table, torch.Tensor) or not table.is_floating_point():
            raise ValueError(f"{name} is {_seen(table)}; wanted a floating tensor")
        if table.shape not in fitting and (table.shape[-1:] != (groups,) or not _fits(table.shape[:-1], x.shape[:-1])):
            wanted = (*x.shape[:-1], groups)
            raise ValueError(f"{name} is {_seen(table)}; wanted {groups} columns, and to broadcast to {wanted}")
        if table.dtype != work:
            work = torch.promote_types(work, table.dtype)
    return work'''

BASE = """\
def _checked_base(base):
    if not (math.isfinite(base) and base > 0):
        raise ValueError(f"base is {base!r}; wanted a finite positive number")
    return base"""

ARRAY = """\
def _array(name, value, groups, **options):
    value = torch.as_tensor(value, **options)
    if value.shape != (groups,):
        raise ValueError(f"{name} is {_seen(value)}; wanted shape ({groups},), one value for each group of coordinates")
    return value"""
