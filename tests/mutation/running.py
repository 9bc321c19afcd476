"""Mutants run in forked children: everything is imported once, and a mutant costs a fork and the tests that reach it.

A mutant of a function is put into the running kernel by exchanging the code of that function; the tests that ran one of
its lines are tried in turn, quickest first, until one fails. A mutant of a module itself (a constant, a default) is
imported afresh, before pytest collects. A child that uses too much processor time is ended, and counts as killed.
"""

from __future__ import annotations

import ast
import gc
import importlib.abc
import importlib.util
import inspect
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import coverage
import hypothesis
import pytest
from _pytest.runner import runtestprotocol

from tests.mutation.mutants import Mutant

PACKAGE = "derivations.kernel"
TESTS = "tests/derivations/kernel"
MEMORY = 4 << 30  # bytes of address space beyond what is in use
QUIET = ("-p", "no:cacheprovider", "-p", "no:terminal", "-W", "ignore::pytest.PytestAssertRewriteWarning")
SESSION_SECONDS = 60.0
SURVIVED, KILLED, BROKEN = 0, 1, 3
Progress = Callable[[Mutant, str], None]


@dataclass(frozen=True, slots=True)
class Reach:
    """Which tests ran which line of which module, and the seconds that each test took."""

    tests: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    def of(self, mutant: Mutant) -> list[str]:
        """The tests that reach a mutant, quickest first."""
        lines = self.tests.get(mutant.module, {})
        found = {test for line in mutant.lines for test in lines.get(line, [])}
        return sorted(found, key=lambda test: (self.seconds[test], test))


@dataclass(slots=True)
class Pool:
    """At most `jobs` children at a time; `done` is told how each of them ended."""

    jobs: int
    done: Progress
    running: dict[int, Mutant] = field(default_factory=dict)

    def start(self, mutant: Mutant, work: Callable[[], int], seconds: float) -> None:
        while len(self.running) >= self.jobs:
            self._wait()
        pid = os.fork()
        if pid == 0:
            _ended(work, seconds)
        self.running[pid] = mutant

    def finish(self) -> None:
        while self.running:
            self._wait()

    def _wait(self) -> None:
        pid, status = os.wait()
        mutant = self.running.pop(pid)
        code = os.waitstatus_to_exitcode(status)
        if code == BROKEN:
            raise RuntimeError(f"{mutant.key} could not be put in place")
        self.done(mutant, {SURVIVED: "survived", -signal.SIGPROF: "timeout"}.get(code, "killed"))


def _ended(work: Callable[[], int], seconds: float) -> None:
    """Run the work in this child, within limits, and leave the process without any of the parent's clean-up."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    limit = _address_space() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    code = BROKEN
    try:
        code = work()
    finally:
        os._exit(code)


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


@dataclass(slots=True)
class Session:
    """A pytest plugin that, in place of running the tests, runs the mutants of functions."""

    mutants: Sequence[Mutant]
    pool: Pool
    left: list[Mutant] = field(default_factory=list)  # reached by no test, or only while modules were imported

    def pytest_configure(self) -> None:
        """A failure is not made smaller, and none is remembered: only that there is one counts."""
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        checks = list(hypothesis.HealthCheck)
        quick = hypothesis.settings(phases=phases, database=None, suppress_health_check=checks)
        hypothesis.settings.register_profile("mutation", quick)
        hypothesis.settings.load_profile("mutation")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        tests_of, seconds_of = in_child(lambda: measured(session.items))
        reach = Reach({name: {int(k): t for k, t in lines.items()} for name, lines in tests_of.items()}, seconds_of)
        gc.freeze()
        for mutant in self.mutants:
            tests = [items[test] for test in reach.of(mutant)]
            if not tests:
                self.left.append(mutant)
                continue
            timed = [(item, 1 + 10 * reach.seconds[item.nodeid]) for item in tests]
            self.pool.start(mutant, lambda m=mutant, t=timed: _judged(m, t), timed[0][1])  # type: ignore[misc]
        self.pool.finish()
        return True


def in_one_session(mutants: Sequence[Mutant], jobs: int, done: Progress) -> list[Mutant]:
    """Run the mutants of functions; those that only the import of modules reaches are given back."""
    plugin = Session(mutants, Pool(jobs, done))
    if pytest.main([TESTS, *QUIET], plugins=[plugin]):
        raise RuntimeError(f"pytest could not collect {TESTS}")
    return plugin.left


def afresh(mutants: Sequence[Mutant], jobs: int, done: Progress) -> None:
    """Run each mutant in a child that imports the kernel after it was changed. The kernel must not be imported here."""
    if mutants and in_child(_tested) != SURVIVED:
        raise RuntimeError(f"{TESTS} fails without any mutant; mend it first")
    pool = Pool(jobs, done)
    for mutant in mutants:
        pool.start(mutant, lambda m=mutant: _imported(m), SESSION_SECONDS)  # type: ignore[misc]
    pool.finish()


def _imported(mutant: Mutant) -> int:
    sys.meta_path.insert(0, Planted(f"{PACKAGE}.{mutant.module}", mutated_module(mutant)))
    return _tested()


def _tested() -> int:
    return KILLED if pytest.main([TESTS, "-x", *QUIET]) else SURVIVED


def _judged(mutant: Mutant, tests: Iterable[tuple[pytest.Item, float]]) -> int:
    """Put the mutant in place and run tests until one fails, or takes far longer than it did."""
    forget_cached()
    exchange_code(sys.modules[f"{PACKAGE}.{mutant.module}"], mutant.where, mutated_definition(mutant))
    for item, seconds in tests:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        if not passes(item):
            return KILLED
    return SURVIVED


def passes(item: pytest.Item) -> bool:
    """Run one test: by a plain call where it needs no fixture, which is several times quicker than pytest's way."""
    if isinstance(item, pytest.Function):
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        if set(item.fixturenames) <= parameters.keys():
            return _returns(item.obj, parameters)
    return not any(report.failed for report in runtestprotocol(item, nextitem=None, log=False))


