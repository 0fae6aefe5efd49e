"""How Italian says whose time it is."""

from ricordo.language.query_analysis.languages.patterns import (
    NEVER,
    TimePatterns,
    beginning,
    ending,
    whole,
    words,
)

_OF = r"(?:di|del|dello|della|dell'|dei|degli|delle|d')"
_ON = (
    r"(?:su|sul|sullo|sulla|sull'|sui|sugli|sulle|riguardo (?:a|al|alla|all'|ai|alle)"
    r"|a proposito (?:di|del|della|dell'|dei|delle)|circa)"
)
_DAYBOOK = r"(?:agenda|programma|calendario|ballo)"
_PLANS = r"(?:impegn[oi]|appuntament[oi]|programm[ai]|pian[oi]|riunion[ei]|scadenz[ae])"
_RECAP = r"(?:riassunto|riepilogo|resoconto|sunto|punto)"
_SAID = r"(?:detto|raccontato|chiesto|scritto|parlato|promesso)"
_DONE = (
    r"(?:(?:già|mai|anche|poi|più|appena) )?(?!(?:sabat|tant|molt|quest|tutt|quant|post)o\b)"
    r"\w+(?:at|ut|it|tt|st|rt|lt|nt|rs|ss|es|us|is|as|os)o\b"
)
_TOOK_PLACE = r"(?:success[oa]|accadut[oa]|capitat[oa]|avvenut[oa]|successe|accadde)"
_ONE_DID = r"si (?:(?:è|era) \w+[ts][oaie]|\w+(?:ava|eva|iva))"

