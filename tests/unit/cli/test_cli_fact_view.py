from datetime import UTC, datetime
from uuid import UUID

import pytest

from ricordo.messages.queries import FactsReply
from ricordo.messages.views import EntityView, FactView, NeighbourView
from ricordo.messages.vocabulary import Degradation
from ricordo_services.cli.fact_view import show_facts

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
LATER = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no window, whose width would matter."""
    monkeypatch.delenv("COLUMNS", raising=False)


def fact(subject: str, predicate: str, value: str, confidence: int = 1, **more: object) -> FactView:
    fields = {
        "id": UUID(int=7),
        "subject": subject,
        "predicate": predicate,
        "object": value,
        "confidence": confidence,
        "first_seen": NOON,
        "last_reinforced": NOON,
        "valid_from": NOON,
    }
    return FactView.model_validate(fields | more)


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
    fact("user", "has_sibling", "Nora", 3, verified=True),
    fact("Nora", "lives_in", "Lisbona", 2),
    fact("Nora", "lives_in", "Porto", valid_to=LATER),
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


def test_a_card_of_somebody_who_is_only_named_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    show_facts("davide", FactsReply(entity=EntityView(name="Nora", mentions=1)), UTC)
    said = capsys.readouterr()
    assert said.out.splitlines() == ["Nora", "known from  1 message"]
    assert said.err.splitlines() == ["no such facts are known of davide"]


def test_a_name_that_nobody_goes_by_has_facts_and_no_card(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, FactsReply(facts=(fact("user", "likes", "tea"),))) == ["•  user  likes  tea"]


def test_a_reply_that_was_shortened_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    show_facts("davide", FactsReply(facts=KNOWN, truncated=True), UTC)
    assert "not everything is shown" in capsys.readouterr().err


def test_what_is_away_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    reply = FactsReply(facts=KNOWN, entity=NORA, degraded=(Degradation.GRAPH,))
    show_facts("davide", reply, UTC)
    assert "degraded: without graph" in capsys.readouterr().err


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