def _returns(test: Callable[..., object], parameters: dict[str, object]) -> bool:
    try:
        test(**parameters)
    except (Exception, pytest.fail.Exception):  # noqa: BLE001 - any error is a failure of the test
        return False
    return True


def mutated_definition(mutant: Mutant) -> CodeType:
    """The definition that the mutant stands in; compiling only that is much quicker than the whole module."""
    outermost = mutant.where.partition(".")[0]
    mutant.edit.apply()
    return _compiled(ast.Module([s for s in mutant.tree.body if _defines(s, outermost)], type_ignores=[]))


def mutated_module(mutant: Mutant) -> CodeType:
    """The whole module with the mutant in it."""
    mutant.edit.apply()
    return _compiled(mutant.tree)


def _compiled(tree: ast.Module) -> CodeType:
    return compile(ast.fix_missing_locations(tree), "<mutant>", "exec")


def _defines(statement: ast.stmt, name: str) -> bool:
    return isinstance(statement, (ast.FunctionDef, ast.ClassDef)) and statement.name == name


def exchange_code(module: ModuleType, where: str, code: CodeType) -> None:
    """Give the function of this name in the module the code that it has in `code`."""
    found: Any = module
    for name in where.split("."):
        found = inspect.getattr_static(found, name)
    for inner in ("fget", "__func__"):
        found = getattr(found, inner, found)
    found = inspect.unwrap(found)
    assert isinstance(found, FunctionType)
    (found.__code__,) = (c for c in _codes(code) if c.co_qualname == where)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def forget_cached() -> None:
    """What was computed before the mutant came must not answer for it."""
    for module in [m for name, m in sys.modules.items() if name.startswith(PACKAGE)]:
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def measured(items: Sequence[pytest.Item]) -> list[Any]:
    """Run all tests once, under coverage: the fields of `Reach`. A test that fails without any mutant is an error."""
    cover = coverage.Coverage(data_file=None, source=[PACKAGE.replace(".", "/")], config_file=False)
    seconds = {}
    cover.start()
    for item in items:
        cover.switch_context(item.nodeid)
        started = time.process_time()
        if not passes(item):
            raise RuntimeError(f"{item.nodeid} fails without any mutant; mend it first")
        seconds[item.nodeid] = time.process_time() - started
    cover.stop()
    data = cover.get_data()
    tests: dict[str, dict[int, list[str]]] = {}
    for name in data.measured_files():
        by_line = data.contexts_by_lineno(name)
        tests[Path(name).stem] = {line: [c for c in contexts if c] for line, contexts in by_line.items()}
    return [tests, seconds]


def in_child(work: Callable[[], Any]) -> Any:
    """What `work` returns, which must be fit for JSON, computed in a child."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        try:
            text = json.dumps(work())
            with os.fdopen(write, "w") as out:
                out.write(text)
        except BaseException:  # noqa: BLE001 - whatever it was, the parent's clean-up must not run here
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as source:
        text = source.read()
    os.waitpid(pid, 0)
    if not text:
        raise RuntimeError("a child ended without an answer; its error is printed above")
    return json.loads(text)


@dataclass(frozen=True, slots=True)
class Planted(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module of the kernel from mutated code."""

    name: str
    code: CodeType

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the protocol of finders
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        return importlib.util.spec_from_loader(fullname, self) if fullname == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, vars(module))  # noqa: S102 - that is what importing is
