import json
import subprocess
import sys

import pytest
import structlog
from tests.fixtures.sentence_tables import table
from tests.unit.cli.conftest import Cli

NOW = "2026-05-04T10:00:00+02:00"
ENRICHED = {
    *("valence", "arousal", "dominance", "primary_emotion", "emotional_keywords", "trigger", "importance"),
    *("topics", "participants", "type", "kind", "title", "event_start", "event_end", "event_times"),
}


def lines(*documents: object) -> bytes:
    return "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in documents).encode()


def test_queries_are_analysed_in_order(cli: Cli) -> None:
    asked = lines(
        {"query": "Cosa abbiamo fatto ieri?", "now": NOW, "timezone": "Europe/Rome", "language": "it"},
        {"query": "How do I make pesto?", "now": NOW, "timezone": "Europe/Rome", "language": "en"},
    )
    result = cli("analyze", "--jsonl", stdin=asked)
    yesterday, pesto = map(json.loads, result.lines)
    assert result.code == 0
    assert yesterday["intent"] == "temporal"
    assert yesterday["time"] == {
        "type": "relative",
        "reference": "ieri",
        "start": "2026-05-02T22:00:00Z",
        "end": "2026-05-03T22:00:00Z",
    }
    assert pesto["intent"] == "procedural"
    assert pesto["time"]["type"] == "none"


def test_the_time_of_what_is_told_is_in_the_zone_of_the_message(cli: Cli) -> None:
    said = {"content": "Ieri sono andata dal dentista", "language": "it", "timestamp": NOW}
    zones = ["Europe/Rome", "America/New_York"]
    long = {**said, "content": f"{said['content']}. {'Le pere cadono. ' * 200}"}
    asked = lines(*({**said, "timezone": zone} for zone in zones), said, long)
    structlog.reset_defaults()  # as at the start of a process
    result = cli("enrich", "--jsonl", stdin=asked)
    assert result.err == "", "that a text is longer than what is read of it, is not logged"
    *starts, _ = [json.loads(line)["event_start"] for line in result.lines]
    assert starts == ["2026-05-03T00:00:00+02:00", "2026-05-03T00:00:00-04:00", "2026-05-03T00:00:00+02:00"]
    for_a_person = cli("enrich", said["content"], "--timestamp", NOW, "--timezone", "Europe/Rome")
    assert "event_end           2026-05-04T00:00:00+02:00" in for_a_person.lines


@pytest.mark.parametrize("command", ["analyze", "enrich", "extract"])
def test_a_stream_takes_no_options_of_one_text(cli: Cli, command: str) -> None:
    result = cli(command, "--jsonl", "--timezone", "Europe/Rome", stdin=lines({"content": "ciao"}))
    assert (result.code, result.out) == (2, "")
    assert "each line contains its own" in result.err


def test_no_colour_is_shown_to_who_wants_none(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    escape = "\x1b"
    assert escape in cli("enrich", "ciao").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert escape not in cli("enrich", "ciao").out


BAD = (
    *((line.encode(), field, advice) for line, field, advice in table(__file__, "bad")),
    (b"\xff\xfe", "", ""),
    (b'{"content": "%s"}' % (b"x" * 40_000), "content", ""),
)


def test_a_bad_line_is_answered_in_its_place(cli: Cli) -> None:
    good = lines({"content": "I love pizza"})
    result = cli("enrich", "--jsonl", stdin=good + b"".join(bad + b"\n" + good for bad, *_ in BAD))
    answers = [json.loads(line) for line in result.lines]
    assert result.code == 1
    assert answers[0].keys() == ENRICHED
    assert answers[::2] == [answers[0]] * (len(BAD) + 1)
    for number, ((_, field, advice), answer) in enumerate(zip(BAD, answers[1::2], strict=True), start=1):
        assert answer.keys() == {"error"}
        error = answer["error"]
        assert (error["code"], error["field"]) == ("invalid_request", field or None)
        assert error["message"].startswith(f"line {2 * number}: ")
        assert advice in error["message"]
    told = f"{len(BAD)} of {2 * len(BAD) + 1} lines could not be read, the first is line 2"
    assert result.err == f"ricordo: {told}\n"


def test_the_turn_before_may_name_its_speaker_or_be_empty(cli: Cli) -> None:
    before = "What is your job?"
    said = [{"content": "a baker, in Hull", "previous": one} for one in (before, f"Bot: {before}", "", None)]
    spoken, named, none, missing = cli("enrich", "--jsonl", stdin=lines(*said)).lines
    assert spoken == named
    assert none == missing


def test_a_text_is_answered_for_a_person(cli: Cli) -> None:
    result = cli("extract", "Mia sorella Nora vive a Lisbona.")
    assert "Nora · lives_in · Lisbona" in result.out
    assert "\x1b" not in result.out
    assert "no facts" in cli("extract", "Mah.").out
    assert json.loads(cli("analyze", "Cosa abbiamo fatto ieri?", "--json").out)["intent"] == "temporal"
    assert "joy" in cli("enrich", "Che gioia!").out


@pytest.mark.parametrize(
    "arguments", [("analyze",), ("analyze", "x", "--timezone", "Nowhere/Land"), ("enrich", "")]
)
def test_a_text_that_cannot_be_read_is_a_matter_of_usage(cli: Cli, arguments: tuple[str, ...]) -> None:
    result = cli(*arguments)
    assert result.code == 2
    assert len(result.err.splitlines()) == 1


def test_lines_are_answered_one_by_one_and_a_closed_pipe_is_no_failure() -> None:
    program = [sys.executable, "-c", "from ricordo_services.cli import main; main()", "extract", "--jsonl"]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(lines({"content": "I love pizza"}))
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())  # before the end of input
        assert answer["facts"][0]["object"] == "pizza"
        process.stdout.close()  # as `head -1` does
        process.stdin.write(lines({"content": "I love pizza"}))
        process.stdin.close()
        assert process.wait(30) == 0
        assert process.stderr.read() == b""
