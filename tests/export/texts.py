"""The exported texts that the tests read, made once for each test process."""

from __future__ import annotations

import re
from functools import cache

from posproofs.export import exported
from posproofs.export.document import package_version


@cache
def texts(fmt: str) -> dict[str, str]:
    """Everything that `export all` writes in a format, by file name."""
    return exported("all", fmt)


def math_blocks(markdown: str) -> list[str]:
    """What stands in the math fences of a Markdown text."""
    return re.findall(r"^```math\n(.*?)^```$", markdown, re.MULTILINE | re.DOTALL)


def unversioned(text: str) -> str:
    """A text without the version of the package, which goldens do not pin."""
    return text.replace(f"posproofs: {package_version()};", "posproofs: VERSION;").replace(
        f'"posproofs": "{package_version()}"', '"posproofs": "VERSION"'
    )
