"""The conversation of the demo, and how it shows answers."""

import io
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from rich.console import Console
from tests.unit.cli.views import fact_view, memory_view

from ricordo.language.annotations import Role
from ricordo.messages.enumerations import Intent
from ricordo.messages.queries import ContextReply
from ricordo.messages.views import Analysis
from ricordo_services.cli.demo_command import TIMEZONE, conversation, show_answer

SIGNALS = {"semantic": 0.56, "bm25": 1.0, "temporal": 1.0, "importance": 0.72, "valence": -0.6}
CONTEXT = (
    "Today is Monday, 4 May 2026, 14:00.\n<recalled>\nf1 You live in Turin.\n"
    "Monday, 4 May\nm1 Davide: We adopted Max.\nm2 Max sleeps.\n"
    "Notes:\n- Habits: speaks informally\n</recalled>"
)


def shown(most: int | None, *, whole: bool = False) -> str:
    fact = fact_view(confidence=4)
    reply = ContextReply(
        recall_id=UUID(int=2),
        analysis=Analysis(intent=Intent.GENERAL, semantic_query="x"),
        memories=tuple(memory_view(signals=SIGNALS) for _ in range(5)),
        facts=(fact, fact.model_copy(update={"subject": "Nora", "object": "Lisbon"})),
        context=CONTEXT,
        tokens=321,
    )
    file = io.StringIO()
    show_answer(Console(file=file, width=100), reply, most, whole=whole)
    return file.getvalue()


def test_an_answer_is_read_at_a_glance() -> None:
    text = shown(3)
    assert len(text.splitlines()) <= 20
    assert len(re.findall(r"(?m)^0\.50 █", text)) == 3
    assert "Mon 04 May 2026 14:00 CEST · user · episodic" in text
    assert "words 1.00 · time asked for 1.00 · meaning 0.56" in text
    assert re.findall(r"(?m)^•{4}  +(\w+  lives_in  \w+)", text) == [
        "user  lives_in  Turin",
        "Nora  lives_in  Lisbon",
    ]
    assert "f1 You live in Turin." in text
    assert "Habits" not in text
    assert "We adopted Max." in text
    assert "Max sleeps." not in text
    assert "--full shows all" in text
    assert "token_count" not in text


def test_a_whole_context_is_whole_and_full_shows_every_memory() -> None:
    text = shown(None, whole=True)
    assert all(line.strip() in text for line in CONTEXT.splitlines())
    assert len(re.findall(r"(?m)^0\.50 █", text)) == 5
    assert "--full" not in text


ZONE = ZoneInfo(TIMEZONE)
NOW = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
# Any weekday, right after midnight, and the nights in which the clocks change.
MOMENTS = [NOW + timedelta(days=day) for day in range(7)] + [
    datetime(2026, 11, 20, 0, 1, tzinfo=ZONE),
    datetime(2026, 3, 29, 12, 0, tzinfo=ZONE),
    datetime(2026, 10, 25, 3, 30, tzinfo=ZONE),
]


def test_it_is_a_conversation_of_some_weeks_in_two_languages() -> None:
    messages = conversation(NOW)
    assert len(messages) >= 60
    assert len({message.id for message in messages}) == len(messages)
    assert messages[-1].timestamp - messages[0].timestamp > timedelta(weeks=5)
    languages = Counter(message.language for message in messages)
    assert min(languages["it"], languages["en"]) >= 20
    assert Counter(message.role for message in messages)[Role.USER] > len(messages) / 2


@pytest.mark.parametrize("now", MOMENTS, ids=str)
def test_it_ends_shortly_before_it_is_asked_about(now: datetime) -> None:
    said = [message.timestamp for message in conversation(now)]
    assert said == sorted(set(said))
    assert said[-1] < now
    days = Counter((now.astimezone(ZONE).date() - one.astimezone(ZONE).date()).days for one in said)
    assert days[0] >= 4
    assert days[1] >= 5  # "what did we do yesterday?"
    assert days[7] >= 3  # a week ago is in last week, whatever day it is
