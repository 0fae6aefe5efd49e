"""`ricordo import --from`: what it counts, whom it asks for, and what it refuses before it publishes."""

import json
import shlex
from pathlib import Path

import pytest
from tests.fixtures.sentence_tables import table
from tests.unit.cli.conftest import Cli

EXPORTS = Path(__file__).parents[1] / "importers/exports"
GROUP = str(EXPORTS / "whatsapp/Chat WhatsApp con Cena di classe.txt")
USER = ("--user", "davide", "--dry-run")


def test_a_dry_run_counts_without_a_server(cli: Cli) -> None:
    done = cli("import", "--from", "whatsapp", GROUP, *USER, "--me", "davide rossi")
    assert (done.code, done.lines[0]) == (0, "5 messages in 1 conversation; nothing was published")
    assert done.lines[1].split() == ["5", "2024-01-05", "to", "2024-01-13", "Cena", "di", "classe"]
    assert "skipped: 2 messages without text" in done.err
    assert "+39 333 123 4567 is the user davide:whatsapp:+39-333-123-4567" in done.err
    counts = json.loads(cli("import", "--from", "whatsapp", GROUP, *USER, "--me", "Nicolò", "--json").out)
    assert counts["messages"] == 5
    assert counts["skipped"]["deleted messages"] == 2
    assert counts["users"]["Davide Rossi"] == "davide:whatsapp:davide-rossi"
    assert counts["most_active"][0]["title"] == "Cena di classe"


def test_the_speaker_who_is_the_user_is_not_guessed(cli: Cli) -> None:
    names = "“Davide Rossi” (1 message)"
    done = cli("import", "--from", "whatsapp", GROUP, *USER)
    assert done.code == 2
    assert "does not say which speaker you are: add --me with your name" in done.err
    assert names in done.err
    done = cli("import", "--from", "whatsapp", GROUP, *USER, "--me", "Dave")
    assert "nobody is called Dave in the export" in done.err
    assert names in done.err


def test_malformed_entries_are_named_and_fail_the_command(cli: Cli) -> None:
    file = str(EXPORTS / "claude/conversations_2024.json")
    done = cli("import", "--from", "claude", file, *USER)
    assert done.code == 1
    assert "left out: conversations_2024.json, [0].chat_messages[3] has no 'created_at'" in done.err
    assert "1 malformed entry: export again, or correct them" in done.err
    assert done.lines[0].startswith("2 messages in 1 conversation")


def test_the_present_folder_is_called_by_its_name(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Nora.txt").write_text("31/12/25, 12:00 - Nora: hello\n31/13/25, 12:00 - Nora: hello\n")
    monkeypatch.chdir(tmp_path)
    done = cli("import", "--from", "whatsapp", ".", *USER, "--me", "Nora")
    assert done.err.startswith(f"left out: {tmp_path.name}: Nora.txt, line 2 has an impossible date")


def test_a_chat_from_a_pipe_needs_a_name(cli: Cli) -> None:
    text = Path(GROUP).read_bytes()
    words = ("import", "--from", "whatsapp", "-", *USER, "--me", "Nicolò")
    assert "name it with --conversation" in cli(*words, stdin=text).err
    piped = cli(*words, "--conversation", "Cena di classe", "--json", stdin=text)
    named = cli("import", "--from", "whatsapp", GROUP, *USER, "--me", "Nicolò", "--json")
    assert piped.out == named.out


@pytest.mark.parametrize(("options", "fault"), table(__file__, "wrong_options"))
def test_wrong_options_are_refused(cli: Cli, options: str, fault: str) -> None:
    done = cli("import", GROUP, *shlex.split(options))
    assert done.code == 2
    assert fault in done.err
