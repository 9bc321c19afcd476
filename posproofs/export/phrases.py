"""Titles and reasons, which are plain ASCII words with formulas in between, split into words and mathematics.

Nothing here is checked mathematics: a phrase is the author's comment on a row. Where a stretch is not clearly a
formula, it stays text; the worst that can happen is a formula in upright letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from posproofs.export.glyphs import EXPANDED, GREEK, Style

_FUNCTIONS = frozenset({"cos", "sin", "exp", "log", "det"})
_UPRIGHT = frozenset({"Re", "Im", "conj", "span", "floor", "max", "min", "gcd"})
Heads = Mapping[str, str]  # letters that stand for matrices and vectors, and how they are written
_SIGNS = {"<=": r"\le ", ">=": r"\ge ", "!=": r"\ne ", "+-": r"\pm ", "->": r"\to "}
_SIGNS |= {"...": r"\dots ", "..": r"\dots ", "@": r"\times ", "`": r"\ ", "flat": r"\flat "}
OPERATORS = frozenset({"=", "<", ">", "<=", ">=", "!=", "+", "-", "->", "*", "/", "|", "..."})
_TOKEN = re.compile(r"d/d ?[a-z]+|\.\.\.|\.\.|<=|>=|!=|\+-|->|[A-Za-z]+|[0-9]+(?:\.[0-9]+)?|\s+|.")
_FORMULA = re.compile(
    r"[\^_=|<>+*]|[A-Za-z0-9]\(|^[A-Z]\[|^\d+\.\.\w|\)\("
    r"|^[A-Za-z]{1,3}'|^-[A-Za-z0-9.]+$|^[a-z]/[a-z0-9]+$|^[A-Za-z][0-9]+$"
    r"|^[0-9]+[a-z]$|^[0-9]+\.[0-9]+[a-z]?$"
)
_LABEL = re.compile(r"\([a-z]\)[,:;]?")  # (a) names a term
_ID = re.compile(r"[a-z]+(\.[a-z_]+)+")
_HYPHENED = re.compile(r"[A-Za-z]{3,}-[A-Za-z]{3,}")
_WORDS = frozenset({"an", "as", "at", "be", "by", "if", "in", "is", "it", "no", "of", "on", "or", "so", "to", "up"})
_LETTER_WORDS = frozenset({"a", "A", "I"})
_PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a phrase: words, or a formula in the notation of the phrase."""

    kind: str  # words or formula
    text: str


def parts(phrase: str, names: frozenset[str] = frozenset()) -> tuple[Part, ...]:
    """The phrase as stretches of words and of formulas; `names` are the variables of the entry."""
    tokens = phrase.split(" ")
    flags = _settled(tokens, [_is_formula(token, names) for token in tokens], names)
    found: list[Part] = []
    for formula, group in groupby(zip(flags, tokens, strict=True), key=lambda pair: pair[0]):
        text = " ".join(token for _, token in group)
        found += _formula_parts(text) if formula else [Part("words", text)]
    return _spaced(found)


def _is_formula(token: str, names: frozenset[str]) -> bool:
    bare = token.strip("()[]{},.;:")
    if bare in OPERATORS or token.rstrip(",") in OPERATORS or token.startswith("[["):
        return True
    if (
        (bare in names and not _LABEL.fullmatch(token) and bare not in _LETTER_WORDS)
        or bare in GREEK
        or bare in _FUNCTIONS
        or bare in _UPRIGHT
    ):
        return True
    if _LABEL.fullmatch(token) or _ID.fullmatch(bare) or _HYPHENED.search(bare):
        return False
    return bool(_FORMULA.search(bare)) or (len(bare) == 1 and bare.isalpha() and bare not in _LETTER_WORDS)


def _settled(tokens: Sequence[str], flags: Sequence[bool], names: frozenset[str]) -> list[bool]:
    """Single letters that are words elsewhere, and short products, belong to a formula where they touch one."""
    settled = list(flags)
    for k, token in enumerate(tokens):
        bare = token.strip("()[]{},.;:")
        if bare == "a" in names and (token[-1] in ",;" or k == len(tokens) - 1):
            settled[k] = True  # the article stands before a word, the variable at the end of a phrase
        if token == "in" and k + 1 < len(tokens) and tokens[k + 1].startswith("{"):
            settled[k : k + 2] = [True, True]
        if not settled[k] and bare not in _WORDS and re.fullmatch(r"[A-Za-z]{1,2}|[0-9]+", bare):
            signed = bare == "a" or _LABEL.fullmatch(token)
            settled[k] = _touches_sign(tokens, k) if signed else _touches(tokens, settled, k)
    return settled


def _touches(tokens: Sequence[str], flags: Sequence[bool], k: int) -> bool:
    """Whether the token before or behind is a formula, with no comma in between unless in a bracket of the formula."""
    inside = any(_depth(" ".join(tokens[j:k])) > 0 and all(flags[j:k]) for j in range(k))
    return inside or any(0 <= j < len(tokens) and flags[j] and not _ends(tokens[min(j, k)]) for j in (k - 1, k + 1))


