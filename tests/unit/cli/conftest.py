import io
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ricordo_services.cli import client_calls, worker_reports
from ricordo_services.cli.application import run


@dataclass(frozen=True)
class CliResult:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Cli = Callable[..., CliResult]


@pytest.fixture
def impatience(monkeypatch: pytest.MonkeyPatch) -> float:
    """Shorten the wait for servers that do not answer; return its seconds."""
    monkeypatch.setattr(client_calls, "SECONDS", 0.2)
    monkeypatch.setattr(worker_reports, "PATIENCE_S", 0.2)
    return 0.2


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Run `ricordo` in this process, in an environment where nothing of Ricordo is named or runs."""
    for name in [each for each in os.environ if each == "NO_COLOR" or each.startswith("RICORDO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    for name in ("LEVEL", "FORMAT"):  # which `up` sets for its processes: they are taken away at the end
        monkeypatch.setenv(f"RICORDO_LOG__{name}", "")
        monkeypatch.delenv(f"RICORDO_LOG__{name}")

    def call(*arguments: str, stdin: bytes = b"") -> CliResult:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = run(list(arguments))
        said = capsys.readouterr()
        return CliResult(code, said.out, said.err)

    return call
