import json
import os
from pathlib import Path

import pytest
import typer

from ricordo_services.cli.failures import Failed, Misused
from ricordo_services.cli.folders import default_data_dir
from ricordo_services.cli.globals import Globals
from ricordo_services.cli.servers import target

GONE = 2**22 + 1  # above the largest process id of Linux


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("RICORDO_NATS_URL", raising=False)
    return tmp_path / "ricordo"


@pytest.fixture
def context() -> typer.Context:
    command = typer.main.get_command(typer.Typer(callback=lambda: None, rich_markup_mode=None))
    return typer.Context(command, obj=Globals())


def announce(folder: Path, url: object = "nats://stack:1", pid: object = None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stack.json").write_text(json.dumps({"nats": url, "pid": os.getpid() if pid is None else pid}))


def test_the_option_comes_first_then_the_environment_then_the_stack(
    home: Path, context: typer.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(home)
    assert target(context, None, None, None).url == "nats://stack:1"
    monkeypatch.setenv("RICORDO_NATS_URL", "nats://environment:1")
    assert target(context, None, None, None).url == "nats://environment:1"
    context.obj = Globals(nats="nats://outer:1")
    assert target(context, None, None, None).url == "nats://outer:1"
    assert target(context, "nats://option:1", None, None).url == "nats://option:1"


def test_a_named_folder_is_meant_whatever_the_environment_says(
    home: Path, tmp_path: Path, context: typer.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(tmp_path / "mine", "nats://mine:1")
    monkeypatch.setenv("RICORDO_NATS_URL", "nats://environment:1")
    assert target(context, None, None, tmp_path / "mine").url == "nats://mine:1"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"nats": 3}', '{"nats": null}'])
def test_a_stack_that_does_not_say_where_it_is_does_not_run(
    home: Path, context: typer.Context, text: str
) -> None:
    home.mkdir()
    (home / "stack.json").write_text(text)
    with pytest.raises(Failed, match=r"no stack runs on .*ricordo up"):
        target(context, None, None, None)


def test_a_stack_that_was_killed_does_not_run(home: Path, context: typer.Context) -> None:
    announce(home, pid=GONE)
    with pytest.raises(Failed, match="no stack runs"):
        target(context, None, None, None)


def test_the_tenant_is_default_unless_said(home: Path, context: typer.Context) -> None:
    announce(home)
    assert target(context, None, None, None).tenant == "default"
    context.obj = Globals(tenant="acme")
    assert target(context, None, None, None).tenant == "acme"
    assert target(context, None, "zoe", None).tenant == "zoe"
    with pytest.raises(Misused, match="is no tenant"):
        target(context, None, "Not A Tenant", None)


@pytest.mark.parametrize("value", ["", "relative/path"])
def test_the_data_folder_is_below_home_where_no_absolute_one_is_named(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", value)
    assert default_data_dir() == Path.home() / ".local/share/ricordo"
