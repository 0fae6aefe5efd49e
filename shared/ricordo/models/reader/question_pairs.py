"""A question and a passage side by side, as the reader of answers reads them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from ricordo.models.onnx.e5_checkpoint import E5Tokens, Side

ASKER: Final = "me"
"""Who says a passage, where it is whoever asks."""
ASSISTANT: Final = "bot"
_QUESTION_TOKENS: Final = 64
_PASSAGE_TOKENS: Final = 96
_READ: Final = 1_000
"""Characters that are read of a question and of a passage; more than their tokens have."""
_LONGEST_NAME: Final = 40
_BEFORE: Final = 120
"""Characters of the turn before, which are its last: what it asks stands at its end."""


class Passage(NamedTuple):
    """What somebody said, with the turn before it.

    Attributes:
        who: the name of who said it, `ASKER` or `ASSISTANT`.
        before: "who: text" of the turn before; empty for none.
    """

    who: str
    text: str
    before: str = ""


class Pair(NamedTuple):
    """The tokens of a question and a passage.

    Attributes:
        spans: the characters of the passage's text that each token stands for; (-1, -1) for none.
    """

    ids: Sequence[int]
    spans: Sequence[tuple[int, int]]


def with_earlier(question: str, earlier: str) -> str:
    """Return a question with the end of what it leans on after it, as a passage has the turn before."""
    return f"{question} « {earlier[-_BEFORE:]}" if earlier else question


def paired(question: str, passage: Passage, tokens: E5Tokens, sides: tuple[Side, Side]) -> Pair:
    """Return the tokens of a question and a passage.

    Args:
        sides: how the encoder's questions and texts begin.
    """
    of_question, of_text = sides
    asked, _ = tokens.spans(question[:_READ], of_question.prefix)
    head, text = f"{passage.who[:_LONGEST_NAME]}: ", passage.text[:_READ]
    whole = f"{head}{text}"
    if passage.before:
        whole += f" « {passage.before[-_BEFORE:]}"
    said, spans = tokens.spans(whole, of_text.prefix)
    said, spans = said[1:], spans[1:]
    if len(said) > _PASSAGE_TOKENS:
        said, spans = [*said[: _PASSAGE_TOKENS - 1], said[-1]], [*spans[: _PASSAGE_TOKENS - 1], spans[-1]]
    asked = [*asked[: _QUESTION_TOKENS - 1], asked[-1]] if len(asked) > _QUESTION_TOKENS else asked
    end = len(head) + len(text)
    within = [
        (max(start, len(head)) - len(head), last - len(head)) if len(head) < last <= end else (-1, -1)
        for start, last in spans
    ]
    return Pair([*asked, *said], [*([(-1, -1)] * len(asked)), *within])
