"""Words of all scripts, as a search finds them."""

import unicodedata
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table
from tests.support.factories import reading

from ricordo.language import tokenization
from ricordo.language.document import Document
from ricordo.language.event_times.extraction import event_times
from ricordo.language.facts.entity_names import normalise
from ricordo.language.query_analysis.query_parser import analyse
from ricordo.memory.enrichment import enrich
from ricordo.memory.ranking.bm25 import query_terms, terms

NOW = datetime(2026, 5, 6, 12, tzinfo=UTC)


@pytest.mark.parametrize(("language", "text", "expected"), table(__file__, "terms"))
def test_a_text_is_found_by_its_terms(language: str, text: str, expected: tuple[str, ...]) -> None:
    assert tuple(tokenization.stems(text, language)) == expected


@pytest.mark.parametrize(("language", "one", "other"), table(__file__, "same_terms"))
def test_spellings_of_a_word_have_the_same_terms(language: str, one: str, other: str) -> None:
    assert set(tokenization.stems(one, language)) == set(tokenization.stems(other, language))


@pytest.mark.parametrize(("language", "text", "query"), table(__file__, "found_by"))
def test_a_text_is_found_by_a_word_in_it(language: str, text: str, query: str) -> None:
    found = query_terms(query, ("en", "it")).indices
    assert not set(found.tolist()).isdisjoint(terms(text, language).indices.tolist())


characters = st.text(st.sampled_from("我妹妹住在罗马東京한국어집고양이"), min_size=1, max_size=12)


@given(characters, characters, characters)
def test_every_part_of_chinese_and_korean_text_is_found(before: str, part: str, behind: str) -> None:
    for size in (1, 2):
        pieces = {part[at : at + size] for at in range(len(part) - size + 1)}
        assert pieces <= set(tokenization.stems(before + part + behind, ""))


@given(st.text(max_size=40), st.sampled_from(["", "it", "hi", "ar", "de"]))
def test_the_normal_form_of_a_text_makes_no_difference(text: str, language: str) -> None:
    assume(unicodedata.is_normalized("NFC", text))
    decomposed = unicodedata.normalize("NFD", text)
    assert tokenization.stems(decomposed, language) == tokenization.stems(text, language)


@given(st.text(st.characters(max_codepoint=0x17F, exclude_characters="`´")))
def test_marks_belong_to_the_word_before_them(text: str) -> None:
    marked = "".join(letter + "\u0301" if letter.isalpha() else letter for letter in text)
    assert len(tokenization.words(marked, "en")) == len(tokenization.words(text, "en"))


@pytest.mark.parametrize(("language", "text"), table(__file__, "not_read"))
def test_nothing_is_stated_of_texts_in_languages_without_rules(language: str, text: str) -> None:
    document = Document(text, language)
    assert event_times(document, NOW, ZoneInfo("UTC")) == ()


@pytest.mark.parametrize(("question", "given", "read", "written"), table(__file__, "questions"))
def test_a_question_is_read_by_the_rules_of_its_language_or_none(
    question: str, given: str, read: str, written: str
) -> None:
    analysis = analyse(question, now=NOW, zone=ZoneInfo("UTC"), language=given or None)
    assert (analysis.language, analysis.written_in) == (read, written)
    if read not in {"en", "it"}:
        assert (analysis.time, analysis.entities, analysis.intent) == (None, (), "general")


def test_known_names_are_found_in_any_language() -> None:
    analysis = analyse("Где Мурзик?", now=NOW, zone=ZoneInfo("UTC"), known_names=("Мурзик",))
    assert analysis.entities == ("Мурзик",)


@pytest.mark.parametrize("sign", "'’‘´`ʼ＇")  # noqa: RUF001 - what people type for an apostrophe
def test_a_name_is_one_whatever_its_apostrophe(sign: str) -> None:
    said = f"My boss O{sign}Brien lives in Cork."
    document = Document(said, "en")
    assert normalise(f"O{sign}Brien") == "o'brien"
    assert enrich(document, reading=reading(said, people=[f"O{sign}Brien"])).participants == ("O'Brien",)
    assert tokenization.stems(said, "en") == ["boss", "o'brien", "live", "cork"]
    for known in ("O'Brien", "O’Brien"):
        question = f"Where does O{sign}Brien live?"
        analysis = analyse(question, now=NOW, zone=ZoneInfo("UTC"), known_names=(known,))
        assert (analysis.entities, analysis.requested.names) == ((known,), ("lives_in",))
    queries = [query_terms(f"D{sign}Angelo", languages) for languages in (("en", "it"), ("it", "en"))]
    for language in ("it", "en"):
        document_terms = set(terms("Ho visto D'Angelo", language).indices.tolist())
        assert all(not document_terms.isdisjoint(query.indices.tolist()) for query in queries)