TIMES = TimePatterns(
    speakers=words(
        r"abbiamo|avevamo|ho|avevo|hai|avevi|avete|siamo|eravamo|ero|eri|ci siamo|mi sono|ti sei|noi|io|tu",
        r"(?:sono|sei) (?:andat|stat|uscit|tornat|partit|venut|rimast|arrivat|svegliat|alzat|addormentat)"
        r"[oaie]",
        rf"facevi|dicevi|stavi|scrivevi|stessi|{_ONE_DID}|si (?:fa|farà|faceva)",
        # the first person, by its endings
        r"\w{2,20}(?:iamo|vamo|mmo|remo|avo|evo|ivo)|(?!però\b)\w{2,20}rò|feci|dissi|vidi|andai",
        r"vado|faccio|parto|torno|esco|incontro|devo",
    ),
    together=words(
        r"abbiamo|avevamo|siamo|eravamo|ci siamo|noi|ti (?:ho|avevo)|mi (?:hai|avevi)",
        rf"{_ONE_DID}|\w{{2,20}}(?:iamo|vamo|mmo|remo)|(?:ho|hai) {_SAID}",
    ),
    # "che regali mi ha fatto Paolo", "chi ci ha scritto"
    undergone=words(
        r"(?:mi|ci|m'|c') ?(?:ha|hanno|aveva|avevano) \w+[ts][oaie]",
        r"(?:mi|ci) (?:disse|dissero|diede|diedero|scrisse|chiese|fece)",
    ),
    happened=beginning(
        rf"(?:che cosa|cosa|che|cos')\s?(?:altro )?(?:è |era |e' )?{_TOOK_PLACE}"
        r"(?: di \w+)? (?:con|insieme a)"
    ),
    at_large=whole(
        # "che altro mi è successo", "successo qualcosa", "le cose dette"
        r"(?:(?:che cosa|cosa|che|cos')\s?(?:altro )?(?:(?:mi|ci) )?(?:è |era |e' )?)?"
        rf"{_TOOK_PLACE}"
        r"(?: di (?:bello|brutto|nuovo|importante|interessante)| qualcosa)?",
        r"(?:(?:fammi vedere|mostrami|elencami) )?(?:le )?cose (?:dette|fatte|decise|successe)",
        # "che impegni ho", "qualcosa in programma per", "cosa mi aspetta", "che si fa"
        r"(?:(?:che|quali|ho|avevo|ci sono|gli|i|(?:quali )?(?:sono|erano) i miei|i miei) )?"
        rf"(?:(?:dei|degli|i miei) )?{_PLANS}(?: (?:ho|avevo|abbiamo|per))?",
        rf"(?:cosa |che |ho |avevo )?(?:(?:ho|c'è|qualcosa) )?in {_DAYBOOK}(?: per)?",
        r"(?:che cosa|cosa|che) (?:mi|ci) aspetta|(?:che|cosa) si (?:fa|farà)",
        # "un riassunto di", "la mia giornata di", "cosa ricordi di"
        rf"(?:fammi |dammi |mi fai )?(?:(?:un|il) )?(?:breve )?{_RECAP}(?: (?:{_OF}|{_ON}))?",
        r"(?:raccontami |descrivi |com'è andata )?(?:la )?(?:mia )?(?:giornata|settimana|serata)(?: di)?",
        rf"riassumi|riassumimi|ricapitoliamo|(?:(?:che )?cosa )?(?:ti )?ricordi(?: {_OF})?",
    ),
    ahead=words(
        r"devo|dobbiamo|dovrei|(?!però\b)\w{2,20}(?:rò|remo)|in (?:programma|agenda|calendario)|da fare",
        rf"(?:mi|ci) aspetta|{_PLANS}|si (?:fa|farà)|vado|andiamo|parto|partiamo",
        rf"succede|succederà|in {_DAYBOOK}|c'è|ci sono|(?:ho|abbiamo)(?! {_DONE})",
        r"(?:sono|siamo) (?:liber|impegnat|occupat|via|fuori)\w*|faccio|facciamo|esco|usciamo|torno|torniamo",
        r"vedo|vediamo|viene|vengono|arriva(?:no)?|torna(?:no)?|parte|partono|inizia(?:no)?|comincia(?:no)?|scad(?:e|ono)",
        r"riapr(?:e|ono)|nasce|atterra(?:no)?|suon(?:o|iamo)|gioc(?:o|hiamo)|prossim[ie]",
    ),
    behind=words(
        rf"avevo|avevamo|aveva|(?:ho|abbiamo) {_DONE}|ero|eravamo|era|erano|c'era(?:no)?|stat[oaie]",
        r"success[oaie]|accadut[oaie]|(?:è|sono|siamo) \w+(?:at|ut|it)[oaie](?<!libero)(?<!liberi)",
    ),
    usual=words(r"di solito|sempre|ogni|spesso|mai|normalmente|solitamente|tutti i|tutte le"),
    upcoming=words(
        rf"prossim[ie] (?:{_PLANS}|event[oi]|dat[ae])|(?:che|quali) {_PLANS} (?:ho|abbiamo)",
        rf"cosa (?:mi|ci) aspetta|cosa (?:ho|abbiamo) in {_DAYBOOK}",
    ),
    listing=frozenset(
        "programma calendario agenda ballo impegno impegni appuntamento appuntamenti riunione riunioni"
        " scadenza scadenze piano piani succede succederà aspetta aspettano faccio facciamo fare fa farà vado"
        " andiamo ho abbiamo qualcosa niente libero libera liberi libere impegnato impegnata evento eventi"
        " prossimo prossimi prossima prossime altro elenca elencami mostrami dimmi devo dobbiamo segnato"
        " fissato previsto bello".split()
    ),
    lasting=words(
        r"lavor(?:o|avo|avamo)|abit(?:o|avo|avamo)|viv(?:o|evo|evamo)|studi(?:o|avo|avamo)|che lavoro \w+"
    ),
    attached_before=ending(_OF, _ON),
    attached_behind=NEVER,
    before_time=ending(
        r"di|del|dell'|della|dello|in|nel|nell'|nella|nello|nei|negli|nelle|a|al|all'|alla|durante",
        r"da|per|il|la|lo|l'",
    ),
    masked=NEVER,
)
