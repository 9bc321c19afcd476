"""Runs hard statements and says what each ended in, with the seconds of processor time and the peak of memory so far.

`python -m tests.derivations.attacks.hard NAME ...` prints one line of JSON for each; without names it runs them all.
"""

import json
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from derivations.kernel import KernelError, Refuted, Theorem, Undecided
from tests.derivations.attacks import hard_points, hard_terms

CASES = hard_terms.CASES | hard_points.CASES
SECONDS = 10  # processor time of one case on a busy machine; an idle one takes less than half
MEGABYTES = 500


def ended(act: Callable[[], object]) -> str:
    """A verdict, the class of a kernel error, or the type of a plain result."""
    try:
        answer = act()
    except KernelError as refusal:
        return type(refusal).__name__ if str(refusal) else "an error without a text"
    match answer:
        case Theorem():
            return "proved"
        case Refuted():
            return "refuted" if answer.text() else "a point without a text"
        case Undecided(_, reason, detail):
            return reason if detail else "a reason without a text"
    return type(answer).__name__


def _stop(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS} seconds of processor time")


def run(name: str) -> dict[str, object]:
    """One case within its time; what must never come out of the kernel is reported as a crash."""
    start = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        found = ended(CASES[name][0])
    except BaseException as crash:  # noqa: BLE001 - RecursionError, MemoryError, OverflowError, TimeoutError, ...
        found = f"crash: {type(crash).__name__}: {str(crash)[:80]}"
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    seconds = round(time.process_time() - start, 2)
    return {"name": name, "ended": found, "seconds": seconds, "megabytes": _peak()}


def _peak() -> int:
    """Megabytes that this program has taken. getrusage would count those of the process that started it."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def main() -> None:
    signal.signal(signal.SIGVTALRM, _stop)
    for name in sys.argv[1:] or CASES:
        sys.stdout.write(json.dumps(run(name)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
