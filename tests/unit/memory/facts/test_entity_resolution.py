"""Who is meant by a name: merges where there is reason for it, and nowhere else."""

import re
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.reference_fold import entities, fold, resolved
from tests.fixtures.sentence_tables import table
from tests.support.factories import at

from ricordo.language.facts.evidence import Evidence
from ricordo.memory.facts.clusters import EntityMention
from ricordo.memory.facts.entity_decisions import EntityDecision
from ricordo.memory.facts.entity_resolution import EntityResolver

BROTHER, BROTHER_UNNAMED = "has_sibling/m/brother", "?has_sibling/m/brother"
COLLEAGUE, SISTER_UNNAMED = "knows/f/colleague", "?has_sibling/f/sister"

MENTIONS = st.builds(
    EntityMention,
    st.sampled_from(
        ("Marco", "marco", "marco R.", "Marco Rossi", "Marco Bianchi", "Nora", "brother", "little brother")
    ),
    st.sampled_from(
        (
            "",
            "",
            BROTHER,
            BROTHER_UNNAMED,
            COLLEAGUE,
            *(f"has_pet//{animal}" for animal in ("dog", "cane", "pet")),
        )
    ),
)
DECISIONS = st.lists(
    st.builds(
        EntityDecision,
        st.sampled_from(("marco", "marco rossi", "nora", "marco (brother")),
        st.sampled_from(("marco bianchi", "brother", "marco r")),
        st.sampled_from((True, False, None)),
        st.booleans(),
    ),
    max_size=3,
)


def keys(*mentions: EntityMention, decisions: Iterable[EntityDecision] = ()) -> list[str]:
    """Return who each of `mentions` is, where these are all there are."""
    known = EntityResolver(mentions, decisions)
    return [known.key(one) for one in mentions]


def one(*mentions: EntityMention) -> bool:
    """Whether all `mentions` are one."""
    return len(set(keys(*mentions))) == 1


Stated = tuple[str, str, str, str, str]
"""Subject, predicate, object, and the ties of both."""


def told(*messages: list[Stated]) -> list[Evidence]:
    """Return the evidence of messages, each a minute after the one before."""
    return [
        Evidence(subject, predicate, value, f"m-{n}", at(n), subject_tie=tie, object_tie=object_tie)
        for n, message in enumerate(messages)
        for subject, predicate, value, tie, object_tie in message
    ]


@pytest.mark.parametrize(("first", "second"), table(__file__, "ties_that_exclude_each_other"))
def test_ties_that_exclude_each_other(first: str, second: str) -> None:
    assert not one(EntityMention("Max", first), EntityMention("Max", second))


@pytest.mark.parametrize(("first", "second"), table(__file__, "ties_that_one_person_may_have"))
def test_ties_that_one_person_may_have(first: str, second: str) -> None:
    assert one(EntityMention("Max", first), EntityMention("Max", second))


def decision(line: str) -> EntityDecision:
    """Return what `one = other`, `one != other` or `one ? other`, of a model or else of the user, decides."""
    said = line.removeprefix("model: ")
    first, sign, second = re.split(r" (=|!=|\?) ", said)
    return EntityDecision(first, second, {"=": True, "!=": False, "?": None}[sign], firm=said == line)


@pytest.mark.parametrize("people", table(__file__, "who_is_who"))
def test_who_is_who(people: tuple[tuple[str, ...], ...]) -> None:
    """Of each: who it is, by mentions and decisions."""
    mentions = [EntityMention(*one[0].split("|")) for one in people if len(one) == 2]
    decisions = [decision(one[0]) for one in people if len(one) == 1]
    assert keys(*mentions, decisions=decisions) == [one[1] for one in people if len(one) == 2]


@given(st.lists(MENTIONS, max_size=10), DECISIONS, st.randoms(use_true_random=False))
def test_who_is_who_follows_from_the_set_of_mentions(
    mentions: list[EntityMention], decisions: list[EntityDecision], random: object
) -> None:
    whole = EntityResolver(mentions, decisions)
    order = [*mentions, *mentions[:2]]
    random.shuffle(order)  # type: ignore[attr-defined]  # hypothesis' own random
    known = EntityResolver(order, decisions)
    assert [(known.key(one), known.name(one)) for one in mentions] == [
        (whole.key(one), whole.name(one)) for one in mentions
    ]


def test_what_is_said_of_my_brother_is_known_of_marco() -> None:
    rows = told(
        [("brother", "lives_in", "Turin", BROTHER_UNNAMED, "")],
        [("user", "has_sibling", "Marco", "", BROTHER), ("Marco", "works_as", "nurse", BROTHER, "")],
        [("Marco", "likes", "jazz", "", "")],
    )
    facts = fold(rows, tenant="t", user_id="u")
    assert {(fact.subject, fact.predicate, fact.object) for fact in facts if fact.current} == {
        ("user", "has_sibling", "Marco"),
        ("Marco", "lives_in", "Turin"),
        ("Marco", "works_as", "nurse"),
        ("Marco", "likes", "jazz"),
    }


def test_an_entity_goes_by_all_that_it_was_called() -> None:
    rows = told(
        [("Marco", "works_as", "nurse", BROTHER, "")],
        [("brother", "lives_in", "Turin", BROTHER_UNNAMED, "")],
        [("Marco Rossi", "plays", "chess", BROTHER, "")],
    )
    (marco,) = (one for one in entities(resolved(rows)) if one.key == "marco rossi")
    assert (marco.name, marco.aliases, marco.mentions) == ("Marco Rossi", ("Marco", "brother"), 3)


def test_those_of_a_first_name_are_compared_as_long_as_they_are_few() -> None:
    few = [EntityMention("Anna"), EntityMention("Anna Neri")]
    people = [*few, *(EntityMention(f"Anna {n}", BROTHER) for n in range(70))]
    assert keys(*few) == ["anna neri", "anna neri"]
    assert keys(*people)[:2] == ["anna", "anna neri"]
