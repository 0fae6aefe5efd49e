"""Replies as a person reads them, in a terminal or through a pipe."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from rich.console import RenderableType
from rich.text import Text

from ricordo.messages.answers import AnswerReply
from ricordo.messages.enumerations import Degradation, MessageState
from ricordo.messages.listings import BriefMemoryView, MemoryChange, MemoryReply, UsersReply
from ricordo.messages.queries import (
    ContextReply,
    HistoryReply,
    RecallReply,
    StatsReply,
    StatusReply,
    WorkingReply,
)
from ricordo.messages.views import DocumentStatus, MemoryView
from ricordo_services.cli.fact_printing import show_supported_facts
from ricordo_services.cli.output import (
    PLAIN,
    TwoColumns,
    View,
    counted,
    plain,
    print_block,
    print_remark,
    print_text,
    warn_degraded,
)

_BAR_CELLS = 8
_SIGNALS_A_LINE = 4
_NEUTRAL = 0.15  # a valence nearer to 0 than this is not worth a line
SIGNALS = {
    "semantic": "meaning",
    "window": "meaning with the turn before",
    "session": "meaning of the session",
    "reply": "meaning of the question it answers",
    "bm25": "words",
    "bm25_window": "words with the turn before",
    "session_bm25": "words of the session",
    "fused": "meaning and words by rank",
    "temporal": "time asked for",
    "dated": "has a date",
    "speaker": "speaker asked for",
    "own_words": "said by a person",
    "asks": "is a question",
    "type_match": "kind asked for",
    "name_overlap": "names asked for",
    "evidence": "supports a fact asked for",
    "connection": "connected with the best",
    "example_similarity": "meaning of usual answers",
    "example_bm25": "words of usual answers",
    "is_bare_predicate": "question for a fact alone",
    "congruence": "same feeling as the question",
    "valence": "feeling from bad to good",
    "arousal": "strength of feeling",
    "importance_gained": "importance gained by use",
    "access_count": "times used",
    "age_days": "days ago",
    "decay_factor": "not faded",
    "token_count": "tokens",
    "key_topic_boost": "key topic asked for",
    "has_vector_score": "meaning was compared",
    "foreign": "in another language",
}
"""What a person calls a signal; the others are called as on the wire."""
_COUNTS = ("access_count", "token_count")
# Factors that change nothing at this value, as others do at 0.
_SILENT = {"decay_factor": 1.0, "confidence": 1.0, "key_topic_boost": 1.0}
_STATE_STYLES = {
    MessageState.REMEMBERED: "bold green",
    MessageState.RECEIVED: "bold yellow",
    MessageState.FAILED: "bold red",
    MessageState.UNKNOWN: "bold",
}


def show_recall(reply: RecallReply, view: View = PLAIN) -> None:
    """Print memories and facts, with their ids if wanted, and what could not be asked."""
    if is_unanswered(reply):
        print_text("memory cannot be searched now", "bold red")
    else:
        print_block(memories_block(reply.memories, view))
    show_supported_facts(reply.facts, view)
    if view.ids:
        print_text(f"\nrecall {reply.recall_id}", "dim")
    if reply.archived_matches:
        print_text(f"\n{reply.archived_matches} more in the archive: --archived shows them", "dim")
    warn_degraded(reply.degraded)


def is_unanswered(reply: RecallReply) -> bool:
    """Whether nothing was found while rows or vectors could not be asked."""
    away = {Degradation.ROWS, Degradation.VECTORS}.intersection(reply.degraded)
    return bool(away) and not reply.memories and not reply.facts


def show_context(reply: ContextReply) -> None:
    """Print the text for the prompt, and its size beside it."""
    print_text(reply.context)
    found = f"{counted(len(reply.memories), 'memories')} and {counted(len(reply.facts), 'facts')}"
    print_remark(f"{reply.tokens} tokens; found: {found}", "dim")
    warn_degraded(reply.degraded)


def show_answer(reply: AnswerReply) -> None:
    """Print the answer, and how sure it is and what it rests on beside it."""
    print_text(reply.answer)
    told = f"confidence {reply.confidence:.2f} of 1"
    if reply.answered:
        told = f"{told}; from {counted(len(reply.sources), 'sources')}, by {reply.by.value}"
    print_remark(told, "dim")
    warn_degraded(reply.degraded)


def show_history(user: str, reply: HistoryReply, view: View = PLAIN) -> None:
    """Print messages as a conversation, or that there are none."""
    if not reply.messages:
        print_remark(f"no messages of user {plain(user)!r}")
    for message in reply.messages:
        who = message.speaker or message.role.value
        print_block(utterance(message.timestamp, who, message.content or "…", view))
    if reply.next is not None:
        print_remark(f"older messages: --before '{reply.next}'", "dim")


def utterance(at: datetime, who: str, text: str, view: View) -> Text:
    """Show what was said, when and by whom, on a line."""
    return Text(view.time(at), "dim").append(f"  {plain(who)}: ", "bold cyan").append(plain(text))


def show_status(message_id: str, reply: StatusReply, view: View = PLAIN) -> None:
    """Print the state of a message and the stages it passed."""
    print_block(Text.assemble(f"{message_id}  ", (reply.state.value, _STATE_STYLES[reply.state])))
    stored = reply.state in (MessageState.RECEIVED, MessageState.REMEMBERED)
    if reply.error and stored:
        print_text("  another message with this id was refused:", "yellow")
    if reply.error:
        print_text(f"  {reply.error}", "red")
    elif reply.state is MessageState.UNKNOWN:
        print_remark("no message with this id has arrived, or it still waits")
    if stored:
        for name, instant in reply.stages:
            when = view.time(instant) if instant else "not yet"
            print_text(f"  {name:10} {when}", "" if instant else "dim")
    if reply.document is not None:
        _show_document(reply.document)


def _show_document(document: DocumentStatus) -> None:
    state = (document.state.value, _STATE_STYLES[document.state])
    print_block(Text.assemble(f"  {plain(document.name)} ", state))
    if document.error:
        print_text(f"  {document.error}", "red")
    elif document.state is MessageState.REMEMBERED:
        left = "" if document.whole else ", the rest was too long"
        print_text(f"  in {counted(document.extracts, 'extracts')}{left}")


def show_stats(user: str, reply: StatsReply) -> None:
    """Print the counts of a user."""
    print_text(user, "bold")
    for name, count in reply:
        print_text(f"  {name:12} {count:>8,}", "" if count else "dim")


def show_memories(memories: Sequence[MemoryView], nothing: str, view: View = PLAIN) -> None:
    """Print memories; or `nothing` on standard error, where there are none."""
    if memories:
        print_block(memories_block(memories, view))
    else:
        print_remark(nothing)


def memories_block(memories: Sequence[MemoryView], view: View = PLAIN) -> RenderableType:
    """Show memories, best first, each with its score, its moment and what it is, and its id if wanted."""
    if not memories:
        return Text("nothing is remembered about that", "dim")
    # A score of the usual profiles lies in [0, 1], and a bar shows it as it is, not in relation to the best.
    # Where one is above, the profile has a scale of its own, which no bar can show.
    barred = all((memory.score or 0.0) <= 1.0 for memory in memories)
    rows = []
    for memory in memories:
        score = Text("" if memory.score is None else f"{memory.score:.2f}", "bold")
        if memory.score is not None and barred:
            bar = "█" * round(_BAR_CELLS * memory.score)
            score = Text.assemble(score, " ", (bar.ljust(_BAR_CELLS), "green"))
        rows.append((score, _memory(memory, view)))
    return TwoColumns(rows, wide=True)


def _memory(memory: MemoryView, view: View) -> Text:
    head = Text(plain(memory.content if memory.content is not None else memory.title or "…"))
    if memory.archived:
        head.append("  (archived)", "dim")
    lines = [head, Text(" · ".join(_circumstances(memory, view)), "dim")]
    if memory.signals:
        effective = {name: value for name, value in memory.signals.items() if value != _SILENT.get(name, 0)}
        shown = [
            f"{SIGNALS.get(name, name)} {value:.{0 if name in _COUNTS else 2}f}"
            for name, value in effective.items()
        ]
        lines += (
            Text(" · ".join(shown[begin : begin + _SIGNALS_A_LINE]), "dim italic")
            for begin in range(0, len(shown), _SIGNALS_A_LINE)
        )
    if view.ids:
        lines.append(Text(str(memory.id), "dim"))
    return Text("\n").join(lines)


def _circumstances(memory: MemoryView, view: View) -> Iterable[str]:
    yield view.time(memory.created_at)
    yield plain(memory.speaker or (memory.role.value if memory.role else memory.kind.value))
    yield memory.type.value
    if memory.times_said > 1:
        yield f"said {memory.times_said} times"
    feeling = memory.emotion
    if feeling is not None and abs(feeling.valence) >= _NEUTRAL:
        yield f"{feeling.primary or 'feeling'} {feeling.valence:+.1f}"
    if memory.topics:
        yield plain(", ".join(memory.topics[:3]))


def show_memory(reply: MemoryReply, view: View = PLAIN) -> None:
    """Print a memory, its neighbours, its facts and its history."""
    print_block(memories_block([reply.memory], view))
    shown = reply.memory
    print_text(f"importance {shown.importance:.2f}, strength {shown.decay_factor:.2f}", "dim")
    for title, others in (
        ("Before", [reply.preceding] if reply.preceding else []),
        ("After", [reply.following] if reply.following else []),
        ("Related", reply.related),
    ):
        if others:
            print_text(f"\n{title}", "bold")
        for other in others:
            print_block(_brief(other, view))
    show_supported_facts(reply.facts, view)
    if reply.history or shown.access_count:
        print_text("\nHistory", "bold")
        print_text(f"used {counted(shown.access_count, 'times')} in all")
        for change in reply.history:
            print_text(" ".join(_change(change, view)))


def _brief(memory: BriefMemoryView, view: View) -> Text:
    who = memory.speaker or (memory.role.value if memory.role else memory.kind.value)
    return utterance(memory.created_at, who, memory.content, view).append(view.id(memory.id), "dim")


def _change(change: MemoryChange, view: View) -> Iterable[str]:
    if change.at is not None:
        yield view.time(change.at) + " "
    yield change.change.value
    if change.verdict == "irrelevant":
        yield "and found irrelevant"
    if change.decay_factor is not None:
        yield f"to {change.decay_factor:.2f}"
    if change.reason is not None:
        yield f"({change.reason.value})"
    if change.content is not None:
        yield f"from '{change.content}'"
    named = change.memory_id or change.recall_id
    if view.ids and named is not None:
        yield str(named)


def show_users(reply: UsersReply, view: View) -> None:
    """Print users with their counts, or that there are none."""
    if not reply.users:
        print_remark("no users")
    for one in reply.users:
        counts = f"{counted(one.memories, 'memories')}, {counted(one.messages, 'messages')}"
        print_text(f"{one.user_id}  {counts}, last active {view.time(one.last_activity)}")


def show_working(reply: WorkingReply) -> None:
    """Print the last turns, names and notes of a conversation, or that there are none."""
    if not (reply.lines or reply.entities or reply.notes):
        print_text("The working memory is empty.", "dim")
    for line in reply.lines:
        print_text(line)
    rows = [(Text("named last", "dim"), Text(plain(", ".join(reply.entities))))] if reply.entities else []
    for key, value in reply.notes.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        rows.append((Text(plain(key), "bold cyan"), Text(plain(text))))
    if rows:
        print_block(TwoColumns(rows))
