"""What people say and soon do not care about: the same of the same seed, all of it old, each detail once."""

from datetime import UTC, datetime, timedelta

import pytest

from ricordo_lab.bench.conversation import LANGUAGES, Spoken
from ricordo_lab.bench.trifles import trifles

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize("language", LANGUAGES)
def test_they_are_old_and_tell_each_detail_once(language: Spoken) -> None:
    told = trifles(language, 300, NOW)
    assert len(told.messages) == 300
    assert all(one.timestamp < NOW - timedelta(days=90) for one in told.messages)
    assert sorted(one.timestamp for one in told.messages) == [one.timestamp for one in told.messages]
    said = {one.id: one.content for one in told.messages}
    assert len(said) == 300
    for detail in told.details:
        assert detail.answer in said[detail.message_id]
    assert len({detail.question for detail in told.details}) == len(told.details)
    assert all("{" not in text for text in (*said.values(), *told.broad))


def test_they_follow_from_the_seed() -> None:
    one, again, other = trifles("en", 100, NOW), trifles("en", 100, NOW), trifles("en", 100, NOW, seed=2)
    assert one == again
    assert [each.content for each in one.messages] != [each.content for each in other.messages]


def test_of_too_few_the_details_are_all() -> None:
    told = trifles("it", 1, NOW)
    assert len(told.messages) == len(told.details)
