"""Replies as a person reads them, in a terminal or through a pipe."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from ricordo.messages.answers import AnswerReply
from ricordo.messages.entities import EntityCard, GraphEdgeView
from ricordo.messages.enumerations import Degradation, MessageState
from ricordo.messages.queries import ContextReply, HistoryReply, RecallReply, StatsReply, StatusReply
from ricordo.messages.views import DocumentStatus, EntityView, FactView, MemoryView
from ricordo_services.cli.failures import named
from ricordo_services.cli.output import counted, local_text, plain, print_block, print_remark, print_text

_BAR_CELLS = 8
_NEUTRAL = 0.15  # a valence nearer to 0 than this is not worth a line
# Factors that change nothing at this value, as others do at 0.
_SILENT = {"decay_factor": 1.0, "confidence": 1.0, "key_topic_boost": 1.0}
_STATE_STYLES = {
    MessageState.REMEMBERED: "bold green",
    MessageState.RECEIVED: "bold yellow",
    MessageState.FAILED: "bold red",
    MessageState.UNKNOWN: "bold",
}


def show_recall(reply: RecallReply, zone: tzinfo | None = None, *, ids: bool = False) -> None:
    """Print memories and facts, with their ids if wanted, and what could not be asked."""
    if is_unanswered(reply):
        print_text("memory cannot be searched now", "bold red")
    else:
        print_block(memories_block(reply.memories, zone, ids=ids))
    show_supported_facts(reply.facts, zone, ids=ids)
    if ids:
        print_text(f"\nrecall {reply.recall_id}", "dim")
    if reply.archived_matches:
        print_text(f"\n{reply.archived_matches} more in the archive: --archived shows them", "dim")
    warn_degraded(reply.degraded)


def show_supported_facts(facts: Sequence[FactView], zone: tzinfo | None, *, ids: bool) -> None:
    """Print facts under their heading; nothing where there are none."""
    if facts:
        print_text("\nFacts", "bold")
        print_block(facts_block(facts, zone, ids=ids))


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
    told = f"confidence {reply.confidence:.2f}"
    if reply.answered:
        told = f"{told}; from {counted(len(reply.sources), 'sources')}, by {reply.by.value}"
    print_remark(told, "dim")
    warn_degraded(reply.degraded)


def show_history(user: str, reply: HistoryReply, zone: tzinfo | None = None) -> None:
    """Print messages as a conversation, or that there are none."""
    if not reply.messages:
        print_remark(f"no messages of user {plain(user)!r}")
    for message in reply.messages:
        who = message.speaker or message.role.value
        print_block(utterance(message.timestamp, who, message.content or "…", zone))
    if reply.next is not None:
        print_remark(f"older messages: --before '{reply.next}'", "dim")


def utterance(at: datetime, who: str, text: str, zone: tzinfo | None) -> Text:
    """Show what was said, when and by whom, on a line."""
    return Text(local_text(at, zone), "dim").append(f"  {plain(who)}: ", "bold cyan").append(plain(text))


def show_status(message_id: str, reply: StatusReply, zone: tzinfo | None = None) -> None:
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
            when = local_text(instant, zone) if instant else "not yet"
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


def warn_degraded(degraded: Sequence[Degradation]) -> None:
    """Warn on standard error about degraded parts: a broken system must not look like an empty one."""
    if degraded:
        missing = ", ".join(part.value for part in degraded)
        print_remark(named(f"degraded: without {missing}; `ricordo doctor` says what to do"), "bold yellow")


@dataclass(frozen=True, slots=True)
class TwoColumns:
    """Two columns of texts: a table at a terminal, else lines of any length."""

    rows: Sequence[tuple[Text, Text]]
    wide: bool = False  # whether the long ones take all the room that the window leaves

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        """Lay it out."""
        if options.no_wrap:  # as when printing with `soft_wrap`
            yield Text("\n").join(self._lines())
            return
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True)
        table.add_column(ratio=1 if self.wide else None)
        for short, long in self.rows:
            table.add_row(short, long)
        yield table

    def _lines(self) -> Iterable[Text]:
        indent = max(short.cell_len for short, _ in self.rows) + 2
        for short, long in self.rows:
            left = short.copy()
            for part in long.split("\n", allow_blank=True):
                left.pad_right(indent - left.cell_len)
                line = left + part
                line.rstrip()
                yield line
                left = Text()


def show_memories(
    memories: Sequence[MemoryView], zone: tzinfo | None, nothing: str, *, ids: bool = False
) -> None:
    """Print memories; or `nothing` on standard error, where there are none."""
    if memories:
        print_block(memories_block(memories, zone, ids=ids))
    else:
        print_remark(nothing)


def memories_block(
    memories: Sequence[MemoryView], zone: tzinfo | None = None, *, ids: bool = False
) -> RenderableType:
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
        rows.append((score, _memory(memory, zone, ids=ids)))
    return TwoColumns(rows, wide=True)


def _memory(memory: MemoryView, zone: tzinfo | None, *, ids: bool) -> Text:
    head = Text(plain(memory.content if memory.content is not None else memory.title or "…"))
    if memory.archived:
        head.append("  (archived)", "dim")
    lines = [head, Text(" · ".join(_circumstances(memory, zone)), "dim")]
    if memory.signals:
        effective = {name: value for name, value in memory.signals.items() if value != _SILENT.get(name, 0)}
        text = "  ".join(f"{name} {value:.2f}" for name, value in effective.items())
        lines.append(Text(text, "dim italic"))
    if ids:
        lines.append(Text(str(memory.id), "dim"))
    return Text("\n").join(lines)


def _circumstances(memory: MemoryView, zone: tzinfo | None) -> Iterable[str]:
    yield local_text(memory.created_at, zone)
    yield plain(memory.speaker or (memory.role.value if memory.role else memory.kind.value))
    yield memory.type.value
    if memory.times_said > 1:
        yield f"said {memory.times_said} times"
    feeling = memory.emotion
    if feeling is not None and abs(feeling.valence) >= _NEUTRAL:
        yield f"{feeling.primary or 'feeling'} {feeling.valence:+.1f}"
    if memory.topics:
        yield plain(", ".join(memory.topics[:3]))


def facts_block(
    facts: Sequence[FactView], zone: tzinfo | None = None, *, ids: bool = False
) -> RenderableType:
    """Show facts, each with how many messages it rests on, and its id if wanted."""
    return TwoColumns([fact_row(fact, statement(fact), validity(fact, zone), ids=ids) for fact in facts])


def entity_head(entity: EntityCard | EntityView, ties: Sequence[str], kind: str = "", seen: str = "") -> Text:
    """Show the names of an entity, how it is tied to the user, and in how many messages it is."""
    line = Text(plain(entity.name), "bold cyan")
    if entity.aliases:
        line.append(f" ({plain(', '.join(entity.aliases))})", "")
    notes = filter(None, (kind, ", ".join(ties), counted(entity.mentions, "messages"), seen))
    return line.append(f"  {'; '.join(notes)}", "dim")


def statement(fact: FactView | GraphEdgeView) -> Text:
    """Show subject, predicate and object of a fact."""
    subject, value = (plain(fact.subject), "bold cyan"), (plain(fact.object), "bold")
    return Text.assemble(subject, "  ", (fact.predicate, "dim"), "  ", value)


def fact_row(fact: FactView, text: Text, notes: str, *, ids: bool) -> tuple[Text, Text]:
    """Show how many messages a fact rests on, and its text, its notes, and its id if wanted."""
    if notes:
        text.append(f"  ({notes})", "dim")
    if ids:
        text.append(f"  {fact.id}", "dim")
    return Text("•" * fact.confidence, "magenta"), text


def validity(fact: FactView, zone: tzinfo | None) -> str:
    """Say of a fact until when it held, and whether it is disputed or verified."""
    until = f"until {local_text(fact.valid_to, zone)}" if fact.valid_to else ""
    marks = (until, "disputed" if fact.disputed else "", "verified" if fact.verified else "")
    return ", ".join(filter(None, marks))
