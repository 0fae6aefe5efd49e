"""Made-up lives: what they are made of, and what comes of those whose outcome is plain."""

import json
import string
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from ricordo.domain.facts import PREDICATES
from ricordo_services.evaluation.command import main
from ricordo_services.evaluation.lives.asking import WHO, Answer, as_read, as_told, live
from ricordo_services.evaluation.lives.living import (
    LANGUAGES,
    LEAST_SAID,
    MOST_SAID,
    NOISE,
    Life,
    Truth,
    Turn,
    life,
    lives,
)
from ricordo_services.evaluation.lives.telling import figures, misses, right_first, table, unread

BEGIN = datetime(2025, 3, 1, 12, tzinfo=UTC)
CAT = {"en": "cat", "it": "gatto"}


def of(*said: str, language: str = "en") -> Life:
    """Return a life in which these were said of Max, a day apart; that it is a cat is false."""
    kind = Truth("Max", "is_a", "golden retriever", CAT[language])
    turns = [
        Turn(f"m-{n}", BEGIN + timedelta(days=n), text, text, kind, CAT[language] not in text)
        for n, text in enumerate(said)
    ]
    Random(3).shuffle(turns)
    return Life(0, language, "Alice", "Max", (kind,), tuple(turns))


def answered(known: Life) -> dict[str, Answer]:
    return {one.about: one for one in live(known).answers}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_truth_is_said_several_times_and_denied_once(language: str) -> None:
    one = life(4, language, seed=9)
    assert one == life(4, language, seed=9)
    assert one != life(5, language, seed=9)
    true = Counter(turn.truth for turn in one.turns if turn.true and turn.truth)
    false = Counter(turn.truth for turn in one.turns if not turn.true)
    assert set(true) == set(false) == set(one.truths)
    assert all(LEAST_SAID <= times <= MOST_SAID for times in true.values())
    assert set(false.values()) == {1}
    assert sum(turn.truth is None for turn in one.turns) == NOISE
    assert len({turn.id for turn in one.turns}) == len(one.turns)
    assert {one.predicate for one in one.truths} <= set(PREDICATES)
    assert [turn.at for turn in one.turns] != sorted(turn.at for turn in one.turns)


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_is_said_in_many_ways_and_every_slot_is_filled(language: str) -> None:
    said: dict[tuple[str, str], set[str]] = {}
    for number in range(40):
        for turn in life(number, language, seed=2).turns:
            assert not set("{}") & set(turn.text)
            if turn.truth is not None and turn.true:
                of_user = "user" if turn.truth.subject == "user" else "another"
                said.setdefault((turn.truth.predicate, of_user), set()).add(turn.wording)
    assert len(said) == 11
    assert all(len(wordings) >= 6 for wordings in said.values())
    assert all(string.Formatter().parse(one) for wordings in said.values() for one in wordings)


@pytest.mark.parametrize("place", [0, 1, 3])
def test_what_is_said_thrice_comes_before_what_is_said_once(place: int) -> None:
    said = ["Max is a golden retriever."] * 3
    said.insert(place, "Max is a cat.")
    found = answered(of(*said))
    kind = found["is_a, of another"]
    assert kind.right
    assert kind.found == ("Max is_a golden retriever (3)", "Max is_a cat (1)")
    assert found[WHO].right
    assert kind.read == kind.said == 3
    assert kind.false_read
    assert kind.false_last == (place == 3)


def test_what_is_hardly_read_is_counted_and_named() -> None:
    true, unreadable = "Max è un golden retriever.", "Max, quel golden retriever di Max!"
    found = live(of("Max è un gatto.", unreadable, true, unreadable, "Max è un gatto.", language="it"))
    (row,) = [one for one in misses([found]) if one["question"] == "Max is_a"]
    assert row["found"] == ["Max is_a gatto (2)", "Max is_a golden retriever (1)"]
    assert (row["said"], row["read"], row["false_read"], row["false_last"]) == (3, 1, True, True)
    assert [(one["wording"], one["said"], one["read"]) for one in unread([found])] == [(unreadable, 2, 0)]


def test_a_few_lives_are_known_by_the_fold_and_by_the_rules() -> None:
    some = list(lives(6, seed=1))
    assert [one.language for one in some] == ["en", "it"] * 3
    told, read = ([live(one, how) for one in some] for how in (as_told, as_read))
    totals = figures(read)
    assert (totals["lives"], totals["questions"]) == (6, 72)
    assert totals["noise_read"] == 0
    assert right_first(told) >= 0.9
    assert right_first(told) >= totals["right_first"] >= 0.7
    assert totals["reinforced_right_first"] >= 0.85
    rows = {(row["about"], row["language"]): row for row in table(read)}
    assert [rows["all", language]["questions"] for language in ("en", "it", "all")] == [36, 36, 72]


def test_the_order_of_arrival_does_not_matter() -> None:
    one = life(1, "it", seed=5)
    assert live(one).answers == live(replace(one, turns=tuple(sorted(one.turns, key=lambda t: t.id)))).answers


def test_the_command_tells_totals_a_table_and_misses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("lives", "--lives", "2", "--json", "--misses")) == 0
    totals, *rows = map(json.loads, capsys.readouterr().out.splitlines())
    assert totals["lives"] == 2
    assert totals["questions"] == 24
    assert {row["about"] for row in rows if "about" in row} >= {"all", WHO, "lives_in", "likes", "speaks"}
    assert any("wording" in row for row in rows)
    assert main(("lives", "--lives", "1", "--language", "it", "--misses")) == 0
    plain = capsys.readouterr().out
    assert "right_first" in plain
    assert " en " not in plain


@pytest.mark.parametrize("words", [("--lives", "0"), ("--lives", "x"), ("--language", "fr"), ("--data", "x")])
def test_what_cannot_be_asked_is_said(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("lives", *words)) == 2
    assert words[0] in capsys.readouterr().err
