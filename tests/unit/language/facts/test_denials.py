"""What is denied states nothing, and speaks against what is known."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from ricordo.language.facts.kinship import PRESUMED
from ricordo.memory.facts import Evidence, Fact, Polarity, entities, extract, fold
from ricordo.memory.facts.folding import resolved

START = datetime(2026, 1, 1, tzinfo=UTC)

DENIED = [
    ("I'm not allergic to nuts.", "allergic_to", "nuts"),
    ("I'm not allergic to nuts at all!", "allergic_to", "nuts"),
    ("Non sono allergica alle noci.", "allergic_to", "noci"),
    ("I don't live in Rome.", "lives_in", "Rome"),
    ("I've never been to Rome.", "visited", "Rome"),
    ("I don't speak Polish.", "speaks", "Polish"),
    ("Non parlo polacco.", "speaks", "polacco"),
    ("Non gioco a tennis.", "plays", "tennis"),
    ("I'm not a nurse.", "works_as", "nurse"),
    ("Non faccio l'infermiera.", "works_as", "infermiera"),
    ("My name is not Tanya.", "name", "Tanya"),
    ("Non mi chiamo Tanya.", "name", "Tanya"),
    ("I don't have a car.", "owns", "car"),
    ("Non ho un cane.", "has_pet", "cane"),
    ("Max is not my dog.", "has_pet", "Max"),
    ("Nora isn't my sister.", "has_sibling", "Nora"),
    ("I'm not married to Paolo.", "partner", "Paolo"),
    ("Non lavoro alla Fiat.", "works_at", "Fiat"),
    ("Non lavoro alla Fiat.", "member_of", "Fiat"),
    ("I sold my Vespa.", "owns", "Vespa"),
    ("I sold my Vespa last year.", "owns", "Vespa"),
    ("Ho venduto la Panda.", "owns", "Panda"),
    ("La Panda l'ho venduta l'anno scorso.", "owns", "Panda"),
    ("I left Rome.", "lives_in", "Rome"),
    ("Ho lasciato Roma nel 2018.", "lives_in", "Roma"),
    ("Ho lasciato Ennio.", "partner", "Ennio"),
    ("Ennio mi ha lasciata.", "partner", "Ennio"),
    ("I gave up the piano.", "plays", "piano"),
    ("Admiral died yesterday.", "has_pet", "Admiral"),
    ("Luna è morta ieri.", "has_pet", "Luna"),
    ("È morta Luna.", "has_pet", "Luna"),
    ("My dog died.", "has_pet", "dog"),
    ("My husband and I divorced in March.", "partner", "husband"),
    ("I don't live in Rome but in Milan.", "lives_in", "Rome"),
    ("I'm not allergic to nuts after all.", "allergic_to", "nuts"),
    ("I left Paolo an hour ago.", "partner", "Paolo"),
]

NOTHING_DENIED = [
    "I don't live in Rome on weekdays.",
    "I don't only live in Rome.",
    "I don't always work at Acme.",
    "I don't work as a nurse at the Mater.",
    "I don't live in Rome with my parents.",
    "I didn't live in Rome then.",
    "I wouldn't live in Rome.",
    "I won't live in Rome.",
    "Don't I live in Rome?",
    "If I don't live in Rome, who does?",
    "I don't think I live in Rome.",
    "Non vivo a Roma da solo.",
    "Non lavoro solo alla Fiat.",
    "Vorrei non vivere a Roma.",
    "I left the keys inside.",
    "I left Acme's party early.",
    "I hardly speak Polish.",
    "I almost sold my Vespa.",
    "Ho quasi venduto la Panda.",
    "Did I sell my Vespa?",
    "Ada left me a message.",
    "Ada left me hungry.",
    "Ada mi ha lasciato le chiavi.",
    "My girlfriend left me a note.",
    "I left Ada a message.",
    "My husband and I separated the laundry.",
    "My husband and I never divorced.",
    "Max died laughing.",
    "Rex è morto dal ridere.",
    "My name is not Anna on Facebook.",
    "I'm not Anna at weekends.",
    "Non mi chiamo Anna su Facebook.",
    "I don't have a cat, I have two.",
    "I don't live in Rome, Georgia.",
]


def denied(content: str) -> list[tuple[str, str]]:
    found = extract(content, presumed=True, denied=True, language=None)
    return [(one.predicate, one.object) for one in found if one.polarity == "denied"]


@pytest.mark.parametrize(("content", "predicate", "value"), DENIED)
def test_a_denial_speaks_against_what_it_denies_and_states_nothing(
    content: str, predicate: str, value: str
) -> None:
    assert (predicate, value) in denied(content)
    assert value not in {one.object for one in extract(content)}


@pytest.mark.parametrize("content", NOTHING_DENIED)
def test_what_is_denied_in_part_or_in_thought_speaks_against_nothing(content: str) -> None:
    assert denied(content) == []


@pytest.mark.parametrize(
    ("content", "until"),
    [
        ("I haven't lived in Rome since 2019.", datetime(2019, 1, 1, tzinfo=UTC)),
        ("Non vivo a Roma dal 2019.", datetime(2019, 1, 1, tzinfo=UTC)),
        ("I left Rome in 2018.", datetime(2019, 1, 1, tzinfo=UTC)),
        ("Ho lasciato Roma nel 2018.", datetime(2019, 1, 1, tzinfo=UTC)),
        ("I left Rome.", None),
    ],
)
def test_a_denial_tells_since_when_it_is_over(content: str, until: datetime | None) -> None:
    found = extract(content, presumed=True, denied=True, at=START)
    (home,) = [one for one in found if one.predicate == "lives_in"]
    assert (home.polarity, home.valid_from, home.valid_to) == ("denied", None, until)


@pytest.mark.parametrize(
    ("content", "over"),
    [
        ("I broke up with Ada.", "Ada"),
        ("My girlfriend Ada left me.", "Ada"),
        ("I split up with my boyfriend Karl.", "Karl"),
        ("I divorced Paolo in 2015.", "Paolo"),
        ("Mi sono lasciata con Ennio.", "Ennio"),
        ("Ho divorziato da Paolo.", "Paolo"),
    ],
)
def test_who_broke_up_had_a_partner(content: str, over: str) -> None:
    assert [(s.predicate, s.object, s.polarity) for s in extract(content)] == [("partner", over, "past")]


def said(predicate: str, value: str, day: int, polarity: Polarity = "holds", *, tie: str = "") -> Evidence:
    at = START + timedelta(days=day)
    return Evidence("user", predicate, value, f"m-{day}", at, polarity, object_tie=tie)


def folded(*rows: Evidence) -> tuple[Fact, ...]:
    return fold(rows, tenant="acme", user_id="u-1")


@pytest.mark.parametrize(
    ("messages", "denials", "stands"), [(1, 1, False), (4, 1, False), (5, 1, True), (6, 2, False)]
)
def test_a_lone_denial_disputes_a_firm_fact_and_a_second_ends_it(
    messages: int, denials: int, *, stands: bool
) -> None:
    rows = [said("allergic_to", "nuts", day) for day in range(messages)]
    rows += [said("allergic_to", "nuts", 10 + day, "denied") for day in range(denials)]
    (fact,) = folded(*rows)
    assert (fact.current, fact.disputed, fact.contradictions) == (stands, stands, denials)
    assert fact.confidence == messages


def dated(content: str, day: int) -> list[Evidence]:
    """Return what a message that is said on a day states and denies."""
    at = START + timedelta(days=day)
    found = extract(content, presumed=True, denied=True, at=at)
    return [one.evidence(f"m-{day}", at) for one in found]


@pytest.mark.parametrize(
    ("said", "denied", "until"),
    [
        ("I live in Rome.", "I haven't lived in Rome since 2019.", 2019),
        ("Vivo a Roma.", "Non vivo a Roma dal 2019.", 2019),
        ("I live in Rome.", "I left Rome in 2018.", 2019),
        ("I work at Acme.", "I haven't worked at Acme for two years.", 2024),
        ("I've lived in Rome since 2024.", "I left Rome in 2018.", None),
    ],
)
def test_a_denial_ends_what_was_said_before_unless_that_began_later(
    said: str, denied: str, until: int | None
) -> None:
    (fact,) = folded(*dated(said, 0), *dated(denied, 5))
    assert (None if fact.valid_to is None else fact.valid_to.year) == until


@pytest.mark.parametrize(
    ("first", "then", "now"),
    [
        ("I live in Rome.", "In 1999 I moved to Leeds to study.", "Rome"),
        ("Vivo a Roma.", "Nel 1999 mi sono trasferita a Leeds per studiare.", "Roma"),
        ("I work at Barclays.", "In 2010 I started working at Fiat.", "Barclays"),
        ("I live in Rome.", "I moved to Leeds last month.", "Leeds"),
        ("I live in Rome.", "I've lived in Leeds since 2019.", "Leeds"),
        ("I've lived in Rome since 1990.", "In 1999 I moved to Leeds.", "Leeds"),
    ],
)
def test_what_began_long_ago_was_over_when_something_else_is_said_to_hold(
    first: str, then: str, now: str
) -> None:
    (fact,) = [one for one in folded(*dated(first, 200), *dated(then, 205)) if one.current]
    assert fact.object == now
    assert not fact.disputed


def test_what_began_long_ago_holds_where_nothing_else_is_known() -> None:
    (fact,) = folded(*dated("In 1999 I moved to Leeds.", 0))
    assert (fact.current, fact.valid_from) == (True, datetime(1999, 1, 1, tzinfo=UTC))


def test_a_denial_alone_leaves_no_fact_and_no_entity() -> None:
    rows = [said("partner", "Ada", 0, "denied", tie=PRESUMED), said("lives_in", "Rome", 1, "denied")]
    assert folded(*rows) == ()
    assert entities(resolved(rows)) == ()


def test_what_is_denied_of_another_value_says_nothing_of_the_one_that_holds() -> None:
    (fact,) = folded(said("lives_in", "Milan", 0), said("lives_in", "Rome", 1, "denied"))
    assert fact.current
    assert not fact.contradictions


def test_what_was_denied_before_it_was_said_holds() -> None:
    (fact,) = folded(said("lives_in", "Rome", 0, "denied"), said("lives_in", "Rome", 1))
    assert fact.current
    assert not fact.contradictions


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_whoever_is_denied_is_found_among_those_the_user_knows(order: Sequence[int]) -> None:
    rows = [
        said("has_pet", "Admiral", 0, tie="has_pet//dog"),
        said("has_pet", "admiral", 3, "denied", tie=PRESUMED),
        said("partner", "admiral", 3, "denied", tie=PRESUMED),
    ]
    (fact,) = folded(*(rows[nth] for nth in order))
    assert (fact.predicate, fact.object, fact.current) == ("has_pet", "Admiral", False)
