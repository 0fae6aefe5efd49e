"""A context whose reply would be larger than the bus carries loses text, and no more of it than it must."""

import datetime as dt
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from ricordo.messages.codec import encode
from ricordo.messages.queries import ContextReply
from ricordo.messages.views import Analysis, HistoryMessage, MemoryView
from ricordo.messages.vocabulary import Intent, MemoryKind, MemoryType, Role
from ricordo_services.retrieval.fitting import fit_context

NOW = dt.datetime(2026, 2, 1, 12, tzinfo=dt.UTC)
LIMIT = 60_000
SPARE = 2_000  # what is left free for the flags
CONTEXT = "<recalled>…</recalled>"

contents = st.tuples(st.sampled_from(["a", "è", "😀", '"', "\n", "\x01", "\\"]), st.integers(1, 6_000)).map(
    lambda drawn: drawn[0] * drawn[1]
)


def reply(told: list[str], said: list[str]) -> ContextReply:
    return ContextReply(
        recall_id=UUID(int=1),
        analysis=Analysis(intent=Intent.GENERAL, semantic_query="x"),
        memories=tuple(
            MemoryView(
                id=UUID(int=n),
                type=MemoryType.EPISODIC,
                kind=MemoryKind.MESSAGE,
                content=content,
                created_at=NOW,
                importance=0.5,
            )
            for n, content in enumerate(told)
        ),
        recent=tuple(
            HistoryMessage(
                id=f"m-{n}",
                user_id="u",
                conversation_id="c",
                role=Role.USER,
                content=content,
                timestamp=NOW,
            )
            for n, content in enumerate(said)
        ),
        context=CONTEXT,
        tokens=9,
    )


@settings(deadline=None)
@given(st.lists(contents, max_size=20), st.lists(contents, max_size=20))
def test_what_is_lost_is_the_lowest_rank_then_the_oldest_turn(told: list[str], said: list[str]) -> None:
    whole = reply(told, said)
    fitted = fit_context(whole, LIMIT)
    size = len(encode(fitted))
    assert size < LIMIT
    assert fitted.context == CONTEXT
    lost = [memory.content is None for memory in fitted.memories]
    assert lost == sorted(lost)
    older = [turn.content is None for turn in fitted.recent]
    assert older == sorted(older, reverse=True)
    assert all(lost) or not any(older)
    assert [memory.truncated for memory in fitted.memories] == lost
    assert [turn.truncated for turn in fitted.recent] == older
    dropped = [text for text, gone in zip(said, older, strict=True) if gone][-1:] or [
        text for text, gone in zip(told, lost, strict=True) if gone
    ][:1]
    for text in dropped:  # the one that was lost last: with it, the reply would not have fitted
        flags = 200 * (len(told) + len(said))
        assert size + len(encode(reply([text], []))) - len(encode(reply([""], []))) > LIMIT - SPARE - flags
