"""How facts, their entity and the sentences behind them are shown."""

from datetime import UTC, datetime
from functools import partial
from uuid import UUID

import pytest
from tests.unit.cli.views import NOON, fact_view

from ricordo.language.annotations import Role
from ricordo.messages.queries import FactsReply
from ricordo.messages.views import EntityView, HistoryMessage, NeighbourView
from ricordo_services.cli.query_commands import sentence_with, sentences_of, show_facts

LATER = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no window, whose width would matter."""
    monkeypatch.delenv("COLUMNS", raising=False)


fact = partial(fact_view, valid_from=NOON)

NORA = EntityView(
    name="Nora",
    aliases=("la Nora", "nora"),
    mentions=4,
    neighbours=(
        NeighbourView(name="Lisbona", distance=1, predicates=("lives_in",)),
        NeighbourView(name="user", distance=1, predicates=("has_sibling",)),
        NeighbourView(name="Rex", distance=2, predicates=("friend", "likes")),
    ),
)
KNOWN = (
    fact("user", "has_sibling", "Nora", confidence=3, verified=True),
    fact("Nora", "lives_in", "Lisbona"),
    fact("Nora", "lives_in", "Porto", confidence=1, valid_to=LATER),
)


def shown(capsys: pytest.CaptureFixture[str], reply: FactsReply, *, ids: bool = False) -> list[str]:
    show_facts("davide", reply, UTC, ids=ids)
    return capsys.readouterr().out.splitlines()


def test_a_card_tells_who_it_is_what_is_known_and_what_is_near(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, FactsReply(facts=KNOWN, entity=NORA)) == [
        "Nora",
        "also called  la Nora, nora",
        "known from   4 messages",
        "to davide    has_sibling",
        "",
        "has_sibling",
        "•••  user  Nora  (since Mon 04 May 2026 12:00 UTC, verified)",
        "",
        "lives_in",
        "••  Lisbona  (since Mon 04 May 2026 12:00 UTC)",
        "•   Porto  (since Mon 04 May 2026 12:00 UTC, until Mon 01 Jun 2026 12:00 UTC)",
        "",
        "Near",
        "·   Lisbona  lives_in",
        "·   user  has_sibling",
        "··  Rex  friend, likes",
    ]


def test_a_reply_that_was_shortened_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    show_facts("davide", FactsReply(facts=KNOWN, truncated=True), UTC)
    assert "not everything is shown" in capsys.readouterr().err


def test_ids_are_shown_when_they_are_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    for reply in (FactsReply(facts=KNOWN), FactsReply(facts=KNOWN, entity=NORA)):
        lines = shown(capsys, reply, ids=True)
        assert len([line for line in lines if line.endswith(f"  {UUID(int=7)}")]) == 3


def test_a_name_cannot_drive_the_terminal_and_is_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    odd = "\x1b[31m[bold]Nora[/]"
    near = (NeighbourView(name=odd, distance=1, predicates=("friend",)),)
    entity = EntityView(name=odd, aliases=(odd,), mentions=1, neighbours=near)
    said = "\n".join(shown(capsys, FactsReply(facts=(fact(odd, "friend", odd),), entity=entity)))
    assert "\x1b[31m" not in said
    assert said.count("[bold]Nora[/]") == 4


MAY_5 = datetime(2026, 5, 5, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "content", "shown"),
    [
        ("Lecce", "Hi! I moved to  Lecce. It is hot.", "I moved to Lecce."),
        ("the sea", "I love The Sea!\nDo you? I miss the sea…", "I love The Sea! I miss the sea…"),
        ("caffe", "Senza caffè non vivo", "Senza caffè non vivo"),
        ("38", "Ho trentotto anni. Tu?", "Ho trentotto anni. Tu?"),
        ("38", "a" * 400, "a" * 300 + "…"),
    ],
)
def test_the_sentences_that_hold_the_value_are_shown(value: str, content: str, shown: str) -> None:
    assert sentence_with(value, content) == shown


def test_what_is_here_no_more_is_said_so() -> None:
    fact = fact_view(value="Lecce", last_reinforced=MAY_5, message_ids=("m-1", "m-2"))
    message = HistoryMessage(
        id="m-2",
        user_id="u-1",
        conversation_id="c-1",
        role=Role.USER,
        content="I live in Lecce.",
        timestamp=MAY_5,
    )
    assert [long.plain for _, long in sentences_of(fact, {"m-2": message}, UTC)] == ["I live in Lecce.  m-2"]
    assert "no source is left" in sentences_of(fact, {}, UTC)[0][1].plain
    assert (
        "the user's decision" in sentences_of(fact.model_copy(update={"verified": True}), {}, UTC)[0][1].plain
    )
