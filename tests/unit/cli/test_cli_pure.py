import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Cli

NOW = "2026-05-04T10:00:00+02:00"
ENRICHED = {
    *("valence", "arousal", "dominance", "primary_emotion", "emotional_keywords", "importance"),
    *("topics", "participants", "type", "kind", "title", "event_start", "event_end", "event_times"),
}


def lines(*documents: object) -> bytes:
    return "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in documents).encode()


def test_queries_are_analysed_in_order(cli: Cli) -> None:
    asked = lines(
        {"query": "Cosa abbiamo fatto ieri?", "now": NOW, "timezone": "Europe/Rome", "language": "it"},
        {"query": "How do I make pesto?", "now": NOW, "timezone": "Europe/Rome", "language": "en"},
    )
    ended = cli("analyze", "--jsonl", stdin=asked)
    yesterday, pesto = map(json.loads, ended.lines)
    assert ended.code == 0
    assert yesterday["intent"] == "temporal"
    assert yesterday["time"] == {
        "type": "relative",
        "reference": "ieri",
        "start": "2026-05-02T22:00:00Z",
        "end": "2026-05-03T22:00:00Z",
    }
    assert pesto["intent"] == "procedural"
    assert pesto["time"]["type"] == "none"


def test_a_query_says_all_that_a_recall_would(cli: Cli) -> None:
    (line,) = cli("analyze", "--jsonl", stdin=lines({"query": "ciao"})).lines
    assert json.loads(line).keys() == {
        *("intent", "time", "entities", "topics", "emotion_filter", "memory_types", "semantic_query"),
        *("archive", "fallback", "analyser", "language"),
    }


def test_messages_are_enriched(cli: Cli) -> None:
    (line,) = cli("enrich", "--jsonl", stdin=lines({"content": "Che gioia, ho adottato un cane!"})).lines
    enriched = json.loads(line)
    assert enriched.keys() == ENRICHED
    assert enriched["valence"] > 0.5
    assert enriched["kind"] == "message"


def test_the_time_of_what_is_told_is_in_the_zone_of_the_message(cli: Cli) -> None:
    said = {"content": "Ieri sono andata dal dentista", "language": "it", "timestamp": NOW}
    zones = ["Europe/Rome", "America/New_York"]
    ended = cli("enrich", "--jsonl", stdin=lines(*({**said, "timezone": zone} for zone in zones), said))
    starts = [json.loads(line)["event_start"] for line in ended.lines]
    assert starts == [
        "2026-05-03T00:00:00+02:00",
        "2026-05-03T00:00:00-04:00",
        "2026-05-03T00:00:00+00:00",
    ]
    for_a_person = cli("enrich", said["content"], "--timestamp", NOW, "--timezone", "Europe/Rome")
    assert "event_end           2026-05-04T00:00:00+02:00" in for_a_person.lines


def test_a_line_as_bots_publish_it_is_enriched_and_what_it_states_stands(cli: Cli) -> None:
    message = {
        "id": "m-1",
        "user_id": "u-1",
        "conversation_id": "c-1",
        "role": "user",
        "timestamp": NOW,
        "content": "We met",
        "kind": "agreement",
        "importance": 0.9,
        "tags": ["x"],
        "metadata": {"a": 1},
    }
    (line,) = cli("enrich", "--jsonl", stdin=lines(message)).lines
    assert (json.loads(line)["kind"], json.loads(line)["importance"]) == ("agreement", 0.9)


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        ({"contnet": "x"}, "contnet is no field of a message; leave it out, or name one of content"),
        ({"timestamp": "2026-05-04"}, "must be an RFC 3339 instant with an offset"),
        ({"timezone": "Mars/One"}, "such as Europe/Rome"),
        ({"role": "boss"}, "must be 'user', 'assistant', 'system' or 'tool'"),
        ({"importance": 7}, "importance must be"),
        ({"participants": "Anna"}, "participants must be"),
    ],
)
def test_a_line_that_cannot_be_meant_is_refused_by_its_number(
    cli: Cli, wrong: dict[str, object], advice: str
) -> None:
    ended = cli("enrich", "--jsonl", stdin=lines({"content": "ciao"}, {"content": "ciao"} | wrong))
    error = json.loads(ended.lines[1])["error"]
    assert ended.code == 1
    assert error["field"] == next(iter(wrong))
    assert error["message"].startswith("line 2: ")
    assert advice in error["message"]
    assert ended.err == "ricordo: 1 of 2 lines could not be read, the first is line 2; mend them\n"


