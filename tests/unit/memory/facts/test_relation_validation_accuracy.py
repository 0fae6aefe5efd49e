"""How much of what sentences state a model is believed, and of what they do not."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.fixtures.sentence_tables import table
from tests.unit.memory.facts.validation import Claim, validated

from ricordo.language.document import Document
from ricordo.memory.facts import extract

FOLDER = Path(__file__).parents[2] / "language" / "facts"


def sentences(*files: str) -> list[dict[str, Any]]:
    """Return every third sentence with its facts, from the tables of the tests of the rules."""
    lines = (line for file in files for line in (FOLDER / file).read_text(encoding="utf-8").splitlines())
    return [json.loads(line) for line in list(lines)[::3]]


def claims_of(sentence: dict[str, Any], quote: str) -> list[Claim]:
    return [
        (one["subject"], one["predicate"], one["object"], quote, one.get("polarity") == "past")
        for one in sentence["facts"]
    ]


def test_a_model_that_reads_well_is_believed() -> None:
    counts: Counter[bool] = Counter()
    for one in sentences("sentences.jsonl", "further_sentences.jsonl", "unseen_sentences.jsonl"):
        text, language = one["content"], one["language"]
        rules = extract(Document(text, language))
        for claim in claims_of(one, text):
            ties = tuple(replace(rule, predicate="related_to") for rule in rules)  # who they are, no more
            counts[validated(text, claim, language=language, rules=ties).added == 1] += 1
    assert counts.total() > 250
    assert counts[True] / counts.total() > 0.95


TWISTS = table(__file__, "twists")


def test_a_model_that_takes_what_is_asked_for_what_is_so_is_not() -> None:
    """The same sentences asked, wished, dreamed, doubted, denied and quoted, and claimed all the same.

    What is let through begins with a statement before it asks ("I am 68, and you?").
    """
    counts: Counter[bool] = Counter()
    for one in sentences("sentences.jsonl", "further_sentences.jsonl", "unseen_sentences.jsonl"):
        base = one["content"].strip().rstrip(".!")
        if len(base.split()) < 3 or any(sign in base for sign in '.!?\n"'):
            continue
        for twist in TWISTS[one["language"]]:
            text = twist.format(base)
            for claim in claims_of(one, base):
                counts[validated(text, claim, language=one["language"]).added == 1] += 1
    assert counts.total() > 1_600
    assert counts[True] / counts.total() < 0.02
