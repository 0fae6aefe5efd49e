"""What was exported of a user is taken in by another tenant, and recalled there alike."""

import json
from base64 import b64encode
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest
from tests.e2e.cli.ricordo_command import Ricordo, Up, line, to_lines, until
from tests.fixtures.papers import pdf
from tests.fixtures.sentence_tables import table

pytestmark = pytest.mark.slow

TEXTS = table(__file__, "texts")
QUESTIONS = table(__file__, "questions")
TRIP: Final = (
    "We took the train to Bari.",
    "In Bari we slept at a hotel by the harbour.",
    "On the way back the train was late by two hours.",
)
SUMMARY: Final = "Carla took the ferry to Bari, and came back late."
LEASE: Final = "The notice period of the lease is ninety days, by registered letter to the landlord. " * 4


@pytest.fixture(scope="module")
def exported(ricordo: Ricordo, running: Up) -> Path:
    """Return the export of a user who has a past, in the tenant `default`."""
    messages = [_message(n, text) for n, text in enumerate(TEXTS)]
    messages[4] |= {
        "importance": 0.4,
        "tags": ["trip"],
        "metadata": {"channel": "mail"},
        "timezone": "Europe/Rome",
    }
    messages += [_message(30 + n, text, conversation_id="c-9", day=9) for n, text in enumerate(TRIP)]
    document = {"name": "lease.pdf", "media_type": "application/pdf", "data": b64encode(pdf(LEASE)).decode()}
    messages.append(_message(20, "Here is the lease.") | {"document": document})
    ricordo.publish(to_lines(*messages), "--wait")
    until(lambda: "lease.pdf remembered" in ricordo("status", "carla-20"))
    user = ("--user", "carla")
    ricordo("identify", "Nora", "Noretta", *user)
    (home,) = ricordo.json("facts", *user, "--predicate", "lives_in", "--entity", "user")["facts"][:1]
    ricordo("correct", home["id"], "Bologna", *user)
    held = map(json.loads, ricordo("export", *user).splitlines())
    ids = {one["message_id"]: one["id"] for one in held if one["item"] == "memory"}
    ricordo("pin", ids["carla-6"], *user)
    ricordo("verify", ids["carla-4"], "--memory", *user)
    ricordo("correct", ids["carla-7"], "The code of the museum's door is 9924.", "--memory", *user)
    ricordo("note", "order", '{"number": 42}', *user, "--conversation", "c-1")
    shown = Counter(
        one["id"]
        for question in QUESTIONS[:3]
        for one in ricordo.json("recall", question, *user)["memories"]  # which strengthens what it shows
    )
    until(lambda: _accesses(ricordo) == shown)
    ricordo("lifecycle", "run", "summarize", "--now", "2027-06-01T00:00:00Z", *user)
    until(lambda: _settled(ricordo, "default"))
    ricordo("correct", _summary(ricordo, "default")["id"], SUMMARY, *user, "--memory")
    until(lambda: _settled(ricordo, "default"))
    path = ricordo.home / "carla.jsonl"
    ricordo("export", *user, str(path), "--force")
    return path


def test_it_is_recalled_alike_elsewhere(ricordo: Ricordo, exported: Path) -> None:
    """The same memories in the same order, the same facts and notes; and once more changes nothing."""
    done = ricordo.json("import", str(exported), "--wait", "--tenant", "elsewhere")
    assert (done["messages"], done["failed"], done["left_out"]) == (12, 0, [])
    assert {"corrections", "decisions", "words", "derived", "memories", "notes"} <= set(done["restored"])
    until(lambda: _settled(ricordo, "elsewhere"))
    for question in QUESTIONS:
        here, there = (_shown(ricordo, question, tenant) for tenant in ("default", "elsewhere"))
        assert there == here, question
    assert _facts(ricordo, "elsewhere") == _facts(ricordo, "default")
    assert _items(ricordo, "elsewhere") == _items(ricordo, "default")
    again = ricordo.json("import", str(exported), "--tenant", "elsewhere")
    assert again["restored"]["memories"] == again["restored"]["words"] == 0
    assert _items(ricordo, "elsewhere") == _items(ricordo, "default")


