"""The committed record is complete and does not rot: every survivor is explained, and its line is still there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from tests.mutation import record as records
from tests.mutation.mutants import Mutant
from tests.mutation.record import RECORD, Record, Survivor


@pytest.fixture(scope="module")
def mutants() -> Mapping[str, Sequence[Mutant]]:
    return records.all_mutants(records.module_names())


def test_the_record_is_sound(mutants: Mapping[str, Sequence[Mutant]]) -> None:
    assert records.complaints(records.read(RECORD.read_text(encoding="utf-8")), mutants) == []


def test_the_record_is_written_in_one_way() -> None:
    text = RECORD.read_text(encoding="utf-8")
    assert records.written(records.read(text)) == text


@pytest.fixture(scope="module")
def layouts(mutants: Mapping[str, Sequence[Mutant]]) -> dict[str, Sequence[Mutant]]:
    return {"layouts": mutants["layouts"]}


@pytest.fixture
def sound(layouts: dict[str, Sequence[Mutant]]) -> Record:
    count = len(layouts["layouts"])
    survivor = Survivor(layouts["layouts"][0].key, "the same function")
    return Record({"layouts": (count, count - 1)}, (survivor,))


def test_a_sound_record_has_no_complaints(sound: Record, layouts: dict[str, Sequence[Mutant]]) -> None:
    assert records.complaints(sound, layouts) == []
    assert records.read(records.written(sound)) == sound


def test_what_is_wrong_is_reported(sound: Record, layouts: dict[str, Sequence[Mutant]]) -> None:
    (count, killed), (survivor,) = sound.modules["layouts"], sound.survivors
    gone = replace(survivor, key=(*survivor.key[:2], "no such line", *survivor.key[3:]))
    wrong = {
        "not in the record": Record({}, ()),
        "no such module": replace(sound, modules={**sound.modules, "planets": (1, 1)}),
        "are listed": replace(sound, survivors=()),
        "recorded": Record({"layouts": (2 * count, 2 * count)}, ()),
        "wanted 95%": replace(sound, modules={"layouts": (count, 1)}),
        "listed twice": replace(sound, survivors=(survivor, survivor)),
        "not there any more": replace(sound, survivors=(gone,)),
        "wanted a reason": replace(sound, survivors=(replace(survivor, reason=""),)),
    }
    assert killed == count - 1
    for text, record in wrong.items():
        assert any(text in complaint for complaint in records.complaints(record, layouts)), text


def test_a_run_keeps_reasons_and_asks_for_new_ones(sound: Record, layouts: dict[str, Sequence[Mutant]]) -> None:
    keys = [m.key for m in layouts["layouts"]]
    outcome = dict.fromkeys(keys, "killed") | dict.fromkeys(keys[:2], "survived")
    found = records.updated(sound, layouts, outcome)
    assert found.modules == {"layouts": (len(keys), len(keys) - 2)}
    assert [s.reason for s in found.survivors] == ["the same function", ""]