@pytest.mark.parametrize("command", ["analyze", "enrich", "extract"])
def test_a_stream_takes_no_options_of_one_text(cli: Cli, command: str) -> None:
    ended = cli(command, "--jsonl", "--timezone", "Europe/Rome", stdin=lines({"content": "ciao"}))
    assert (ended.code, ended.out) == (2, "")
    assert "each line says its own" in ended.err


@pytest.mark.parametrize("command", ["analyze", "enrich", "extract"])
@pytest.mark.parametrize("moment", ["--now", "--timestamp"])
def test_when_it_was_said_goes_by_two_names(cli: Cli, command: str, moment: str) -> None:
    ended = cli(command, "ieri ho visto Nora", moment, "2026-05-04T10:00:00")
    assert ended.code == 2
    assert "offset" in ended.err


def test_help_says_what_counts_as_yesterday(cli: Cli) -> None:
    ended = cli("enrich", "--help")
    assert ended.code == 0
    assert "--timestamp" in ended.out
    assert "yesterday" in ended.out


def test_no_colour_is_shown_to_who_wants_none(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    escape = "\x1b"
    assert escape in cli("enrich", "ciao").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert escape not in cli("enrich", "ciao").out


def test_facts_are_extracted(cli: Cli) -> None:
    said = lines({"content": "Mia sorella Nora vive a Lisbona.", "language": "it"}, {"content": "Mah."})
    nora, nothing = map(json.loads, cli("extract", "--jsonl", stdin=said).lines)
    assert ("Nora", "lives_in", "Lisbona") in {
        (fact["subject"], fact["predicate"], fact["object"]) for fact in nora["facts"]
    }
    assert nothing == {"facts": []}


def test_what_is_over_is_marked_as_past(cli: Cli) -> None:
    (line,) = cli(
        "extract", "--jsonl", stdin=lines({"content": "I used to live in Rome.", "language": "en"})
    ).lines
    assert [fact["polarity"] for fact in json.loads(line)["facts"]] == ["past"]


def test_facts_tell_since_when_and_until_when_they_hold(cli: Cli) -> None:
    said = {"content": "Ho vissuto a Roma dal 2010 al 2015.", "language": "it", "timezone": "Europe/Rome"}
    ended = cli("extract", "--jsonl", stdin=lines({**said, "now": NOW}, {**said, "timestamp": NOW}, said))
    for line in ended.lines:
        (fact,) = json.loads(line)["facts"]
        assert (fact["subject"], fact["predicate"], fact["object"]) == ("user", "lives_in", "Roma")
        assert fact["polarity"] == "past"
        assert fact["valid_from"] == "2010-01-01T00:00:00+01:00"
        assert fact["valid_to"] == "2016-01-01T00:00:00+01:00"  # up to the end of that year


def test_the_times_of_facts_count_from_the_moment_of_saying(cli: Cli) -> None:
    content = "L'anno scorso ho adottato un cane, Max."
    moments = {"2026-01-01T00:30:00+01:00": "2025", "2025-12-31T23:30:00+01:00": "2024"}
    said = [{"content": content, "language": "it", "now": now, "timezone": "Europe/Rome"} for now in moments]
    found = [json.loads(line)["facts"][0] for line in cli("extract", "--jsonl", stdin=lines(*said)).lines]
    assert [fact["valid_from"][:4] for fact in found] == list(moments.values())
    assert [fact["valid_to"] for fact in found] == [None, None]
    ended = cli("extract", content, "--now", "2026-05-04T10:00:00Z", "--timezone", "Europe/Rome")
    assert "has_pet · Max  (from 2025-01-01)" in ended.out


def test_bad_lines_of_extract_are_answered_in_their_place(cli: Cli) -> None:
    good = {"content": "Vivo a Bari dal 2019.", "language": "it", "now": NOW, "timezone": "Europe/Rome"}
    bad = {"now": {**good, "now": "2026-05-04T10:00:00"}, "timezone": {**good, "timezone": "Nowhere/Land"}}
    ended = cli("extract", "--jsonl", stdin=lines(good, *bad.values(), good))
    first, *errors, last = map(json.loads, ended.lines)
    assert ended.code == 1
    assert [error["error"]["field"] for error in errors] == list(bad)
    assert first == last
    assert first["facts"][0]["valid_from"] == "2019-01-01T00:00:00+01:00"


@pytest.mark.parametrize("option", ["--language", "--now", "--timezone"])
def test_lines_say_their_own_language_and_moment(cli: Cli, option: str) -> None:
    ended = cli("extract", "--jsonl", option, "it", stdin=b"")
    assert ended.code == 2
    assert "each line says its own" in ended.err


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (b"nonsense\n", None),
        (b"\n", None),
        (b"[]\n", None),
        (b'"text"\n', None),
        (b"\xff\xfe\n", None),
        (b'{"content": 3}\n', "content"),
        (b'{"content": ""}\n', "content"),
        (b'{"content": "a\\u0000b"}\n', "content"),
        (b'{"content": "x", "language": 7}\n', "language"),
        (b"{}\n", "content"),
        (lines({"content": "x" * 40_000}), "content"),
    ],
)
def test_a_bad_line_is_answered_in_its_place(cli: Cli, bad: bytes, field: str | None) -> None:
    good = lines({"content": "I love pizza"})
    ended = cli("enrich", "--jsonl", stdin=good + bad + good)
    before, error, after = map(json.loads, ended.lines)
    assert ended.code == 1
    assert error.keys() == {"error"}
    assert error["error"]["code"] == "invalid_request"
    assert error["error"]["field"] == field
    assert error["error"]["message"]
    assert before == after
    assert before.keys() == ENRICHED


