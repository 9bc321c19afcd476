"""Draws for tests: as many as a quick run can bear, and twenty times as many under the profile `thorough`.

What a test must not miss stands in it as an explicit case; draws come after those. `trials` draws by the million.
"""

from collections.abc import Iterator
from random import Random

from hypothesis import settings


def draws(name: str, count: int) -> Iterator[Random]:
    """Sources of chance, the same ones in every run."""
    per_hundred = settings.default.max_examples if settings.default else 100
    for k in range(count * per_hundred // 100):
        yield Random(f"{name}/{k}")
