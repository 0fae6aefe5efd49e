"""Italian words for time. Accents are left out, as they are in the texts when these are read."""

from ricordo.language.temporal.languages.italian_holidays import HOLIDAYS
from ricordo.language.temporal.languages.italian_prepositions import joined
from ricordo.language.temporal.languages.shared import ROMAN, SIGNS, merged
from ricordo.language.temporal.lexicon import Kind, Lexicon
from ricordo.language.temporal.numbers import JoinedNumbers

_SMALL = (
    "uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
    "diciassette diciotto diciannove"
).split()
_TENS = "venti trenta quaranta cinquanta sessanta settanta ottanta novanta".split()
_ORDINALS = "prim second terz quart quint sest settim ottav non decim".split()


def _ordinals() -> dict[int | str, str]:
    stems = {**dict(enumerate(_ORDINALS, 1)), **{n: f"{stem}esim" for n, stem in _LONG_ORDINALS.items()}}
    return {n: f"{stem}o {stem}a" for n, stem in stems.items()}


_LONG_ORDINALS = {
    11: "undic", 12: "dodic", 13: "tredic", 14: "quattordic", 15: "quindic", 16: "sedic", 17: "diciassett",
    18: "diciott", 19: "diciannov", 20: "vent", 21: "ventun",
}  # fmt: skip


def _decades() -> dict[int | str, str]:
    return {1900 + 10 * n: f"anni_{word}" for n, word in enumerate(_TENS, 2)}


