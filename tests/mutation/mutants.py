"""Mutants: a module of the kernel with one small defect, made on its syntax tree.

The operators are those that find weak tests and rarely make equivalent programs: conditions forced true or false, a
part of `and` or `or` left out, comparisons and arithmetic exchanged, numbers off by one, strings spoiled, statements
and cases left out, optional arguments forgotten, arguments in the wrong order, and names that stand in pairs (`lo` and
`hi`, `left` and `right`, `any` and `all`) exchanged. What an error says is not mutated, only whether it is raised; nor
are the steps that are spent of a budget, which are estimates: tests of limits measure what they add up to.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

PAIRS = (
    ("lo", "hi"),
    ("re", "im"),
    ("left", "right"),
    ("rows", "columns"),
    ("over", "under"),
    ("any", "all"),
    ("min", "max"),
    ("floor_div", "ceil_div"),
    ("floor_shift", "ceil_shift"),
)
PARTNER = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])}
OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
# Exchanging two arguments of these changes nothing; the second table names those that a module defines itself.
COMMUTATIVE = frozenset(
    {
        "q.add",
        "q.multiply",
        "q.equal",
        "v.add",
        "v.multiply",
        "words.add",
        "matrices.add",
        "gcd",
        "lcm",
        "min",
        "max",
        "separated",
    }
)
OWN = {
    "matrices": frozenset({"_pairwise", "_all_equal", "_dot"}),
    "towers": frozenset({"self.multiply", "self._same", "_close", "math.dist"}),
    "quotients": frozenset({"add", "multiply", "equal"}),
    "values": frozenset({"add", "multiply", "_plus", "_times", "_monomial_product"}),
    "words": frozenset({"add", "_sum_of_arguments"}),
}
# Read by type checkers and decorators, or texts for people.
UNTOUCHED = frozenset({"annotation", "returns", "decorator_list"})


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `new` at a place of the tree: a field of a node, or one element of a list in it."""

    holder: ast.AST
    field: str
    index: int | None
    new: ast.AST | str | None

    def old(self) -> ast.AST | str:
        held = getattr(self.holder, self.field)
        found: ast.AST | str = held if self.index is None else held[self.index]
        return found

    def apply(self) -> None:
        if self.index is None:
            setattr(self.holder, self.field, self.new)
        else:
            getattr(self.holder, self.field)[self.index : self.index + 1] = [] if self.new is None else [self.new]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One defect. `where` is the function or method it stands in, empty where the module itself is changed.

    A function within a function is named with both: decorators make such ones when a module is imported.
    """

    module: str
    where: str
    text: str
    change: str
    nth: int
    lines: range
    tree: ast.Module
    edit: Edit

    @property
    def in_function(self) -> bool:
        """Can it be put in place by exchanging the code of one function that the module holds?"""
        return self.where != "" and "<locals>" not in self.where

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What names a mutant while lines move: the text of its line, not the number."""
        return (self.module, self.where, self.text, self.change, self.nth)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the walk is: the names around it, the outermost function, and the lines of which one ran if it ran."""

    prefix: str = ""
    where: str = ""
    lines: range = range(0)


_Found = tuple[_Place, Edit]


def mutants_of(path: Path, optional: frozenset[str]) -> list[Mutant]:
    """All mutants of one module, in the order of its text; `optional` names what may be called with fewer arguments."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    lines = source.splitlines()
    commutative = COMMUTATIVE | OWN.get(path.stem, frozenset())
    seen: Counter[tuple[str, str, str]] = Counter()
    found = []
    for place, edit in _walked(tree, _Place(), commutative, optional):
        text = lines[place.lines.start - 1].strip()
        change = f"{_shown(edit.old())} -> {_shown(edit.new)}"
        seen[place.where, text, change] += 1
        nth = seen[place.where, text, change]
        found.append(Mutant(path.stem, place.where, text, change, nth, place.lines, tree, edit))
    return found


def optional_names(paths: list[Path]) -> frozenset[str]:
    """Functions and classes of these modules that can be called with fewer arguments than they have parameters."""
    names: set[str] = set()
    for node in (node for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))):
        if isinstance(node, ast.FunctionDef) and (node.args.defaults or any(node.args.kw_defaults)):
            names.add(node.name)
        if isinstance(node, ast.ClassDef) and any(isinstance(s, ast.AnnAssign) and s.value for s in node.body):
            names.add(node.name)
    return frozenset(names)


def _shown(node: ast.AST | str | None) -> str:
    match node:
        case None:
            return "nothing"
        case str():
            return node
        case ast.operator() | ast.cmpop() | ast.boolop():
            return type(node).__name__
        case ast.match_case(pattern=pattern):
            return f"case {ast.unparse(pattern)}"
        case _:
            return " ".join(ast.unparse(node).split())


