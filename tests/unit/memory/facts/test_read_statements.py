"""What a reading says becomes statements by exact rules: whose it is, by what tie, in which form."""

from dataclasses import replace
from typing import Any

import pytest
from tests.fixtures.sentence_tables import table
from tests.support.factories import utterance

from ricordo.language.facts.evidence import Statement
from ricordo.language.reading import UNREAD, ReadStatement, Span
from ricordo.memory.facts.read_statements import statements_of


def at(part: str, text: str) -> Span:
    start = text.index(part)
    return start, start + len(part)


def stated(text: str, predicate: str, value: str, subject: str = "", **fields: Any) -> ReadStatement:  # noqa: ANN401
    """Return that `value` is read of the speaker, or of whom `subject` names in the text."""
    found = {"of": "named", "subject_at": text.index(subject)} if subject else {"of": "speaker"}
    return ReadStatement(
        predicate=predicate, object=at(value, text), clause=(0, len(text)), certainty=0.9, **(found | fields)
    )


def said(text: str, *read: ReadStatement, language: str = "en", **fields: Any) -> list[Statement]:  # noqa: ANN401
    """Return what a message states."""
    names = tuple((*at(name, text), kind) for name, kind in fields.pop("names", ()))
    reading = replace(UNREAD, names=names, statements=read)
    return list(statements_of(utterance(text, language=language, reading=reading, **fields)))


def told(*found: Statement) -> list[tuple[str, str, str]]:
    return [(one.subject, one.predicate, one.object) for one in found]


def test_what_is_read_of_the_speaker_is_the_users() -> None:
    text = "nights at the depot again, third year now"
    (one,) = said(text, stated(text, "works_at", "depot"))
    assert told(one) == [("user", "works_at", "depot")]
    assert (one.quote, one.polarity) == (text, "holds")


def test_a_relative_without_a_name_is_told_by_the_tie() -> None:
    text = "sis got herself a bakery, knackered"
    (one,) = said(text, stated(text, "owns", "bakery", "sis"))
    assert (*told(one)[0], one.subject_tie) == ("sis", "owns", "bakery", "?has_sibling/f/sis")


def test_a_name_behind_its_tie_is_somebodys() -> None:
    text = "cousin Bruno off to Porto for good"
    found = said(text, stated(text, "experienced", "off to Porto", "cousin"))
    assert [(one.subject, one.subject_tie) for one in found] == [
        ("Bruno", "related_to//cousin"),
        ("user", ""),
    ]
    assert told(found[1]) == [("user", "related_to", "Bruno")]


def test_a_sentence_without_a_subject_is_of_whom_the_turn_before_was_about() -> None:
    text, before = "works nights poor thing", "any news from Anna in Hull?"
    reading = replace(UNREAD, names=((*at("Anna", before), "person"), (*at("Hull", before), "place")))
    read = stated(text, "does", "works nights", of="carried")
    (one,) = said(text, read, previous=before, previous_reading=reading)
    assert told(one) == [("Anna", "does", "works nights")]
    assert said(text, read) == []


def test_your_mother_is_the_users_where_somebody_else_asks_of_her() -> None:
    text = "works nights poor thing"
    (one,) = said(text, stated(text, "does", "works nights", of="carried"), previous="how is your mum?")
    assert (one.subject, one.subject_tie) == ("mum", "?has_parent/f/mum")


def test_a_pet_has_the_name_that_is_read_of_its_kind() -> None:
    text = "got a dog last week, biscuit hes called"
    pet, name = stated(text, "has_pet", "dog"), stated(text, "name", "biscuit", "dog")
    (one,) = said(text, pet, name)
    assert (*told(one)[0], one.object_tie) == ("user", "has_pet", "biscuit", "has_pet//dog")


def test_what_is_planned_is_a_plan_and_a_denied_liking_a_dislike() -> None:
    text = "proper job at the Tendwell from monday"
    assert [one.predicate for one in said(text, stated(text, "works_at", "Tendwell", status="planned"))] == [
        "plans"
    ]
    text = "olives never got the hang of"
    (one,) = said(text, stated(text, "likes", "olives", denied=True))
    assert told(one) == [("user", "dislikes", "olives")]


def test_ages_are_figures_and_what_has_ended_is_past() -> None:
    text = "mia figlia oramai ventitré ne fa"
    (one,) = said(text, stated(text, "age", "ventitré", "figlia"), language="it")
    assert told(one) == [("figlia", "age", "23")]
    text = "im thirty eight and the baby is 14 months"
    assert told(*said(text, stated(text, "age", "thirty eight"))) == [("user", "age", "38")]
    assert told(*said(text, stated(text, "age", "14", "baby"))) == [("baby", "stated", text)]
    text = "the choir? packed it in"
    (one,) = said(text, stated(text, "does", "choir", status="ended"))
    assert one.polarity == "past"


def test_what_is_only_noted_stands_in_the_speakers_words_once_beside_what_is_told_of_it() -> None:
    text = "been with the same barber since school"
    note, doubted = stated(text, "stated", text), replace(stated(text, "knows", "barber"), hedge="hedged")
    assert told(*said(text, note)) == [("user", "stated", text)]
    assert told(*said(text, note, doubted)) == [("user", "stated", text)]
    assert len(said(text, note, stated(text, "knows", "barber"))) == 2


def test_an_uncertain_value_that_might_displace_another_is_only_noted() -> None:
    text = "my brother Ugo moved to Graz and i stay in Bari"
    for one in (stated(text, "lives_in", "Bari"), stated(text, "lives_in", "Graz", "brother")):
        (noted, *_) = said(text, replace(one, certainty=0.6), names=[("Ugo", "person")])
        assert noted.predicate == "stated"


