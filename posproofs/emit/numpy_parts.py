"""NumPy text that no statement changes: the checks of arguments."""

from __future__ import annotations

CHECKS = '''\
def _groups(dim):
    if isinstance(dim, bool) or not isinstance(dim, (int, np.integer)) or dim <= 0 or dim % SLOTS:
        raise ValueError(f"the width that turns is {dim!r}; wanted a positive multiple of SLOTS")
    return dim // SLOTS


def _require_floating(x):
    if not np.issubdtype(x.dtype, np.floating) or x.ndim == 0:
        raise ValueError(f"x is {_seen(x)}; wanted a floating array of shape (..., T, D): cast it first")


def _require_positions(positions):
    if not np.issubdtype(positions.dtype, np.integer) and not np.issubdtype(positions.dtype, np.floating):
        raise ValueError(f"positions are {_seen(positions)}; wanted an array of integers or real numbers")


def _require_table_dtype(dtype):
    if not np.issubdtype(dtype, np.floating) or np.promote_types(dtype, np.float32) != dtype:
        raise ValueError(f"dtype is {dtype}; wanted np.float32 or wider: coarser angles merge positions")


def _seen(array):
    return f"a {array.dtype} array of shape {array.shape}"


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
            f"positions are {_seen(positions)}; wanted a shape that broadcasts to {x.shape[:-1]}, "
            "that of x without its last dimension"
        )
    return dim


def _working_dtype(x, **tables):
    """The widest dtype of x and the tables, at least float32."""
    _require_floating(x)
    work = np.promote_types(x.dtype, np.float32)
    groups = _groups(x.shape[-1])
    for name, table in tables.items():
        if not np.issubdtype(table.dtype, np.floating):
            raise ValueError(f"{name} is {_seen(table)}; wanted a floating array")
        if table.shape[-1:] != (groups,) or not _fits(table.shape[:-1], x.shape[:-1]):
            wanted = (*x.shape[:-1], groups)
            raise ValueError(f"{name} is {_seen(table)}; wanted {groups} columns, and to broadcast to {wanted}")
        work = np.promote_types(work, table.dtype)
    return work'''

BASE = """\
def _checked_base(base):
    if not (math.isfinite(base) and base > 0):
        raise ValueError(f"base is {base!r}; wanted a finite positive number")
    return base"""

ARRAY = """\
def _array(name, value, groups, dtype):
    value = np.asarray(value, dtype=dtype)
    if value.shape != (groups,):
        raise ValueError(f"{name} is {_seen(value)}; wanted shape ({groups},), one value for each group of coordinates")
    return value"""
