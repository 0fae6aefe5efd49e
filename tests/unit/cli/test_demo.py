"""The conversation of the demo."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from ricordo.language.annotations import Role
from ricordo_services.cli.demo_command import TIMEZONE, conversation

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
