"""The lock is complete, hashed, and free of addresses and of what nothing here loads."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def locked() -> dict[str, list[tuple[Requirement, int]]]:
    """Return the pins of every package, each with the number of its hashes."""
    pins: dict[str, list[tuple[Requirement, int]]] = {}
    for block in re.split(r"\n(?=\S)", LOCK.strip()):
        requirement = Requirement(block.splitlines()[0].removesuffix("\\").strip())
        pins.setdefault(canonicalize_name(requirement.name), []).append(
            (requirement, len(HASH.findall(block)))
        )
    return pins


def declared() -> list[Requirement]:
    """Return what the base, the extras that the lock serves, and the development groups ask for."""
    extras = PROJECT["project"]["optional-dependencies"]
    groups = PROJECT["dependency-groups"]
    lines = [
        *PROJECT["project"]["dependencies"],
        *extras["server"],
        *extras["local"],
        *extras["gateway"],
        *(line for group in groups.values() for line in group if isinstance(line, str)),
    ]
    return [requirement for line in lines if (requirement := Requirement(line)).name != "ricordo"]


def test_every_pin_is_exact_and_has_a_hash() -> None:
    for name, pins in locked().items():
        for requirement, hashes in pins:
            assert [specifier.operator for specifier in requirement.specifier] == ["=="], name
            assert hashes > 0, name


@pytest.mark.parametrize("requirement", declared(), ids=str)
def test_what_is_declared_is_locked(requirement: Requirement) -> None:
    pins = locked()[canonicalize_name(requirement.name)]
    for pin, _ in pins:
        (exact,) = pin.specifier
        assert requirement.specifier.contains(exact.version), f"run `make lock`: {pin} is not {requirement}"


def test_no_address_stands_in_it() -> None:
    assert re.findall(r"\S*(?://|--index|--find-links|@ )\S*", LOCK) == []


def test_no_training_library_is_dragged_in() -> None:
    unwanted = {"huggingface-hub", "sentence-transformers", "torch", "transformers"}
    assert unwanted & locked().keys() == set()
