"""Every predicate is known wherever one has to be named."""

import tomllib
from importlib.resources import files
from typing import Final

import pytest

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.facts.vocabulary import PREDICATES
from ricordo.messages.enumerations import Predicate

NOT_ASKED_FOR: Final = frozenset(
    "knows member_of is_a related_to lives_with does skilled_in wants attends experienced reads_or_watches "
    "trait contact agreement problem decision deadline price supplier_of client_of stated".split()
)
"""What no question of its own asks for."""


def test_the_wire_contract_has_the_same_predicates() -> None:
    assert list(Predicate) == list(PREDICATES)


def test_an_opposite_has_this_one_as_its_opposite() -> None:
    pairs = {(one.name, one.opposite) for one in PREDICATES.values() if one.opposite}
    assert {(opposite, name) for name, opposite in pairs} == pairs


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_context_has_a_sentence_for_each(language: str) -> None:
    phrases = read_table("context", language)
    for table in ("of_user", "of_others"):
        assert set(phrases[table]) == set(PREDICATES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_ask_for_each(language: str) -> None:
    questions = read_table("predicate_questions", language)["predicates"]
    asked = {name for name in PREDICATES if questions.get(name, {}).get("asks")}
    assert asked == set(PREDICATES) - NOT_ASKED_FOR


def test_the_prompt_of_a_model_explains_each() -> None:
    prompts = tomllib.loads(files("ricordo.models.ollama").joinpath("prompts.toml").read_text("utf-8"))
    lines = {line.split("  ")[0] for line in prompts["facts"].splitlines() if "  " in line}
    assert lines >= set(PREDICATES) - {"stated"}  # of which the reader alone makes use
