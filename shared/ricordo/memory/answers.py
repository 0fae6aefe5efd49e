"""Decides what of the passages that answer a question is told.

Which passages answer, and with which words, a reader of question and passage has judged. Nothing is told as
current that holds no more; a fact is told where it holds the words that answer, and else the passage.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from typing import Final

from ricordo.language.reading import STATED
from ricordo.language.tokenization import stems
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.model import Memory

_CLOSE: Final = 0.8
"""The share of the best probability from which on a further passage is told, too."""
_HELD: Final = 0.5
"""The share of the words that answer which a fact must hold to be told instead."""
_DOUBT: Final = 0.2
"""One minus the confidence of an answer by a fact with one supporting message: a prior, not fitted."""
_DISPUTED: Final = 0.8
_VERIFIED: Final = 0.99


@dataclass(frozen=True)
class JudgedPassage:
    """A memory that may answer a question.

    Attributes:
        probability: that it does, [0, 1].
        words: the characters of its content that do.
        facts: that it is evidence for, whether they hold or not.
    """

    memory: Memory
    probability: float
    words: tuple[int, int] = (0, 0)
    facts: Sequence[Fact] = ()

    @cached_property
    def told(self) -> Sequence[Fact]:
        """The facts that hold enough of the words that answer; those that hold now first."""
        language = self.memory.language
        answering = frozenset(stems(self.memory.content[slice(*self.words)], language))

        def holds(fact: Fact) -> bool:
            held = answering.intersection(stems(f"{fact.subject} {fact.object}", language))
            return bool(answering) and len(held) >= _HELD * len(answering)

        # A clause that is noted as it stands says no more than the passage.
        found = [fact for fact in self.facts if fact.predicate != STATED and holds(fact)]
        return sorted(found, key=lambda fact: fact.valid_to is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerMaterial:
    """What an answer is made of.

    Attributes:
        question: as it was asked.
        facts: that answer it, best first.
        former: values that the first fact superseded, latest first.
        passages: that answer it, best first.
        memories: that were read for it, best first; a language model answers from them.
        asks_when: whether it asks for a time.
        now: when it is asked.
        is_list: whether all memories answer it together, as those of a day do.
        confidence: that all this answers, [0, 1].
    """

    question: str
    facts: Sequence[Fact] = ()
    former: Sequence[Fact] = ()
    passages: Sequence[JudgedPassage] = ()
    memories: Sequence[Memory] = ()
    asks_when: bool = False
    now: datetime | None = None
    is_list: bool = False
    confidence: float = 0.0

    @classmethod
    def joined(cls, parts: "Sequence[AnswerMaterial]", question: str) -> "AnswerMaterial":
        """Return what the answers to the parts of a question are made of, all together."""
        return replace(
            parts[0],
            question=question,
            facts=[*dict.fromkeys(fact for part in parts for fact in part.facts)],
            former=[*dict.fromkeys(fact for part in parts for fact in part.former)],
            passages=[one for part in parts for one in part.passages],
            memories=[*{one.id: one for part in parts for one in part.memories}.values()],
        )


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """A text, and the facts and memories that it rests on."""

    text: str
    facts: tuple[Fact, ...] = ()
    memories: tuple[Memory, ...] = ()

    @classmethod
    def joined(cls, parts: "Sequence[WrittenAnswer]") -> "WrittenAnswer":
        """Return answers one after the other, each text once."""
        facts = dict.fromkeys(fact for one in parts for fact in one.facts)
        memories = {memory.id: memory for one in parts for memory in one.memories}
        text = "\n".join(dict.fromkeys(one.text for one in parts))
        return cls(text, tuple(facts), tuple(memories.values()))


def answering_passages(
    judged: Sequence[JudgedPassage], least: float, *, former: bool = False, every: bool = False
) -> Sequence[JudgedPassage]:
    """Return the passages that answer, best first, each text once.

    What corrects a passage answers as well as that one did. A passage whose fact holds no more is outdated
    where another one answers about as well with what holds now: facts alone may be of somebody else.

    Args:
        least: the probability of the best of them, at least.
        former: whether the question is for what is no more.
        every: whether it is for all that answer, and not for the best.
    """
    ranked = sorted(map(partial(_with_corrected, judged), judged), key=lambda one: -one.probability)
    outdated = [one.memory.corrected_by or _is_superseded(one, ranked) for one in ranked]
    fitting = [one for one, is_past in zip(ranked, outdated, strict=True) if bool(is_past) == former]
    fitting = fitting or (ranked if former else [])
    if not fitting or fitting[0].probability < least:
        return ()
    texts: dict[str, JudgedPassage] = {}
    for one in fitting:
        if one.probability >= (least if every else _CLOSE * fitting[0].probability):
            texts.setdefault(one.memory.content, one)
    return [*texts.values()]


def fact_confidence(fact: Fact) -> float:
    """Return the probability that a fact that was asked for answers the question, [0, 1]."""
    if fact.verified:
        return _VERIFIED
    return (1 - _DOUBT / max(1, fact.confidence)) * (_DISPUTED if fact.disputed else 1)


def _with_corrected(judged: Sequence[JudgedPassage], one: JudgedPassage) -> JudgedPassage:
    corrected = [each.probability for each in judged if one.memory.id in each.memory.corrected_by]
    return replace(one, probability=max((one.probability, *corrected)))


def _is_superseded(one: JudgedPassage, ranked: Sequence[JudgedPassage]) -> bool:
    if not one.told or one.told[0].valid_to is None:
        return False
    if one.told[0].valid_to == one.told[0].valid_from:  # it was put right, and never held
        return True
    slot = one.told[0].subject, one.told[0].predicate
    return any(
        other.probability >= _CLOSE * one.probability
        and any(fact.valid_to is None and (fact.subject, fact.predicate) == slot for fact in other.told)
        for other in ranked
    )


def told_facts(
    passages: Sequence[JudgedPassage],
    predicates: Collection[str],
    names: Collection[str] = (),
    *,
    former: bool = False,
) -> Sequence[Fact]:
    """Return the facts that are told instead of the best passage, and those that answer as it does.

    Args:
        predicates: that the question asks for: what else a passage states is not its answer.
        names: canonical ones of whom the question names, if it names anybody.
    """
    best = passages[0].told if passages else ()
    about = (fact for fact in best if not names or fact.speaks_of(names))
    fitting = (fact for fact in about if fact.predicate in predicates)
    lead = next((fact for fact in fitting if (fact.valid_to is not None) == former), None)
    if lead is None:
        return ()
    others = [fact for one in passages for fact in one.told if (fact.valid_to is not None) == former]
    alike = [fact for fact in others if (fact.subject, fact.predicate) == (lead.subject, lead.predicate)]
    return [*dict.fromkeys((lead, *alike))]