@pytest.mark.parametrize("text", ["hector's wife is ill", "hectors wife is ill", "the hectors wife is ill"])
def test_an_s_without_an_apostrophe_owns_too(text: str) -> None:
    (one,) = said(text, stated(text, "has_condition", "ill", "wife"), names=[("hector", "person")])
    assert one.subject == "hector's wife"


def test_places_state_nothing_and_languages_that_nobody_taught_are_not_read() -> None:
    text = "Hull got a new bridge apparently"
    assert said(text, stated(text, "owns", "new bridge", "Hull"), names=[("Hull", "place")]) == []
    text = "j'habite à Lyon depuis mai"
    assert said(text, stated(text, "lives_in", "Lyon"), language="fr") == []


def test_a_named_relative_is_the_users() -> None:
    text = "My sister Nora lives in Lisbon."
    name, lives = stated(text, "name", "Nora", "sister"), stated(text, "lives_in", "Lisbon", "sister")
    found = said(text, lives, name, names=[("Nora", "person")])
    assert told(*found) == [("user", "has_sibling", "Nora"), ("Nora", "lives_in", "Lisbon")]
    assert [one.object_tie or one.subject_tie for one in found] == ["has_sibling/f/sister"] * 2
    for read in stated(text, "has_sibling", "sister Nora"), stated(text, "name", "sister Nora", of="carried"):
        assert told(*said(text, read, names=[("Nora", "person")])) == [("user", "has_sibling", "Nora")]


@pytest.mark.parametrize(("language", "text", "noun", "subject"), table(__file__, "relatives"))
def test_whose_relative_it_is(language: str, text: str, noun: str, subject: str) -> None:
    value = text.rsplit(maxsplit=1)[-1]
    names = [(name, "person") for name in ("Karen", "Marco") if name in text]
    found = said(text, stated(text, "works_as", value, noun), language=language, names=names)
    assert [one.subject for one in found] == [subject] * bool(subject)
    assert [bool(one.subject_tie) for one in found] == [" " not in subject] * bool(subject)


@pytest.mark.parametrize("read", ["subject", "object"])
def test_who_is_an_ex_was_a_partner(read: str) -> None:
    text = "my ex Paolo is a plumber"
    statement = (
        stated(text, "works_as", "plumber", "ex")
        if read == "subject"
        else stated(text, "partner", "ex Paolo")
    )
    found = said(text, statement, names=[("Paolo", "person")])
    (partner,) = (one for one in found if one.predicate == "partner")
    assert (*told(partner)[0], partner.polarity) == ("user", "partner", "Paolo", "past")


def test_of_two_values_of_one_kind_the_surer_stands() -> None:
    text = "in Hull with a room in York"
    hull, york = (
        replace(stated(text, "lives_in", place), certainty=sure)
        for place, sure in (("Hull", 0.9), ("York", 0.95))
    )
    assert told(*said(text, hull, york)) == [("user", "lives_in", "York")]


def test_what_is_somebody_elses_is_not_the_users() -> None:
    text = "we have gareths son over, osian, hes at plymouth"
    read = stated(text, "studies_at", "plymouth", "gareths"), stated(text, "has_child", "gareths son")
    (one,) = said(text, *read, names=[("gareths", "person")])
    assert told(one) == [("gareth's son", "studies_at", "plymouth")]
    text, named = "abbiamo la bimba di davide", [("davide", "person")]
    assert said(text, stated(text, "has_child", "bimba di davide"), names=named, language="it") == []
    text = "Tiziano ha la ragazza, Zoe, che vive a Roma"
    both = [("Tiziano", "person"), ("Zoe", "person")]
    found = said(text, stated(text, "lives_in", "Roma", "Zoe"), names=both, language="it")
    assert told(*found) == [("Zoe", "lives_in", "Roma")]


@pytest.mark.parametrize(
    ("text", "kin", "name", "language"),
    [
        ("Owen, my husband, bakes bread", "husband", "Owen", "en"),
        ("my husband, Owen, bakes bread", "husband", "Owen", "en"),
        ("Owen is my husband and he bakes bread", "husband", "Owen", "en"),
        ("Tommaso, il mio fidanzato, fa il pane", "fidanzato", "Tommaso", "it"),
        ("Tommaso è il mio fidanzato e fa il pane", "fidanzato", "Tommaso", "it"),
    ],
)
def test_who_explains_a_relative_is_the_relative(text: str, kin: str, name: str, language: str) -> None:
    tie = stated(text, "partner", name if " is " in text or " è " in text else kin, name)
    (one,) = said(text, tie, names=[(name, "person")], language=language)
    assert told(one) == [("user", "partner", name)]


def test_a_place_ends_with_its_name() -> None:
    text = "my friend lives in Ghent above a bakery"
    lives = stated(text, "lives_in", "Ghent above a bakery", "friend")
    (one, *_) = said(text, lives, names=[("Ghent", "place")])
    assert one.object == "Ghent"
    text = "I work for E.ON"
    (one,) = said(text, stated(text, "works_at", "E.ON"), names=[("E", "organisation")])
    assert one.object == "E.ON"


def test_who_is_spoken_to_in_the_next_line_is_not_the_relative() -> None:
    text = "say hi to my sister,\nAnna"
    (one,) = said(text, stated(text, "has_sibling", "sister"), names=[("Anna", "person")])
    assert told(one) == [("user", "has_sibling", "sister")]


def test_a_pet_is_not_tied_by_another_ones_noun() -> None:
    text = "got an axolotl for my daughter"
    (one,) = said(text, stated(text, "has_pet", "axolotl for my daughter"))
    assert "daughter" not in one.object_tie
