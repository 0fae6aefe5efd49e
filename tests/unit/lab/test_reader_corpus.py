"""The corpus of talk is as its guide says, and what the reader learns from it is where a person noted it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pytest

import ricordo_lab
from ricordo.models.reader.decoding import noted_candidates, statement_of, typed_candidates
from ricordo.models.reader.heads import IN_TEXT, OF_TEXTS, OF_TOKENS, POINTER
from ricordo.models.reader.reader_network import probabilities
from ricordo_lab.evaluation.evaluation_command import main
from ricordo_lab.reader.annotations import AnnotatedTurn, Statement, read_turns, without_full_stop
from ricordo_lab.reader.corpus_check import completed, faults
from ricordo_lab.reader.targets import targets_of

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
    sure = {
        head.name: np.eye(head.classes)[np.maximum(0, targets[head.name])]
        for head in OF_TOKENS
        if head.kind == "choice" and head.name != "predicate"
    }
    sure |= {name: targets[name][:, None] for name in ("statement_time", "news", "topic")}
    sure["predicate"] = targets["predicate"]
    sure[POINTER] = np.eye(len(SPANS))[np.maximum(0, targets[POINTER])]
    sure |= {head.name: np.ones(head.classes) for head in OF_TEXTS}
    found = probabilities({name: (20.0 * (each - 0.5)).astype(np.float32) for name, each in sure.items()})
    [one] = typed_candidates(TURN.text, SPANS, found)
    read = statement_of(one, found, SPANS, one.span, 1.0)
    assert TURN.text[slice(*read.object)] == "Tendwell"
    assert (read.predicate, read.status, read.denied) == ("works_at", "current", False)
    assert (read.of, read.subject_at) == ("named", TURN.text.index("sister"))
    [clause] = noted_candidates(TURN.text, SPANS, found)
    assert TURN.text[slice(*clause.span)] == TURN.text


def test_a_sentence_as_it_is_typed_has_all_that_was_verbatim() -> None:
    ended = replace(TURN, text=f"{TURN.text}.", news=f"{TURN.news}.")
    typed = without_full_stop(ended, lower=True)
    assert typed.text == typed.news == typed.statements[0].clause == TURN.text.lower()
    assert (typed.statements[0].object, typed.names) == ("tendwell", (("tendwell", "organisation"),))
    assert without_full_stop(ended, lower=False) == TURN


def test_facts_that_are_found_are_counted_by_whom_they_are_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noted = '"f":[{"pred":"lives_in","obj":"Leeds","q":"I live in Leeds"}]}'
    turn = json.loads('{"c":"w-1","l":"en","s":"Bea","t":"2026-03-02T18:10","x":"I live in Leeds.",' + noted)
    (tmp_path / "w1.jsonl").write_text(json.dumps(next(iter(completed([turn])))))
    assert main(["facts", "--data", str(tmp_path), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = {row["table"]: (row["precision"], row["recall"], row["noted"]) for row in rows if "table" in row}
    assert found == {
        f"{grade} facts, en, subject right by {subject}": (1.0, 1.0, 1)
        for grade in ("any", "typed")
        for subject in ("kind", "named")
    }
