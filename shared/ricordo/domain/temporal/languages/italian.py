"""Italian words for time. Accents are left out, as they are in the texts when these are read."""

from ricordo.domain.temporal.languages.shared import SIGNS
from ricordo.domain.temporal.lexicon import Kind, Lexicon
from ricordo.domain.temporal.numbers import JoinedNumbers

_SMALL = (
    "uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
    "diciassette diciotto diciannove"
).split()
_TENS = "venti trenta quaranta cinquanta sessanta settanta ottanta novanta".split()
_ORDINALS = "prim second terz quart quint sest settim ottav non decim".split()


def _ordinals() -> dict[int | str, str]:
    return {n: f"{stem}o {stem}a" for n, stem in enumerate(_ORDINALS, 1)}


def _decades() -> dict[int | str, str]:
    return {1900 + 10 * n: f"anni_{word}" for n, word in enumerate(_TENS, 2)}


ITALIAN = Lexicon.build(
    {
        Kind.SIGN: SIGNS,
        Kind.NUMBER: {
            1: "un una un' uno",
            2: "paio un_paio_di paio_di",
            3: "qualche alcuni alcune diversi diverse pochi poche vari varie",
            10: "una_decina_di decina_di",
            15: "una_quindicina_di quindicina_di",
            20: "una_ventina_di ventina_di",
        },
        Kind.MINUTES: {
            30: "mezz'_ora mezzora mezza_ora",
            90: "un'_ora_e_mezza un'_ora_e_mezzo",
            15: "quarto_d'_ora",
        },
        Kind.ORDINAL: {**_ordinals(), -1: "ultimo ultima"},
        Kind.MONTH: {
            1: "gennaio gen genn",
            2: "febbraio feb febb",
            3: "marzo mar",
            4: "aprile apr",
            5: "maggio mag",
            6: "giugno giu",
            7: "luglio lug",
            8: "agosto ago",
            9: "settembre set sett",
            10: "ottobre ott",
            11: "novembre nov",
            12: "dicembre dic",
        },
        Kind.WEEKDAY: {
            0: "lunedi lun",
            1: "martedi mart",
            2: "mercoledi mer merc",
            3: "giovedi gio giov",
            4: "venerdi ven",
            5: "sabato sabati sab",
            6: "domenica domeniche dom",
        },
        Kind.UNIT: {
            "second": "secondo secondi",
            "minute": "minuto minuti",
            "hour": "ora ore",
            "day": "giorno giorni giornata giornate",
            "week": "settimana settimane",
            "weekend": "weekend fine_settimana week_end week_-_end finesettimana",
            "fortnight": "quindicina",
            "month": "mese mesi",
            "quarter": "trimestre trimestri",
            "half": "semestre semestri",
            "year": "anno anni annata",
            "decade": "decennio decenni",
            "century": "secolo secoli",
        },
        Kind.SEASON: {3: "primavera", 6: "estate", 9: "autunno", 12: "inverno"},
        Kind.HOLIDAY: {
            "new_year": "capodanno primo_dell'_anno primo_d'_anno",
            "epiphany": "epifania befana",
            "new_year_eve": "san_silvestro vigilia_di_capodanno notte_di_san_silvestro",
            "valentine": "san_valentino",
            "women": "festa_della_donna festa_delle_donne",
            "saint_joseph": "festa_del_papa san_giuseppe festa_dei_papa",
            "saint_patrick": "san_patrizio",
            "april_fools": "pesce_d'_aprile",
            "liberation": "festa_della_liberazione",
            "earth": "giornata_della_terra giorno_della_terra",
            "labour_may": "festa_dei_lavoratori festa_del_lavoro",
            "mothers": "festa_della_mamma",
            "republic_italy": "festa_della_repubblica",
            "saint_john": "san_giovanni",
            "assumption": "ferragosto",
            "halloween": "halloween",
            "all_saints": "ognissanti tutti_i_santi",
            "all_souls": "giorno_dei_morti giorno_dei_defunti",
            "thanksgiving": "giorno_del_ringraziamento ringraziamento festa_del_ringraziamento",
            "independence_usa": "giorno_dell'_indipendenza",
            "black_friday": "black_friday venerdi_nero",
            "cyber_monday": "cyber_monday",
            "immaculate": "immacolata immacolata_concezione",
            "christmas_eve": "vigilia_di_natale",
            "christmas": "natale giorno_di_natale",
            "boxing": "santo_stefano",
            "carnival": "carnevale martedi_grasso",
            "ash_wednesday": "mercoledi_delle_ceneri ceneri",
            "palm_sunday": "domenica_delle_palme",
            "maundy_thursday": "giovedi_santo",
            "good_friday": "venerdi_santo",
            "holy_saturday": "sabato_santo",
            "easter": "pasqua domenica_di_pasqua giorno_di_pasqua",
            "easter_monday": "pasquetta lunedi_dell'_angelo",
            "ascension": "giorno_dell'_ascensione",
            "pentecost": "pentecoste",
            "corpus_christi": "corpus_domini",
        },
        Kind.DAY: {
            -2: "avantieri altro_ieri altroieri l'_altro_ieri l'_altroieri ieri_l'_altro ierlaltro",
            -1: "ieri iersera",
            0: "oggi stamattina stamani stamane stasera stanotte oggigiorno",
            1: "domani domattina",
            2: "dopodomani dopo_domani",
        },
        Kind.NOW: {0: "adesso ora questo_momento ora_come_ora"},
        Kind.PART: {
            "morning": "mattina mattino mattinata stamattina stamani stamane domattina",
            "noon": "mezzogiorno",
            "lunch": "ora_di_pranzo pranzo",
            "afternoon": "pomeriggio",
            "evening": "sera serata stasera iersera",
            "dinner": "ora_di_cena cena",
            "night": "notte nottata",
            "nearest_night": "stanotte",
            "midnight": "mezzanotte",
            "dawn": "alba",
            "sunset": "tramonto",
        },
        Kind.HALF_DAY: {
            0: "am a_._m_. a_._m di_mattina del_mattino",
            12: "pm p_._m_. p_._m di_pomeriggio del_pomeriggio di_sera della_sera",
        },
        Kind.RELATION: {
            "last": "scorso scorsa scorsi scorse precedente precedenti passato passata",
            "past": "ultimo ultima ultimi ultime passati passate",
            "this": "questo questa quest' questi queste corrente",
            "next": "prossimo prossima prossimi prossime seguente seguenti successivo successiva",
            "coming": "venturo ventura in_arrivo entrante",
        },
        Kind.AGO: {0: "fa or_sono addietro prima"},
        Kind.LATER: {0: "dopo piu_tardi in_futuro da_adesso da_ora da_questo_momento"},
        Kind.IN: {0: "tra fra in_capo_a"},
        Kind.OVER: {
            0: "in nel nell' nella nei negli nelle durante per",
        },
        Kind.WITHIN: {0: "entro nel_giro_di nell'_arco_di"},
        Kind.BEFORE: {
            0: "prima_di prima_del prima_dell' prima_della prima_dello prima_dei prima_delle antecedente_al "
            "precedente_al precedente_a non_oltre_il non_piu_tardi_del entro_il entro",
        },
        Kind.AFTER: {
            0: "dopo dopo_il dopo_la dopo_l' dopo_lo successivo_al successiva_al posteriore_al oltre_il"
        },
        Kind.SINCE: {
            0: "da dal dall' dalla dallo dai dalle a_partire_da a_partire_dal a_partire_dalla "
            "successivo_o_uguale_al successiva_o_uguale_al",
        },
        Kind.UNTIL: {0: "fino_a fino_al fino_alla fino_all' fino_allo fino_ad sino_a sino_al sino_alla"},
        Kind.OR: {0: "o e"},
        Kind.OR_LATER: {0: "dopo successivo successiva oltre in_poi"},
        Kind.OR_EARLIER: {0: "prima precedente"},
        Kind.MORE: {0: "piu_di oltre"},
        Kind.LESS: {0: "meno_di"},
        Kind.FROM: {0: "da dal dall' dalla dallo dalle dai nel"},
        Kind.BETWEEN: {0: "tra fra tra_il fra_il tra_la fra_la tra_le fra_le tra_l' fra_l'"},
        Kind.TO: {
            0: "a al all' alla allo ad fino_a fino_al fino_alla fino_all' fino_ad sino_a sino_al - ~ – —",
        },
        Kind.AND: {0: "e ed"},
        Kind.OF: {
            0: "di del della dell' dello dei degli delle d' nel nella nell' nello in per il",
        },
        Kind.ON: {
            0: "di in il la lo l' nel nella nell' al alla all' durante per a ad del della dell'",
        },
        Kind.AT: {0: "alle alla all' verso_le intorno_alle verso_l' a"},
        Kind.THE: {
            0: "il lo la i gli le l' mio mia miei mie nostro nostra suo sua tuo tua quel quella quell'",
        },
        Kind.EDGE: {
            "early": "inizio inizio_di inizio_del inizio_della inizio_dell' inizio_dello inizi_di inizi_del "
            "principio_di principio_del",
            "mid": "meta meta_di meta_del meta_della meta_dell' meta_dello",
            "late": "fine fine_di fine_del fine_della fine_dell' fine_dello",
            "rest": "resto_di resto_del resto_della resto_dell'",
        },
        Kind.DECADE: _decades(),
        Kind.DECADE_WORD: {0: "anni"},
        Kind.QUARTER: {0: "q"},
        Kind.HALF: {0: "h"},
        Kind.FOR: {0: "per"},
        Kind.EVERY: {0: "ogni tutti_i tutte_le ciascun"},
        Kind.NOT_A_TIME: {0: "capodanno_cinese anno_scolastico anno_fiscale anno_accademico"},
    },
    numbers=JoinedNumbers(
        small={word: n for n, word in enumerate(_SMALL, 1)} | {"un": 1},
        tens={word: 10 * n for n, word in enumerate(_TENS, 2)},
        hundred="cento?",
        thousand="mille",
        thousands="mila",
    ),
    weak="mar set ago mer dom sab ven gio lun mag giu gen dic nov ott lug apr feb mart sett merc giov genn "
    "febb ora secondo fine meta inizio pranzo cena alba prima h q quindicina anni anno",
    month_first=False,
    suffixes="° º ª o a esimo esima mo",
    follows_day="e ho abbiamo hai ha hanno siamo sono sei era eravamo ero non mi ci si ti con a alle di ma",
)