def test_what_was_forgotten_there_is_left_out_by_name(ricordo: Ricordo, exported: Path) -> None:
    """At once; and nothing is said to be restored of it."""
    tenant = ("--tenant", "forgetful")
    ricordo("import", str(exported), "--wait", *tenant)
    ricordo("forget", "--user", "carla", "--message", "carla-6", "--yes", *tenant)
    ricordo("forget", "--user", "carla", "--conversation", "c-9", "--yes", *tenant)
    until(lambda: _settled(ricordo, "forgetful"))
    before = _items(ricordo, "forgetful")
    said = ricordo("import", str(exported), "--wait", *tenant, code=1)
    for message in ("carla-6", "carla-30", "carla-31", "carla-32"):
        assert f"({message}): forgotten: it was deleted and is refused" in said
    assert "left out: a summary whose sources are not here" in said
    assert "8 messages of carla remembered" in said
    assert "4 failed" in said
    assert _items(ricordo, "forgetful") == before
    assert "forgotten: it was deleted and is refused" in ricordo("status", "carla-31", *tenant)


def _message(n: int, text: str, day: int = 0, **fields: object) -> dict[str, Any]:
    when = f"2026-05-{day or n + 1:02}T10:00:00Z"
    return line("carla", n, text, **{"conversation_id": f"c-{n // 4}", "timestamp": when} | fields)


def _summary(ricordo: Ricordo, tenant: str) -> dict[str, Any]:
    """Return what sums up the trip."""
    held = map(json.loads, ricordo("export", "--user", "carla", "--tenant", tenant).splitlines())
    found: list[dict[str, Any]] = [one for one in held if one["item"] == "memory"]
    (summary,) = [one for one in found if (one["kind"], one["conversation_id"]) == ("summary", "c-9")]
    return summary


def _recalled(ricordo: Ricordo, question: str, tenant: str = "default") -> list[dict[str, Any]]:
    words = ("recall", question, "--user", "carla", "--tenant", tenant, "--no-reinforce", "--limit", "20")
    found: list[dict[str, Any]] = ricordo.json(*words)["memories"]
    return found


def _shown(ricordo: Ricordo, question: str, tenant: str) -> list[tuple[str, str, float]]:
    return [
        (one["kind"], one["content"], round(one["score"], 3)) for one in _recalled(ricordo, question, tenant)
    ]


def _facts(ricordo: Ricordo, tenant: str) -> list[str]:
    """Return all facts but for their ids, by which those are sorted that are alike otherwise."""
    found = ricordo.json("facts", "--user", "carla", "--tenant", tenant, "--history", "--limit", "50")[
        "facts"
    ]
    return sorted(json.dumps({name: one[name] for name in one if name != "id"}) for one in found)


def _accesses(ricordo: Ricordo) -> Counter[str]:
    held = map(json.loads, ricordo("export", "--user", "carla").splitlines())
    return +Counter({one["id"]: one["access_count"] for one in held if one["item"] == "memory"})


def _settled(ricordo: Ricordo, tenant: str) -> bool:
    """Whether nothing is under way, the document included, which is read beside the messages."""
    if "lease.pdf remembered" not in ricordo("status", "carla-20", "--tenant", tenant):
        return False
    return bool(ricordo.json("stats", "--user", "carla", "--tenant", tenant)["pending"] == 0)


_OURS: Final = ("id", "memory_id", "stored_at", "source_ids", "preceding_id", "following_id")
_OTHER: Final = ("extract_ids", "synthesis_id", "source", "about")


def _items(ricordo: Ricordo, tenant: str) -> list[str]:
    """Return all that is held of the user, but for ids that hold the tenant's name, and the way it came."""
    lines = ricordo("export", "--user", "carla", "--tenant", tenant).splitlines()
    kept = []
    for text in lines:
        item = json.loads(text, parse_float=lambda number: round(float(number), 9))
        kept.append(json.dumps({name: item[name] for name in item if name not in (*_OURS, *_OTHER)}))
    return sorted(kept)
