import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from tests.fixtures.sentence_tables import table
from tests.unit.cli.conftest import Cli

from ricordo import log
from ricordo_services.cli.command_settings import read_settings, set_up_logs
from ricordo_services.cli.failures import Failed


@pytest.fixture(autouse=True)
def _nothing_is_set(cli: Cli) -> None:
    """Begin in an environment where no setting is."""


@pytest.fixture
def _logging() -> Iterator[None]:
    yield
    structlog.reset_defaults()
    log.configure(level="critical")


@pytest.mark.parametrize(("commands", "variables", "fault"), table(__file__, "wrong_settings_stop_a_process"))
def test_wrong_settings_stop_a_process(
    cli: Cli,
    monkeypatch: pytest.MonkeyPatch,
    commands: tuple[str, ...],
    variables: dict[str, str],
    fault: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for command in commands:
        result = cli(*command.split())
        assert (result.code, result.err) == (1, f"ricordo: {fault}\n")


@pytest.mark.parametrize(("setting", "value", "fault"), table(__file__, "no_addresses"))
def test_what_is_no_address_stops_a_process_before_anything_starts_and_shows_no_secret(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, setting: str, value: str, fault: str
) -> None:
    variable = f"RICORDO_{setting.replace('.', '__')}".upper()
    monkeypatch.setenv(variable, value)
    for command in (("up",), ("doctor",), ("bench", "embedding")):
        result = cli(*command)
        assert (result.code, result.out) == (1, "")
        assert result.err.startswith(f"ricordo: the setting {setting} (or {variable}) is wrong: ")
        assert fault in result.err
        assert len(result.err.splitlines()) == 1
        assert "secret" not in result.err


@pytest.mark.parametrize(("setting", "value"), table(__file__, "addresses"))
def test_what_is_an_address_is_taken(monkeypatch: pytest.MonkeyPatch, setting: str, value: str) -> None:
    monkeypatch.setenv(f"RICORDO_{setting.replace('.', '__')}".upper(), value)
    read_settings()


@pytest.mark.parametrize("command", [("up",), ("up", "--json"), ("worker", "ingest")])
def test_a_taken_port_of_the_health_page_stops_a_process_before_anything_starts(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: tuple[str, ...]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setenv("RICORDO_WORKER__HEALTH_PORT", str(port))
        result = cli(*command)
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        f"ricordo: the health page cannot listen on 127.0.0.1:{port} (Address already in use): "
        "RICORDO_WORKER__HEALTH_PORT and RICORDO_WORKER__HEALTH_HOST choose another address\n"
    )
    assert not (tmp_path / "home").exists()


@pytest.mark.usefixtures("_logging")
def test_variables_that_are_read_or_are_of_others_are_left_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("NATS_URL", "DEBUG", "NATS_PORT", "QDRANT_API_KEY", "POSTGRES_OWNER_PASSWORD"):
        monkeypatch.setenv(f"RICORDO_{name}", "1")
    monkeypatch.setenv("RICORDO_WORKER", '{"batch": 7}')
    monkeypatch.setenv("ricordo_worker__slots", "9")
    settings = read_settings()
    set_up_logs(settings)
    assert (settings.worker.batch, settings.worker.slots) == (7, 9)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("_logging")
def test_a_slip_beside_the_settings_is_told_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RICORDO_NATS_URI", "nats://davide:secret@127.0.0.1")
    set_up_logs(read_settings())
    (line,) = map(json.loads, capsys.readouterr().err.splitlines())
    told = (line["level"], line["variable"], line["nearest"])
    assert told == ("warning", "RICORDO_NATS_URI", "RICORDO_NATS_URL")
    assert "secret" not in str(line)


@pytest.mark.parametrize(("variable", "value", "said"), table(__file__, "wrong_values"))
def test_a_wrong_value_is_told_in_words_and_no_secret_is_shown(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    monkeypatch.setenv(f"RICORDO_{variable}", value)
    with pytest.raises(Failed) as refused:
        read_settings()
    assert str(refused.value).startswith(f"the setting {variable.partition('__')[0].lower()}")
    assert str(refused.value).endswith(f") {said}")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[worker]\nbatch = one\n", "Invalid value (at line 2, column 9)"),
        (b"[log]\nlevel = '\xe8'\n", "'utf-8' codec can't decode byte 0xe8"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "ricordo.toml"
    file.write_bytes(content)
    monkeypatch.setenv("RICORDO_CONFIG", str(file))
    with pytest.raises(Failed) as refused:
        read_settings()
    assert f"the settings of {file} cannot be read: {said}" in str(refused.value)


def test_lite_mode_asks_no_language_model(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = ("analyser", "enrichment", "knowledge", "condensing")
    monkeypatch.setenv("RICORDO_LLM__URL", "http://127.0.0.1:11434")
    asked = read_settings()
    assert {getattr(asked, group).llm for group in groups} == {"hermes3:8b"}
    monkeypatch.setenv("RICORDO_LIFECYCLE__LITE", "true")
    lite = read_settings()
    assert {getattr(lite, group).llm for group in groups} == {""}
    assert lite.answering.llm == "hermes3:8b"


def test_one_address_turns_all_steps_on_and_each_can_be_set_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = ("analyser", "enrichment", "knowledge", "condensing", "answering")
    assert {getattr(read_settings(), step).llm for step in steps} == {""}
    for name, value in (
        ("LLM__URL", "https://models.example.org/v1"),
        ("LLM__MODEL", "m"),
        ("LLM__KEY", "k"),
        ("ANALYSER__MODEL", "small"),
        ("ENRICHMENT__PROVIDER", "rules"),
        ("ANSWERING__URL", "http://other:11434"),
    ):
        monkeypatch.setenv(f"RICORDO_{name}", value)
    found = read_settings()
    assert {step: getattr(found, step).llm for step in steps} == dict.fromkeys(steps, "m") | {
        "analyser": "small",
        "enrichment": "",
    }
    assert found.analyser.url == found.llm.url
    assert found.analyser.key == found.llm.key
    assert (found.answering.url, found.answering.key) == ("http://other:11434", None)
