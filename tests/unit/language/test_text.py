import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.growth import LINEAR, growth
from tests.fixtures.sentence_tables import table

from ricordo.language import text, tokenization
from ricordo.language.document import Document
from ricordo.language.titles import title_of
from ricordo.memory.context.recalled_tags import escape_recalled, strip_recalled


@pytest.mark.parametrize(("raw", "left"), table(__file__, "recalled_spans_are_cut_out"))
def test_recalled_spans_are_cut_out(raw: str, left: str) -> None:
    assert strip_recalled(raw) == left


fragments = st.sampled_from(
    ["<recalled id='1'>", "</recalled>", "<recalled", "< / RECALLED>", "<recalled/>", "ciao ", "<", ">", "\n"]
)


@given(st.lists(fragments).map("".join))
def test_nothing_recalled_survives_being_wrapped(inner: str) -> None:
    wrapped = f"before<recalled id='1'>{escape_recalled(inner)}</recalled>after"
    assert strip_recalled(wrapped) == "beforeafter"


@pytest.mark.parametrize(("begins", "part"), table(__file__, "hostile_brackets_cost_linear_time"))
def test_hostile_brackets_cost_linear_time(begins: str, part: str) -> None:
    assert growth(lambda said: strip_recalled(begins + said), part, 32_000) < LINEAR


def test_italian_words_are_cut_at_apostrophes_and_english_ones_are_not() -> None:
    assert tokenization.words("L'amico dell’ABIOGENESIS", "it") == ["l", "amico", "dell", "abiogenesis"]
    assert tokenization.words("Don’t John's", "en") == ["don't", "john's"]


@pytest.mark.parametrize(("language", "forms"), table(__file__, "inflected_forms_share_a_stem"))
def test_inflected_forms_share_a_stem(language: str, forms: tuple[str, str]) -> None:
    one, other = forms
    assert text.stem(one, language) == text.stem(other, language)


def test_stripping_leaves_no_tag_behind() -> None:
    assert strip_recalled("a <rec<recalled/>alled>b</recalled> c") == "a"  # the inner pass leaves it unclosed
    deep = "<rec" * 9 + "<recalled/>" + "alled/>" * 9 + "echo"
    assert "<recalled" not in strip_recalled(deep)


def test_stop_words_go_unless_nothing_else_is_there() -> None:
    assert tokenization.content_words("the dog of the house", "en") == ["dog", "house"]
    assert tokenization.content_words("who are you", "en") == ["who", "are", "you"]


def test_sentences_end_where_people_end_them() -> None:
    told = "Ho visto il Dott. Rossi. Costa 3.50 euro! Va bene?\nSì"
    assert list(tokenization.sentences_of(told)) == [
        "Ho visto il Dott. Rossi.",
        "Costa 3.50 euro!",
        "Va bene?",
        "Sì",
    ]
    assert list(tokenization.sentences_of(" \n ")) == []


@given(st.text(), st.integers(min_value=1, max_value=100))
def test_an_excerpt_is_one_line_within_its_limit(raw: str, limit: int) -> None:
    short = text.excerpt(raw, limit)
    assert len(short) <= limit
    assert "\n" not in short


def test_an_excerpt_ends_at_a_word() -> None:
    assert text.excerpt("abbiamo adottato un cane bellissimo", 28) == "abbiamo adottato un cane…"
    with pytest.raises(ValueError, match="character"):
        text.excerpt("x", 0)


@pytest.mark.parametrize(("said", "title"), table(__file__, "a_title_passes_over_greetings_and_markup"))
def test_a_title_passes_over_greetings_and_markup(said: str, title: str) -> None:
    assert title_of(Document(said)) == title