def _touches_sign(tokens: Sequence[str], k: int) -> bool:
    return any(0 <= j < len(tokens) and tokens[j] in OPERATORS for j in (k - 1, k + 1))


def _ends(token: str) -> bool:
    return token.endswith((",", ";", ":", "."))


def _formula_parts(text: str) -> Iterator[Part]:
    """Formulas separated by the commas and colons of the sentence: those that stand outside all brackets."""
    start = 0
    for mark in re.finditer(r"[,;:.]+(?: |$)", text):
        if _depth(text[: mark.start()]) == 0:
            yield from _balanced(text[start : mark.start()])
            yield Part("words", mark[0])
            start = mark.end()
    yield from _balanced(text[start:])


def _depth(text: str) -> int:
    """How many brackets are open at the end; <q is an angle bracket, a < b is not."""
    opened = len(re.findall(r"[(\[{]|(?<![^ (=])<(?=\w)", text))
    closed = len(re.findall(r"[)\]}]|(?<=[\w)])>(?![\w=])", text))
    return max(opened - closed, 0)


def _balanced(text: str) -> Iterator[Part]:
    """A stretch whose outer brackets fit; brackets that also enclose words are words."""
    front = back = ""
    if not text:
        return
    while text and not _fits(text):
        if text[0] in "([{":
            front, text = front + text[0], text[1:]
        elif text[-1] in ")]}":
            text, back = text[:-1], text[-1] + back
        else:
            yield Part("words", front + text + back)
            return
    yield from (Part("words", front),) if front else ()
    yield from (Part("formula", text),) if text else ()
    yield from (Part("words", back),) if back else ()


def _fits(text: str) -> bool:
    waiting: list[str] = []
    for letter in text:
        if letter in _PAIRS:
            waiting.append(_PAIRS[letter])
        elif letter in ")]}" and (not waiting or waiting.pop() != letter):
            return False
    return not waiting


def _spaced(found: list[Part]) -> tuple[Part, ...]:
    """The spaces that separated words from formulas go to the words."""
    result: list[Part] = []
    for k, part in enumerate(found):
        before = found[k - 1] if k else None
        gap = " " if before is not None and _apart(before, part) else ""
        if part.kind == "words":
            result.append(Part("words", gap + part.text))
        elif gap and before is not None:
            result += [Part("words", gap), part]
        else:
            result.append(part)
    return _merged(result)


def _apart(before: Part, part: Part) -> bool:
    opening = before.kind == "words" and before.text.endswith(("(", "[", "{", " "))
    closing = part.kind == "words" and part.text.startswith((",", ".", ";", ":", ")", "]", "}"))
    return not opening and not closing


def _merged(found: list[Part]) -> tuple[Part, ...]:
    groups = groupby(found, key=lambda part: part.kind)
    return tuple(Part(kind, "".join(part.text for part in group)) for kind, group in groups)


@dataclass(frozen=True, slots=True)
class Wording:
    """How the phrases of a document are typeset: its variables, its bold letters, and the style of the target."""

    names: frozenset[str] = frozenset()
    heads: Heads = field(default_factory=dict)
    style: Style = EXPANDED

    def sentence(self, phrase: str) -> str:
        """A phrase for a paragraph: words, with formulas in dollars."""
        found = parts(phrase, self.names)
        return "".join(escaped(p.text) if p.kind == "words" else f"${self.typeset(p.text)}$" for p in found)

    def in_display(self, phrase: str) -> str:
        """A phrase inside mathematics: words in \\text, formulas as they are."""
        found = parts(phrase, self.names)
        return "".join(in_text(plain_words(p.text)) if p.kind == "words" else self.typeset(p.text) for p in found)

    def typeset(self, text: str) -> str:
        """A formula of a phrase: x_(2i) is x_{2i}, e^(i theta) is e^{i\\theta}, [[a, b], [c, d]] is a matrix."""
        if text == "*":
            return r"\times"  # between words
        if text in _FUNCTIONS:
            return rf"\mathrm{{{text}}}"  # alone, without the space that waits for an argument
        found = _MATRIX.search(text)
        if found is not None:
            before, after = text[: found.start()], text[found.end() :]
            rows = (row.split(",") for row in re.split(r"\]\s*,\s*\[", found[0][2:-2]))
            body = r" \\ ".join(" & ".join(self.typeset(entry) for entry in row) for row in rows)
            matrix = rf"\left(\begin{{smallmatrix}} {body} \end{{smallmatrix}}\right)"
            gap = r"\ " if after.startswith(" (") else ""
            return f"{self.typeset(before)}{matrix}{gap}{self.typeset(after)}"
        written = self._written(_tokens(text))
        return re.sub(" {2,}", " ", written.removesuffix(r"\,").strip())

    def _written(self, tokens: list[str]) -> str:
        written, k = "", 0
        while k < len(tokens):
            token = tokens[k]
            if token in ("^", "_", "conj") and k + 1 < len(tokens):
                end = _group_end(tokens, k + 1)
                inner = tokens[k + 1 : end]
                inner = inner[1:-1] if inner[0] == "(" else inner
                head = r"\overline" if token == "conj" else token
                written = written if token == "conj" else written.removesuffix(r"\,").rstrip()
                written += f"{head}{{{self._script(inner, token)}}}"
                k = end
            else:
                written += self.heads[token] if token in self.heads else _sign(tokens, k)
                k += 1
        return written

    def _script(self, tokens: list[str], mark: str) -> str:
        if mark == "^" and tokens == ["T"]:
            return self.style.transpose
        plain = replace(self, heads={})  # W_r has the letter r for an index, not the vector r
        tight = plain._written(tokens).replace(" + ", "+").replace(" - ", "-").replace(" = ", "=")
        return tight.removesuffix(r"\,").strip()


