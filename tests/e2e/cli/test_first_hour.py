"""A user's first hour: the stack goes up, a conversation is published, questions are asked."""

import asyncio
import json
import stat
from importlib.metadata import version
from pathlib import Path

import httpx
import nats
import pytest
from tests.e2e.cli.ricordo_command import Ricordo, Up, line, to_lines, until
from tests.fixtures.scraping import scrape
from tests.fixtures.sentence_tables import table

from ricordo_services.api_keys import KeyStore

CHAT = table(__file__, "chat")


def chat(user: str) -> str:
    return to_lines(
        *(
            line(user, number, content, role=role, timestamp=instant, timezone="Europe/Rome")
            for number, (role, content, instant) in enumerate(CHAT, 1)
        )
    )


@pytest.fixture(scope="module")
def davide(ricordo: Ricordo, running: Up) -> str:
    """Return the user of a conversation that is remembered."""
    summary = ricordo.publish(chat("davide"), "--wait")
    assert summary == {"published": 4, "remembered": 4, "failed": 0, "faults": []}
    return "davide"


def test_one_line_says_where_everything_is(ricordo: Ricordo, running: Up) -> None:
    ready = running.ready
    named = ["ready", "nats", "postgres", "bolt", "http", "http_key", "data_dir", "model", "precision"]
    assert list(ready) == [*named, "album"]
    assert ready["ready"] is True
    assert ready["nats"].startswith("nats://")
    assert ready["postgres"].startswith("postgresql://")
    assert ready["bolt"].startswith("bolt://127.0.0.1:")
    assert Path(ready["data_dir"]) == ricordo.data_dir


def test_http_answers_to_its_key_and_to_others(ricordo: Ricordo, running: Up, davide: str) -> None:
    assert "must not be blank" in ricordo("key", "create", " ", code=2)
    made = ricordo.json("key", "create", "phone", "--user", davide)
    assert ricordo.json("key", "list") == {name: value for name, value in made.items() if name != "key"}
    ask = {"query": "Come si chiama il mio cane?", "user_id": davide}
    with httpx.Client(base_url=running.ready["http"], timeout=30) as http:
        assert running.ready["http_key"] == "a key of the tests"  # by a setting, as the port is
        for key in (running.ready["http_key"], made["key"]):
            answer = http.post("/v1/recall", json=ask, headers={"Authorization": f"Bearer {key}"})
            assert answer.json()["memories"][0]["message_ids"] == ["davide-1"]
        ricordo.process("key", "revoke", made["id"])
    assert made["key"] not in running.log.read_text()


async def test_a_link_to_the_album_signs_in_once(ricordo: Ricordo, running: Up) -> None:
    """The local operator may do everything; a person sees their own album and nothing of the operator."""

    async def call(*arguments: str, code: int = 0) -> str:
        return await asyncio.to_thread(ricordo, "album", *arguments, code=code)

    made = json.loads(await call("--user", "davide", "--json"))
    assert (made["tenant"], made["user_id"], made["operator"]) == ("default", "davide", False)
    links = {
        running.ready["album"]: (None, True),
        (await call()).strip(): (None, True),
        made["album"]: ("davide", False),
    }
    assert "leave out --user or --operator" in await call("--user", "davide", "--operator", code=2)
    connection = await nats.connect(running.ready["nats"])
    keys = KeyStore(connection.jetstream())
    for link, rights in links.items():
        address, _, token = link.partition("#")
        assert address == f"{running.ready['http']}/album/sign-in"
        key = await keys.redeem(token)
        assert key is not None
        assert (key.user_id, key.operator) == rights
        assert await keys.redeem(token) is None
    await connection.close()
    elsewhere = ("--nats", running.ready["nats"])
    assert "name the gateway with --url" in await call(*elsewhere, code=2)
    assert "such as https://" in await call(*elsewhere, "--url", "album.example.org", code=2)
    over_there = json.loads(await call(*elsewhere, "--url", "https://album.example.org/", "--json"))
    assert over_there["album"].startswith("https://album.example.org/album/sign-in#")
    assert not over_there["operator"]


def test_the_list_of_keys_says_what_each_may_do(ricordo: Ricordo, running: Up) -> None:
    ricordo("key", "create", "desk", "--operator", "--tenant", "listed")
    ricordo("key", "create", "phone", "--user", "davide", "--tenant", "listed")
    shown = [line.split() for line in ricordo("key", "list", "--tenant", "listed").splitlines()]
    assert [line[1:5] for line in shown[1:]] == [
        ["desk", "programs", "all", "operator"],
        ["phone", "programs", "davide", "user"],
    ]


def test_other_processes_are_told_by_a_private_file(ricordo: Ricordo, running: Up) -> None:
    file = ricordo.data_dir / "stack.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    left = json.loads(file.read_text())
    assert {**left, "album": running.ready["album"]} == left | running.ready
    assert "album" not in left  # the link is for whoever started it
    assert left["pid"] == running.process.pid


