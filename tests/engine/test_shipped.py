"""What the outputs of each shipped subject show is what its adapter declares."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from posproofs import production
from posproofs.engine.kinds.shipped import identified
from posproofs.laws import AnySubject

# A released function that is no rotation, and schemes of which no formula is written down.
NO_ROTATION = "transformers.vjepa2"
NOT_READ = {
    "transformers.funnel.factorized",
    "torch.encoder_layer",
    "transformers.gptj.attention",
    "transformers.olmo2.attention",
    "transformers.parakeet.attention",
    "transformers.llama.model",
    "transformers.falcon.model",
}


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("subject", production.SUBJECTS, ids=lambda one: one.name)
def test_the_declared_convention_is_read(subject: AnySubject) -> None:
    if subject.name == NO_ROTATION:
        assert identified(subject).startswith("unidentified: position 1: ")
    elif subject.name in NOT_READ:
        assert not identified(subject)
    else:
        assert identified(subject).startswith(str(subject.convention))
