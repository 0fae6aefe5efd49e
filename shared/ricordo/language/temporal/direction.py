"""Which way a time that could lie either way is told: back, or ahead ("cancel Sunday", "ci vediamo venerdì").

The words beside it decide: a verb of planning, a future or an appointment points ahead, a past tense back.
"""

import re
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import read_table
from ricordo.language.temporal.spans import Direction, Language

_END: Final = re.compile(r"[.!?;\n]")
_CLAUSE_END: Final = re.compile(
    r"[,:()]| (?:but|because|while|ma|per[oò]|perch[eéè]|mentre) "
    r"| and (?=(?:i|we|you|he|she|they)\b)| e (?=(?:ho|hai|ha|abbiamo|avete|hanno)\b)"
    r"|(?<=said|told|eard|rmed) (?:\w+ )?that |(?<=detto|ritto|rmato|aputo) che "
)
_REACH: Final = 160  # characters of a sentence that are looked at, on each side

_AHEAD: Final[dict[Language, re.Pattern[str]]] = {
    "en": re.compile(
        r"\b(?:will|won['’]t|shall|gonna|going to|about to|plan(?:s|ning)? (?:to|on|for)|need(?:s)? to"
        r"|ha(?:ve|s) to|want(?:s)? to|hop(?:e|es|ing) to|would like to|look(?:ing)? forward|can['’]?t wait"
        r"|let['’]s|let us|book(?:ed|ing)?|reserv(?:e|ed|ing)|schedul(?:e|ed|ing)|reschedul(?:e|ed|ing)"
        r"|postpon(?:e|ed|ing)|cancel(?:ling)?|remind(?:s|er)?|remember to|don['’]t forget|arrang(?:e|ing)"
        r"|arrives|departs|lands|starts|begins|leaves|flies|comes|returns"
        r"|invit(?:e|ing)|due (?:on|by|in)|deadline|appointment|upcoming|see you|meet me"
        r"|(?:am|is|are|['’]m|['’]re|['’]s) (?:\w+ ){0,2}?(?:arriv|leav|com|fly|travel|mov|meet|see|visit"
        r"|start|hav|go|gett|driv|host|play|tak)ing)\b|['’]ll\b",
        re.IGNORECASE,
    ),
    "it": re.compile(
        r"\b(?:devo|dobbiamo|deve|voglio|vogliamo|vorrei|vorremmo|posso|possiamo|puoi|potresti|conto di"
        r"|contiamo di|spero di|speriamo di|ho intenzione|intendo|ho in programma|sto per|stiamo per"
        r"|prenot(?:a|are|ami|ato|iamo|o)|disdi(?:re|ci|co)|annulla(?:re|mi)?|cancella(?:re|mi)?"
        r"|rimanda(?:re)?|rinvia(?:re)?|spost(?:a|are|iamo)|organizz(?:o|are|iamo)|fiss(?:a|are|iamo|ato)"
        r"|ricorda(?:mi|ti|ci|rmi)|non dimenticar\w*|appuntamento|scadenza|entro|non vedo l['’]ora"
        r"|ci vediamo|ci sentiamo|vediamoci|parto|partiamo|arriva|arrivano|torno|torna|torniamo"
        r"|vado|andiamo|viene|vengono|veniamo)\b"
        r"|\b(?!però\b|(?:estr|supr|sanr)emo\b|parete\b|segrete\b|tiranno\b)\w{2,}(?:rò|rai|rà|remo|rete|ranno)\b",
        re.IGNORECASE,
    ),
}
_BACK: Final[dict[Language, re.Pattern[str]]] = {
    "en": re.compile(
        r"\b(?:was|were|had (?:\w+ ){1,3}?(?:appointment|deadline)|had|did|didn['’]t|went|came|saw|met|got"
        r"|took|made|said|told|gave|left|bought|ate|ran"
        r"|won|lost|flew|drove|spent|slept|began|found|felt|brought|taught|wrote|broke|fell|sang|swam"
        r"|ha(?:ve|s) (?:\w+ ){0,2}?been"
        # "getting married" tells of nothing that is over; neither does being excited.
        r"|(?!(?:book|reserv|schedul|reschedul|postpon|need|marri|engag|divorc|excit|scar|worri)ed)[a-z]{2,}"
        r"(?<!e)ed)\b",
        re.IGNORECASE,
    ),
    "it": re.compile(
        r"\b(?:(?:avevo|aveva|avevamo|avevano|(?:ho|ha|abbiamo|hanno) avuto) (?:l['’]|\w+ )?"
        r"(?:appuntamento|scadenza)|ero|eri|era|eravamo|erano|avevo|aveva|avevamo|avevano"
        # What was done agrees with what it was done to only behind a pronoun: "ho visita" tells no deed.
        r"|(?:ho|hai|ha|abbiamo|avete|hanno) (?:\w+ )?"
        r"(?!(?:prenotato|fissato|\w*(?<!sp)ento|\w*ulto|concerto)\b)\w+(?:at|ut|it|tt|st|rt|lt|nt|s)o"
        r"|(?:l['’]|(?:la|li|le|ci|vi|ne|mi|ti) )(?:ho|hai|ha|abbiamo|avete|hanno) (?:\w+ )?"
        r"\w+(?:at|ut|it|tt|st|rt|lt|nt|s)[aie]"
        r"|(?:sono|è|siamo|siete|mi sono|si è|ci siamo) (?:\w+ )?"
        r"(?!(?:prenotato|fissato)\b)\w+(?:at|ut|it|tt|st|rt|lt|nt|s)[oaie]|\w{3,}(?:avo|avamo|avano|evo|evamo"
        r"|evano|ivo|ivamo|ivano))\b",
        re.IGNORECASE,
    ),
}


