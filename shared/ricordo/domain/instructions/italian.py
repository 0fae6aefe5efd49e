"""How Italian tells a model what to do, in small letters without accents, with straight apostrophes."""

# ruff: noqa: E501 - a pattern broken into short lines is harder to read

from typing import Final

_BEGINS: Final = (
    r"(?:^ *|[.!?:;,\"'()\[\]*#>|-] *|\b(?:e|ed|poi|ora|adesso|quindi|importante|prego|per favore"
    r"|dev(?:i|ono|e|ete)|dovete|puoi) +)"
)
_RULES: Final = r"(?:istruzion[ei]|direttiv[ae]|regol[ae]|linee guida|ordini|comandi|prompt|indicazioni)\b"
_GIVEN: Final = (
    r"(?:precedent[ei]|di sistema|ricevut[aeio]|sopra|finora|inizial[ei]|che +(?:hai|avete) +(?:ricevuto|avuto)"
    r"|che +(?:ti|vi) +(?:sono|hanno|e)\b)"
)
_OF_OTHERS: Final = r"(?! +(?:del|dello|della|dell'|dei|degli|delle|sul|sulla|nel|nella|per|di) *(?!sistema))"
_ARTICLES: Final = (
    r"(?:(?:tutt[ei]|le|gli|i|la|ogni|qualsiasi|delle|degli|dei|dalle|alle|quelle|qualunque|altre) +){0,3}"
)
_MODEL: Final = (
    r"(?:ia|ai|llm|chatbot|intelligenz[ae] artificial[ei]|modell[oi] linguistic[oi]|modell[oi] di linguaggio"
    r"|assistent[ei] (?:virtual[ei]|ai|ia|digital[ei]|automatic[oi]))\b"
)
_HENCEFORTH: Final = (
    r"\b(?:d'ora in (?:poi|avanti)|da ora in (?:poi|avanti)|d'ora innanzi|da adesso(?: in poi)?"
    r"|da questo momento(?: in poi)?),? +"
)
_ANSWER: Final = r"(?:rispond(?:i|ete|ere|erai)|scriv(?:i|ete)|parla(?:te)?|raccomanda(?:te)?|consiglia(?:te)?|obbedi(?:sci|te))"
_BOUNDS: Final = r"(?:filtri|regole|restrizioni|censure?|limitazioni|vincoli)\b"
_ONLY: Final = r"(?:sol(?:o|tanto|amente)|sempre|esclusivamente|unicamente|mai)"

ITALIAN: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (
        ("istruzion", "direttiv", "regol", "linee guida", "ordini", "comandi", "prompt", "indicazioni"),
        _BEGINS
        + r"(?:(?:ignora|dimentica|scorda|trascura|tralascia|scavalca|annulla)(?:te)?|disattend(?:i|ete)"
        r"|non +(?:tener|tenere|tenete) +conto|non +(?:considera(?:re|te)|segui(?:re|te))) +"
        rf"{_ARTICLES}(?:tue +{_RULES}|(?:precedenti +)?{_RULES} +{_GIVEN}{_OF_OTHERS}|precedenti +{_RULES}{_OF_OTHERS})",
    ),
    (
        ("sopra", "precede"),
        _BEGINS + r"(?:ignora|dimentica|scorda|trascura)(?:te)? +(?:tutto +)?(?:quanto|cio che|quello che) +"
        r"(?:e +)?(?:stato +)?(?:(?:scritto|detto) +)?(?:qui +)?(?:sopra|precede)\b",
    ),
    (
        ("tuoi", "tue "),
        _BEGINS
        + r"(?:aggira|disattiva|ignora|scavalca|supera|elimina)(?:te)? +(?:tutt[ie] +)?(?:i|le) +(?:tuoi|tue) +"
        r"(?:filtri|regole|restrizioni|linee guida|protezioni|limitazioni|istruzioni)\b",
    ),
    (
        ("sei", "siete"),
        (
            rf"\b(?:ora|adesso|da questo momento|d'ora in poi|da adesso) +(?:tu +)?(?:sei|siete) +(?:dan\b|(?:un[oa]?'? *)?{_MODEL})"
            r"|\b(?:ora|adesso) +(?:tu +)?sei +[^.!?]{0,40}?\b(?:senza +(?:regole|filtri|restrizioni)|ignori +(?:tutte +)?le +tue\b)"
            rf"|\bse +(?:sei|siete) +(?:un[oa]?'? *|dei +|degli +|delle +)?{_MODEL}"
        ),
    ),
    (
        ("fingi", "comportati", "fai finta", "agisci"),
        r"\b(?:fingi|comportati|fai finta|agisci)\b[^.!?]{0,50}?\b(?:senza|non +(?:avessi|avere|abbia|hai)) +(?:alcun[ae]? +|nessuna? +)?"
        + _BOUNDS,
    ),
    (
        ("sistema", "nascost", "segret", "inizial"),
        (
            r"\b(?:rivela|mostra|stampa|ripeti|copia|scrivi|dimmi|riporta|incolla|elenca)\w{0,3}\b[^.!?]{0,40}?\b"
            r"(?:(?:prompt|messaggio|istruzioni) +di +sistema|prompt +(?:inizial|nascost|segret)\w|istruzioni +(?:nascost|segret)\w)\b"
            r"|\b(?:tuo +(?:prompt|messaggio)|tue +istruzioni) +(?:di +sistema|nascost\w|segret\w)\b"
        ),
    ),
    (
        ("utente", "utenti"),
        (
            r"\bnon +(?:(?:far|fate|fare) +sapere|dir(?:e|lo)|dite|dica|rivela(?:re|te)|menziona(?:re|te)|comunica(?:re|te)"
            r"|informa(?:re|te)|avvisa(?:re|te)|avverti(?:re|te)|mostra(?:re|te))\b[^.!?]{0,40}?\b(?:all'|l'|agli +|gli +)utent[ei]\b"
            r"|\ball'insaputa +dell'utente\b|\bsenza +(?:dirlo +all'|informare +l'|avvisare +l'|avvertire +l')utente\b"
            rf"|{_BEGINS}(?:di'?|dite|riferisci|comunica|assicura) +all'utente +(?:che|di)\b"
        ),
    ),
    (
        ("d'ora in", "da ora in", "d'ora inn", "da adesso", "da questo mom"),
        _HENCEFORTH + rf"(?:dev(?:i|ete) +|dovra(?:i|nno) +)?(?:{_ANSWER} +{_ONLY}|{_ONLY} +{_ANSWER})\b",
    ),
    (
        ("ia", "ai", "llm", "assistent", "modell", "intelligenz"),
        (
            r"\b(?:nota|messaggio|istruzioni|attenzione|avviso) +(?:per|a|al|all'|agli|alle|ai) *(?:l'|gli +|le +|i +|il +|tutti +gli +)?"
            rf"{_MODEL}(?= *(?:[:,.!]|che\b|$))"
            rf"|\b(?:agli|alle|ai|gli|le|i) +{_MODEL} +che +(?:legg|elabor|riassum)\w+"
        ),
    ),
)
"""Patterns, each behind words of which one at least must be there for it to be tried."""
