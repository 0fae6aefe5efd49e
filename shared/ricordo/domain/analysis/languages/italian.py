"""How people ask in Italian."""

import re

from ricordo.domain.analysis.languages.patterns import QueryPatterns, beginning, ending, whole, words

_HELLO = r"ciao|ehi|ehil[aà]|hey|salve|buongiorno|buond[iì]|buonasera|buonanotte|buon pomeriggio"
_HOW = (
    r"come (?:stai|state|sta|va|andiamo|te la passi|butta|ti va|procede)|tutto (?:bene|ok|a posto)|che fai|"
    r"che si dice|che mi racconti|grazie(?: mille| tante)?|prego|a (?:presto|dopo|domani)|oggi|ti sento bene"
)
_THINGS = r"cosa|che cosa|che|cos['’]|qualcosa|tutto|tutto quello che|quello che"
_OF = r"di|del|dello|della|dell['’]|dei|degli|delle|d['’]"
_ON = (
    r"su|sul|sullo|sulla|sull['’]|sui|sugli|sulle|riguardo (?:a|al|alla|all['’]|ai|alle)|a proposito "
    r"(?:di|del|della|"
    r"dell['’]|dei|delle)|circa|in merito (?:a|al|alla|all['’])"
)

ITALIAN = QueryPatterns(
    greeting=re.compile(
        rf"^\W{{0,5}}(?:{_HELLO})?(?:\W{{1,5}}\w+)?\W{{0,5}}(?:(?:{_HOW})\W{{0,5}}){{1,3}}$|"
        rf"^\W{{0,5}}(?:{_HELLO})(?:\W{{1,5}}(?:\w+))?\W{{0,5}}$",
        re.IGNORECASE,
    ),
    question=beginning(
        r"(?:e |ma |allora |senti |scusa |ok |dai )?(?:cosa|cos['’]|che|chi|quando|dove|dov['’]|come|"
        r"perch[eé]|quale|"
        r"quali|quanto|quanta|quanti|quante|com['’]|con chi|di chi|di che|di cosa|a chi|a che|da chi|da "
        r"quando|in che|"
        r"parla\w*|parlami|dimmi|raccontami|racconta|ricordami|ricorda|ricordi|ti ricordi|sai|mostrami|"
        r"elenca|elencami|"
        r"trova|cerca|riassumi|riassumimi|fammi|potresti|puoi|mi (?:dici|racconti|ricordi|mostri))"
    ),
    procedural=words(
        r"come (?:si (?!chiam|sent|sta\b|trov|è|e['’])\w+|posso|possiamo|potrei|faccio a|facciamo a|"
        r"faccio per|fare|devo "
        r"fare|dovrei|devo|dobbiamo|faccio|preparo|funziona|cucino|installo|configuro|uso|risolvo|avvio)|"
        r"in che modo (?:si|"
        r"posso|devo)|qual è (?:il modo|la procedura|il procedimento|la ricetta)|(?:la )?procedura "
        r"(?:per|di)|istruzioni "
        r"(?:per|su|di)|(?:i )?passaggi per|(?:la )?ricetta (?:per|di|del|della|dei|delle)|guida (?:per|a|su)"
    ),
    positive=words(
        r"piac(?:e|iono|iut[oaie]|eva|evano|que|quero|iuto)|(?:hai|ho|abbiamo) (?:amato|adorato|"
        r"apprezzato|gradito)|am[oi]|"
        r"ador[oi]|ador(?:ato|avo|avi)|felic[ei]|content[oaie]|gioi[ao]|gioie|divertent[ei]|"
        r"divertit[oaie]|divertito|"
        r"entusiast[ai]|entusiasm\w+|emozionat[oaie]|orgoglios[oaie]|grat[oai]|preferit[oaie]|apprezz\w+|"
        r"sereno|serena"
    ),
    negative=words(
        r"non (?:mi|ti|ci|vi|gli|le)?\s?(?:è|e['’]|sono|erano|era)?\s?piac\w+|odi[oai]|odiat[oaie]|"
        r"odiav[oi]|trist[ei]|"
        r"tristezza|arrabbiat[oaie]|rabbia|delus[oaie]|delusion[ei]|paur[ae]|spaventat[oaie]|preoccup\w+|"
        r"ansi[ae]|"
        r"ansios[oaie]|stress\w*|soffert[oaie]|soffr[oie]\w*|piant[oi]|dispiac\w+|fastidio|"
        r"frustrat[oaie]|frustrazion[ei]|"
        r"dolor[ei]|solitudine|disgust\w+|deprim\w+|nervos[oaie]|infelic[ei]|scontent[oaie]|turba\w*"
    ),
    feeling=words(
        r"(?:mi|ti|ci|vi) (?:sono|sei|siamo|siete|sento|senti|sentivo|sentivi|sentivamo|ero|"
        r"eri)\s?sentit[oaie]|(?:mi|ti|ci|"
        r"vi) sent(?:o|i|iamo|ivo|ivi|ivamo)|emozion[ei]|sentiment[oi]|umore|stat[oi] d['’]animo|(?:ho|"
        r"hai|abbiamo) provato"
    ),
    personal=words(
        r"mi|ti|ci|m['’]|t['’]|c['’]|io|tu|noi|me|te|ho|hai|abbiamo|avete|ero|eri|eravamo|sono|sei|siamo|"
        r"avevo|avevi|mio|mia|"
        r"miei|mie|tuo|tua|tuoi|tue|nostr[oaie]|am[oi]|odi|odio|ador[oi]"
    ),
    happened=words(
        r"fatt[oaie]|facev\w+|facemmo|facciamo|success[oaie]|successe|accadut[oaie]|accadde|dett[oaie]|"
        r"dicev\w+|parlat[oaie]|"
        r"parlav\w+|raccontat[oaie]|discuss[oaie]|decis[oaie]|vist[oaie]|incontrat[oaie]|andat[oaie]|"
        r"stat[oaie]|ero|eravamo|"
        r"mangiat[oaie]|bevut[oaie]|comprat[oaie]|scritt[oaie]|lett[oaie]|impara\w+|lavorat[oaie]|"
        r"combinat[oaie]|chiest[oaie]|"
        r"rispost[oaie]|promess[oaie]|visitat[oaie]|giocat[oaie]|guardat[oaie]|ascoltat[oaie]|"
        r"preparat[oaie]|uscit[oaie]|"
        r"conosciut[oaie]|iniziat[oaie]|finit[oaie]|trovat[oaie]|pres[oaie]|mess[oaie]|dat[oaie]|"
        r"pass?at[oaie]|concordat[oaie]|"
        r"successo|è avvenuto|avvenut[oaie]|ricord\w+|cucinat[oaie]|studiat[oaie]|dormit[oaie]|"
        r"sognat[oaie]|venut[oaie]"
    ),
    speakers=words(
        r"abbiamo|avevamo|ho|avevo|hai|avevi|avete|siamo|eravamo|ero|eri|ci siamo|mi sono|ti sei|sono "
        r"(?:andat|stat|uscit|"
        r"tornat|partit|venut|rimast|arrivat)[oa]|sei (?:andat|stat|uscit|tornat)[oa]|noi|io|tu|facevo|"
        r"facevi|dicevo|dicevi|"
        r"parlavo|stavo|stavi|andavo|\w{2,20}(?:iamo|vamo|mmo)|feci|dissi"
    ),
    together=words(
        r"abbiamo|avevamo|siamo|eravamo|ci siamo|noi|ti (?:ho|avevo)|mi (?:hai|avevi)|\w{2,20}(?:iamo|"
        r"vamo|mmo)|ho "
        r"(?:detto|raccontato|chiesto|scritto|parlato|promesso)|hai (?:detto|raccontato|chiesto|scritto|"
        r"parlato|promesso)"
    ),
    at_large=whole(
        r"(?:(?:e|allora|ma)[\W_]{1,5})?(?:che cosa|cosa|che|cos['’])\s?"
        r"(?:altro )?(?:(?:mi|ci) )?(?:è |era |e['’] )?"
        r"(?:success[oa]|accadut[oa]|capitat[oa]|avvenut[oa]|successe|accadde)"
        r"(?: di (?:bello|brutto|nuovo|importante|interessante))?"
    ),
    attached_before=ending(rf"{_OF}|{_ON}"),
    attached_behind=re.compile(r"(?!)"),
    about=words(
        rf"{_ON}|(?:parla\w*|parlato|discusso|discutere|detto|ricordi|sai|raccontami|racconta|dimmi) "
        rf"(?:{_OF})"
    ),
    knows=words(
        rf"(?:(?:{_THINGS}) )?(?:mi |ci )?(?:sai|sappiamo|ricordi|puoi dirmi|dire|dirmi|conosci) "
        rf"(?:{_OF}|{_ON})|"
        rf"(?:parla|parlami|raccontami|racconta|dimmi)(?: (?:qualcosa|tutto|di più|ancora))? (?:{_OF}|{_ON})|"
        r"chi (?:è|era|sono|erano|e['’])|informazioni (?:su|sul|sulla|sui)|novità (?:su|di|da|sul|sulla)"
    ),
    scaffolding=beginning(
        rf"(?:(?:ciao|ehi|senti|scusa|allora|ok|per favore)\W+)?(?:(?:mi )?(?:puoi|potresti|sapresti|"
        rf"vuoi) (?:dirmi|"
        rf"raccontarmi|ricordarmi|parlarmi|dire|ricordare|raccontare)|(?:ti )?ricordi|mi (?:dici|"
        rf"racconti|ricordi)|dimmi|"
        rf"raccontami|ricordami|parlami|(?:che )?cosa (?:mi )?(?:sai|ricordi)(?: dirmi)?|che (?:sai|"
        rf"ricordi)|mostrami|cerca|"
        rf"trova|sai)(?: (?:qualcosa|tutto|di più|ancora|se|che|quando|cosa|{_OF}|{_ON}))*"
    ),
    before_time=ending(
        r"di|del|dell['’]|della|dello|in|nel|nell['’]|nella|nello|nei|negli|nelle|a|al|all['’]|alla|"
        r"durante|da|per|il|la|lo|l['’]"
    ),
    articles=beginning(
        r"il|lo|la|i|gli|le|l['’]|un|uno|una|un['’]|mio|mia|miei|mie|tuo|tua|tuoi|tue|nostr[oaie]|"
        r"quest[oaie]|quel\w*|questo"
    ),
    archive=words(
        r"(?:nell['’]|dall['’]|in |l['’])archivio|archiviat[oaie]|archivio freddo|(?:vecchi|antichi) "
        r"ricordi|ricordi (?:vecchi|"
        r"antichi|lontani|più vecchi)|(?:molto|tanto|tantissimo) tempo fa|(?:cose|conversazioni|memorie) "
        r"vecchie|vecchie (?:"
        r"conversazioni|memorie|cose)"
    ),
    no_names=frozenset(
        "dio natale pasqua capodanno ferragosto gennaio febbraio marzo aprile maggio giugno luglio "
        "agosto settembre ottobre "
        "novembre dicembre lunedì martedì mercoledì giovedì venerdì sabato domenica".split()
    ),
)
