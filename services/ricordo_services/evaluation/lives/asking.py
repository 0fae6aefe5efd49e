"""What is known of a life by the rules of extraction and the fold, and whether the right of it comes first.

No server is needed: questions are answered as `query.facts` does, the most confident first, then the latest,
and "Who is Max?" as a recall does that names him.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import NAMESPACE_OID, uuid5

from ricordo.domain.facts import (
    PREDICATES,
    Evidence,
    Fact,
    Identities,
    Statement,
    entities,
    fold,
    mentions_of,
    normalise,
    resolved,
    surface,
)
from ricordo.ports.facts import Utterance
from ricordo.runtime.stating import by_rules
from ricordo_services.evaluation.lives.living import Life, Truth, Turn

WHO: Final = "who is"
"""The question who somebody is, whatever is known of them."""

_SHOWN: Final = 50  # of `query.facts`


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question.

    Attributes:
        life: its number.
        language: of the life.
        about: a predicate, with the slot of its subject where that is not the user; or `WHO`.
        question: entity and predicate that were asked for.
        expected: the right value.
        found: subject, predicate, object and confidence of what was found, best first.
        right: whether the right one came first.
        said: how often it was said.
        read: how often that was read.
        false_read: whether the false mention was read.
        false_last: whether it was said after all true ones.
    """

    life: int
    language: str
    about: str
    question: str
    expected: str
    found: tuple[str, ...]
    right: bool
    said: int
    read: int
    false_read: bool
    false_last: bool


@dataclass(frozen=True, slots=True)
class Heard:
    """A message, and whether what it says was read; of noise, whether anything was."""

    language: str
    turn: Turn
    read: bool


@dataclass(frozen=True, slots=True)
class Findings:
    """What came of one life."""

    answers: tuple[Answer, ...]
    heard: tuple[Heard, ...]


Read = Callable[[Life, Turn], Sequence[Statement]]
"""Says what a message of a life states."""


def as_read(life: Life, turn: Turn) -> Sequence[Statement]:
    """Return what the rules read in a message."""
    return by_rules(_utterance(life, turn))


def as_told(_: Life, turn: Turn) -> Sequence[Statement]:
    """Return what a message says: what whoever read all of it would read."""
    truth = turn.truth
    if truth is None:
        return ()
    said = truth.value if turn.true else truth.false
    span = (0, len(turn.text))
    return (Statement(truth.subject, _predicate(turn, truth), said, quote=turn.text, span=span),)


def live(life: Life, read: Read = as_read) -> Findings:
    """Read and fold what was said in a life, and ask about it."""
    stated = {turn.id: read(life, turn) for turn in life.turns}
    evidence = [one.evidence(turn.id, turn.at) for turn in life.turns for one in stated[turn.id]]
    heard = tuple(Heard(life.language, turn, _is_read(turn, stated[turn.id])) for turn in life.turns)
    known = _Known(evidence, life)
    answers = [_answer(life, truth, known, heard) for truth in life.truths]
    return Findings((_who(life, known, heard), *answers), heard)


class _Known:
    """The facts of a life."""

    def __init__(self, evidence: Sequence[Evidence], life: Life) -> None:
        self._facts = fold(evidence, tenant="lives", user_id=str(life.number))
        self._entities = entities(resolved(evidence))
        self._identities = Identities(mention for row in evidence for mention in mentions_of(row))

    def keys(self, name: str) -> set[str]:
        """Return what the entity of that name is found by."""
        key = normalise(name)
        also = (one.key for one in self._entities if key in self._identities.other_names(one))
        return {key, *also}

    def asked(self, entity: str, predicate: str) -> tuple[Fact, ...]:
        """Return the current facts of an entity and a predicate, as `query.facts` does."""
        keys = self.keys(entity)
        found = [one for one in self._facts if one.predicate == predicate and not keys.isdisjoint(_ends(one))]
        return surface(found, threshold=1, limit=_SHOWN)

    def named(self, name: str) -> tuple[Fact, ...]:
        """Return what a recall shows that names somebody."""
        return surface(self._facts, named_entities=self.keys(name))


def _answer(life: Life, truth: Truth, known: _Known, heard: Collection[Heard]) -> Answer:
    found = known.asked(truth.subject, truth.predicate)
    about = truth.predicate if truth.subject == "user" else f"{truth.predicate}, of another"
    question = f"{truth.subject} {truth.predicate}"
    right = bool(found) and _says(found[0], truth, known)
    return _told(life, (about, question, truth.value), (truth,), found, heard, right=right)


def _who(life: Life, known: _Known, heard: Collection[Heard]) -> Answer:
    """Ask who the pet is: right is that it is the user's, and what it is."""
    truths = [one for one in life.truths if life.pet in (one.subject, one.value)]
    found = known.named(life.pet)
    right = bool(found) and any(_says(found[0], truth, known) for truth in truths)
    expected = " or ".join(f"{one.predicate} {one.value}" for one in truths)
    return _told(life, (WHO, f"{WHO} {life.pet}", expected), truths, found, heard, right=right)


def _told(
    life: Life,
    asked: tuple[str, str, str],
    truths: Sequence[Truth],
    found: Sequence[Fact],
    heard: Collection[Heard],
    *,
    right: bool,
) -> Answer:
    told = [one for one in heard if one.turn.truth in truths]
    true, false = ([one for one in told if one.turn.true is so] for so in (True, False))
    about, question, expected = asked
    return Answer(
        life=life.number,
        language=life.language,
        about=about,
        question=question,
        expected=expected,
        found=tuple(f"{one.subject} {one.predicate} {one.object} ({one.confidence})" for one in found),
        right=right,
        said=len(true),
        read=sum(one.read for one in true),
        false_read=any(one.read for one in false),
        false_last=max(one.turn.at for one in false) > max(one.turn.at for one in true),
    )


def _says(fact: Fact, truth: Truth, known: _Known) -> bool:
    return (
        fact.predicate == truth.predicate
        and normalise(fact.subject) in known.keys(truth.subject)
        and normalise(fact.object) in known.keys(truth.value) | {normalise(truth.also)}
    )


def _is_read(turn: Turn, statements: Sequence[Statement]) -> bool:
    """Whether a message was read for what it says of its truth, whatever else was read in it."""
    truth = turn.truth
    if truth is None:
        return bool(statements)
    said = truth.value if turn.true else truth.false
    wanted = normalise(truth.subject), _predicate(turn, truth), normalise(said)
    return any((normalise(one.subject), one.predicate, normalise(one.object)) == wanted for one in statements)


def _predicate(turn: Turn, truth: Truth) -> str:
    """Return what a message says of a truth: the false one of a liking denies it."""
    denies = not turn.true and truth.false == truth.value
    return PREDICATES[truth.predicate].opposite or truth.predicate if denies else truth.predicate


def _ends(fact: Fact) -> tuple[str, str]:
    return normalise(fact.subject), normalise(fact.object)


def _utterance(life: Life, turn: Turn) -> Utterance:
    return Utterance(
        memory_id=uuid5(NAMESPACE_OID, turn.id),
        message_id=turn.id,
        user_id=str(life.number),
        role="user",
        speaker=life.speaker,
        language=life.language,
        content=turn.text,
        said_at=turn.at,
    )
