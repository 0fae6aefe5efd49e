"""Turns of a life as people tell them in Italian and English: birth, death, weddings, jobs, home, illness."""

import re

from ricordo.domain.text import statements

_KIN_IT = (
    r"(?:mi[oa]|miei|mie|nostr[oaie]|nonn[oaie]|padre|madre|mamma|papà|babbo|fratell[oi]|sorell[ae]|zi[oaie]|cugin[oaie]"
    r"|amic[oaie]|amici|marito|moglie|figli[oaie]?|compagn[oa]|cane|gatt[oa]|suocer[oaie])"
)
_KIN_EN = (
    r"(?:my|our|grand(?:mother|father|ma|pa)|mother|father|mom|mum|dad|brother|sister|uncle|aunt|cousin|friend|husband"
    r"|wife|son|daughter|partner|dog|cat)"
)
_DEAD_IT = r"(?:mort|mancat|decedut|scompars)[oaie]"
_ITALIAN = (
    rf"\b(?:è|sono|era|erano) {_DEAD_IT}\b[^.!?]{{0,40}}\b{_KIN_IT}\b",
    rf"\b{_KIN_IT}\b[^.!?]{{0,30}}\b{_DEAD_IT}\b",
    r"\b(?:venut[oaie] a mancare|ci ha(?:nno)? lasciat[oaie]?)\b",
    r"\bfunerale? (?:di|del|della|dei) ",
    r"\b(?:mi|ci|si) (?:sono|siamo|è) (?:sposat|separat|fidanzat)[oaie]\b|\b(?:mi sposo|ci sposiamo)\b",
    r"\b(?:matrimonio|nozze|divorzi(?:o|ato|ata|amo|ati)|proposta di matrimonio)\b",
    r"\b(?:aspettiamo|aspett[oa]|avremo|avrò|abbiamo avuto) (?:una?|due) (?:bambin|figli|bimb|femmin|masch)",
    r"\b(?:diventer\w+|divento|diventiamo) (?:mamma|papà|padre|madre|genitori|nonn[oaie]|zi[oaie])\b",
    r"\bincinta\b",
    r"\b(?:è|sono) nat[oaie]\b(?! (?:nel|il|a)\b)",
    r"\b(?:trovato|perso|lasciato|cambiato|ottenuto|avuto) (?:un |il )?(?:nuovo )?(?:lavoro|posto|impiego)\b",
    r"\b(?:licenziat[oaie]|assunt[oaie]|promoss[oaie]|laureat[oaie]|diplomat[oaie])\b",
    r"\b(?:in pensione|dato le dimissioni)\b",
    r"\b(?:mi|ci) (?:sono|siamo) trasferit[oaie]\b|\b(?:mi trasferisco|ci trasferiamo|ho cambiato città)\b",
    r"\b(?:comprato|comprata|venduto|acquistato) (?:la |una |la nostra |la mia )?casa\b",
    r"\b(?:ho|abbiamo|ha) adottat[oaie]\b",
    r"\b(?:diagnosticat[oaie]|diagnosi|tumore|cancro|infarto|ictus|operat[oaie] d)\b",
    r"\bci siamo lasciati\b|\b(?:mi ha|l'ho) lasciat[oa]\b",
    r"\bchiest[oa] di sposar\w+\b",
    r"\b(?:avuto|fatto) un (?:brutto |grave |terribile )?incidente\b",
    r"\b(?:è scoppiato|c'è stato) un incendio\b",
    r"\bfirmato (?:dal notaio|il rogito)\b|\bpreso (?:il brevetto|la patente|la cittadinanza|la laurea)\b",
    r"\bprimo giorno di (?:lavoro|scuola|università|asilo)\b",
    r"\bho (?:superato|passato|vinto) (?:l'esame|il concorso|la maturità|la tesi)",
)
_ENGLISH = (
    rf"\b{_KIN_EN}\b[^.!?]{{0,40}}\b(?:died|dies|passed away|passed on|is dead|has died|is dying)\b",
    rf"\b(?:lost|buried) (?:my|our) (?:\w+ )?{_KIN_EN}\b",
    r"\bfuneral\b",
    r"\b(?:got|getting|get|just|been|are|am|is) (?:married|engaged|divorced|separated)\b",
    r"\b(?:wedding|divorce|proposed to me|said yes to)\b",
    r"\b(?:having|expecting|had|have) (?:a|our|another|our first) (?:\w+ )?(?:baby|child|son|daughter)\b",
    r"\b(?:pregnant|new baby|newborn|gave birth|was born|were born)\b",
    r"\b(?:got|lost|quit|landed|found|left|started|offered me) (?:the|my|an?|this|that) (?:\w+ )?job\b",
    r"\b(?:got|been|was|were|am|i'm) (?:just )?(?:fired|laid off|hired|promoted|accepted)\b",
    r"\b(?:graduated|graduation|retired|retiring|retirement)\b",
    r"\b(?:i|we)(?:'ve|'m|'re| have| am| are)? (?:just )?(?:moved|moving) (?:to|in|into|out|house|from)\b",
    r"\b(?:bought|sold|buying) (?:a|the|our|my) (?:\w+ )?(?:house|home|flat|apartment)\b",
    r"\b(?:i|we|we've|i've|have|just) adopt(?:ed|ing)\b",
    r"\b(?:diagnosed|diagnosis|cancer|tumou?r|heart attack|stroke|miscarriage)\b",
    r"\b(?:broke up|break up|breakup)\b|\bleft me\b",
    r"\basked (?:me|him|her) to marry\b",
    r"\b(?:had|was in|were in|been in) an? (?:\w+ ){0,2}(?:accident|crash)\b",
    r"\bthere was a fire\b|\b(?:house|home|flat|kitchen) (?:is|was) on fire\b|\bburn(?:t|ed) down\b",
    r"\bfirst day (?:at|of) (?:my new|my first|work|school|university|college)\b",
    r"\b(?:became|become|am|i'm|now) an? (?:\w+ )?citizen\b",
    r"\b(?:got|granted|received) (?:\w+ )?citizenship\b",
    r"\b(?:operation|surgery) on my\b|\bmy (?:\w+ )?(?:operation|surgery)\b|\bhad (?:\w+ )?surgery\b",
    r"\baccepted my (?:\w+ )?(?:novel|book|manuscript|thesis)\b",
    r"\bpassed (?:my|the) (?:exam|bar|driving test|finals|thesis)",
)
_PATTERNS = {
    language: re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
    for language, patterns in (("it", _ITALIAN), ("en", _ENGLISH))
}


def life_event(text: str, language: str) -> str:
    """Return the words of the first turn of a life that `text` tells of, in lower case, or nothing.

    A sentence that asks tells of none; a language other than Italian and English has no patterns.
    """
    pattern = _PATTERNS.get(language)
    if pattern is None:
        return ""
    for sentence in statements(text):
        if found := pattern.search(sentence):
            return found[0]
    return ""
