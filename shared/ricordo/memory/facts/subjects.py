"""Tells whose statement it is: the user's, or that of somebody who is told by a name or by a tie."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from ricordo.language.document import document_of
from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.fact_words import Kin, words_for
from ricordo.language.facts.kinship import BEINGS, Tie
from ricordo.language.facts.vocabulary import USER
from ricordo.language.name_lists import is_given
from ricordo.language.reading import STATED, Reading, ReadStatement, Span
from ricordo.memory.facts.utterances import Utterance

Reference = tuple[str, str]
"""How a fact refers to somebody or something: by name, and by the text of its tie to the user, or ""."""
EDGES: Final = " \t\n.,;:!?…\"'’()[]{}«»“”"
"""What is no part of a name or a value."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_JOINED: Final = re.compile(r"['’]")
_OWNED: Final = re.compile(r"['’]s$")
_KINDS: Final = frozenset({"person", "animal"})
_NAMED: Final = _KINDS | {"organisation", "event", "work", "product"}
"""Kinds of names of which something may be stated: what is said of a place is of no interest here."""
_ONE: Final = frozenset({"has_parent", "partner"})
_MOST_READ: Final = 4_000
"""Characters of a text: more than the 256 tokens that a reading sees."""
_REACH: Final = 80  # characters before a noun that are looked at
_NEAR: Final = 2  # words before a noun in which a possessive makes it somebody's


class _Turn(NamedTuple):
    """A text and its reading; `by_another` whether somebody else said it, whose "your" is the user's."""

    text: str
    reading: Reading | None
    by_another: bool = False

    def names(self) -> Sequence[tuple[int, int, str]]:
        """Return the places of names and their kinds."""
        return () if self.reading is None else self.reading.names

    def beings(self) -> list[int]:
        """Return where people and animals are named, in order."""
        return sorted(start for start, _, kind in self.names() if kind in _KINDS)


class Subjects:
    """Whom one message speaks of."""

    def __init__(self, utterance: Utterance) -> None:
        self._speaker = utterance.speaker
        self._said = _Turn(utterance.content, utterance.reading)
        # Mostly the bot's, or a friend's: whoever it was, "my mother" is then taken for the user's, too.
        previous = utterance.previous[:_MOST_READ]
        self._before = _Turn(previous, utterance.previous_reading, by_another=True)
        self._words = words_for(document_of(utterance.content, utterance.language))
        self._here = self._beings(self._said)
        # "Umberto is my partner": he is told, whatever he is.
        self._there = self._before.beings() or self._beings(self._before)

    def subject_of(self, read: ReadStatement) -> Reference | None:
        """Return whose a statement is; None where nothing tells."""
        if read.of == "speaker" or self._kin_of_user(read.predicate, read.object):
            return USER, ""
        is_own = read.object[0] <= read.subject_at < read.object[1]  # "Tommaso is my boyfriend"
        if read.of == "named" and is_own and self._kin_of_user(read.predicate, read.clause):
            return USER, ""
        if read.of == "named":
            return self._named(self._said, self._possessed(read))
        told = (word for word in _WORD.finditer(self._said.text, *read.object) if self._kin(word[0]))
        if read.predicate == "name" and (word := next(told, None)):
            return self._named(self._said, word.start())  # "sister Nora"
        # Told before: whom the turn before named last, and without such a turn who stands in this one.
        if self._before.text:
            return self._named(self._before, self._there[-1]) if self._there else None
        (begin, end), value = read.clause, (0, 0) if read.predicate == STATED else read.object
        beings = [at for at in self._here if at < end and not value[0] <= at < value[1]]
        within, earlier = ([at for at in beings if (at >= begin) == inside] for inside in (True, False))
        return self._named(self._said, within[0] if within else earlier[-1]) if beings else None

    def _kin_of_user(self, predicate: str, place: Span) -> Kin | None:
        """Return the term of kinship in a part of the text that says who is the user's: "my husband Owen"."""
        text, words = self._said.text, self._words
        for word in _WORD.finditer(text, *place) if predicate in BEINGS else ():
            kin = self._kin(word[0])
            before = [*_WORD.finditer(text, max(0, word.start() - _REACH), word.start())][-_NEAR:]
            own = any(each[0].casefold() in words.possessives for each in before)
            if kin and kin.predicate == predicate and own and self._owner(self._said, word.span()) is None:
                return kin
        return None

    def _possessed(self, read: ReadStatement) -> int:
        """Return where a subject begins; of "gareths son is at uni" that is the son."""
        text, end = self._said.text, read.clause[1]
        word = _WORD.match(text, read.subject_at, end)
        behind = _WORD.match(text, word.end() + 1, end) if word else None
        if behind is None or read.predicate in BEINGS or self._kin(behind[0]) is None:
            return read.subject_at
        return behind.start() if self._owner(self._said, behind.span()) else read.subject_at

    def object_of(self, subject: str, predicate: str, value: str, place: Span) -> Reference | None:
        """Return the value of an object that is a person or an animal, and what ties it to the user.

        That is a name within the object, "Diane" of "twin sister Diane", or behind it: "a daughter, Mia".
        None where it is another's: "la bimba di Davide" is no child of the user's.
        """
        if predicate not in BEINGS and predicate != "name":
            return value, ""
        if subject == USER and predicate != "name" and self._is_anothers(place):
            return None
        text = self._said.text
        for start, end, kind in self._said.names():
            behind = start >= place[1] and text[place[1] : start] in (" ", ", ")  # "a daughter, Mia"
            if kind in _KINDS and (behind or (place[0] <= start and end <= place[1])):
                value, place = text[start:end].strip(EDGES), (start, end)
                break
        if predicate == "name" or subject != USER:
            return value, ""
        told = next((word for word in _WORD.finditer(text, *place) if self._is_kin(word[0], predicate)), None)
        kin = self._kin(told[0]) if told else None
        if told is not None and kin is not None:
            name = self._name_beside(self._said, told.span())
            return name or value, str(Tie(predicate, kin.gender, kin.noun, named=name is not None))
        before = self._kin_before(self._said, place[0])
        if before is not None and before.predicate == predicate:
            return value, str(Tie(predicate, before.gender, before.noun))
        return value, str(Tie(predicate))

    def _is_anothers(self, place: Span) -> bool:
        """Whether a relative, in an object or directly before it, is somebody else's than the user's."""
        told = [*_word_before(self._said.text, place[0]), *_WORD.finditer(self._said.text, *place)]
        return any(self._kin(word[0]) and self._owner(self._said, word.span()) for word in told)

    def _beings(self, turn: _Turn) -> list[int]:
        """Return where somebody is named, or told by a term of kinship, in order."""
        told = [word.start() for word in _WORD.finditer(turn.text[:_MOST_READ]) if self._kin(word[0])]
        return sorted({*turn.beings(), *told})

    def _named(self, turn: _Turn, at: int) -> Reference | None:
        """Return who is named at an offset of a text: by a name, or by a term of kinship."""
        while at > 0 and turn.text[at - 1 : at + 1].isalpha():
            at -= 1  # within a word
        word = _WORD.match(turn.text, at)
        while word is not None and word[0].casefold() in self._words.leads:
            word = _WORD.search(turn.text, word.end())  # "my" of "my sister"
        if word is None:
            return None
        kin = self._kin(word[0])
        if kin is not None:
            return self._relative(turn, word, kin)
        name = self._whole_name(turn, word)
        if not name:
            return None
        if normalise(name) == normalise(self._speaker):
            return USER, ""
        before = self._kin_before(turn, word.start())
        return name, "" if before is None else str(Tie(before.predicate, before.gender, before.noun))

    def _relative(self, turn: _Turn, word: re.Match[str], kin: Kin) -> Reference | None:
        """Return a relative of the user, or of somebody else, whom a noun tells."""
        owner = self._owner(turn, word.span())
        name = self._name_beside(turn, word.span())
        if owner is None:
            tie = Tie(kin.predicate, kin.gender, kin.noun, named=name is not None)
            # Nobody has several of some: "dads at work" lacks an apostrophe.
            several = kin.plural and kin.predicate not in _ONE
            return name or (word[0] if several else kin.noun), str(tie)
        if name is not None:
            return name, ""
        if not owner:
            return None
        return self._words.relative.format(owner=owner, noun=kin.noun), ""

    def _name_beside(self, turn: _Turn, noun: Span) -> str | None:
        """Return the name beside a term of kinship: "my husband Owen", "Owen, my husband"."""
        behind = self._name_behind(turn, noun[1])
        if behind is not None:
            return behind
        for start, end, kind in turn.names():
            between = turn.text[end : noun[0]] if kind in _KINDS and end < noun[0] else ""
            leads = {word[0].casefold() for word in _WORD.finditer(between)}
            own = self._words.possessives & leads and leads <= self._words.leads
            if own and between.startswith(",") and between.count(",") == 1:
                return turn.text[start:end].strip(EDGES)
        return None

    def _name_behind(self, turn: _Turn, at: int) -> str | None:
        """Return the name that follows a term of kinship at once: "sister Anna Rossi", "neighbour Mr. Brown".

        One name between commas explains who that is: "my sister, Imelda, is …". Several are a list, and a
        last one is whom the speaker talks to.
        """
        text, names = turn.text, list[str]()
        beings = [(start, end) for start, end, kind in turn.names() if kind in _KINDS and start >= at]
        (start, end), further = beings[0] if beings else (at, at), beings[1:]
        name, between = _OWNED.sub("", text[start:end].strip(EDGES)), text[at:start]
        if name and not between.strip() and text[start].isupper():
            return name
        is_list = further and self._words.conjunctions.issuperset(
            text[end : further[0][0]].casefold().replace(",", " ").split()
        )
        if name and between == ", " and text[end : end + 1] == "," and not is_list:
            return name
        for word in _WORD.finditer(text, at):
            if text[at : word.start()].strip() or not word[0][0].isupper():
                break
            names.append(word[0])
            at = word.end()
        return " ".join(names) or None

    def _owner(self, turn: _Turn, noun: Span) -> str | None:
        """Return whose relative it is: None for the user's, "" for somebody's of whom nothing tells."""
        words = self._words
        before = turn.text[max(0, noun[0] - _REACH) : noun[0]]
        near = [each[0].casefold() for each in _WORD.finditer(before)][-_NEAR:]
        own = words.possessives | (words.second_possessives if turn.by_another else frozenset())
        possessives = own | words.second_possessives | words.others_possessives
        nearest = next((word for word in reversed(near) if word in possessives), "")
        found = words.owner_before.search(before)
        between = before[found.end("owner") :].casefold().split() if found else []
        if found and own.isdisjoint(between):
            at, owner = noun[0] - len(before) + found.start("owner"), found["owner"]
            if before[found.end("owner")] == "s":  # "Hectors wife", "mums friend", and "James wife"
                owner = _owning(owner) if self._kin(owner) is None else owner
            if self._is_owner(turn, owner, at):
                return owner
        if nearest in own:
            return None
        found = words.owner_behind.match(turn.text, noun[1])
        if found and self._is_owner(turn, found["owner"], found.start("owner")):
            return found["owner"]
        if not nearest:
            return None
        return "" if nearest in words.second_possessives else self._last_told(turn, noun[0])

    def _is_owner(self, turn: _Turn, owner: str, at: int) -> bool:
        """Whether a word is somebody who may have relatives: "Karen", and neither "It" nor "Milano"."""
        if self._kin(owner):
            return True
        kinds = [kind for start, end, kind in turn.names() if start <= at < end]
        known = owner.casefold() in self._words.common
        return kinds[0] == "person" if kinds else owner[:1].isupper() and not known

    def _last_told(self, turn: _Turn, before: int) -> str:
        """Return who was told last, whom "his" may mean; "" for nobody."""
        told = [(turn.text, at) for at in self._beings(turn) if at < before]
        if not told and not turn.by_another:
            told = [(self._before.text, at) for at in self._there]
        last = _WORD.match(*told[-1]) if told else None
        if last is None:
            return ""
        kin = self._kin(last[0])
        return _OWNED.sub("", last[0]) if kin is None else kin.noun

    def _is_kin(self, word: str, predicate: str) -> bool:
        kin = self._kin(word)
        return kin is not None and kin.predicate == predicate

    def _kin(self, word: str) -> Kin | None:
        """Return the term of kinship that a word is, be it joined to another: "l'amica", "sister's"."""
        kin = self._words.kin
        return next((kin[part] for part in _JOINED.split(word.casefold()) if part in kin), None)

    def _whole_name(self, turn: _Turn, word: re.Match[str]) -> str:
        """Return the name that a word belongs to, as the reader found it; "" for that of a place, or none.

        What the reader takes for nobody's name is one if it has a capital and is no common word.
        """
        for start, end, kind in turn.names():
            if start <= word.start() < end:
                return _OWNED.sub("", turn.text[start:end].strip(EDGES)) if kind in _NAMED else ""
        name = _OWNED.sub("", word[0])
        if not name[0].isupper() or name.casefold() in self._words.common:
            return ""
        return name

    def _kin_before(self, turn: _Turn, at: int) -> Kin | None:
        """Return the user's term of kinship that stands directly before a name: "my sister Anna"."""
        before = _word_before(turn.text, at)
        kin = self._kin(before[0][0]) if before else None
        if kin is None or self._owner(turn, before[0].span()) is not None:
            return None
        # "Tiziano ha la ragazza, Zoe": hers or his, and not the user's as it seems.
        noun = before[0].start()
        begun = max(turn.text.rfind(end, 0, noun) for end in ".!?\n")
        article = {word[0].casefold() for word in _word_before(turn.text, noun)} & self._words.determiners
        return None if article and any(begun < one < noun for one in turn.beings()) else kin


def _word_before(text: str, at: int) -> Sequence[re.Match[str]]:
    """Return the last word before a place, if any."""
    return [*_WORD.finditer(text, max(0, at - _REACH), at)][-1:]


def _owning(word: str) -> str:
    """Return whose something is that has an "s" without an apostrophe: Hector's, and that of James."""
    return f"{word}s" if is_given(f"{word}s") else word
