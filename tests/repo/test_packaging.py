"""pyproject.toml, constraints.txt and the exceptions they grant agree with one another."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tests.repo.sources import ROOT

PYPROJECT = (ROOT / "pyproject.toml").read_text()
CONSTRAINTS = (ROOT / "constraints.txt").read_text()


def supported(requires_python: str) -> list[str]:
    """The minor versions of Python 3 that a requires-python admits."""
    admitted = SpecifierSet(requires_python)
    return [f"3.{minor}" for minor in range(40) if f"3.{minor}.0" in admitted]


def classified(classifiers: list[str]) -> list[str]:
    """The minor versions of Python 3 that the classifiers name."""
    found = (re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line) for line in classifiers)
    return [match[1] for match in found if match]


def pins(constraints: str) -> dict[str, str]:
    """The exact version of each constrained package; a line that is not `name==version` is an error."""
    found: dict[str, str] = {}
    for line in constraints.splitlines():
        if not line or line.startswith("#"):
            continue
        name, _, version = line.partition("==")
        assert re.fullmatch(r"[0-9][0-9a-z.]*", version), f"not an exact public version: {line!r}"
        assert canonicalize_name(name) not in found, f"pinned twice: {name}"
        found[canonicalize_name(name)] = version
    return found


def requirements(pyproject: str) -> list[Requirement]:
    """Every requirement of the project and its extras; a reference to an extra of the project itself is none."""
    project = tomllib.loads(pyproject)["project"]
    extras = project.get("optional-dependencies", {}).values()
    texts = [*project["dependencies"], *(text for extra in extras for text in extra)]
    return [found for text in texts if (found := Requirement(text)).name != project["name"]]


def unpinned(pyproject: str, constraints: str) -> list[str]:
    """Requirements without a pin, and pins that their requirement does not admit."""
    pinned = pins(constraints)
    found = []
    for requirement in requirements(pyproject):
        version = pinned.get(canonicalize_name(requirement.name))
        if version is None:
            found.append(f"{requirement} has no line")
        elif version not in requirement.specifier:
            found.append(f"{requirement} does not admit {version}")
    return found


def exceptions(pyproject: str) -> list[str]:
    """Every exception that pyproject.toml grants inside a list: an ignored rule, warning or import."""
    tool = tomllib.loads(pyproject)["tool"]
    lint = tool.get("ruff", {}).get("lint", {})
    per_file = lint.get("per-file-ignores", {})
    warnings = tool.get("pytest", {}).get("filterwarnings", [])
    contracts = tool.get("importlinter", {}).get("contracts", [])
    return [
        *lint.get("ignore", []),
        *(rule for rules in per_file.values() for rule in rules),
        *(warning for warning in warnings if warning != "error"),
        *(allowed for contract in contracts for allowed in contract.get("ignore_imports", [])),
    ]


def without_reason(pyproject: str) -> list[str]:
    """Exceptions with no comment on their own line, and mypy overrides with no comment in their block."""
    commented = [line for line in pyproject.splitlines() if re.search(r"""["'],?\s*# \S""", line)]
    bare = [entry for entry in exceptions(pyproject) if not any(_quotes(line, entry) for line in commented)]
    blocks = pyproject.split("[[tool.mypy.overrides]]")[1:]
    own = [block.partition("\n[")[0] for block in blocks]
    return bare + [block.strip() for block in own if not re.search(r"^# \S", block, re.MULTILINE)]


def _quotes(line: str, entry: str) -> bool:
    return line.strip().startswith((f'"{entry}"', f"'{entry}'"))


def test_classifiers_are_the_supported_versions() -> None:
    project = tomllib.loads(PYPROJECT)["project"]
    assert classified(project["classifiers"]) == supported(project["requires-python"]) == ["3.11", "3.12", "3.13"]


def test_tools_check_for_the_oldest_supported_version() -> None:
    data = tomllib.loads(PYPROJECT)
    oldest = supported(data["project"]["requires-python"])[0]
    assert data["tool"]["mypy"]["python_version"] == oldest
    assert data["tool"]["ruff"]["target-version"] == "py" + oldest.replace(".", "")


def test_a_version_without_classifier_is_seen() -> None:
    assert supported(">=3.11,<3.15") == ["3.11", "3.12", "3.13", "3.14"]
    assert classified(["Programming Language :: Python :: 3", "Programming Language :: Python :: 3.12"]) == ["3.12"]


def test_every_requirement_is_pinned() -> None:
    assert unpinned(PYPROJECT, CONSTRAINTS) == []
    assert len(requirements(PYPROJECT)) > 12


@pytest.mark.parametrize("line", ["a", "a>=1", "a==1.0+cpu", "a==1.*"])
def test_a_line_that_is_no_exact_pin_is_reported(line: str) -> None:
    with pytest.raises(AssertionError, match="not an exact public version"):
        pins(f"b==1.0\n{line}\n")


def test_a_requirement_without_pin_and_a_pin_below_the_floor_are_reported() -> None:
    planted = (
        '[project]\nname = "p"\ndependencies = ["a>=2", "c"]\n[project.optional-dependencies]\nx = ["b>=1", "p[y]"]\n'
    )
    assert unpinned(planted, "a==1.9\n# c==1\n") == ["a>=2 does not admit 1.9", "c has no line", "b>=1 has no line"]
    assert unpinned(planted, "a==2.0\nb==1\nC==3\n") == []


def test_every_exception_has_its_reason() -> None:
    assert without_reason(PYPROJECT) == []
    assert exceptions(PYPROJECT) != []


def test_an_exception_without_reason_is_reported() -> None:
    planted = """
[tool.ruff.lint]
ignore = [
    "A1", # a reason
    "A2",
]
[tool.ruff.lint.per-file-ignores]
"tests/**" = ["A3"]
[tool.pytest]
filterwarnings = [
    "error",
    'ignore:x', # a reason
    'ignore:y',
]
[[tool.importlinter.contracts]]
ignore_imports = ["a -> b"]
[[tool.mypy.overrides]]
# a reason
module = "a"
[[tool.mypy.overrides]]
module = "b"
[tool.last]
# a comment of another table
"""
    assert without_reason(planted) == ["A2", "A3", "ignore:y", "a -> b", 'module = "b"']