def test_no_line_is_no_answer(cli: Cli) -> None:
    ended = cli("extract", "--jsonl")
    assert (ended.code, ended.out) == (0, "")


def test_lines_come_from_a_file_too(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "said.jsonl"
    file.write_bytes(lines({"content": "Che bella giornata! 🌞"}))
    ended = cli("enrich", "--jsonl", str(file))
    assert ended.code == 0
    assert "🌞" in ended.out
    assert cli("enrich", "--jsonl", str(tmp_path / "none.jsonl")).code == 1


def test_a_text_is_answered_for_a_person(cli: Cli) -> None:
    ended = cli("extract", "Mia sorella Nora vive a Lisbona.")
    assert "Nora · lives_in · Lisbona" in ended.out
    assert "\x1b" not in ended.out
    assert "states nothing" in cli("extract", "Mah.").out
    assert json.loads(cli("analyze", "Cosa abbiamo fatto ieri?", "--json").out)["intent"] == "temporal"
    assert "joy" in cli("enrich", "Che gioia!").out


def test_a_file_without_jsonl_is_a_text_with_a_word_of_warning(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "said.jsonl"
    file.write_text("{}")
    ended = cli("extract", str(file))
    assert ended.code == 0
    assert "--jsonl reads it as a file" in ended.err
    assert cli("extract", "x" * 5000).err == ""


@pytest.mark.parametrize(
    "arguments", [("analyze",), ("analyze", "x", "--timezone", "Nowhere/Land"), ("enrich", "")]
)
def test_a_text_that_cannot_be_read_is_a_matter_of_usage(cli: Cli, arguments: tuple[str, ...]) -> None:
    ended = cli(*arguments)
    assert ended.code == 2
    assert len(ended.err.splitlines()) == 1


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
        assert (
            json.loads(process.stdout.readline())["facts"][0]["object"] == "pizza"
        )  # before the end of input
        process.stdout.close()  # as `head -1` does
        process.stdin.write(lines({"content": "I love pizza"}))
        process.stdin.close()
        assert process.wait(30) == 0
        assert process.stderr.read() == b""


def test_a_long_text_logs_nothing_among_the_results(cli: Cli) -> None:
    """In a process of its own: there, nothing has set up logs before."""
    run = subprocess.run(
        [sys.executable, "-c", "from ricordo_services.cli import main; main()", "enrich", "--jsonl"],
        input=lines({"content": "pear tree " * 400}),
        capture_output=True,
        check=True,
        timeout=120,
    )
    (result,) = run.stdout.splitlines()
    assert "importance" in json.loads(result)
    assert run.stderr == b""
