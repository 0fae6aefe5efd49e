"""How Italian says what it asks about."""

from ricordo.language.query_analysis.languages.patterns import NEVER, SubjectPatterns, beginning, words

_OF = r"(?:di|del|dello|della|dell'|dei|degli|delle|d')"
_ON = (
    r"(?:su|sul|sullo|sulla|sull'|sui|sugli|sulle|riguardo (?:a|ad|al|allo|alla|all'|ai|alle)"
    r"|a (?:proposito|riguardo) (?:di|del|della|dell'|dei|delle)|circa|in merito (?:a|al|alla|all')"
    r"|per quanto riguarda (?:il|la|lo|l'|i|gli|le))"
)
_OF_ON = rf"(?:{_OF}|{_ON})"
_THINGS = r"(?:che cosa|cosa|che|cos'è che|qualcosa|tutto|tutto (?:quello|ciò) che|quello che|quanto|altro)"
_SAID = r"(?:(?:parlat|dett|discuss|raccontat|scritt|decis|spiegat|accennat|stabilit|concordat|emers)[oaie])"

SUBJECTS = SubjectPatterns(
    knows=words(
        # "cosa sai di", "tutto quello che ricordi del", "che mi dici della"
        rf"(?:{_THINGS} )?(?:(?:mi|ci|ti|ne) )?"
        r"(?:sai|so|sappiamo|ricordi|ricordo|puoi dirmi|dire|dirmi|dici|conosci|ne sai|trattava|sapere)"
        rf"(?: (?:dire|tu|già|qualcosa|di più))* {_OF_ON}",
        # "parlami un po' di", "aggiornami sul", "rinfrescami la memoria su"
        r"(?:parl(?:a|ami|iamo)|raccont(?:a|ami)|dimmi|aggiornami|rinfrescami|parlarmi)"
        rf"(?: (?:qualcosa|tutto|di più|ancora|un po'|un attimo|la memoria))* {_OF_ON}",
        # "cosa abbiamo detto sul", "ho mai parlato di"
        rf"{_SAID}(?: (?:mai|già|ancora))?(?: (?:con te|insieme))? {_OF_ON}|penso {_OF}",
        # "che novità ci sono su", "fammi il punto su"
        r"(?:ricordi|informazioni|info|notizie|novità|aggiornamenti|conversazioni|conversazione|discorso"
        r"|dettagli|dettaglio|chiacchiere|appunti|emerso"
        r"|riepilogo|riassunto|punto|opinione|qualcosa|tutto|altro)"
        rf"(?: che)?(?: (?:hai|ho|abbiamo|so|sai|ci sono))? (?:{_ON}|da)",
        rf"(?:notizie|novità|informazioni) {_OF}",
    ),
    fronted=beginning(
        rf"(?:(?:e|ed|ma) )?{_OF_ON}\s?(?P<about>[^,?!.]{{2,60}}?)(?:,\s?|\s(?=(?:che|cosa|cos')))"
        r"(?:che cosa|cosa|cos'|che|ke|quanto)(?! è)",
        # "e della cucina nuova?"
        rf"(?:e|ma) {_OF_ON}\s?(?P<alone>[^,?!.]{{2,60}}?)[\W_]*$",
    ),
    discussed=NEVER,
    articles=beginning(
        r"il|lo|la|i|gli|le|l'|un|uno|una|un'|mio|mia|miei|mie|tuo|tua|tuoi|tue|nostr[oaie]|quest[oaie]",
        r"quel\w*",
    ),
    ends=words(r"per favore|ancora|finora|di recente|ultimamente|che (?:mi|ti) \w+"),
    vague=beginning(
        r"(?:che cosa|cosa|che|chi|io|tu|me|te|lui|lei|noi|loro|questo|quello|ciò|tutto|più|bello|nuovo)"
        r"[\W_]*$",
        r"(?:che|cosa|chi|quando|dove|come|quale|quali|perch[eé])\b",
    ),
    archive=words(
        r"(?:nell'|dall'|in |l')archivio|archiviat[oaie]|archivio freddo|(?:vecchi|antichi) ricordi",
        r"ricordi (?:vecchi|antichi|lontani|più vecchi)|(?:molto|tanto|tantissimo) tempo fa",
        r"(?:cose|conversazioni|memorie) vecchie|vecchie (?:conversazioni|memorie|cose)",
    ),
    asked=words(
        # "Cosa ti ho chiesto di portare?" asks for what was told then.
        r"(?:ho|hai|ha|abbiamo|avete|avevo|avevi|avevamo) (?:già |mai |appena |anche )?"
        r"(?:chiesto|domandato)(?! di \w+(?:re|rmi|rti|rlo|rla|rgli|rle|rci)\b)",
        r"(?:ti|vi|mi|ci) (?:chiedevo|chiedevi|domandavo|domandavi|chiesi)",
        r"(?:quali|che|mie|tue|nostre|ultime|altre|quante|le|fatto) (?:\w+ )?domande",
        r"(?:mia|tua|ultima|prima|quale|che) (?:\w+ )?domanda",
    ),
    no_names=frozenset(
        "dio natale pasqua capodanno ferragosto gennaio febbraio marzo aprile maggio giugno luglio agosto "
        "settembre ottobre novembre dicembre lunedì martedì mercoledì giovedì venerdì sabato domenica tv pc "
        "dvd cd usb gps sms pdf vpn wifi ok".split()
    ),
    origins=NEVER,  # they are written small
    name_cues=frozenset("di su con da a per tra chi è e ed che fa ha era".split()),
)
