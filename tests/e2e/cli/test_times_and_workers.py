"""Times, sources and sessions by the command line; workers that join a running stack."""

import json
from pathlib import Path

import pytest
from tests.e2e.cli.ricordo_command import Ricordo, Up, line, lines, until, worker

pytestmark = [pytest.mark.usefixtures("running"), pytest.mark.slow]

USER = ("--user", "kim")
DAYS = (
    line("kim", 1, "The kayak got a new coat of varnish.", timestamp="2026-05-05T10:00:00+02:00"),
    line("kim", 2, "We paddled the kayak to the island.", timestamp="2026-05-06T10:00:00+02:00"),
    line("kim", 3, "The kayak is back in the shed now.", timestamp="2026-05-07T10:00:00+02:00"),
)
VISIT = (
    "I am afraid for my cat Smudge: she has eaten nothing since yesterday.",
    "The vet has time for Smudge today at eleven o'clock.",
    "Smudge will have a tooth out, says the vet.",
    "Smudge has to take her pills for six days.",
)


def test_a_span_of_time_is_shown_in_its_order(ricordo: Ricordo) -> None:
    text = "".join(f"{json.dumps(day)}\n" for day in DAYS)
    assert ricordo.publish(text, "--wait")["remembered"] == len(DAYS)
    span = ("--start", "2026-05-05T00:00:00+02:00", "--end", "2026-05-07T00:00:00+02:00")
    found = ricordo.json("timeline", *USER, *span)["memories"]
    assert [one["content"] for one in found] == [day["content"] for day in DAYS[:2]]
    shown = ricordo("timeline", *USER, *span, "--ids")
    assert shown.index("varnish") < shown.index(found[0]["id"]) < shown.index("island")
    assert "shed" in ricordo("timeline", *USER, "--start", "2026-05-07T00:00:00+02:00")  # until now
    assert ricordo.json("timeline", "--user", "nobody", *span) == {"memories": []}
    (first,) = ricordo.json("timeline", *USER, *span, "--limit", "1")["memories"]
    assert first["id"] == found[0]["id"]
    backwards = ("--start", span[3], "--end", span[1])
    assert "must not be before start" in ricordo("timeline", *USER, *backwards, code=2)
    assert "start" in ricordo("timeline", *USER, "--start", "May", code=2)


def test_an_ended_session_has_a_summary_that_shows_its_sources(ricordo: Ricordo) -> None:
    assert ricordo.publish(lines("cat", *VISIT), "--wait")["remembered"] == len(VISIT)
    user = ("--user", "cat")
    at = ("--timestamp", "2026-05-05T10:30:00+02:00")
    assert ricordo("end-session", "c-cat", *user, *at) == "c-cat has ended: its summary follows\n"
    assert set(ricordo.json("end-session", "c-cat", *user, *at)) == {"event_id", "duplicate"}

    def summaries() -> list[str]:
        found = ricordo.json("recall", "the cat Smudge", *user, "--kind", "summary", "--no-reinforce")
        return [one["id"] for one in found["memories"]]

    until(lambda: len(summaries()) == 1)
    (summary,) = summaries()
    sources = ricordo.json("expand", summary, *user)["memories"]
    assert [one["content"] for one in sources] == list(VISIT)
    assert sources[0]["id"] in ricordo("expand", summary, *user, "--ids")
    assert ricordo.json("expand", sources[0]["id"], *user) == {"memories": []}
    told = ricordo.json("memory", sources[0]["id"], *user)
    assert (told["memory"]["content"], told["preceding"]) == (VISIT[0], None)
    shown = ricordo("memory", sources[0]["id"], *user, "--ids")
    assert shown.index(VISIT[0]) < shown.index("After") < shown.index(sources[1]["id"])
    listed = ricordo("memories", *user, "--order", "oldest", "--kind", "message", "--limit", "1", "--all")
    said = [line.strip() for line in listed.splitlines()]
    assert [line for line in said if line in VISIT] == list(VISIT)
    page = ricordo.json("memories", *user, "--text", VISIT[0].split()[1], "--limit", "1")
    assert page["total"] >= 1
    names = [one["user_id"] for one in ricordo.json("users")["users"]]
    assert "cat" in names
    users = ricordo("users", "--limit", "1", "--all").splitlines()
    assert [line.split()[0] for line in users] == names
    assert "limit" in ricordo("memories", *user, "--limit", "201", code=2)
    assert "no memory" in ricordo("memory", sources[0]["id"], "--user", "nobody", code=1)


def test_workers_join_the_stack_of_a_folder_or_of_addresses(ricordo: Ricordo) -> None:
    def details() -> dict[str, str]:
        return {one["name"]: one["detail"] for one in ricordo.json("doctor")["findings"]}

    with worker(ricordo, "encode", "knowledge", "--data-dir", str(ricordo.data_dir)):
        assert details()["worker encode"].startswith("2 running")
        assert details()["worker knowledge"].startswith("2 running")
        ricordo.remember("joe", "The paddle is at the carpenter's.")
    stack = json.loads((ricordo.data_dir / "stack.json").read_text())
    variables = {"RICORDO_BUS__URL": stack["nats"], "RICORDO_STORES__POSTGRES_DSN": stack["postgres"]}
    with worker(Ricordo(ricordo.home, variables), "ingest") as process:
        assert details()["worker ingest"].startswith("2 running")
        process.terminate()
        assert process.wait(30) == 0


def test_a_worker_that_cannot_be_run_says_why(ricordo: Ricordo, running: Up, tmp_path: Path) -> None:
    assert "there is no worker nobody" in ricordo("worker", "nobody", code=2)
    for variable, value, reason in (
        ("RICORDO_WORKER__BATCH", "many", "worker.batch"),
        ("RICORDO_CONFIG", "/nowhere.toml", "/nowhere.toml"),
    ):
        assert reason in Ricordo(ricordo.home, {variable: value})("worker", "ingest", code=1)
    for first, second in (("encode", "index"), ("ingest", "embedding"), ("ingest", "retrieval")):
        output = ricordo("worker", first, second, "--data-dir", str(ricordo.data_dir), code=2)
        reason = f"{second} cannot run beside this `ricordo up`: its process owns the vector index"
        assert reason in output
    output = ricordo("worker", "ingest", "--data-dir", str(tmp_path), code=1)
    assert f"no stack runs on {tmp_path}: start one with `ricordo up --data-dir {tmp_path}`" in output