_MATRIX = re.compile(r"\[\[[^\[\]]*\](?:\s*,\s*\[[^\[\]]*\])*\]")


def _tokens(text: str) -> list[str]:
    indexed = re.sub(r"(?<![\w^_])([A-Za-z])([0-9]+)", r"\1_\2", text)  # q1 is q_1
    sized = re.sub(r"\b(\d*[a-z]?) x (\d*[a-z]?)\b", r"\1 @ \2", indexed)  # 2h x e is a size
    sized = re.sub(r"(?<=[\w)]) (?=\(\w+ @)", "`", sized)  # that stands apart from the name of the matrix
    return [token for token in _TOKEN.findall(sized) if not token.isspace()]


def _group_end(tokens: Sequence[str], start: int) -> int:
    """Behind a bracket that opens at `start`; otherwise behind one token, a product of powers after conj included."""
    if tokens[start] != "(":
        scripts = tokens[start - 1] == "conj" and start + 1 < len(tokens) and tokens[start + 1] in "^_"
        return _group_end(tokens, start + 2) if scripts else start + 1
    depth = 0
    for k in range(start, len(tokens)):
        depth += (tokens[k] == "(") - (tokens[k] == ")")
        if depth == 0:
            return k + 1
    return len(tokens)


def _sign(tokens: Sequence[str], k: int) -> str:
    token = tokens[k]
    if token == "<" and ">" in tokens[k:] and (k == 0 or tokens[k - 1] in OPERATORS):
        return r"\langle "
    if token == ">" and "<" in tokens[:k] and (k + 1 == len(tokens) or tokens[k + 1] in OPERATORS):
        return r"\rangle "
    if token in ("=", "+", "-") and k and tokens[k - 1] not in OPERATORS | {"(", "[", ","}:
        return f" {token} "
    if token == "." and tokens[k - 1 : k + 2] == ["(", ".", ")"]:
        return r"\cdot "  # the argument of a family
    if token in _SIGNS:
        return _SIGNS[token]
    if token in _FUNCTIONS:
        return f"\\{token} "
    if token.startswith("d/d"):
        variable = token[3:].strip()
        return rf"\tfrac{{d}}{{d{GREEK.get(variable, variable)}}} "
    if token == "in":
        return r"\in "
    if token in GREEK:
        return f"{GREEK[token]} "
    if token == "x" and 0 < k < len(tokens) - 1 and tokens[k - 1].isdigit() and tokens[k + 1].isdigit():
        return r"\times "  # R^(2x2)
    if token in _UPRIGHT or (len(token) > 2 and token.isalpha()):
        return rf"\mathrm{{{token}}}\,"
    return {"{": r"\{", "}": r"\}", "*": r"\,", "#": r"\#", "%": r"\%", "&": r"\&"}.get(token, token)


_ESCAPES = {"_": r"\_", "^": r"\^{}", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "~": r"\~{}", "{": r"\{"}
_ESCAPES |= {"}": r"\}", "\\": "/", "<": "$<$", ">": "$>$", "|": "$|$"}


def escaped(words: str) -> str:
    """Words for LaTeX text."""
    return "".join(_ESCAPES.get(letter, letter) for letter in words)


_TEXTS, _WORDS_OF = re.compile(r"(?:\\text\{[^{}]*\}){2,}"), re.compile(r"\\text\{([^{}]*)\}")


def in_text(words: str) -> str:
    """Words inside mathematics."""
    return rf"\text{{{words}}}"


def bracketed(display: str) -> str:
    """A phrase inside mathematics in brackets, which stand with the words next to them."""
    whole = rf"{in_text('(')}{display}{in_text(')')}"
    return _TEXTS.sub(lambda several: in_text("".join(_WORDS_OF.findall(several[0]))), whole)


def plain_words(words: str) -> str:
    """Words for \\text in every target; the signs that would need mathematics or a package do not occur in words."""
    for letter, written in (("_", r"\_"), ("%", r"\%"), ("&", r"\&"), ("#", r"\#"), ("$", r"\$")):
        words = words.replace(letter, written)
    return words
