"""Texts that say the same are one result; any other stays."""

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table

from ricordo.memory.ranking import Ranked
from ricordo.memory.ranking.repetitions import CandidateText, Repetitions
from ricordo.memory.ranking.signals import Signals

WORDS = st.sampled_from(
    ["run", "Run", "runn", "park", "Rome", "every", "morning", "morning,", "not", "2", "3", "-2"]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)


def merged(*texts: tuple[str, str]) -> dict[int, list[int]]:
    """Return which of the texts, best first, are shown, and what each stands for."""
    candidates = [CandidateText(UUID(int=n), text, by) for n, (text, by) in enumerate(texts)]
    ranked = [Ranked(candidate.id, 1.0, Signals()) for candidate in candidates]
    found = Repetitions(candidates).merge(ranked)
    return {shown.int: [other.int for other in others] for shown, others in found.items()}


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["Anna", "Davide"])), max_size=12))
def test_each_text_is_shown_or_stood_for_once_and_nothing_else_is_lost(texts: list[tuple[str, str]]) -> None:
    found = merged(*texts)
    assert list(found) == sorted(found), "in their order"
    assert sorted([*found, *(other for others in found.values() for other in others)]) == [*range(len(texts))]
    for shown, others in found.items():
        for other in others:
            (text, by), (another, whose) = texts[shown], texts[other]
            assert by == whose
            for kept in (r"-?\d", r"\bnot\b", r"\bRome\b"):
                assert sorted(re.findall(kept, text)) == sorted(re.findall(kept, another))
            assert len(text.split()) == len(another.split())
    folded = {(text.casefold().replace(",", ""), by) for text, by in texts}
    assert len(found) <= len(folded), "equal texts are shown once"


SAME = "I go running in the park every morning."


@pytest.mark.parametrize(("text", "same"), table(__file__, "variants").items())
def test_what_counts_as_the_same(text: str, *, same: bool) -> None:
    assert merged((SAME, ""), (text, "")) == ({0: [1]} if same else {0: [], 1: []})


@pytest.mark.parametrize("texts", table(__file__, "others").values(), ids=table(__file__, "others"))
def test_what_says_something_else_is_kept(texts: tuple[str, ...]) -> None:
    assert merged(*((text, "") for text in texts)) == {place: [] for place in range(len(texts))}


@pytest.mark.parametrize("texts", table(__file__, "signs").values(), ids=table(__file__, "signs"))
def test_signs_of_no_script_count(texts: tuple[str, ...]) -> None:
    assert merged(*((text, "") for text in texts)) == {0: [*range(1, len(texts))]}
