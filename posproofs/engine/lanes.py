"""Several subjects at once, told in order: what is printed does not depend on how many processes there were."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from queue import SimpleQueue
from threading import Event as Flag

from posproofs.engine.records import Event
from posproofs.engine.worker import Worker

MOST = 4  # processes, each of which may load every library; more of them would take the memory of a laptop
Task = Callable[[Worker], Iterator[Event]]


def lanes() -> int:
    """How many processes a run starts: one for each processor that it may use, up to four."""
    return min(MOST, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def in_order(tasks: Sequence[Task], workers: Sequence[Worker]) -> Iterator[Event]:
    """The events of the first task, then those of the second, and so on; each has a worker to itself while it runs.

    What a task raises is raised in its place. Whoever stops listening stops the tasks too.
    """
    free: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        free.put(worker)
    told: list[SimpleQueue[Event | None]] = [SimpleQueue() for _ in tasks]
    stopped = Flag()

    def work(task: Task, events: SimpleQueue[Event | None]) -> None:
        worker = free.get()
        try:
            # `stopped` is looked at behind each event, so that a task ends with the job that it waits for
            for event in takewhile(lambda _event: not stopped.is_set(), task(worker)):
                events.put(event)
        finally:
            free.put(worker)
            events.put(None)

    with ThreadPoolExecutor(len(workers)) as pool:
        running = [pool.submit(work, *pair) for pair in zip(tasks, told, strict=True)]
        ended = False
        try:
            for future, events in zip(running, told, strict=True):
                yield from _until_none(events)
                future.result()
            ended = True
        finally:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in () if ended else workers:
                worker.interrupt()


def _until_none(events: SimpleQueue[Event | None]) -> Iterator[Event]:
    while (event := events.get()) is not None:
        yield event
