"""Why a memory was found, in words and shares; and the words of what a fact can say."""

import pytest

from ricordo.language.annotations import Predicate
from ricordo_services.album.pages.search import reasons
from ricordo_services.album.texts import LANGUAGES, texts


def test_the_strongest_reasons_are_told_first_and_weak_ones_not_at_all() -> None:
    signals = {"bm25": 0.9, "semantic": 0.25, "temporal": 0.0, "importance": 0.1, "access_count": 3.0}

    told = reasons(signals, best=0.5, uses=4.0, named=1.0)

    assert told == [("names", 1.0), ("words", 0.9), ("often", 0.75), ("meaning", 0.5)]


def test_signals_that_were_not_measured_are_no_reasons() -> None:
    assert reasons({}, best=0.0, uses=0.0, named=0.0) == []
    assert reasons({"access_count": 1.0}, best=0.0, uses=1.0, named=0.0) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_a_fact_can_say_has_words(language: str) -> None:
    t = texts(language)

    assert [one for one in Predicate if not t.has(f"predicates.{one.value}")] == []
