"""Which libraries each part may load, and that every setting is read."""

import ast
import itertools
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pydantic import BaseModel

from ricordo.settings import Settings

ROOT = Path(__file__).parents[2]
SHARED, SERVICES = ROOT / "shared/ricordo", ROOT / "services/ricordo_services"
OURS = {"ricordo", "ricordo_services"}

# What a part may import besides the standard library and what is ours; import-linter rules over the latter.
ALLOWED = {
    "language": {"numpy", "py3langid", "simplemma", "snowballstemmer"},
    "memory": {"cachetools", "numpy"},
    "messages": {"pydantic", "pydantic_core"},
    "client": {"nats", "pydantic"},
}

# The extras of gliner and of frameworks for agents are declared but not locked; pydantic-core comes with
# pydantic, in the version that it needs.
UNLOCKED = {"agents", "gliner", "langgraph", "pydantic_ai", "pydantic_core"}

# The standard library's own ways to the outside world, for which language and memory have no use.
OUTSIDE = set(
    "asyncio concurrent ctypes http logging multiprocessing selectors shutil signal socket sqlite3 ssl "
    "subprocess tempfile urllib".split()
)

ONLY_THESE = """
import sys
from importlib.abc import MetaPathFinder

class Wall(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if not top.startswith("_") and top not in sys.stdlib_module_names and top not in {allowed!r}:
            raise ModuleNotFoundError(f"No module named {{top!r}} in a base install", name=top)
        return None

sys.meta_path.insert(0, Wall())
import {module}
"""
BASE = {
    "annotated_types",
    "nats",
    "pydantic",
    "pydantic_core",
    "ricordo",
    "typing_extensions",
    "typing_inspection",
}


@cache
def imported(path: Path) -> frozenset[str]:
    """Return the top-level names that a file imports, wherever in it."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return frozenset(name.partition(".")[0] for name in names)


def libraries(folder: Path) -> dict[str, set[str]]:
    """Return every library below `folder` with the files that import it."""
    found: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        for name in imported(path) - OURS - sys.stdlib_module_names:
            found.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    return found


@pytest.mark.parametrize("part", ALLOWED)
def test_a_part_loads_only_its_libraries(part: str) -> None:
    found = libraries(SHARED / part)
    assert found
    assert {name: files for name, files in found.items() if name not in ALLOWED[part]} == {}


@pytest.mark.parametrize("part", ["language", "memory"])
def test_language_and_memory_do_no_input_or_output(part: str) -> None:
    files = sorted((SHARED / part).rglob("*.py"))
    assert files
    assert {path.name: ways for path in files if (ways := OUTSIDE & imported(path))} == {}


def test_every_library_that_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *itertools.chain.from_iterable(extras)]
    declared = {canonicalize_name(Requirement(line).name) for line in lines}
    owners = packages_distributions()
    undeclared = {
        name: files
        for name, files in (libraries(SHARED) | libraries(SERVICES)).items()
        if name not in UNLOCKED
        and not declared & {canonicalize_name(owner) for owner in owners.get(name, [])}
    }
    assert undeclared == {}


def test_a_framework_for_agents_is_imported_by_its_own_module_only() -> None:
    found = libraries(SHARED) | libraries(SERVICES)
    modules = {"agents": "openai_agents", "langgraph": "langgraph", "pydantic_ai": "pydantic_ai"}
    for framework, module in modules.items():
        assert found[framework] == {f"shared/ricordo/integrations/{module}.py"}


@pytest.mark.parametrize("module", ["ricordo.client", "ricordo.messages"])
def test_a_base_install_is_enough_for(module: str) -> None:
    program = ONLY_THESE.format(allowed=BASE, module=module)
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    assert run.returncode == 0, run.stderr


def test_the_wall_of_the_base_install_holds() -> None:
    program = ONLY_THESE.format(allowed=BASE, module="numpy")
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    assert "No module named 'numpy' in a base install" in run.stderr


READERS = [
    path
    for folder in ("shared/ricordo", "services/ricordo_services")
    for path in (ROOT / folder).rglob("*.py")
    if "settings" not in path.parts
]


def settings() -> Iterator[tuple[str, str]]:
    for group, field in Settings.model_fields.items():
        assert isinstance(field.annotation, type)
        assert issubclass(field.annotation, BaseModel)
        for name in field.annotation.model_fields:
            yield group, name


def test_every_setting_is_read() -> None:
    read = {
        node.attr
        for path in READERS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    assert [f"{group}.{name}" for group, name in settings() if name not in read] == []