ITALIAN = Lexicon.build(
    {
        Kind.SIGN: SIGNS,
        Kind.NUMBER: {
            1: "un una un' uno",
            2: "paio un_paio_di paio_di un_paio_d' paio_d'",
            3: "qualche alcuni alcune diversi diverse pochi poche vari varie",
            10: "una_decina_di decina_di una_decina_d' decina_d'",
            15: "una_quindicina_di",
            12: "dozzina una_dozzina_di dozzina_di",
            20: "una_ventina_di ventina_di una_ventina_d' ventina_d'",
            100: "centinaio un_centinaio_di",
        },
        Kind.HOURS: {0: "le"},
        Kind.WHEN: {0: "quando"},
        Kind.OWN: {0: "miei tuoi suoi nostri vostri loro"},
        Kind.ARTICLE: {0: "un una un' uno"},
        Kind.PLURAL: {
            0: "giorni settimane mesi anni ore minuti weekends sabati domeniche mattine pomeriggi sere "
            "notti decenni secoli i nei dei ai dai sui",
        },
        Kind.HALVING: {0: "mezzo mezza mezz'"},
        Kind.AND_HALF: {0: "e_mezzo e_mezza"},
        Kind.PAST_HOUR: {30: "e_mezza e_mezzo", 15: "e_un_quarto", 45: "e_tre_quarti", -15: "meno_un_quarto"},
        Kind.MINUTES: {
            30: "mezz'_ora mezzora mezza_ora",
            15: "quarto_d'_ora",
        },
        Kind.ORDINAL: merged(
            _ordinals(), ROMAN, {1: "primi prime", 2: "secondi seconde", -1: "ultimo ultima ultimi ultime"}
        ),
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
            "day": "giorno giorni giornata giornate gg",
            "workday": "giorno_lavorativo giorni_lavorativi giorno_feriale giorni_feriali",
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
        Kind.SEASON: {
            3: "primavera primavere",
            6: "estate estati",
            9: "autunno autunni",
            12: "inverno inverni",
        },
        Kind.HOLIDAY: HOLIDAYS,
        Kind.DAY: {
            -2: "avantieri avant'_ieri altro_ieri altroieri l'_altro_ieri l'_altroieri ieri_l'_altro "
            "ierlaltro",
            -1: "ieri iersera",
            0: "oggi stamattina stamani stamane stasera stanotte oggigiorno",
            1: "domani domattina",
            2: "dopodomani dopo_domani",
        },
        Kind.NOW: {0: "adesso ora questo_momento ora_come_ora"},
        Kind.PART: {
            "morning": "mattina mattine mattino mattinata stamattina stamani stamane domattina",
            "noon": "mezzogiorno",
            "lunch": "ora_di_pranzo pranzo",
            "afternoon": "pomeriggio pomeriggi",
            "evening": "sera sere serata stasera iersera",
            "dinner": "ora_di_cena cena",
            "night": "notte nottata",
            "nearest_night": "stanotte",
            "midnight": "mezzanotte",
            "dawn": "alba",
            "sunset": "tramonto",
        },
        Kind.HALF_DAY: {0: "am a_._m_. a_._m", 12: "pm p_._m_. p_._m"},
        Kind.RELATION: {
            "last": "scorso scorsa scorsi scorse precedente precedenti passato passata l'_altra l'_altro "
            "l'_altr'",
            "past": "ultimo ultima ultimi ultime passati passate recente recenti",
            "this": "questo questa quest' questi queste corrente in_corso",
            "next": "prossimo prossima prossimi prossime seguente seguenti successivo successiva",
            "coming": "venturo ventura in_arrivo entrante",
        },
        Kind.AGO: {0: "fa or_sono addietro prima"},
        Kind.LATER: {0: "dopo piu_tardi in_futuro da_adesso da_ora da_questo_momento"},
        Kind.IN: {0: "tra fra in_capo_a di_qui_a da_qui_a"},
        Kind.OVER: {
            0: joined("in", "nel_corso_di", "lungo_di")
            + " durante per in_tutto in_tutta per_tutto per_tutta",
        },
        Kind.WITHIN: {0: "entro " + joined("nel_giro_di", "nell'_arco_di")},
        Kind.BEFORE: {
            0: joined(
                "prima_di",
                "precedente_a",
                "precedentemente_a",
                "antecedente_a",
                "anteriore_a",
                "non_piu_tardi_di",
            )
            + " entro entro_il entro_la entro_l' non_oltre non_oltre_il "
            "non_oltre_la non_oltre_l' non_oltre_gli <",
        },
        Kind.AFTER: {
            0: joined("successivo_a", "successiva_a", "successivamente_a", "posteriore_a", "seguente_a")
            + " dopo dopo_il dopo_la dopo_l' dopo_lo dopo_gli dopo_i dopo_le oltre_il >",
        },
        Kind.SINCE: {
            0: joined(
                "da",
                "non_prima_di",
                "a_partire_da",
                "a_cominciare_da",
                "sin_da",
                "fin_da",
                "a_decorrere_da",
                "successivo_o_uguale_a",
                "successiva_o_uguale_a",
            )
            + " >_=",
        },
        Kind.UNTIL: {0: joined("fino_a", "sino_a") + " fino_ad sino_ad"},
        Kind.UP_TO: {0: joined("precedente_o_uguale_a") + " <_="},
        Kind.OR: {0: "o e"},
        Kind.OR_LATER: {0: "dopo successivo successiva oltre in_poi in_avanti"},
        Kind.OR_EARLIER: {0: "prima precedente"},
        Kind.MORE: {0: "piu_di oltre almeno"},
        Kind.LESS: {0: "meno_di al_massimo"},
        Kind.FROM: {0: joined("da") + " nel"},
        Kind.BETWEEN: {
            0: "tra fra tra_il fra_il tra_la fra_la tra_l' fra_l' tra_gli fra_gli tra_i fra_i",
        },
        Kind.TO: {0: joined("a", "fino_a", "sino_a") + " ad fino_ad sino_ad - ~ – —"},
        Kind.AND: {0: "e ed"},
        Kind.OF: {0: joined("di", "in") + " d' per"},
        Kind.ON: {
            0: "di in il l' nel nella nell' al alla all' durante per a ad del della dell'",
        },
        Kind.NUMBERED: {0: "numero n nr"},
        Kind.DATED: {0: "giorno"},
        Kind.BEGINNING: {0: "che_inizia che_comincia che_parte che_iniziava che_cominciava che_è_iniziata"},
        Kind.AT: {
            0: "alle alla all' alle_ore ore verso_le intorno_alle verso_l' circa_alle a circa",
        },
        Kind.THE: {
            0: "il lo la i gli le l' mio mia miei mie nostro nostra suo sua tuo tua quel quella quell'",
        },
        Kind.EDGE: {
            "early": "inizio " + joined("inizio_di", "inizi_di", "principio_di", "primi_di", "esordio_di"),
            "mid": "meta " + joined("meta_di"),
            "late": "fine " + joined("fine_di", "finire_di", "termine_di"),
            "rest": joined("resto_di"),
            "elapsed": "finora fin_qui fino_ad_ora",
        },
        Kind.DECADE: _decades(),
        Kind.DECADE_WORD: {0: "anni"},
        Kind.QUARTER: {0: "q"},
        Kind.HALF: {0: "h"},
        Kind.FOR: {0: "per"},
        Kind.EVERY: {0: "ogni tutti_i tutte_le ciascun ogni_giorno"},
        Kind.WHOLE: {0: "tutto tutta intero intera per_tutto per_tutta in_tutto in_tutta"},
        Kind.OTHER: {0: "altro altra"},
        Kind.WISH: {0: "buon buona buone felice felici lieto lieta"},
        Kind.TITLE: {
            0: "babbo signor signora sig don donna suor zia zio nonna nonno cugina cugino sorella fratello "
            "amica amico ciao caro cara con santa dottor dottoressa professor professoressa",
        },
        Kind.SPEAKING: {
            0: "dice disse chiede chiese risponde rispose scrive scrisse chiama chiamo ride rise piange sa "
            "sapeva pensa pensava ama amava adora adorava vuole voleva odia odiava abita vive",
        },
        Kind.THING: {
            0: "stanza camera volo autobus treno linea pagina pagine capitolo binario codice modello "
            "versione ordine fattura pratica articolo windows fifa office cap interno",
        },
        Kind.VERB: {0: "passati passate passato passata"},
        Kind.MODAL: {0: "sono è erano era saranno sara siano fossero"},
        Kind.NOT_A_TIME: {
            0: "capodanno_cinese anno_scolastico anno_fiscale anno_accademico al_giorno_d'_oggi "
            "ultimo_minuto ultim'_ora percento per_cento per_mille l'_altro_giorno l'_altra_mattina "
            "l'_altra_sera l'_altra_notte",
        },
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
    follows_day="e ho abbiamo hai ha hanno siamo sono sei era eravamo ero non mi ci si ti vi lo la li le con "
    "a ad al alla alle dalle tra fra di da in per su ma se che chi cosa come quando dove perche pero anche "
    "poi allora ancora o io tu lui lei noi voi loro",
)
