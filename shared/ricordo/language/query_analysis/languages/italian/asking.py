"""How Italian questions begin."""

import re

from ricordo.language.query_analysis.languages.patterns import AskingPatterns, beginning, one_of, words

_HELLO = one_of(
    r"ciao|ehi|ehil[aà]|hey|salve|buongiorno|buond[iì]|buonasera|buonanotte|buon pomeriggio",
)
_HOW = one_of(
    r"come (?:stai|state|sta|va|andiamo|te la passi|butta|ti va|procede)|tutto (?:bene|ok|a posto)",
    r"che fai|che si dice|che mi racconti|ti sento bene|oggi",
    r"grazie(?: mille| tante)?|prego|a (?:presto|dopo|domani)|perfetto",
)
_ASKED = one_of(
    r"che cosa|cosa|coas|cos'|che|ke|chi|quand'?\w*|dov'?\w*|come|cm|com'|perch[eé]|xk[eé]",
    r"qual'?\w*|quant'?\w*",
)
_IN_WHAT = rf"(?:(?:a|ad|di|da|in|con|per|su|tra|fra) )?{_ASKED}"
_TELL = (
    r"(?:(?:mi )?(?:puoi|potresti|sapresti|vuoi|sai|aiuti a|aiutami a) )?(?:mi )?"
    r"(?:dirmi|dire|dimmi|dici|di'|ricordarmi|ricordami|ricordi|ricordare|spiegarmi|spiegami|spieghi"
    r"|raccontarmi|raccontami|racconta|racconti|parla|parlami|elenca(?:mi)?|fammi sapere|fai sapere)"
)
_KNOW = one_of(
    r"(?:ti )?ricordi|rammenti|sai|hai idea(?: di)?|secondo te|vorrei (?:sapere|ricordare)|voglio sapere",
    r"(?:ma )?ti avevo detto|mi chiedo|mi (?:sfugge|chiedevo)|non (?:mi )?ricordo|non so|chiss[aà]",
)
_FETCH = one_of(
    r"parl\w+|dimmi|racconta\w*|ricorda\w*|ricordi|sai|mostra\w*|elenca\w*|trova\w*|cerca\w*|riassumi\w*",
    r"fammi|aggiornami|spiega\w*|rinfrescami|ripassiamo|descrivi\w*",
)

ASKING = AskingPatterns(
    greeting=re.compile(
        rf"^\W{{0,5}}{_HELLO}?(?:\W{{1,5}}\w+)?\W{{0,5}}(?:{_HOW}\W{{0,5}}){{1,3}}$"
        rf"|^\W{{0,5}}{_HELLO}(?:\W{{1,5}}\w+)?\W{{0,5}}$"
    ),
    opening=re.compile(
        r"^[\W_]{0,10}(?:ciao|ehi|hey|e|ed|ma|allora|senti|senta|scusa|scusami|ok|dai|dunque|insomma|comunque"
        r"|per favore|poi|quindi|ah|oh|beh|bene|guarda|ascolta|a proposito(?=,))(?:[\s,;:!.–-]+|$)"
    ),
    closing=re.compile(r"[\s,]+(?:per favore|per piacere|grazie)[\W_]*$"),
    wrapper=re.compile(
        rf"^[\W_]{{0,10}}(?:{_TELL}|{_KNOW})[\s,:]+(?:di nuovo |esattamente )?(?:(?:di|su) )?"
        rf"(?:se\s+|(?=(?:{_IN_WHAT}|quel(?:lo|la)? che)\b))"
    ),
    question=beginning(
        _IN_WHAT,
        _FETCH,
        r"potresti|puoi|hai|mi (?:dici|racconti|ricordi|mostri|dai)",
        r"vorrei|voglio|dammi|insegnami|aiutami|fai",
    ),
    sought=beginning(r"(?:tutto )?(?:quello|quanto|ciò)|qualcosa|tutto|novità|(?:le )?cose"),
    addressed=re.compile(
        r"(?:^|[.!?]\s)\W{0,3}(?:ciao|ehi|hey|salve|grazie|buongiorno|buonasera|buonanotte|car[oa]|sì|no"
        r"|certo|scusa|senti|dai|brav[oa]|wow|ok|okay|beh|oh|ah|complimenti|auguri)[\s,]+$"
    ),
    open_question=beginning(
        r"ci sono|c'è",
        _IN_WHAT,
        _FETCH,
        r"(?:le |gli |i |un |una |il )?"
        r"(?:cose|moment[oi]|esperienz[ae]|giorn[oi]|period[oi]|ricord[oi]|volta|miei|mie)",
        r"qualcosa|tutto|quello|ciò",
    ),
    advice=words(
        r"consigli(?:a|ami|arci|eresti)|mi consigli|cosa (?:mi )?(?:suggerisci|regalo)|suggerisc\w+",
        r"che (?:cosa )?(?:dovrei|potrei|posso) |traduci\w*|barzelletta|scrivimi",
    ),
    scaffolding=beginning(
        r"(?:(?:ciao|ehi|senti|scusa|allora|ok|per favore|e)\W+)?"
        + one_of(
            r"(?:mi )?(?:puoi|potresti|sapresti|vuoi) "
            r"(?:dirmi|raccontarmi|ricordarmi|parlarmi|dire|ricordare|raccontare)",
            r"mi aiuti a ricordare|(?:ti )?ricordi|mi (?:dici|racconti|ricordi)",
            r"dimmi|raccontami|ricordami|parlami|mostrami|cerca|trova|aggiornami|rinfrescami la memoria",
            r"(?:che )?cosa (?:mi )?(?:sai|ricordi)(?: dirmi)?|che (?:sai|ricordi)|sai",
            r"fammi il punto|vorrei sapere",
        )
        + r"(?: (?:qualcosa|tutto|di più|ancora|un po'|se|che|quando|cosa|di|del|dello|della|dell'|dei|degli"
        r"|delle|d'|su|sul|sullo|sulla|sull'|sui|sugli|sulle|riguardo a\w*))*"
    ),
)
