"""Tasks side by side: events in order, what they raise in its place, an end for all of them when nobody listens."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from posproofs.engine.lanes import MOST, Task, in_order, lanes
from posproofs.engine.records import Event, SubjectStarted
from posproofs.engine.worker import Worker


def telling(names: list[str], *, before: Callable[[], object] = lambda: None) -> Task:
    def task(_worker: Worker) -> Iterator[Event]:
        for name in names:
            before()
            yield SubjectStarted(name, 1)

    return task


def workers(count: int) -> list[Worker]:
    return [Worker() for _ in range(count)]  # none starts before its first call


def names(events: Iterator[Event]) -> list[str]:
    return [event.name for event in events if isinstance(event, SubjectStarted)]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_order_is_that_of_the_tasks(count: int) -> None:
    second_is_through = threading.Event()

    def last() -> Iterator[Event]:
        yield SubjectStarted("c", 1)
        second_is_through.set()

    def wait() -> None:
        if count > 1:  # the first ends after the second, where they run side by side
            assert second_is_through.wait(10)

    tasks = [telling(["a", "b"], before=wait), lambda _worker: last(), telling(["d"])]
    assert names(in_order(tasks, workers(count))) == ["a", "b", "c", "d"]


def test_one_worker_has_one_task_at_a_time() -> None:
    busy: set[int] = set()
    seen: list[int] = []

    def task(worker: Worker) -> Iterator[Event]:
        assert id(worker) not in busy
        busy.add(id(worker))
        seen.append(id(worker))
        time.sleep(0.01)
        yield SubjectStarted("x", 1)
        busy.remove(id(worker))

    own = workers(2)
    assert len(names(in_order([task] * 6, own))) == 6
    assert set(seen) <= {id(one) for one in own}


def test_what_a_task_raises_comes_after_what_it_told() -> None:
    def task(_worker: Worker) -> Iterator[Event]:
        yield SubjectStarted("a", 1)
        raise OSError("planted")

    told = in_order([task, telling(["b"])], workers(2))
    assert isinstance(next(told), SubjectStarted)
    with pytest.raises(OSError, match="planted"):
        next(told)


def hang() -> None:
    time.sleep(60)


def test_who_stops_listening_ends_the_jobs() -> None:
    """The second task waits for a job of a minute; leaving the first takes no such time."""
    called = threading.Event()

    def hanging(worker: Worker) -> Iterator[Event]:
        with worker:
            called.set()
            worker.call(hang)
        yield SubjectStarted("late", 1)

    told = in_order([telling(["a", "b"]), hanging], workers(2))
    assert isinstance(next(told), SubjectStarted)
    assert called.wait(10)
    time.sleep(1)  # until the process is up
    started = time.monotonic()
    told.close()  # type: ignore[attr-defined]  # a generator
    assert time.monotonic() - started < 30


def test_the_number_of_processes() -> None:
    assert 1 <= lanes() <= MOST