def _walked(node: ast.AST, place: _Place, commutative: frozenset[str], optional: frozenset[str]) -> Iterator[_Found]:
    """The edits of everything below a node."""
    for field, held in ast.iter_fields(node):
        if field in UNTOUCHED:
            continue
        for index, child in enumerate(held) if isinstance(held, list) else [(None, held)]:
            if not isinstance(child, ast.AST) or _passed_over(child):
                continue
            inner = _entered(child, place)
            for new in _alternatives(child, node, commutative, optional):
                yield inner, Edit(node, field, index, new)
            yield from _renamings(child, inner)
            if not isinstance(child, (ast.Raise, ast.Assert)):
                yield from _walked(child, inner, commutative, optional)


def _passed_over(node: ast.AST) -> bool:
    """Docstrings, protocols, imports, aliases of types, exported names, steps spent, and checks of equal lengths."""
    match node:
        case ast.keyword(arg="strict") | ast.Expr(value=ast.Call(func=ast.Name(id="spend"))):
            return True
        case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom():
            return True
        case ast.ClassDef(bases=[ast.Name(id="Protocol")]):
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name == "__all__" or (name[0].isupper() and not name.isupper())
        case _:
            return False


def _entered(node: ast.AST, place: _Place) -> _Place:
    """The place inside a node."""
    match node:
        case ast.ClassDef(name=name):
            return replace(place, prefix=f"{place.prefix}{name}.")
        case ast.FunctionDef(name=name):
            return replace(place, where=f"{place.where}.<locals>.{name}" if place.where else f"{place.prefix}{name}")
        case ast.match_case(pattern=pattern):
            return replace(place, lines=_lines(pattern))
        case ast.stmt():
            simple = not hasattr(node, "body") and not isinstance(node, ast.Match)
            return replace(place, lines=_lines(node) if simple else range(node.lineno, node.lineno + 1))
        case ast.expr() | ast.pattern() if node.lineno not in place.lines:
            return replace(place, lines=_lines(node))
        case _:
            return place


def _lines(node: ast.stmt | ast.expr | ast.pattern) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _alternatives(
    node: ast.AST, holder: ast.AST, commutative: frozenset[str], optional: frozenset[str]
) -> Iterator[ast.AST | None]:
    """What is put in place of one node; None leaves an element of a list out."""
    match node:
        case ast.Constant(value=value) if not isinstance(holder, ast.Expr):
            yield from _other_constants(value)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.BoolOp(values=values):
            yield from (_without(node, values, k) for k in range(len(values)))
        case ast.operator() | ast.cmpop():
            if type(node) in OPERATORS:
                yield OPERATORS[type(node)]()
        case ast.Expr() | ast.Raise() | ast.AugAssign() | ast.Break() | ast.Continue() | ast.Delete():
            yield ast.copy_location(ast.Pass(), node)
        case ast.match_case() if isinstance(holder, ast.Match) and len(holder.cases) > 1:
            yield None
        case ast.keyword() if isinstance(holder, ast.Call) and _name(holder.func) in optional:
            yield None
        case ast.Call():
            yield from _other_calls(node, commutative, optional)
    if isinstance(node, ast.expr) and _is_condition(node, holder):
        yield from (ast.copy_location(ast.Constant(value=flag), node) for flag in (True, False))


def _is_condition(node: ast.expr, holder: ast.AST) -> bool:
    match holder:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            return test is node and not isinstance(node, ast.Constant)
        case ast.comprehension(ifs=tests):
            return node in tests
        case ast.match_case(guard=guard):
            return guard is node
        case _:
            return False


def _other_constants(value: object) -> Iterator[ast.AST]:
    match value:
        case bool():
            yield ast.Constant(value=not value)
        case int():
            yield from (ast.Constant(value=value + step) for step in (1, -1))
        case str():
            yield ast.Constant(value=value + "XX")


def _without(node: ast.BoolOp, values: list[ast.expr], k: int) -> ast.expr:
    rest = values[:k] + values[k + 1 :]
    return rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(op=node.op, values=rest), node)


def _name(called: ast.expr) -> str:
    return ast.unparse(called).rpartition(".")[2]


def _other_calls(node: ast.Call, commutative: frozenset[str], optional: frozenset[str]) -> Iterator[ast.AST]:
    """The last argument forgotten where that is allowed, and two neighbouring arguments exchanged."""
    args, keywords = node.args, node.keywords
    if args and not keywords and _name(node.func) in optional:
        yield ast.copy_location(ast.Call(func=node.func, args=args[:-1], keywords=[]), node)
    if ast.unparse(node.func) in commutative or any(isinstance(a, ast.Starred) for a in args):
        return
    for k in range(len(args) - 1):
        if _name(node.func) not in ("isinstance", "range") and ast.dump(args[k]) != ast.dump(args[k + 1]):
            swapped = [*args[:k], args[k + 1], args[k], *args[k + 2 :]]
            yield ast.copy_location(ast.Call(func=node.func, args=swapped, keywords=keywords), node)


def _renamings(node: ast.AST, place: _Place) -> Iterator[_Found]:
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name in PARTNER and name in ("any", "all", "min", "max"):
            yield place, Edit(node, "id", None, PARTNER[name])
        case ast.Attribute(attr=name, ctx=ast.Load()) if name in PARTNER:
            yield place, Edit(node, "attr", None, PARTNER[name])
