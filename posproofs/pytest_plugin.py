"""The pytest plugin: `@posproofs.conforms` makes one test for each law that an implementation shall keep.

It is loaded in every run of pytest of everybody who installed posproofs, so it imports nothing until a decorated
function is collected, and prints nothing without one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from posproofs.engine.here import Held

_OPTIONS = "posproofs_options"
_IDENTIFIED = "posproofs_identified"
_LAW = "posproofs_law"
_LAWS_OF = {
    "rotary": "rotary",
    "table": "rotary",
    "attention": "attention",
    "scores": "scores",
    "module": "attention",
}  # whose laws a kind has
_HELD = pytest.StashKey[dict[Callable[..., Any], "Held | Exception"]]()


def conforms(
    *,
    kind: str = "rotary",
    declare: Mapping[str, object] | None = None,
    dims: Sequence[int] = (),
    shape: str = "",
    positions: int | None = None,
    identified: str = "",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Turn a test function that returns an implementation into one test for each law of its kind.

    kind: rotary, table, attention, scores or module. identified: how the line in which `posproofs check` names it shall
    begin, for what `declare` has no words. declare, dims, shape, positions: as the options of `posproofs check`. The
    function may ask for fixtures; it runs in the process of the tests. Raises UsageError for a kind that is not known,
    and for a name that pytest passes over.
    """
    from posproofs.errors import UnknownName, UsageError

    if kind not in _LAWS_OF:
        raise UnknownName("kind", kind, _LAWS_OF)
    pairs = tuple((key, str(value)) for key, value in (declare or {}).items())
    options = {"dims": tuple(dims), "shape": shape, "below": positions, "declare": pairs, "kind": kind}

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if not function.__name__.startswith("test"):
            raise UsageError(f"pytest passes over {function.__name__}; wanted a name that starts with test")
        return _test(function, options, identified)

    return decorate


def _test(function: Callable[..., Any], options: Mapping[str, object], identified: str) -> Callable[..., Any]:
    def test(*args: Any, posproofs_law: str, request: pytest.FixtureRequest, **fixtures: Any) -> None:
        if asks_request:
            fixtures["request"] = request
        _held_to(posproofs_law, request, function, partial(function, *args, **fixtures))

    signature = inspect.signature(function)
    asks_request = "request" in signature.parameters
    more = (_LAW,) if asks_request else (_LAW, "request")
    added = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in more]
    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(test, name, getattr(function, name))
    kept = {
        "__wrapped__": function,  # pytest shows its file and line
        "__signature__": signature.replace(parameters=[*signature.parameters.values(), *added]),
        "posproofs_returning": function,
        _OPTIONS: options,
        _IDENTIFIED: identified,
    }
    vars(test).update(kept)
    return test


def _held_to(
    id: str,  # noqa: A002 - the word of every table
    request: pytest.FixtureRequest,
    function: Callable[..., Any],
    returned: Callable[[], Any],
) -> None:
    """Ask one law of the implementation, and end the test with its outcome."""
    from posproofs.engine.here import answer
    from posproofs.errors import UsageError
    from posproofs.report.text import failure
    from posproofs.vocabulary import Outcome

    tell = request.node.user_properties.append
    tell(("posproofs.law", id))
    refused = ""
    try:
        found = answer(_identified(request, function, returned), id)
    except UsageError as why:
        refused = str(why)
    if refused:  # outside of the handler, so that the report has no second exception
        pytest.fail(refused, pytrace=False)
    tell(("posproofs.outcome", str(found.law.outcome)))
    tell(("posproofs.evidence", str(found.law.evidence)))
    tell(("posproofs.digest", found.digest))
    match found.law.outcome:
        case Outcome.HOLDS:
            return
        case Outcome.NOT_APPLICABLE | Outcome.KNOWN:
            pytest.skip(f"{id} {found.law.outcome}: {found.law.reason}")
        case _:
            pytest.fail(failure(found.subject, found.law), pytrace=False)


def _identified(request: pytest.FixtureRequest, function: Callable[..., Any], returned: Callable[[], Any]) -> Held:
    """The implementation, identified by the first of its tests in this process. Raises UsageError."""
    from posproofs.engine.here import held
    from posproofs.engine.queries import Query
    from posproofs.errors import UsageError

    if set(request.node.callspec.params) - {_LAW}:
        raise UsageError("an implementation is identified once; write a function for each, in place of parameters")
    known = request.config.stash.setdefault(_HELD, {})
    if function not in known:
        try:
            query = Query("", **getattr(request.node.obj, _OPTIONS))
            known[function] = held(query, function, returned, identified=getattr(request.node.obj, _IDENTIFIED))
        except UsageError as refused:
            known[function] = refused
    found = known[function]
    if isinstance(found, Exception):
        raise found
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test for each law."""
    if hasattr(metafunc.function, _OPTIONS):
        from posproofs.laws import LAWS

        of = _LAWS_OF[getattr(metafunc.function, _OPTIONS)["kind"]]
        metafunc.parametrize(_LAW, [law.id for law in LAWS if law.kind == of])


def pytest_report_collectionfinish(items: Sequence[pytest.Item]) -> list[str]:
    """How many implementations there are, before the tests run."""
    functions = [item.obj for item in items if isinstance(item, pytest.Function) and hasattr(item.obj, _OPTIONS)]
    if not functions:
        return []
    subjects = len({one.posproofs_returning for one in functions})  # a method is a new object at each look-up
    return [f"posproofs: {subjects} implementation{'s' * (subjects > 1)}, {len(functions)} laws to ask"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many laws applied, ran, and did not apply: always all three, also where they are zero."""
    reports = [report for group in terminalreporter.stats.values() for report in group]
    told = [dict(one.user_properties) for one in reports if getattr(one, "when", "") == "call"]
    outcomes = [one.get("posproofs.outcome", "error") for one in told if "posproofs.law" in one]
    if not outcomes:
        return
    idle, failed = outcomes.count("not-applicable"), outcomes.count("error")
    terminalreporter.write_line(
        f"posproofs: {len(outcomes) - idle} laws applied, {len(outcomes) - idle - failed} ran, {idle} not applicable"
    )