def direction(text: str, span: tuple[int, int], language: Language) -> Direction | None:
    """Say which way the words of its sentence place the time at `span`; None when nothing does.

    The nearest sign wins, one before the time over one behind it.

    Args:
        text: what was said.
        span: offsets of the words that name a time, half-open.
        language: of the text.
    """
    before, behind = _around(text, span)
    for part, last in ((before, True), (behind, False)):
        ahead, back = (_nearest(signs[language], part, last=last) for signs in (_AHEAD, _BACK))
        if ahead is not None or back is not None:
            return "future" if back is None or (ahead is not None and ahead < back) else "past"
    return None


def is_over(text: str, span: tuple[int, int], language: Language) -> bool:
    """Say whether a past tense rules the clause of the time at `span`.

    A time that is all of its clause belongs to the one behind it: "on Saturday at 9, we left".

    Args:
        text: what was said.
        span: offsets of the words that name a time, half-open.
        language: of the text.
    """
    _, past, _ = _tenses(language)
    before, behind = map(_small, _around(text, span))
    head, clauses = _CLAUSE_END.split(before)[-1], _CLAUSE_END.split(behind)
    clause = f"{head} · {clauses[0]}"  # not the time itself: "sat" is a day and a deed
    if not any(map(str.isalnum, head + clauses[0])) and len(clauses) > 1:
        clause += clauses[1]
    return past.search(clause) is not None


def is_planned(text: str, span: tuple[int, int], language: Language) -> bool:
    """Say whether the clause of the time at `span` is told in the present tense, and nothing in it is past.

    "Martedì ho la riunione", "my flight leaves on 3 July". A clause without a verb that is known ("on
    Tuesday, at ten, …") leaves it to its sentence.

    Args:
        text: what was said, as no question.
        span: offsets of the words that name a time, half-open.
        language: of the text.
    """
    of, past, present = _tenses(language)
    before, behind = map(_small, _around(text, span))
    if of.search(before):
        return False
    time = text[slice(*span)].lower()
    clause = _CLAUSE_END.split(before)[-1] + time + _CLAUSE_END.split(behind, maxsplit=1)[0]
    for part in (clause, before + time + behind):
        if past.search(part):
            return False
        if present.search(part):
            return True
    return False


def _small(text: str) -> str:
    return text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


@lru_cache(maxsize=2)
def _tenses(language: Language) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    table: dict[str, str] = read_table("event_times", language)["tense"]
    return re.compile(table["of"]), re.compile(table["past"]), re.compile(table["present"])


def _around(text: str, span: tuple[int, int]) -> tuple[str, str]:
    """Return what stands in the same sentence before and behind `span`."""
    before = _END.split(text[max(0, span[0] - _REACH) : span[0]])[-1]
    behind = _END.split(text[span[1] : span[1] + _REACH], maxsplit=1)[0]
    return before, behind


def _nearest(signs: re.Pattern[str], part: str, *, last: bool) -> int | None:
    """Return the distance of the nearest sign from the time, None without any."""
    distances = [len(part) - match.end() if last else match.start() for match in signs.finditer(part)]
    return min(distances, default=None)
