"""The tokenizer reads no more of a text than the model does, and gives the tokens of the whole text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from ricordo.models.onnx.checkpoint import installed_checkpoint
from ricordo.models.onnx.tokenizer import MiniLmTokens

DEFINITION = installed_checkpoint().tokenizer
TOKENS = MiniLmTokens(DEFINITION, 256)
WHOLE = Tokenizer.from_file(str(DEFINITION))
WHOLE.no_padding()
WHOLE.enable_truncation(256)

words = st.sampled_from(
    [
        "dog",
        "perché",
        "straßenbahn",
        "x" * 120,
        "antidisestablishmentarianism",
        "記憶",
        "🙂",
        "a\u0301",
        "  ",
        "\0",
        "!?",
        "\n",
    ]
)


@settings(max_examples=40, deadline=None)
@given(st.lists(words, min_size=1, max_size=12), st.integers(1, 2000), st.sampled_from(["", " "]))
def test_long_texts_give_the_tokens_of_the_whole(some: list[str], times: int, between: str) -> None:
    text = between.join(some * times)[:20_000]
    assert TOKENS.ids(text) == WHOLE.encode(text).ids


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400))
def test_any_text_gives_the_tokens_of_the_whole(text: str) -> None:
    assert TOKENS.ids(text) == WHOLE.encode(text).ids


@pytest.mark.parametrize("lead", [2000, 2047, 2048, 2049, 9000])
def test_a_text_that_begins_with_blanks_is_read_on(lead: int) -> None:
    text = " " * lead + "the dog ran home"
    assert len(TOKENS.ids(text)) == 6


def test_the_window_is_never_exceeded() -> None:
    assert len(TOKENS.ids("memory " * 40_000)) == 256
    assert TOKENS.ids("") == [101, 102]


def test_a_lone_surrogate_is_read_as_a_question_mark() -> None:
    assert TOKENS.ids("a \ud800 b") == TOKENS.ids("a ? b")
    assert TOKENS.count("\udfff") == 1


def test_counting_leaves_special_tokens_out_and_has_no_limit() -> None:
    assert TOKENS.count("") == 0
    assert TOKENS.count("the dog") == 2
    assert TOKENS.count("memory " * 1000) == 1000


@pytest.mark.parametrize("words", [0, 1, 254, 255, 40_000])
def test_what_is_beyond_the_window_is_said(words: int) -> None:
    ids, beyond = TOKENS.cut("memory " * words)
    assert (len(ids), beyond) == (min(words, 254) + 2, words > 254)
