"""Hard statements end in a verdict or a named error, in bounded time and memory; never in a crash or a hang.

They run in one process of their own, whose memory is limited; a case that takes the process down takes the rest along.
"""

import json
import subprocess
import sys

import pytest

from tests.derivations.attacks.hard import CASES, MEGABYTES, SECONDS
from tests.repo.sources import ROOT

# The interpreter, the kernel and what the cases themselves build, beside the memory that a proof may take.
ADDRESS_SPACE = (MEGABYTES + 200) << 20
PROGRAM = (
    f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({ADDRESS_SPACE}, {ADDRESS_SPACE})); "
    "from tests.derivations.attacks.hard import main; main()"
)
Found = dict[str, dict[str, object]]


@pytest.fixture(scope="module")
def found() -> Found:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines, done.stderr
    return {line["name"]: line for line in lines}


@pytest.mark.parametrize("name", CASES)
def test_it_ends_as_it_should(found: Found, name: str) -> None:
    assert name in found, "the process ended before this case"
    assert found[name]["ended"] == CASES[name][1]


def test_none_takes_long(found: Found) -> None:
    slow = {name: line["seconds"] for name, line in found.items() if float(str(line["seconds"])) > SECONDS}
    assert slow == {}


def test_none_takes_much_memory(found: Found) -> None:
    assert max(int(str(line["megabytes"])) for line in found.values()) <= MEGABYTES


def test_a_crash_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.derivations.attacks import hard

    def deep() -> object:
        return deep()

    monkeypatch.setitem(hard.CASES, "deep", (deep, "proved"))
    assert str(hard.run("deep")["ended"]).startswith("crash: RecursionError")


def test_every_kind_of_ending_occurs() -> None:
    """A table in which everything were proved, or nothing, would not be worth much."""
    assert {end for _, end in CASES.values()} == {
        *("proved", "refuted", "limit reached", "no point found", "out of fragment"),
        *("LimitReached", "OutOfFragment", "ShapeError", "str"),
    }
