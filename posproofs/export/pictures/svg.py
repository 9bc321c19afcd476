"""A small SVG writer: elements as text, numbers rounded once, colours that follow the reader's light or dark mode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

_STYLE = (
    "text{font:12px sans-serif;fill:currentColor}"
    "line,path,polyline,rect,circle{stroke:currentColor;fill:none}"
    ".faint{stroke-opacity:.25}"
    ".fill{fill:currentColor;stroke:none}"
    ".a{stroke:#0b62a4;color:#0b62a4}.b{stroke:#b2182b;color:#b2182b}.c{stroke:#4d7c0f;color:#4d7c0f}"
    "svg{color:#222}@media(prefers-color-scheme:dark){svg{color:#ddd}"
    ".a{stroke:#6db3f2;color:#6db3f2}.b{stroke:#f4887c;color:#f4887c}.c{stroke:#a3d977;color:#a3d977}}"
)


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing. `svg` is a whole SVG document; Jupyter shows it, with title and description as its text."""

    title: str
    description: str
    svg: str

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": f"{self.title}: {self.description}", "image/svg+xml": self.svg}


def picture(title: str, description: str, size: tuple[int, int], elements: Iterable[str]) -> Picture:
    """The elements in a frame of width x height pixels, with title and description for those who do not see it."""
    width, height = size
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label={quoteattr(title)}>'
    )
    body = [f"<title>{escape(title)}</title>", f"<desc>{escape(description)}</desc>", f"<style>{_STYLE}</style>"]
    return Picture(title, description, "\n".join([head, *body, *elements, "</svg>"]) + "\n")


def fixed(value: float) -> str:
    """A number with two decimals; minus zero is zero, so that equal data give equal bytes."""
    return f"{round(value, 2) + 0.0:.2f}"


def line(start: tuple[float, float], end: tuple[float, float], style: str = "") -> str:
    """A straight line."""
    (x1, y1), (x2, y2) = start, end
    where = f'x1="{fixed(x1)}" y1="{fixed(y1)}" x2="{fixed(x2)}" y2="{fixed(y2)}"'
    return f"<line {where}{_class(style)}/>"


def curve(points: Sequence[tuple[float, float]], style: str = "") -> str:
    """A polyline through the points."""
    listed = " ".join(f"{fixed(x)},{fixed(y)}" for x, y in points)
    return f'<polyline points="{listed}"{_class(style)}/>'


def circle(centre: tuple[float, float], radius: float, style: str = "") -> str:
    """A circle."""
    return f'<circle cx="{fixed(centre[0])}" cy="{fixed(centre[1])}" r="{fixed(radius)}"{_class(style)}/>'


def box(corner: tuple[float, float], size: tuple[float, float], style: str = "") -> str:
    """A rectangle by its upper left corner."""
    where = f'x="{fixed(corner[0])}" y="{fixed(corner[1])}" width="{fixed(size[0])}" height="{fixed(size[1])}"'
    return f"<rect {where}{_class(style)}/>"


def cell(corner: tuple[float, float], side: float, value: float) -> str:
    """A square of a heat map: the colour tells the sign, the strength the size of a value between -1 and 1."""
    colour = "#0b62a4" if value >= 0 else "#b2182b"
    where = f'x="{fixed(corner[0])}" y="{fixed(corner[1])}" width="{fixed(side)}" height="{fixed(side)}"'
    return f'<rect {where} style="fill:{colour};fill-opacity:{fixed(abs(value))};stroke:none"/>'


def words(where: tuple[float, float], said: str, anchor: str = "middle") -> str:
    """A text at a point; anchor: start, middle or end."""
    return f'<text x="{fixed(where[0])}" y="{fixed(where[1])}" text-anchor="{anchor}">{escape(said)}</text>'


def arrow(start: tuple[float, float], end: tuple[float, float], style: str = "") -> list[str]:
    """A line with a dot at its end, which is seen where colours are not."""
    return [line(start, end, style), circle(end, 2.5, f"fill {style}".strip())]


def _class(style: str) -> str:
    return f' class="{style}"' if style else ""
