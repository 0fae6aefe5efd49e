"""What other services export is remembered once, however often it is imported."""

import json
from pathlib import Path

import pytest
from tests.e2e.cli.ricordo_command import Ricordo, Up

pytestmark = pytest.mark.slow

EXPORTS = Path(__file__).parents[2] / "unit/importers/exports"
USER = ("--user", "petra", "--wait", "--timezone", "Europe/Rome")


def test_a_second_and_longer_export_adds_what_is_new(ricordo: Ricordo, running: Up) -> None:
    lines = [f"{day:02}/02/24, 09:30 - {name}: {text}" for day, name, text in SAID]
    chat = ricordo.home / "WhatsApp Chat with Nora.txt"

    def imported(number: int) -> dict[str, int]:
        chat.write_text("\n".join(lines[:number]) + "\n", encoding="utf-8")
        ricordo.json("import", "--from", "whatsapp", str(chat), "--me", "Petra", *USER)
        return {user: ricordo.json("stats", "--user", user)["history"] for user in ("petra", NORA)}

    assert imported(4) == {"petra": 2, NORA: 2}
    before = ids(ricordo)
    assert imported(4) == {"petra": 2, NORA: 2}
    assert ids(ricordo) == before
    assert imported(6) == {"petra": 3, NORA: 3}
    assert ids(ricordo)[: len(before)] == before
    (found,) = ricordo.json("facts", "--user", "petra", "--predicate", "allergic_to")["facts"]
    assert "walnut" in found["object"]
    assert ricordo.json("facts", "--user", NORA, "--predicate", "allergic_to")["facts"] == []
    recalled = ricordo.json("recall", "Where did she find a house?", "--user", NORA)["memories"]
    assert (recalled[0]["speaker"], recalled[0]["created_at"]) == ("Nora", "2024-02-03T08:30:00Z")


def test_an_assistants_answers_belong_to_the_user(ricordo: Ricordo, running: Up) -> None:
    file = str(EXPORTS / "chatgpt/conversations.json")
    first = ricordo.json("import", "--from", "chatgpt", file, *USER, code=1)  # one entry is malformed
    again = ricordo.json("import", "--from", "chatgpt", file, *USER, code=1)
    assert (first.pop("known"), again.pop("known")) == (0, 2)
    assert first == again
    assert "2 published (2 known before)" in ricordo("import", "--from", "chatgpt", file, *USER, code=1)
    assert (first["published"], first["remembered"], first["failed"]) == (2, 2, 0)
    (conversation,) = first["most_active"]
    shown = ricordo.json("history", "--user", "petra", "--conversation", conversation["id"])["messages"]
    assert [(one["role"], one["content"]) for one in shown] == [
        ("user", "How do I make pesto? I am allergic to walnuts."),
        ("assistant", "Use pine nuts instead."),
    ]


NORA = "petra:whatsapp:nora"
SAID = (
    (3, "Nora", "I found a house by the harbour in Dublin"),
    (4, "Petra", "I am allergic to walnuts, remember that for the cake"),
    (14, "Nora", "Ok"),
    (14, "Petra", "Ok"),
    (15, "Nora", "The cake is in the oven"),
    (16, "Petra", "I arrive by train on Friday"),
)


def ids(ricordo: Ricordo) -> list[str]:
    """Return the ids of all messages in the order in which they were stored."""
    exported = map(json.loads, ricordo("export", "--user", "petra").splitlines())
    messages = [one["message"] for one in exported if one["item"] == "message"]
    return [one["id"] for one in sorted(messages, key=lambda one: one["timestamp"])]
