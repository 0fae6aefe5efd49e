"""What is found for a question, and why."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlencode

from ricordo.language.annotations import MemoryKind
from ricordo.messages.enumerations import EmotionFilter
from ricordo.messages.queries import RecallReply
from ricordo.messages.views import Analysis, FactView, MemoryView
from ricordo_services.album.actions import acts_of
from ricordo_services.album.facts import sentence
from ricordo_services.album.visit import Visit, page

_LIMIT: Final = 30
_LONGEST: Final = 1_000  # characters of a question
_MOST: Final = 200  # memories that are looked through for kept ones
_FEELINGS: Final = tuple(one.value for one in EmotionFilter)
_KINDS: Final = tuple(one.value for one in MemoryKind)
_NAMES: Final = 8  # that are offered before there is a question
_REASONS: Final = 4
_WEAK: Final = 0.2  # a smaller share explains nothing
_UNSURE: Final = 0.3
_FACTS: Final = 5


@page("/search", "search")
async def search(visit: Visit) -> None:
    """Show what is found for `q`; of a `feeling` or `kind`, `kept` ones only, those in the `archive` too."""
    question = visit.query.get("q", "").strip()[:_LONGEST]
    chosen = {name: visit.query.get(name, "") for name in ("feeling", "kind", "kept", "archive")}
    shown: dict[str, object] = {"question": question, "longest": _LONGEST, "chips": _chips(question, chosen)}
    if not question:
        names = [one.name for one in (await visit.client.entities(visit.user_id, limit=_NAMES)).entities]
        visit.show("search.html", **shown, names=names)
        return
    reply = await visit.client.recall(
        visit.user_id,
        question,
        limit=_MOST if chosen["kept"] else _LIMIT,
        explain=True,
        reinforce=False,
        timezone=visit.browser.timezone,
        filters=_filters(chosen),
    )
    memories = [one for one in reply.memories if one.pinned or not chosen["kept"]][:_LIMIT]
    best = max(((one.signals or {}).get("semantic", 0.0) for one in memories), default=0.0)
    uses = max(((one.signals or {}).get("access_count", 0.0) for one in memories), default=0.0)
    visit.show(
        "search.html",
        **shown,
        found=[(one, reasons(one.signals or {}, best, uses, _named(reply, one))) for one in memories],
        facts=[(fact, sentence(fact, visit)) for fact in _answering(reply)],
        understood=_understood(visit, reply.analysis),
        unsure=reply.confidence < _UNSURE,
        archived=reply.archived_matches,
        archive=_href(question, {**chosen, "archive": "1"}),
        degraded=reply.degraded,
    )
    visit.on(**acts_of(visit))


def reasons(signals: Mapping[str, float], best: float, uses: float, named: float) -> list[tuple[str, float]]:
    """Return why a memory was found, the strongest first: names of texts, each with a share in [0, 1].

    Args:
        signals: of the memory's score.
        best: the closest in meaning of all that were found.
        uses: how often the most used of them was recalled.
        named: the share in [0, 1] of the names in the question that it holds.
    """
    known = defaultdict[str, float](float, signals)
    shares = {
        "words": known["bm25"],
        "meaning": known["semantic"] / best if best > 0 else 0.0,
        "time": known["temporal"],
        "names": named,
        "evidence": known["evidence"],
        "feeling": known["congruence"],
        "often": known["access_count"] / uses if uses > 1 else 0.0,
        "important": known["importance"],
    }
    strongest = sorted(shares.items(), key=lambda one: -one[1])[:_REASONS]
    return [(name, min(1.0, share)) for name, share in strongest if share >= _WEAK]


def _named(reply: RecallReply, memory: MemoryView) -> float:
    """Return the share of the names in the question that a memory holds; filters leave no signal of it."""
    names = [name.casefold() for name in reply.analysis.entities]
    words = " ".join((memory.content or "", *memory.participants)).casefold()
    return sum(name in words for name in names) / len(names) if names else 0.0


def _filters(chosen: Mapping[str, str]) -> dict[str, Any]:
    own: dict[str, Any] = {"include_archived": bool(chosen["archive"])}
    if chosen["feeling"] in _FEELINGS:
        own["emotion"] = chosen["feeling"]
    if chosen["kind"] in _KINDS:
        own["kinds"] = [chosen["kind"]]
    return own


def _answering(reply: RecallReply) -> list[FactView]:
    """Return the facts that were asked for, or that speak of whom the question names."""
    evidence = [one for one in reply.memories if (one.signals or {}).get("evidence")]
    said = {message for one in evidence for message in one.message_ids}
    names = {name.casefold() for name in reply.analysis.entities}
    return [
        fact
        for fact in reply.facts
        if not said.isdisjoint(fact.message_ids) or {fact.subject.casefold(), fact.object.casefold()} & names
    ][:_FACTS]


def _understood(visit: Visit, analysis: Analysis) -> list[str]:
    """Return in words how the question was understood."""
    t, time, told = visit.t, analysis.time, list[str]()
    if time.start is not None and time.end is not None:
        last = (time.end - timedelta(microseconds=1)).astimezone(visit.zone)
        start, end = t.day(time.start.astimezone(visit.zone), weekday=False), t.day(last, weekday=False)
        told.append(t("search.on", day=start) if start == end else t("search.between", start=start, end=end))
    if analysis.entities:
        told.append(t("search.who", names=", ".join(analysis.entities)))
    if analysis.topics:
        told.append(t("search.about", topics=", ".join(analysis.topics)))
    if analysis.emotion_filter is not None:
        told.append(t(f"search.feeling_{analysis.emotion_filter.value}"))
    if analysis.fallback is not None:
        told.append(t("search.widened"))
    return told


def _chips(question: str, chosen: Mapping[str, str]) -> list[tuple[str, str, bool]]:
    """Return what narrows the search: a name of a text, an address that sets it or takes it back, if set."""
    choices = [("kept", "1", "search.kept"), ("archive", "1", "search.archive")]
    choices += [("feeling", feeling, f"search.feeling_{feeling}") for feeling in _FEELINGS]
    choices += [("kind", kind, f"kinds.{kind}") for kind in _KINDS]
    chips = []
    for name, value, text in choices:
        is_set = chosen[name] == value
        chips.append((text, _href(question, {**chosen, name: "" if is_set else value}), is_set))
    return chips


def _href(question: str, chosen: Mapping[str, str]) -> str:
    return "?" + urlencode({"q": question, **{name: value for name, value in chosen.items() if value}})