def test_the_log_is_json_and_hides_the_passwords(running: Up) -> None:
    text = running.log.read_text()
    assert [json.loads(line) for line in text.splitlines() if line]
    password = running.ready["nats"].split(":")[2].partition("@")[0]
    assert password not in text


def test_questions_are_answered_over_the_wire_and_for_people(ricordo: Ricordo, davide: str) -> None:
    reply = ricordo.json("recall", "Come si chiama il mio cane?", "--user", davide, "--explain")
    assert reply["memories"][0]["message_ids"] == ["davide-1"]
    assert reply["memories"][0]["signals"]
    assert reply["degraded"] == []
    shown = ricordo.process(
        "recall", "Come si chiama il mio cane?", "--user", davide, "--explain", "--timezone", "Europe/Rome"
    )
    assert "Ieri ho adottato un cane, si chiama Max!" in shown
    assert "Mon 04 May 2026 10:00 CEST" in shown
    assert "meaning" in shown
    assert "\x1b" not in shown  # a pipe gets no colours


def test_what_is_known_and_kept_is_shown(ricordo: Ricordo, davide: str) -> None:
    facts = {(one["predicate"], one["object"]) for one in ricordo.json("facts", "--user", davide)["facts"]}
    assert {("lives_in", "Turin"), ("has_pet", "Max")} <= facts
    assert "user  lives_in  Turin" in ricordo("facts", "--user", davide, "--predicate", "lives_in")
    why = ricordo("facts", "--user", davide, "--predicate", "has_pet", "--why", "--timezone", "Europe/Rome")
    assert "04 May 2026 10:00 CEST  Ieri ho adottato un cane, si chiama Max!  davide-1" in why
    assert ricordo.json("stats", "--user", davide)["memories"] == 3
    history = ricordo("history", "--user", davide, "--limit", "2").splitlines()
    assert [line.partition(": ")[2] for line in history] == [CHAT[2][1], CHAT[3][1]]
    entities = ricordo.json("entities", "--user", davide, "--kind", "animal")
    assert [one["name"] for one in entities["entities"]] == ["Max"]
    assert "Max  animal; has_pet" in ricordo("entities", "--user", davide, "--all", "--limit", "1")
    around = ("graph", "max", "--user", davide, "--min-confidence", "1")
    until(lambda: "user  has_pet  Max" in ricordo(*around))
    assert ricordo("graph", "--user", davide, "--from", "Max", "--to", "Turin", *around[-2:]).endswith(
        "Max — has_pet — user — lives_in — Turin\n"
    )
    ricordo("graph", "--user", davide, code=2)
    status = ricordo.json("status", "davide-1")
    assert status["state"] == "remembered"
    assert None not in status["stages"].values()
    assert "unknown" in ricordo("status", "never-seen")
    context = ricordo("context", "cane", "--user", davide, "--token-budget", "300")
    assert "<recalled" in context


@pytest.mark.parametrize("arguments", table(__file__, "an_impossible_question_is_answered_by_one_line"))
def test_an_impossible_question_is_answered_by_one_line(
    ricordo: Ricordo, running: Up, arguments: tuple[str, ...]
) -> None:
    said = ricordo(*arguments, code=2)
    assert len(said.splitlines()) == 1
    error = ricordo.json(*arguments, code=2)["error"]
    assert error["code"] == "invalid_request"


def test_the_doctor_finds_all_well(ricordo: Ricordo, running: Up) -> None:
    def states() -> dict[str, str]:
        report = ricordo.json("doctor")
        assert report["ok"] is True
        return {finding["name"]: finding["state"] for finding in report["findings"]}

    until(
        lambda: not {"degraded", "missing"} & set(states().values())
    )  # a gate lags where its probe takes long
    names = {"nats", "RICORDO_IN", "worker ingest", "recall", "postgres", "graph", "index", "model"}
    assert names <= states().keys()
    assert "all is well" in ricordo("doctor")


def test_memories_fade_when_told_to(ricordo: Ricordo, davide: str) -> None:
    summary = ricordo.json("lifecycle", "run", "decay", "--now", "2126-01-01T00:00:00Z", "--user", "nobody")
    assert list(summary) == ["pass", "examined", "changed", "archived", "created", "seconds"]
    assert (summary["pass"], summary["changed"]) == ("decay", 0)
    passes = [line.split()[1] for line in ricordo("lifecycle", "run", "all").splitlines()]
    assert passes == ["summarize", "reflect", "expire", "compress", "decay", "retain", "archive"]


async def test_the_workers_show_their_metrics_where_a_setting_says(health_port: int, davide: str) -> None:
    serve, found = await scrape(health_port), await scrape(health_port + 1)
    assert serve.value("ricordo_worker_processed_total", worker="index") >= len(CHAT)
    assert found.value("ricordo_worker_processed_total", worker="ingest") >= len(CHAT)
    (built,) = found.values("ricordo_build_info")
    assert dict(built)["version"] == version("ricordo")
