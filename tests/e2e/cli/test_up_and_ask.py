"""A user's first hour: the stack goes up, a conversation is published, questions are asked."""

import asyncio
import json
import signal
import stat
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.e2e.cli.ricordo_command import Ricordo, Up, up, worker
from tests.fixtures.scraping import free_port, scrape

pytestmark = pytest.mark.e2e

CHAT = (
    ("m-1", "user", "Ieri ho adottato un cane, si chiama Max!", "2026-05-04T10:00:00+02:00"),
    ("m-2", "assistant", "Che bella notizia!", "2026-05-04T10:01:00+02:00"),
    ("m-3", "user", "I live in Turin and I love rock climbing.", "2026-05-05T10:00:00+02:00"),
    ("m-4", "user", "Per fare il pesto si pestano prima il basilico e l'aglio.", "2026-05-06T10:00:00+02:00"),
)


def chat(user: str) -> str:
    lines = (
        {
            "id": f"{user}-{name}",
            "user_id": user,
            "conversation_id": f"c-{user}",
            "role": role,
            "content": content,
            "timestamp": instant,
            "timezone": "Europe/Rome",
        }
        for name, role, content, instant in CHAT
    )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


@pytest.fixture(scope="module")
def ricordo(tmp_path_factory: pytest.TempPathFactory) -> Ricordo:
    return Ricordo(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def page() -> int:
    """Return the port on which the workers show how they are."""
    return free_port()


@pytest.fixture(scope="module")
def running(ricordo: Ricordo, page: int) -> Iterator[Up]:
    with up(Ricordo(ricordo.home, {"RICORDO_WORKER__HEALTH_PORT": str(page)})) as stack:
        yield stack


@pytest.fixture(scope="module")
def told(ricordo: Ricordo, running: Up) -> str:
    """Return the user who told a conversation."""
    summary = ricordo.publish(chat("davide"), "--wait")
    assert summary == {"published": 4, "remembered": 4, "failed": 0, "faults": []}
    return "davide"


def test_one_line_says_where_everything_is(ricordo: Ricordo, running: Up) -> None:
    ready = running.ready
    assert list(ready) == ["ready", "nats", "postgres", "bolt", "data_dir"]
    assert ready["ready"] is True
    assert ready["nats"].startswith("nats://")
    assert ready["postgres"].startswith("postgresql://")
    assert ready["bolt"].startswith("bolt://127.0.0.1:")
    assert Path(ready["data_dir"]) == ricordo.data_dir


def test_other_processes_are_told_by_a_private_file(ricordo: Ricordo, running: Up) -> None:
    file = ricordo.data_dir / "stack.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    left = json.loads(file.read_text())
    assert left.items() >= running.ready.items()
    assert left["pid"] == running.process.pid


def test_a_second_stack_on_the_folder_is_refused(ricordo: Ricordo, running: Up) -> None:
    said = ricordo.process("up", "--json", code=1)
    assert f"already running on {ricordo.data_dir} (process {running.process.pid})" in said
    assert len(said.splitlines()) == 1
    assert ricordo.json("doctor")["ok"] is True  # the first one is unharmed


def test_the_log_is_json_and_hides_the_passwords(running: Up) -> None:
    text = running.log.read_text()
    assert [json.loads(line) for line in text.splitlines() if line]
    password = running.ready["nats"].split(":")[2].partition("@")[0]
    assert password not in text


def test_questions_are_answered_over_the_wire_and_for_people(ricordo: Ricordo, told: str) -> None:
    reply = ricordo.json("recall", "Come si chiama il mio cane?", "--user", told, "--explain")
    assert reply["memories"][0]["message_ids"] == ["davide-m-1"]
    assert reply["memories"][0]["signals"]
    assert reply["degraded"] == []
    shown = ricordo.process(
        "recall", "Come si chiama il mio cane?", "--user", told, "--explain", "--timezone", "Europe/Rome"
    )
    assert "Ieri ho adottato un cane, si chiama Max!" in shown
    assert "Mon 04 May 2026 10:00 CEST" in shown
    assert "semantic" in shown
    assert "\x1b" not in shown  # a pipe gets no colours


def test_filters_reach_the_wire(ricordo: Ricordo, told: str) -> None:
    ids = [
        one["message_ids"][0]
        for one in ricordo.json(
            *("recall", "basilico", "--user", told, "--type", "procedural", "--limit", "1"),
            *("--start", "2026-05-06T00:00:00+02:00", "--end", "2026-05-07T00:00:00+02:00"),
        )["memories"]
    ]
    assert ids == ["davide-m-4"]


def test_what_is_known_and_kept_is_shown(ricordo: Ricordo, told: str) -> None:
    facts = {(one["predicate"], one["object"]) for one in ricordo.json("facts", "--user", told)["facts"]}
    assert {("lives_in", "Turin"), ("has_pet", "Max")} <= facts
    assert "user  lives_in  Turin" in ricordo("facts", "--user", told, "--predicate", "lives_in")
    assert ricordo.json("stats", "--user", told)["memories"] == 3
    history = ricordo("history", "--user", told, "--limit", "2").splitlines()
    assert [line.partition(": ")[2] for line in history] == [CHAT[2][2], CHAT[3][2]]
    status = ricordo.json("status", "davide-m-1")
    assert status["state"] == "remembered"
    assert None not in status["stages"].values()
    assert "unknown" in ricordo("status", "never-seen")
    context = ricordo("context", "cane", "--user", told, "--token-budget", "300")
    assert "<recalled" in context


def test_publishing_again_changes_nothing(ricordo: Ricordo, told: str, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(chat(told))
    assert ricordo("publish", str(file), "--wait") == "4 published, 4 remembered\n"
    assert ricordo.json("stats", "--user", told)["memories"] == 3


def test_bad_lines_are_named_and_the_others_pass(ricordo: Ricordo, running: Up) -> None:
    good = chat("zoe").splitlines()
    lines = [good[0], "nonsense", '{"id": "zoe-m-9"}', "", good[1]]
    summary = ricordo.publish("\n".join(lines), "--wait", code=1)
    assert (summary["published"], summary["remembered"], summary["failed"]) == (2, 2, 2)
    assert [fault["line"] for fault in summary["faults"]] == [2, 3]


def test_another_content_under_an_id_is_refused_whatever_became_of_the_first(
    ricordo: Ricordo, told: str, tmp_path: Path
) -> None:
    first = json.loads(chat(told).splitlines()[2])
    other = first | {"content": "I live in Bari."}
    for _ in range(2):  # the state of the id is the same before and behind
        summary = ricordo.publish(json.dumps(other), "--wait", code=1)
        assert (summary["published"], summary["remembered"], summary["failed"]) == (1, 0, 1)
        (fault,) = summary["faults"]
        assert (fault["line"], fault["id"]) == (1, first["id"])
        assert fault["message"].startswith("id_conflict: ")
    assert ricordo.publish(json.dumps(first), "--wait")["remembered"] == 1  # the first is still welcome
    file = tmp_path / "both.jsonl"
    lines = [first | {"id": "twice"}, other | {"id": "twice"}, first | {"id": "twice"}]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    said = ricordo("publish", str(file), "--wait", code=1)
    assert "3 published, 2 remembered, 1 failed" in said
    assert f"{file}, line 2 (twice): id_conflict" in said


def test_what_is_no_text_is_refused_as_a_whole(ricordo: Ricordo, running: Up, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\n\xff\n" * 100)
    said = ricordo("publish", str(picture), code=1)
    assert said.splitlines() == [
        f"ricordo: {picture}, line 1 is not text in UTF-8: this is no file of messages, a JSON object a line"
    ]
    good = chat("xena").splitlines()[0].encode()
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_bytes(good + b"\n\xff\n")  # among messages it is a line like any other that cannot be read
    said = ricordo("publish", str(mixed), code=1)
    assert "line 2: it is not text in UTF-8" in said
    assert "1 published, 1 failed" in said


def test_a_tenant_sees_its_own_only(ricordo: Ricordo, told: str) -> None:
    assert ricordo.json("stats", "--user", told, "--tenant", "acme")["memories"] == 0
    assert ricordo.json("--tenant", "acme", "recall", "cane", "--user", told)["memories"] == []
    assert "no facts" not in ricordo("facts", "--user", told)


@pytest.mark.parametrize(
    "arguments",
    [
        ("recall", "x", "--user", "u", "--limit", "0"),
        ("recall", "x", "--user", "u", "--profile", "best"),
        ("recall", "x", "--user", "u", "--now", "yesterday"),
        ("recall", "x", "--user", "two words"),
        ("facts", "--user", "u", "--predicate", "adores"),
        ("verify", "1", "--user", "u"),
        ("correct", "77e9b1a8-263f-5c50-84ce-3e85a5b925a5", "", "--user", "u"),
        ("correct", "77e9b1a8-263f-5c50-84ce-3e85a5b925a5", "\N{COMBINING ACUTE ACCENT}", "--user", "u"),
        ("identify", "Nico", " nico ", "--user", "u"),
        ("pin", "1", "--user", "u"),
        ("feedback", "49ea8693-df48-462b-bcf1-825de507cfa4", "--user", "u"),
        ("correct", "77e9b1a8-263f-5c50-84ce-3e85a5b925a5", " ", "--memory", "--user", "u"),
        ("status", "a b"),
    ],
)
def test_an_impossible_question_is_answered_by_one_line(
    ricordo: Ricordo, running: Up, arguments: tuple[str, ...]
) -> None:
    said = ricordo(*arguments, code=2)
    assert len(said.splitlines()) == 1
    error = ricordo.json(*arguments, code=2)["error"]
    assert error["code"] == "invalid_request"


def test_the_doctor_finds_all_well(ricordo: Ricordo, running: Up) -> None:
    report = ricordo.json("doctor")
    assert report["ok"] is True
    states = {finding["name"]: finding["state"] for finding in report["findings"]}
    assert {
        "nats",
        "RICORDO_IN",
        "worker ingest",
        "recall",
        "postgres",
        "graph",
        "index",
        "model",
    } <= states.keys()
    assert not {"degraded", "missing"} & set(states.values())
    assert "all is well" in ricordo("doctor")


def test_what_was_given_up_is_shown_and_replayed(ricordo: Ricordo, told: str) -> None:
    lines = [json.loads(chat(told).splitlines()[0]) | {"content": "Something else under the same id."}]
    ricordo.publish(json.dumps(lines[0]))
    letters: list[dict[str, Any]] = []
    while not letters:  # others may have left theirs there
        every = [json.loads(line) for line in ricordo("dlq", "list", "--json").splitlines()]
        letters = [letter for letter in every if letter["message_id"] == "davide-m-1"]
    letter = letters[-1]
    assert (letter["consumer"], letter["code"]) == ("ingest", "id_conflict")
    assert "Something else" in ricordo("dlq", "show", str(letter["sequence"]))
    assert "id_conflict" in ricordo("dlq", "list")
    ricordo("dlq", "replay", str(letter["sequence"]))
    assert "there is no dead letter" in ricordo("dlq", "show", str(letter["sequence"]), code=1)


def test_memories_fade_when_told_to(ricordo: Ricordo, told: str) -> None:
    summary = ricordo.json("lifecycle", "run", "decay", "--now", "2126-01-01T00:00:00Z", "--user", "nobody")
    assert list(summary) == ["pass", "examined", "changed", "archived", "created", "seconds"]
    assert (summary["pass"], summary["changed"]) == ("decay", 0)
    passes = [line.split()[1] for line in ricordo("lifecycle", "run", "all").splitlines()]
    assert passes == ["summarize", "reflect", "expire", "compress", "decay", "retain", "archive"]


def test_what_is_old_is_derived_again(ricordo: Ricordo, running: Up, told: str) -> None:
    assert ricordo.json("backfill", "--dry-run")["outdated"] == 0
    age = "update memories set derived_by = 'rules-0', rated_by = '', importance = 0.01 where user_id = $1"
    asyncio.run(_on_the_rows(running.ready["postgres"], age, told))
    old = ricordo.json("backfill", "--dry-run", "--user", told)["outdated"]
    assert old >= len(CHAT)
    assert f"{old} memories would be derived again" in ricordo("backfill", "--dry-run", "--user", told)
    done = ricordo.json("backfill", "--user", told, "--tenant", "default")
    assert (done["outdated"], done["raised"], done["left"]) == (old, old, 0)
    assert done["by_version"] == {"rules-0": old}
    assert "all memories are of" in ricordo("backfill")


async def _on_the_rows(dsn: str, statement: str, *values: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute("select set_config('app.tenant', 'default', false)")
        await connection.execute(statement, *values)
    finally:
        await connection.close()


def test_migrating_again_does_nothing(ricordo: Ricordo, running: Up) -> None:
    assert ricordo.json("migrate") == {"done": []}


async def test_the_workers_show_their_metrics_where_a_setting_says(page: int, told: str) -> None:
    found = await scrape(page)
    assert found.value("ricordo_worker_processed_total", worker="ingest") >= len(CHAT)
    (built,) = found.values("ricordo_build_info")
    assert dict(built)["version"] == version("ricordo")


def test_a_worker_joins_from_another_process(ricordo: Ricordo, told: str) -> None:
    left = json.loads((ricordo.data_dir / "stack.json").read_text())
    variables = {"RICORDO_BUS__URL": left["nats"], "RICORDO_STORES__POSTGRES_DSN": left["postgres"]}
    with worker(Ricordo(ricordo.home, variables), "ingest") as process:
        findings = {finding["name"]: finding["detail"] for finding in ricordo.json("doctor")["findings"]}
        assert findings["worker ingest"].startswith("2 running")
        process.terminate()
        assert process.wait(30) == 0


def test_a_worker_that_cannot_be_run_says_why(ricordo: Ricordo, running: Up) -> None:
    assert "there is no worker nobody" in ricordo("worker", "nobody", code=2)
    wrong = Ricordo(ricordo.home, {"RICORDO_WORKER__BATCH": "many"})
    assert "worker.batch" in wrong("worker", "ingest", code=1)
    lost = Ricordo(ricordo.home, {"RICORDO_CONFIG": "/nowhere.toml"})
    assert "/nowhere.toml" in lost("worker", "ingest", code=1)


def test_an_interrupt_ends_it_cleanly(ricordo: Ricordo, running: Up, told: str) -> None:
    assert running.stop(signal.SIGINT) == 0
    assert not (ricordo.data_dir / "stack.json").exists()
    said = ricordo("recall", "cane", "--user", told, code=1)
    assert "start one with `ricordo up`" in said
    assert ricordo.json("doctor", code=1)["ok"] is False
    assert list((ricordo.data_dir / "run").iterdir()) == []
