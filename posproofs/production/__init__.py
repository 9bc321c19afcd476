"""The released implementations that laws are run on: one file for each library, and one table.

An adapter only reorders arguments and axes and declares what the library does; a test reads its syntax tree. Reading
the table imports none of the libraries: each is imported when a subject is built.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from importlib.metadata import PackageNotFoundError, version

from posproofs.errors import UnknownName
from posproofs.laws import AnySubject
from posproofs.production import (
    diffusers_rotary,
    espnet_scores,
    pytorch_transformers_scores,
    rotary_embedding_torch,
    torch_attention,
    torch_onnx,
    transformers_attention,
    transformers_models,
    transformers_plain_attention,
    transformers_relative_attention,
    transformers_rotary,
    transformers_row_attention,
    transformers_scores,
    x_transformers_rotary,
)

SUBJECTS: tuple[AnySubject, ...] = (
    *torch_onnx.SUBJECTS,
    *transformers_rotary.SUBJECTS,
    *rotary_embedding_torch.SUBJECTS,
    *x_transformers_rotary.SUBJECTS,
    *diffusers_rotary.SUBJECTS,
    *transformers_scores.SUBJECTS,
    *pytorch_transformers_scores.SUBJECTS,
    *espnet_scores.SUBJECTS,
    *torch_attention.SUBJECTS,
    *transformers_plain_attention.SUBJECTS,
    *transformers_attention.SUBJECTS,
    *transformers_relative_attention.SUBJECTS,
    *transformers_row_attention.SUBJECTS,
    *transformers_models.SUBJECTS,
)


def subject(name: str) -> AnySubject:
    """The subject of that name; raises UnknownName with the closest match."""
    found = {one.name: one for one in SUBJECTS}
    if name not in found:
        raise UnknownName("subject", name, found)
    return found[name]


def chosen(patterns: tuple[str, ...] = ()) -> tuple[AnySubject, ...]:
    """The subjects whose names match one of the glob patterns, in the order of the table.

    Without a pattern all. Raises UnknownName for a pattern that matches nothing.
    """
    for pattern in patterns:
        if not any(fnmatchcase(one.name, pattern) for one in SUBJECTS):
            raise UnknownName("subject", pattern, (one.name for one in SUBJECTS))
    if not patterns:
        return SUBJECTS
    return tuple(one for one in SUBJECTS if _matches(one.name, patterns))


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def installed(one: AnySubject) -> str | None:
    """The version of the library that is installed, None if it is not."""
    try:
        return version(one.package)
    except PackageNotFoundError:
        return None


__all__ = ["SUBJECTS", "chosen", "installed", "subject"]
