"""Fitting of weights and heads, and the corpus that the reader learns from."""

import json
import tomllib
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.fixtures.sentence_tables import table

import ricordo_lab
from ricordo.memory.ranking.human import FEATURES, FOREIGN, load_human
from ricordo.memory.ranking.signals import Signals
from ricordo.models.reader.decoding import noted_candidates, statement_of, typed_candidates
from ricordo.models.reader.heads import IN_TEXT, OF_TEXTS, OF_TOKENS, POINTER
from ricordo.models.reader.reader_network import probabilities
from ricordo.models.reader.text_words import Words
from ricordo_lab.evaluation.conditional_logit import Choice, fit
from ricordo_lab.evaluation.evaluation_command import main
from ricordo_lab.evaluation.locomo import LocomoQuestion
from ricordo_lab.evaluation.ranking_fit import fitted, weights_file
from ricordo_lab.evaluation.replay import RankedAnswer
from ricordo_lab.evaluation.softmax_heads import LabelledText, accuracy, fit_text_head, read_texts
from ricordo_lab.reader.annotations import AnnotatedTurn, Statement, read_turns, without_full_stop
from ricordo_lab.reader.corpus_check import completed, faults
from ricordo_lab.reader.targets import targets_of
from ricordo_lab.reader.text_heads import logistic, ridge


@given(st.integers(0, 10_000), st.sampled_from([0.5, 300.0]))
def test_a_ridge_is_that_of_the_normal_equations(seed: int, penalty: float) -> None:
    chance = np.random.default_rng(seed)
    known, wanted = chance.normal(size=(40, 3)).astype(np.float32), chance.normal(size=(40, 2))
    found = ridge(known, wanted.astype(np.float32), penalty)
    scaled = (known - known.mean(0)) / known.std(0)
    exact = np.linalg.solve(scaled.T @ scaled + penalty * np.eye(3), scaled.T @ (wanted - wanted.mean(0)))
    told = known @ found[:-1] + found[-1]
    assert told == pytest.approx(scaled @ exact + wanted.mean(0), abs=1e-3)


def test_a_logistic_regression_tells_how_likely_something_is() -> None:
    chance = np.random.default_rng(1)
    known = chance.normal(size=(4_000, 2)).astype(np.float32)
    odds = 1.0 / (1.0 + np.exp(-(2.0 * known[:, 0] - 1.0)))
    found = logistic(known, (chance.random(4_000) < odds).astype(np.float64), penalty=1.0)
    assert found == pytest.approx([2.0, 0.0, -1.0], abs=0.25)


_CANDIDATES = 12
WORDS = [place for place, name in enumerate(FEATURES) if "bm25" in name]


def some(seed: int, questions: int, truth: NDArray[np.float64], abroad: int = 0) -> list[Choice]:
    """Return questions whose evidence is drawn by known weights; words weigh half in the other language."""
    chance = np.random.default_rng(seed)
    made = []
    for _ in range(questions):
        own = chance.random((_CANDIDATES, len(FEATURES)))
        foreign = chance.integers(0, 2, (_CANDIDATES, 1)) * abroad
        odds = np.exp(own @ truth - 0.5 * foreign[:, 0] * (own[:, WORDS] @ truth[WORDS]))
        target = np.zeros(_CANDIDATES)
        target[chance.choice(_CANDIDATES, p=odds / odds.sum())] = 1
        features = np.concatenate([own * (1 - foreign), own * foreign, foreign], axis=1)
        made.append(Choice(features, np.zeros(_CANDIDATES), target))
    return made


def test_weights_that_made_the_choices_are_found_again() -> None:
    truth = np.linspace(0.0, 8.0, len(FEATURES))
    found = fit(some(3, 1_500, truth))
    assert np.corrcoef(list(found.own.values()), truth)[0, 1] > 0.97
    assert found.own[FEATURES[-1]] == pytest.approx(8, rel=0.25)
    assert not found.foreign


def test_words_of_another_language_have_weights_of_their_own() -> None:
    truth = np.linspace(0.0, 8.0, len(FEATURES))
    found = fit(some(4, 2_500, truth, abroad=1))
    assert found.foreign[FEATURES[-1]] == found.own[FEATURES[-1]] == pytest.approx(8, rel=0.25)
    word = WORDS[-1]
    assert found.own[FEATURES[word]] == pytest.approx(truth[word], rel=0.25)
    assert found.foreign[FEATURES[word]] == pytest.approx(truth[word] / 2, rel=0.35)
    assert found.foreign[FOREIGN] == pytest.approx(0, abs=1)


