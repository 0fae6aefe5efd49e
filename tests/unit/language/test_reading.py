"""The reading of a text goes on to stand where a part of the text is replaced."""

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from ricordo.language.reading import UNREAD, ReadStatement, amended

BEFORE, REPLACED, BEHIND = (st.text(letters, max_size=6) for letters in ("ab ", "cd", "ef "))
"""Of letters of their own, so that nothing but the part in the middle can have changed."""


def read(start: int, end: int, text: str) -> ReadStatement:
    return ReadStatement(
        predicate="lives_in", object=(start, end), clause=(0, len(text)), of="speaker", certainty=0.9
    )


@given(BEFORE, REPLACED, REPLACED, BEHIND, st.data())
def test_parts_stand_where_their_words_stand(
    before: str, old: str, new: str, behind: str, data: st.DataObject
) -> None:
    text, changed = before + old + behind, before + new + behind
    assume(text and changed)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = amended(replace(UNREAD, statements=(read(start, end, text),)), text, changed)
    for one in found.statements:
        assert 0 <= one.object[0] < one.object[1] <= len(changed)
        assert 0 <= one.clause[0] < one.clause[1] <= len(changed)
        if end < len(before):
            assert changed[slice(*one.object)] == text[start:end]
    if end < len(before) or start > len(before) + len(old):
        assert found.statements


def test_what_was_replaced_is_what_is_read_now() -> None:
    text, changed = "I moved to Lucca in May", "I moved to Luino in May"
    (one,) = amended(replace(UNREAD, statements=(read(11, 16, text),)), text, changed).statements
    assert changed[slice(*one.object)] == "Luino"
    assert amended(UNREAD, text, changed) == UNREAD
