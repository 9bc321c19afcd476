"""The worker: values, errors, output, hanging, dying, and that it is one process for many jobs."""

import os
import sys
import time

import pytest

from posproofs.engine.worker import Reply, Worker


def pid() -> int:
    return os.getpid()


def add(a: int, b: int) -> int:
    return a + b


def imported(name: str) -> bool:
    return name in sys.modules


def fail(message: str) -> None:
    raise ValueError(message)


def speak() -> str:
    sys.stdout.write("to stdout\n")
    os.write(2, b"to stderr\n")
    return "done"


def talk(characters: int) -> None:
    sys.stdout.write("a" * characters + "end")


def hang() -> None:
    time.sleep(60)


def die() -> None:
    os._exit(7)


def unpicklable() -> object:
    return lambda: None


def test_jobs_run_in_one_other_process() -> None:
    with Worker() as worker:
        first, second = worker.call(pid), worker.call(pid)
        assert first.value == second.value != os.getpid()
        assert worker.call(add, 2, 3) == Reply(5)


def test_a_process_that_is_begun_imports_before_its_first_job() -> None:
    with Worker() as worker:
        worker.begin("tabnanny", "no_such_module")
        worker.begin("no_second_process")
        assert worker.call(imported, "tabnanny") == Reply(True)
        assert worker.call(imported, "antigravity") == Reply(False)


def test_a_process_that_was_begun_and_asked_nothing_ends() -> None:
    with Worker() as worker:
        worker.begin("tabnanny")


def test_an_exception_is_an_error_and_the_process_goes_on() -> None:
    with Worker() as worker:
        before = worker.call(pid).value
        assert worker.call(fail, "no such\nthing").error == "ValueError: no such"
        assert worker.call(fail, "").error == "ValueError: no message"
        assert worker.call(pid).value == before


def test_what_a_job_prints_is_kept_from_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with Worker() as worker:
        reply = worker.call(speak)
        # Which of the two streams is written first depends on how Python buffers them.
        assert (reply.value, sorted(reply.output.splitlines())) == ("done", ["to stderr", "to stdout"])
        assert worker.call(add, 1, 1).output == ""
        assert worker.call(talk, 5000).output == "a" * 1997 + "end"
    assert capfd.readouterr() == ("", "")


def test_a_job_that_is_late_is_an_error_and_the_next_one_runs() -> None:
    """Three seconds, since the next process imports this module within them."""
    with Worker(seconds=3) as worker:
        assert worker.call(hang).error == "took longer than 3 seconds"
        assert worker.call(add, 1, 2) == Reply(3)


def test_a_process_that_ends_is_an_error_and_the_next_job_runs() -> None:
    with Worker() as worker:
        before = worker.call(pid).value
        assert worker.call(die).error == "the process ended with status 7"
        assert worker.call(add, 1, 2) == Reply(3)
        assert worker.call(pid).value != before


def test_a_value_that_cannot_be_sent_is_an_error() -> None:
    with Worker() as worker:
        assert worker.call(unpicklable).error.startswith("its value cannot be sent")
        assert worker.call(add, 1, 2) == Reply(3)


def test_closing_twice_is_fine() -> None:
    worker = Worker()
    worker.close()
    assert worker.call(add, 1, 1).value == 2
    worker.close()
    worker.close()