def answers() -> list[RankedAnswer]:
    """Return two conversations in which the nearest window is always the answer, and has the most words."""
    chance = np.random.default_rng(0)
    made = []
    for number in range(60):
        window = chance.random(20)
        right = frozenset({str(int(window.argmax()))})
        found = tuple(str(one) for one in range(20))
        words = np.where(np.arange(20) % 3 == int(window.argmax()) % 3, window, 0.0)
        nothing = Signals(*(np.zeros(20) for _ in Signals._fields))
        signals = nothing._replace(semantic=window, window=window, bm25=words, importance=chance.random(20))
        name = f"c-{number % 2}"
        made.append(RankedAnswer(name, name, LocomoQuestion("?", 4, right), found, signals))
    return made


def test_each_conversation_is_measured_by_weights_of_the_others() -> None:
    whole, by_words = fitted(answers())
    assert [row["name"] for row in whole.rows] == ["c-0, en in en", "c-1, en in en", "en in en", "en in en"]
    assert float(str(whole.rows[2]["fraction@5"])) > 0.95
    learned = {name: whole.profile.weights[name] for name in FEATURES}
    assert "window" in sorted(learned, key=learned.__getitem__)[-2:]
    assert "[weights]\n" in (written := weights_file(whole, by_words, "two conversations"))
    assert 'fitted_on = "two conversations"' in written
    assert tomllib.loads(written)["by_words"]["weights"]["bm25"] > 0


def test_the_weights_that_are_shipped_are_of_all_features() -> None:
    shipped = load_human()
    assert set(FEATURES) <= set(shipped.weights)
    assert min(shipped.weights.values()) >= 0
    deaf = shipped.weighing({"speaker": 0.0})
    assert deaf.score(Signals(speaker=1)) == deaf.score(Signals(speaker=0))


HOW = table(__file__, "how")
OTHER = table(__file__, "other")


def written(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def texts() -> list[LabelledText]:
    return [LabelledText("how", "en", one) for one in HOW] + [LabelledText("-", "en", one) for one in OTHER]


def test_a_head_learns_what_its_texts_are() -> None:
    nothing = np.zeros((len(texts()), 4), dtype=np.float32)
    learned = fit_text_head(texts(), nothing, "none")
    assert accuracy(learned, texts(), nothing) == {"found": 1.0, "mistaken": 0.0}
    odds = [learned.probabilities(one, nothing[0])["how"] for one in ("press and turn it", "my aunt slept")]
    assert odds[0] > odds[1]


def test_a_table_is_read(tmp_path: Path) -> None:
    found = read_texts(written(tmp_path / "texts.tsv", "how\tit\tgira la chiave", "-\tit\tpiove"))
    assert found == [LabelledText("how", "it", "gira la chiave"), LabelledText("-", "it", "piove")]


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
    rows = _rows(file)
    assert len(rows) >= 300
    assert list(completed(rows)) == rows
    assert [fault for row in rows for fault in faults(row)] == []


@pytest.mark.parametrize("file", sorted(TALK.glob("*.questions.jsonl")), ids=lambda file: file.stem)
def test_questions_are_of_their_writers_chats(file: Path) -> None:
    turns = defaultdict[str, list[Any]](list)
    for row in _rows(file.with_name(f"{file.name.partition('.')[0]}.jsonl")):
        turns[row["c"]].append(row)
    for asked in _rows(file):
        chat = turns[asked["c"]]
        assert asked["asker"] in {turn["s"] for turn in chat}
        assert all(0 <= at < len(chat) for key in ("turns", "stale", "near") for at in asked[key])
        assert (asked["kind"] == "never") is not bool(asked["turns"] and asked["answer"])
        assert asked["span"] in (chat[asked["turns"][0]]["x"] if asked["turns"] else "")


def _rows(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


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
    [one] = typed_candidates(Words(TURN.text, SPANS), found)
    read = statement_of(one, found, SPANS, one.span, 1.0)
    assert TURN.text[slice(*read.object)] == "Tendwell"
    assert (read.predicate, read.status, read.denied) == ("works_at", "current", False)
    assert (read.of, read.subject_at) == ("named", TURN.text.index("sister"))
    [clause] = noted_candidates(Words(TURN.text, SPANS), found)
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
