import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Cli

NOW = "2026-05-04T10:00:00+02:00"
ENRICHED = {
    *("valence", "arousal", "dominance", "primary_emotion", "emotional_keywords", "importance"),
    *("topics", "participants", "type", "kind", "title"),
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
