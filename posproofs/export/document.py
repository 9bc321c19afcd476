"""A document: an entry of the catalogue with display trees for everything that is printed, independent of any target.

Every tree in it was proved to mean the expression that was checked; what is not a formula (titles, reasons, errata as
printed) is the text of the entry.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from derivations.derivation import Entry, Report, catalogue
from derivations.from_sympy import to_term
from derivations.kernel import Hypothesis, Statement
from derivations.kernel.layouts import Size
from derivations.kernel.shapes import shape
from derivations.kernel.terms import Multiply, Term, free_names
from derivations.lemmas import LEMMAS
from derivations.plain import hypothesis_text, scope_text, term_text
from posproofs.errors import UnknownName
from posproofs.export.building import AS_WRITTEN, CONVENTIONAL, Order, build
from posproofs.export.definitions import definitions_for
from posproofs.export.faithful import faithful
from posproofs.export.formula import bold_letters, check_glyphs
from posproofs.export.glyphs import Style
from posproofs.export.naming import fresh, named_by
from posproofs.export.phrases import Wording
from posproofs.export.places import places
from posproofs.export.tree import Defined, Definition, Name, Node, walk

RELATIONS = {"equal": "=", "nonzero": r"\ne", "positive": ">", "nonnegative": r"\ge"}


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a chain: the formula, the term that was checked, why it equals the row before, and the verdict."""

    number: int
    node: Node
    term: Term
    reason: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Assumption:
    """A hypothesis: two sides, the relation between them, and the names over which it is quantified."""

    left: Node
    relation: str
    right: Node
    forall: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """A defined name with its parameters, and what it stands for."""

    name: Defined
    body: Node


@dataclass(frozen=True, slots=True)
class Document:
    """An entry as it is printed; an erratum has `printed`, `fails` and `corrected`, a citation `rests_on`."""

    id: str
    kind: str
    title: str
    source: str
    claims: tuple[str, ...]
    status: str
    rows: tuple[Row, ...]
    meanings: tuple[Meaning, ...]
    places: tuple[str, ...]
    assumptions: tuple[Assumption, ...]
    scope: str
    names: frozenset[str]
    lemmas: tuple[str, ...]
    rests_on: tuple[str, ...]
    printed: str
    fails: str
    corrected: str
    correction: tuple[Row, ...]  # first and last row of the corrected form, in the notation of its own document

    def wording(self, style: Style) -> Wording:
        """How the phrases of this document are typeset."""
        trees = [row.node for row in self.rows] + [side for a in self.assumptions for side in (a.left, a.right)]
        trees += [meaning.body for meaning in self.meanings]
        return Wording(self.names, bold_letters(trees, style), style)

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits of everything that was checked: terms, hypotheses, verdicts."""
        checked = {
            "id": self.id,
            "status": self.status,
            "rows": [[term_text(row.term), row.reason, row.verdict] for row in self.rows],
            "assumptions": [assumption.text for assumption in self.assumptions],
            "scope": self.scope,
            "erratum": [self.printed, self.fails, self.corrected],
        }
        return hashlib.sha256(json.dumps(checked, sort_keys=True).encode()).hexdigest()[:12]


def conditions(document: Document) -> list[tuple[str, list[Assumption]]]:
    """The hypotheses with the words that introduce them: what is assumed, and the region of indices where it holds."""
    region = [one for one in document.assumptions if one.relation == RELATIONS["nonnegative"]]
    assumed = [one for one in document.assumptions if one not in region]
    return [(said, each) for said, each in (("Assume", assumed), ("This holds where", region)) if each]


def package_version() -> str:
    """The version of posproofs; `unreleased` in a source tree that is not installed."""
    try:
        return version("posproofs")
    except PackageNotFoundError:
        return "unreleased"


def selected(ids: Iterable[str]) -> tuple[Entry, ...]:
    """The entries of these ids in the order of the catalogue; `all` is every one of them. Raises UnknownName."""
    entries = catalogue()
    wanted = list(ids)
    for label in wanted:
        if label != "all" and label not in entries:
            raise UnknownName("id", label, (*entries, "all"))
    if not wanted:
        raise UnknownName("id", "", (*entries, "all"))
    return tuple(entry for label, entry in entries.items() if "all" in wanted or label in wanted)


@cache
def document(entry: Entry) -> Document:
    """The document of an entry. Raises posproofs.export.faithful.Unfaithful where a display is not what was checked."""
    return composed(entry, entry.check())


def composed(entry: Entry, report: Report) -> Document:
    """The document of an entry that was decided as the report says."""
    statement = report.theorem.statement if report.theorem is not None else None
    raw = _raw_rows(entry, report, statement)
    hypotheses = statement.hypotheses if statement is not None else ()
    terms = [term for term, *_ in raw] + [side for h in hypotheses for side in (h.left, h.right)]
    definitions = fresh(definitions_for(entry.id), terms)
    # Every row of a table says something; the first of a chain only starts it.
    first = 1 if entry.kind == "table" else 0
    rows = tuple(
        Row(k, _shown(term, shown, definitions), term, reason, verdict)
        for k, (term, shown, reason, verdict) in enumerate(raw, first)
    )
    assumptions = tuple(_assumption(h, definitions) for h in hypotheses)
    trees = [*(row.node for row in rows), *(side for a in assumptions for side in (a.left, a.right))]
    meanings = _meanings(definitions, trees)
    everything = [*trees, *(meaning.body for meaning in meanings)]
    check_glyphs(everything)
    return Document(
        id=entry.id,
        kind=entry.kind,
        title=entry.title,
        source=entry.source,
        claims=entry.claims,
        status=report.status,
        rows=rows,
        meanings=meanings,
        places=places(everything),
        assumptions=assumptions,
        scope=_scope(entry, statement, terms),
        names=frozenset[str]().union(*(free_names(term) for term in terms)),
        lemmas=tuple(LEMMAS[name].statement for name in report.lemmas),
        rests_on=_rests_on(entry, report),
        printed=entry.printed,
        fails=report.detail if entry.kind == "erratum" else "",
        corrected=entry.corrected,
        correction=_correction(entry),
    )


Raw = tuple[Term, object, str, str]  # term, author's display or None, reason, verdict


def _raw_rows(entry: Entry, report: Report, statement: Statement | None) -> list[Raw]:
    steps = [step for step in report.steps if not isinstance(step.expression, str)]
    if steps:
        return [(to_term(step.expression), step.shown, step.reason, step.verdict) for step in steps]
    if statement is None:
        return []
    contradicts, by_rules = "the case that contradicts the claim", "from earlier theorems, by the rules of the kernel"
    reason = contradicts if entry.kind == "erratum" else by_rules
    return [(statement.left, None, "as defined", "given"), (statement.right, None, reason, "proved")]


def _shown(term: Term, shown: object, definitions: Sequence[Definition]) -> Node:
    """The tree of a row: from the author's own display if there is one, otherwise in conventional order."""
    if shown is None:
        return tree(term, term, definitions, CONVENTIONAL)
    return tree(to_term(shown), term, definitions, AS_WRITTEN)


