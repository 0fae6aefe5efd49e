"""The corpus of talk is as its guide says, and what the reader learns from it is where a person noted it."""

import json
from pathlib import Path
from typing import Final

import numpy as np
import pytest

import ricordo_lab
from ricordo_lab.reader.annotations import PREDICATES, AnnotatedTurn, Statement, read_turns
from ricordo_lab.reader.corpus_check import completed, faults
from ricordo_lab.reader.readings import probabilities, typed
from ricordo_lab.reader.targets import IN_TEXT, POINTER, targets_of

TALK: Final = Path(ricordo_lab.__file__).parent / "corpus" / "talk"
FILES: Final = sorted(file for file in TALK.glob("w*.jsonl") if ".questions." not in file.name)
SHORT: Final = (
    '{"c":"w-1","l":"en","s":"Bea","t":"2026-03-02T18:10","x":"my sister works at Tendwell, in oslo",'
)
TURN: Final = AnnotatedTurn(
    writer="w",
    conversation="w-1",
    language="en",
    text="my sister works at Tendwell",
    previous="",
    statements=(
        Statement(
            subject="speaker's sister",
            predicate="works_at",
            object="Tendwell",
            clause="my sister works at Tendwell",
            time="",
            status="current",
            certainty="sure",
            denied=False,
        ),
    ),
    names=(("Tendwell", "organisation"),),
    times=(),
    topics=(),
    news="my sister works at Tendwell",
    informative=True,
    importance=1,
    valence=0,
    arousal=0,
    emotion="neutral",
    kind="",
)
SPANS: Final = [(-1, -1), (0, 2), (3, 9), (10, 15), (16, 18), (19, 23), (23, 27), (-1, -1)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_turn_is_as_the_guide_says(file: Path) -> None:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(rows) >= 300
    assert list(completed(rows)) == rows
    assert [fault for row in rows for fault in faults(row)] == []


def test_what_is_not_verbatim_or_unknown_is_a_fault() -> None:
    wrong = '"f":[{"pred":"works_in","obj":"tendwell","q":"works at Tendwell"}],"i":7}'
    [row] = completed([json.loads(SHORT + wrong)])
    found = " ".join(faults(row))
    assert all(part in found for part in ("works_in", "not verbatim: ['tendwell']", "out of range: i"))


def test_bots_state_nothing() -> None:
    turns = read_turns(TALK)
    assert len({turn.writer for turn in turns}) == len(FILES)
    assert {turn.language for turn in turns} == {"de", "en", "it"}


def test_a_statement_is_learned_where_it_stands_and_read_again_from_there() -> None:
    targets = targets_of(TURN, SPANS)
    assert targets["object"].tolist() == [0, 0, 0, 0, 0, 1, 2, 0]
    assert targets["subject"].tolist()[5:7] == [IN_TEXT] * 2
    assert targets[POINTER].tolist()[5] == 2
    logits = {
        name: 20.0 * (np.eye(classes)[np.maximum(0, targets[name])] - 0.5)
        for name, classes in (
            ("object", 3),
            ("subject", 3),
            ("status", 4),
            ("denied", 2),
            (POINTER, len(SPANS)),
        )
    }
    logits["predicate"] = 20.0 * (targets["predicate"] - 0.5)
    [reading] = typed(TURN.text, SPANS, probabilities(logits, {}), 0.3)
    assert TURN.text[reading.start : reading.end] == "Tendwell"
    assert (reading.predicate, reading.status, reading.denied) == ("works_at", "current", False)
    assert reading.predicate in PREDICATES
    assert reading.subject_start == TURN.text.index("sister")
    assert reading.certainty > 0.9
