"""What was said when, what rests on what, the end of a session; workers that join a running stack."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.cli.ricordo_command import Ricordo, Up, until, up, worker

pytestmark = pytest.mark.e2e

DAYS = (
    ("k-1", "2026-05-05T10:00:00+02:00", "The kayak got a new coat of varnish."),
    ("k-2", "2026-05-06T10:00:00+02:00", "We paddled the kayak to the island."),
    ("k-3", "2026-05-07T10:00:00+02:00", "The kayak is back in the shed now."),
)
VISIT = (
    (
        "v-1",
        "2026-05-09T10:00:00+02:00",
        "I am afraid for my cat Smudge: she has eaten nothing since yesterday.",
    ),
    ("v-2", "2026-05-09T10:02:00+02:00", "The vet has time for Smudge today at eleven o'clock."),
    ("v-3", "2026-05-09T10:05:00+02:00", "Smudge will have a tooth out, says the vet."),
    ("v-4", "2026-05-09T10:08:00+02:00", "Smudge has to take her pills for six days."),
)
USER = ("--user", "kim")


@pytest.fixture(scope="module")
def ricordo(tmp_path_factory: pytest.TempPathFactory) -> Ricordo:
    return Ricordo(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def running(ricordo: Ricordo) -> Iterator[Up]:
    with up(ricordo) as stack:
        lines = "".join(f"{json.dumps(_said(*day))}\n" for day in DAYS)
        assert ricordo.publish(lines, "--wait")["remembered"] == len(DAYS)
        yield stack


def _said(message_id: str, timestamp: str, content: str) -> dict[str, str]:
    return {
        "id": message_id,
        "user_id": "kim",
        "conversation_id": "c-kim",
        "role": "user",
        "content": content,
        "timestamp": timestamp,
    }


def test_a_span_of_time_is_shown_in_its_order(ricordo: Ricordo, running: Up) -> None:
    span = ("--start", "2026-05-05T00:00:00+02:00", "--end", "2026-05-07T00:00:00+02:00")
    found = ricordo.json("timeline", *USER, *span)["memories"]
    assert [one["content"] for one in found] == [content for _, _, content in DAYS[:2]]
    shown = ricordo("timeline", *USER, *span, "--ids")
    assert shown.index("varnish") < shown.index(found[0]["id"]) < shown.index("island")
    assert "shed" in ricordo("timeline", *USER, "--start", "2026-05-07T00:00:00+02:00")  # until now
    assert ricordo.json("timeline", "--user", "nobody", *span) == {"memories": []}
    (first,) = ricordo.json("timeline", *USER, *span, "--limit", "1")["memories"]
    assert first["id"] == found[0]["id"]
    backwards = ("--start", span[3], "--end", span[1])
    assert "must not be before start" in ricordo("timeline", *USER, *backwards, code=2)
    assert "start" in ricordo("timeline", *USER, "--start", "May", code=2)


def test_a_session_that_is_said_to_have_ended_has_a_summary_that_shows_its_sources(
    ricordo: Ricordo, running: Up
) -> None:
    lines = "".join(f"{json.dumps(_said(*told) | {'conversation_id': 'c-cat'})}\n" for told in VISIT)
    assert ricordo.publish(lines, "--wait")["remembered"] == len(VISIT)
    at = ("--timestamp", "2026-05-09T10:30:00+02:00")
    assert ricordo("end-session", "c-cat", *USER, *at) == "c-cat has ended: its summary follows\n"
    assert set(ricordo.json("end-session", "c-cat", *USER, *at)) == {"event_id", "duplicate"}
    until(lambda: len(_summaries(ricordo)) == 1)
    (summary,) = _summaries(ricordo)
    sources = ricordo.json("expand", summary, *USER)["memories"]
    assert [one["content"] for one in sources] == [content for _, _, content in VISIT]
    assert sources[0]["id"] in ricordo("expand", summary, *USER, "--ids")
    assert ricordo.json("expand", sources[0]["id"], *USER) == {"memories": []}


def _summaries(ricordo: Ricordo) -> list[str]:
    found = ricordo.json("recall", "the cat Smudge", *USER, "--kind", "summary", "--no-reinforce")
    return [one["id"] for one in found["memories"]]


def test_a_memory_that_is_named_as_a_fact_is_told_apart(ricordo: Ricordo, running: Up) -> None:
    memory = ricordo.json("recall", "varnish", *USER, "--no-reinforce")["memories"][0]["id"]
    for words in (("correct", memory, "It got new paint."), ("verify", memory)):
        said = ricordo(*words, *USER, code=1)
        assert "this is a memory's id, not a fact's" in said
        assert "--memory" in said
        assert "no fact of that id" in ricordo(*words, "--user", "nobody", code=1)
    assert ricordo.json("correct", memory, "x", *USER, code=1)["error"]["code"] == "not_found"


def test_a_worker_joins_the_stack_of_a_folder(ricordo: Ricordo, running: Up) -> None:
    folder = ("--data-dir", str(ricordo.data_dir))
    with worker(ricordo, "encode", "knowledge", *folder):
        report = {one["name"]: one["detail"] for one in ricordo.json("doctor")["findings"]}
        assert report["worker encode"].startswith("2 running")
        assert report["worker knowledge"].startswith("2 running")
        line = json.dumps(_said("k-4", "2026-05-08T10:00:00+02:00", "The paddle is at the carpenter's."))
        assert ricordo.publish(line, "--wait")["remembered"] == 1


@pytest.mark.parametrize("name", ["index", "embedding", "retrieval"])
def test_the_owner_of_the_index_is_alone(ricordo: Ricordo, running: Up, name: str) -> None:
    said = ricordo(
        "worker", "encode" if name == "index" else "ingest", name, "--data-dir", str(ricordo.data_dir), code=2
    )
    assert f"{name} cannot run beside this `ricordo up`: its process owns the vector index" in said


def test_a_folder_on_which_no_stack_runs_is_told_of(ricordo: Ricordo, tmp_path: Path) -> None:
    said = ricordo("worker", "ingest", "--data-dir", str(tmp_path), code=1)
    assert f"no stack runs on {tmp_path}: start one with `ricordo up --data-dir {tmp_path}`" in said