def tree(wanted: Term, checked: Term, definitions: Sequence[Definition], order: Order) -> Node:
    """A display of `wanted` that is proved to mean `checked`; Unfaithful otherwise."""
    return faithful(build(wanted, named_by(definitions, order), order), checked)


def _scope(entry: Entry, statement: Statement | None, terms: Sequence[Term]) -> str:
    """For which values the document speaks; matrices of one size are listed together."""
    if statement is None and entry.kind == "table" and {shape(term) for term in terms} == {_ONE_BY_ONE}:
        product = Multiply(tuple(terms))  # it has the names of all rows
        statement = Statement(product, product)
    if statement is None:
        return ""
    groups: dict[tuple[str, str], list[str]] = {}
    for part in scope_text(statement).split("; "):
        found = _SIZED.fullmatch(part)
        kind, name, size = found.groups() if found else (part, "", "")
        if kind == "real matrices" and size.endswith(" x 1"):
            kind = "real vectors"
        groups.setdefault((kind, size), []).append(name)
    return "; ".join(f"{kind} {', '.join(names)} ({size})" if size else kind for (kind, size), names in groups.items())


_ONE_BY_ONE = (Size(1), Size(1))
_SIZED = re.compile(r"((?:for all )?[a-z ]+) (\S+) \((\w+ x \w+)\)")


def _assumption(hypothesis: Hypothesis, definitions: Sequence[Definition]) -> Assumption:
    left, right = (tree(side, side, definitions, CONVENTIONAL) for side in (hypothesis.left, hypothesis.right))
    return Assumption(left, RELATIONS[hypothesis.kind], right, hypothesis.forall, hypothesis_text(hypothesis))


def _meanings(definitions: Sequence[Definition], trees: Sequence[Node]) -> tuple[Meaning, ...]:
    """What the defined names stand for, those in the bodies of definitions included."""
    bodies: dict[Definition, Node] = {}
    waiting = list(trees)
    while waiting:
        occurring = {node.definition for top in waiting for node in walk(top) if isinstance(node, Defined)}
        new = {definition: _body(definition, definitions) for definition in occurring - bodies.keys()}
        bodies |= new
        waiting = list(new.values())
    named = ((d, Defined(d, tuple(Name(parameter) for parameter in d.parameters))) for d in definitions if d in bodies)
    return tuple(Meaning(name, bodies[definition]) for definition, name in named)


def _body(definition: Definition, definitions: Sequence[Definition]) -> Node:
    """A body may use the names of sequences, as R_p does with theta_i; its own name would explain nothing."""
    inside = [one for one in definitions if one.style == "sequence" and one != definition]
    return tree(definition.body, definition.body, inside, CONVENTIONAL)


def _correction(entry: Entry) -> tuple[Row, ...]:
    if not entry.corrected:
        return ()
    corrected = catalogue()[entry.corrected]
    if corrected.kind not in ("derivation", "theorem"):
        return ()  # a citation is in words, and the rows of a table are not sides of one equation
    rows = document(corrected).rows
    return (rows[0], replace(rows[-1], number=1, reason=f"see {entry.corrected}"))


def _rests_on(entry: Entry, report: Report) -> tuple[str, ...]:
    """Of a citation: the ids of the entries that it names."""
    if entry.kind != "citation":
        return ()
    return tuple(step.reason.removeprefix("proved as ") for step in report.steps)
