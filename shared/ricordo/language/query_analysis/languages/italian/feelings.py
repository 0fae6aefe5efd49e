"""How Italian asks for what was felt."""

from ricordo.language.query_analysis.languages.patterns import FeelingPatterns, anywhere, words

_P = r"[⊕⊖]"
_ME = r"(?:mi|ti|ci|m'|t'|c')"
_WHAT = r"(?:che cosa|cosa|cos'è|coas|che|ke|chi|qual[ei]?|quale)"
_MOMENTS = (
    r"(?:moment[oi]|ricord[oi]|giorn[oi]|giornat[ae]|notizi[ae]|esperienz[ae]|sorpres[ae]|cos[ae]"
    r"|period[oi]|part[ei])"
)
_I_WAS = (
    r"(?:ero|eravamo|sono|sono stat[oa]|sto|stavo|siamo|siamo stat[ie]|ho|abbiamo|avevo|provo|provavo"
    r"|vado|andavo"
    r"|mi sento|mi sentivo|mi sono|mi sono sentit[oa]|ci siamo|hai|sei|sei stat[oa]|avevi)"
)
_FEW = r"(?: \w+){0,3}?"

FEELINGS = FeelingPatterns(
    words=dict.fromkeys(
        "contento contenta contenti contente soddisfatto soddisfatta soddisfatti soddisfazione piacevole "
        "piaciuto piace piacciono piaceva piacere apprezzato apprezzo gradito migliore migliori buona "
        "buone buoni bene divertente commosso commossi commossa commuove sorridere morale sopporto "
        "sopportavo".split(),
        "⊕",
    )
    | dict.fromkeys(
        "detesto detestato detestavo rattrista rattristano rattristato dispiaciuto dispiaciuta lamentavo "
        "lamentavamo lamentarmi staffe peggiore peggiori sconvolto sconvolta sconvolge vergogno "
        "vergognavo vergogna pento pentito pentita duro dura duri".split(),
        "⊖",
    ),
    no_words=frozenset(
        "solo sola soli sole nuovo nuova novità vero giusto certo bravo cara caro voglia successo "
        "problema problemi tesi vacanza vacanze laureato laureata laurea accordo accordi giocare festa "
        "regalo regali regalato regalata manca mancano mancare aiuto aiutato".split()
    ),
    denied=anywhere(
        r"(\bnon (?:(?:mi|ti|ci|è|e'|sono|erano|era|ho|abbiamo|hai|molto|tanto|affatto)\s?)*\s?)⊕"
    ),
    asked=anywhere(
        # "cosa mi ha fatto arrabbiare", "cosa mi preoccupa", "cosa ci ha fatto più piacere"
        rf"^{_WHAT}\b.{{0,30}}\b{_ME}.{{0,30}}{_P}",
        # "di cosa ho paura", "cosa ho detestato", "cosa odio"
        rf"^(?:(?:di|da|per|a|con|in) )?{_WHAT}(?: \w+)?? {_I_WAS}{_FEW} {_P}",
        rf"^(?:(?:di|per|a) )?{_WHAT} (?:mi )?{_P}(?: di\b.{{0,30}}| più| tanto)?[\W_]*$",
        # "quando ero triste", "perché ho pianto", "di quando ero felice"
        rf"^(?:quand\w*|quand'è che|perch[eé]|come mai)\b.{{0,20}}\b{_I_WAS}{_FEW} {_P}",
        rf"^(?:di )?quando {_I_WAS}{_FEW} {_P}",
        # "un momento in cui ero felice", "le cose che mi rattristano", "qualcosa che mi ha fatto bene"
        rf"(?:{_MOMENTS}|volta|qualcosa|quello|ciò|occasion[ei])(?: che| in cui| di cui| per cui| quando)"
        rf" (?:{_I_WAS}{_FEW} {_P}|{_ME} ?.{{0,25}}{_P}|{_P}[\W_]*$)",
        # "il momento più bello", "belle notizie", "i miei ricordi peggiori", "la mia più grande delusione"
        rf"\b{_MOMENTS} (?:più )?{_P}|{_P} {_MOMENTS}\b|\bmi[aeo]\w* (?:\w+ ){{0,2}}{_P}|{_P} più grand\w+",
        rf"^(?:che|qual[ei]) {_P} (?:ho|abbiamo|avevo|hai|provo)\b",
    ),
    as_such=words(
        r"come (?:mi|ci|ti) (?:(?:sono|siamo|sei|ero|eravamo) )?sent(?:it[oaie]|o|i|iamo|ivo|ivi|ivamo)",
        r"emozion[ei]|sentiment[oi]|umore|stat[oi] d'animo|emotivamente",
    ),
    personal=words(
        r"moment[oi]|ricord[oi]|mi|ti|ci|m'|t'|c'|io|tu|noi|me|te|mio|mia|miei|mie|tuo|tua|tuoi|tue",
        r"nostr[oaie]|ho|hai|abbiamo|avete|avevo|avevi|ero|eri|eravamo|sono|sei|siamo|sto|stavo|stavamo",
        r"odi|odio|am[oi]|ador[oi]|provo|vado|detesto|rimpiango|temo",
    ),
    others=words(
        r"lui|lei|loro|gli",
        r"(?:mi[aoe]|tu[ao]|miei|tuoi|nostr[oaie]) (?:sorell\w+|fratell\w+|madre|padre|mamma|papà|figli\w*"
        r"|mogli\w*|marito|fidanzat\w+|amic\w+|capo|collegh?\w+|genitori|famiglia|vicin\w+|gatto|cane)",
    ),
    favourite=words(
        r"preferit[oaie]|preferisc\w+",
        r"(?:che|qual[ei]) (?!cosa\b)\w+ (?:non )?(?:mi|ti|ci) piac(?:e|ciono)",
        r"piac(?:e|ciono) \w+(?:are|ere|ire)",
    ),
    liked=words(
        r"piaciut[oaie]",
        r"(?:ho|hai|abbiamo|avevo|avevamo) (?:\w+ )?(?:apprezzato|amato|adorato|gradito)",
    ),
)
