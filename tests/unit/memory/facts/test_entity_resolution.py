"""Who is meant by a name: merges where there is reason for it, and nowhere else."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table
from tests.support.factories import at

from ricordo.language.facts.entity_names import entities
from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.kinship import PRESUMED
from ricordo.memory.facts.clusters import EntityMention
from ricordo.memory.facts.entity_decisions import EntityDecision
from ricordo.memory.facts.entity_resolution import EntityResolver
from ricordo.memory.facts.folding import fold, resolved

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
            PRESUMED,
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


def test_a_name_its_short_form_and_my_brother_are_one() -> None:
    assert one(
        EntityMention("Marco", BROTHER), EntityMention("marco R."), EntityMention("brother", BROTHER_UNNAMED)
    )


def test_a_brother_and_a_colleague_of_one_name_are_two_and_the_name_alone_is_neither() -> None:
    brother, colleague, bare = keys(
        EntityMention("Marco", BROTHER), EntityMention("Marco", COLLEAGUE), EntityMention("Marco")
    )
    assert len({brother, colleague, bare}) == 3
    assert bare == "marco"


@pytest.mark.parametrize(("first", "second"), table(__file__, "ties_that_exclude_each_other"))
def test_ties_that_exclude_each_other(first: str, second: str) -> None:
    assert not one(EntityMention("Max", first), EntityMention("Max", second))


@pytest.mark.parametrize(("first", "second"), table(__file__, "ties_that_one_person_may_have"))
def test_ties_that_one_person_may_have(first: str, second: str) -> None:
    assert one(EntityMention("Max", first), EntityMention("Max", second))


@pytest.mark.parametrize("people", table(__file__, "a_shorter_name_stands_for_the_only_fuller_one"))
def test_a_shorter_name_stands_for_the_only_fuller_one(people: list[tuple[str, str]]) -> None:
    assert keys(*(EntityMention(*name.split("|")) for name, _ in people)) == [who for _, who in people]


def test_a_merge_is_taken_back_when_there_is_no_reason_for_it_any_more() -> None:
    marco, brother = EntityMention("Marco", BROTHER), EntityMention("brother", BROTHER_UNNAMED)
    assert keys(marco, brother) == ["marco", "marco"]
    assert keys(marco, brother, EntityMention("Leo", BROTHER))[1] == "brother"


def test_decisions_merge_keep_apart_and_can_be_taken_back() -> None:
    nico, nicola, leo = EntityMention("Nico"), EntityMention("Nicola"), EntityMention("Leo Rossi")
    assert keys(nico, nicola) == ["nico", "nicola"]
    assert keys(nico, nicola, decisions=[EntityDecision("nicola", "nico", same=True)]) == ["nicola", "nicola"]
    assert keys(leo, EntityMention("Leo")) == ["leo rossi", "leo rossi"]
    assert keys(leo, EntityMention("Leo"), decisions=[EntityDecision("leo", "leo rossi", same=False)]) == [
        "leo rossi",
        "leo",
    ]


def by_model(first: str, second: str, *, same: bool = True) -> EntityDecision:
    return EntityDecision(first, second, same, firm=False)


@pytest.mark.parametrize("firm", [True, False])
@pytest.mark.parametrize(("label", "tied"), [("brother", 0), ("colleague", 1)])
def test_a_name_alone_may_be_that_of_one_who_shares_it_and_the_other_stays(
    label: str,
    tied: int,
    firm: bool,  # noqa: FBT001 - both of them
) -> None:
    mentions = EntityMention("Marco", BROTHER), EntityMention("Marco", COLLEAGUE), EntityMention("Marco")
    decision = EntityDecision("marco", f"marco ({label}", same=True, firm=firm)
    found = keys(*mentions, decisions=[decision])
    assert found[2] == found[tied] == f"marco ({label}"
    assert found[2] != found[1 - tied]


def test_what_a_model_says_holds_until_a_tie_excludes_it() -> None:
    said = [by_model("nico", "nicola")]
    assert keys(EntityMention("Nico"), EntityMention("Nicola"), decisions=said) == ["nicola", "nicola"]
    tied = EntityMention("Nico", BROTHER), EntityMention("Nicola", COLLEAGUE)
    assert keys(*tied, decisions=said) == ["nico", "nicola"]
    assert keys(*tied, decisions=[EntityDecision("nico", "nicola", same=True)]) == ["nicola", "nicola"]


def test_a_model_does_not_join_by_way_of_others_whom_the_user_keeps_apart() -> None:
    names = [EntityMention(name) for name in ("Nico", "Nicola", "Nicole")]
    said = [by_model("nico", "nicola"), by_model("nico", "nicole")]
    assert len(set(keys(*names, decisions=said))) == 1
    found = keys(*names, decisions=[*said, EntityDecision("nicola", "nicole", same=False)])
    assert found[1] != found[2]


@pytest.mark.parametrize("same", [True, False, None])
def test_of_whom_the_user_has_said_anything_a_model_says_nothing(*, same: bool | None) -> None:
    names = EntityMention("Nico"), EntityMention("Nico Rossi"), EntityMention("Nicola")
    decisions = [by_model("nico rossi", "nicola"), EntityDecision("nico", "nicola", same)]
    assert len(set(keys(*names, decisions=decisions))) == (1 if same else 2)


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
