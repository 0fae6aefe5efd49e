"""The wheel holds the product with its data, without the lab, and requires the client's libraries only."""

import importlib.util
import subprocess
import sys
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
SOURCES = {"ricordo": ROOT / "shared/ricordo", "ricordo_services": ROOT / "services/ricordo_services"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (path,) = folder.glob("*.whl")
    return ZipFile(path)


@pytest.fixture(scope="module")
def metadata(wheel: ZipFile) -> Message:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return Parser().parsestr(wheel.read(name).decode())


@pytest.mark.parametrize("package", SOURCES)
def test_every_file_of_a_package_is_in_it(wheel: ZipFile, package: str) -> None:
    source = SOURCES[package]
    written = {
        f"{package}/{path.relative_to(source)}"
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert f"{package}/py.typed" in written
    assert written == {name for name in wheel.namelist() if name.startswith(f"{package}/")}


def test_nothing_else_is_in_it(wheel: ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(SOURCES)


def test_without_the_lab_a_command_says_where_it_is(wheel: ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    script = f"""
import sys
checkout = {[str(source.parent) for source in SOURCES.values()]!r}
sys.path = [{str(tmp_path)!r}, *(path for path in sys.path if path not in checkout)]
from ricordo_services.cli.application import run
print([run([command]) for command in ("bench", "eval")])
"""
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert run.stdout == "[2, 2]\n", run.stderr
    assert ["clone the repository" in line for line in run.stderr.splitlines()] == [True, True]


def test_the_lab_is_importable_in_a_checkout() -> None:
    found = importlib.util.find_spec("ricordo_lab")
    assert found is not None
    assert found.origin == str(ROOT / "services/ricordo_lab/__init__.py")


def test_the_base_asks_for_the_libraries_of_the_client_only(metadata: Message) -> None:
    requirements = [Requirement(line) for line in metadata.get_all("Requires-Dist", [])]
    assert {str(each.name) for each in requirements if each.marker is None} == {
        "nats-py",
        "pydantic",
        "tzdata",
    }


def test_the_licence_and_the_command_come_with_it(wheel: ZipFile, metadata: Message) -> None:
    names = wheel.namelist()
    assert metadata["License-Expression"] == "Apache-2.0"
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    (entry_points,) = (name for name in names if name.endswith(".dist-info/entry_points.txt"))
    assert "ricordo = ricordo_services.cli:main" in wheel.read(entry_points).decode()
