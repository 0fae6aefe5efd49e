"""Italian closed classes."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> frozenset[str]:
    return frozenset(" ".join(phrase.split()) for phrase in text.split(","))


USER_PRONOUNS: Final = _words("io noi")
OTHER_PRONOUNS: Final = _words(
    """
    tu voi essi esse questo questa questi queste quello quella quelli quelle ciò tutti tutto ognuno
    qualcuno nessuno chiunque altri molti alcuni ti vi ne lo la li le te cosa niente nulla qualcosa chi
    quel quell' quei tuo tua tuoi tue suo sua suoi sue loro vostro vostra
    """
)
POSSESSIVES: Final = _words("mio mia miei mie nostro nostra nostri nostre")
DETERMINERS: Final = _words(
    """
    il lo la l' i gli le un uno una un' del dello della dell' dei degli delle qualche alcuni alcune
    tutti tutte tutto tutta
    """
)
PREPOSITIONS: Final = _words(
    """
    di d' a ad da in con su per tra fra del dello della dell' dei degli delle al allo alla all' ai agli
    alle dal dallo dalla dall' dai dagli dalle nel nello nella nell' nei negli nelle sul sullo sulla
    sull' sui sugli sulle col coi
    """
)
ADVERBS: Final = _words(
    """
    affatto mica molto tanto davvero proprio ancora sempre ora adesso attualmente anche già solo
    soltanto tantissimo moltissimo veramente assolutamente parecchio abbastanza invece ormai spesso
    di_solito soprattutto recentemente appena finalmente poi insieme da_sempre follemente un_sacco
    particolarmente sinceramente felicemente gravemente fortemente purtroppo leggermente oggi bene
    benissimo davvero pure qui qua più principalmente stabilmente temporaneamente definitivamente
    perfino persino infatti praticamente letteralmente
    """
)
OPENERS: Final = _words(
    """
    quest' questa all'inizio ciao salve buongiorno buonasera sì si_ no ok okay allora beh be' mah oh eh
    comunque anzi quindi e ma però ed anche oggi ieri stamattina stasera adesso ora attualmente
    recentemente finalmente poi infatti inoltre dunque sai guarda senti l' altro altra scorso scorsa
    mese anno settimana estate inverno primavera autunno giorno sera mattina qualche fa a proposito in
    realtà per fortuna purtroppo personalmente da poco di solito davvero come ti dicevo piacere prima
    dopo ultimamente due tre un una nel nella la lo questo questo' mi presento domenica lunedì martedì
    mercoledì giovedì venerdì sabato gennaio febbraio marzo aprile maggio giugno luglio agosto settembre
    ottobre novembre dicembre 2019 2020 2021 2022 2023 2024 2025 2026 sinceramente onestamente fondo wow
    ah evviva insomma tra l'altro a_tutti tutti grazie bene perfetto certo pensa che_bello stanotte
    stamane stamani domani domattina dopodomani stavolta anni mesi settimane giorni tempo parecchio
    volta volte piccolo piccola bambino bambina ragazzo ragazza giovane adolescente casa lavoro scuola
    ufficio famiglia università liceo raga ragazzi ragazze gente amici buondì ehi ehilà hey weilà heilà
    buon pomeriggio buonanotte premetto premessa confesso ammetto giuro onestà dire verità sincero
    franco ricapitolando riassumendo breve riepilogo novità news aggiornamento update nota nb ps p.s.
    attenzione occhio promemoria tanto cioè ossia bah boh uff uffa ahimè ahinoi ecco eccomi eccoci
    figurati mamma_mia caspita cavolo madonna oddio dai vabbè vabbe va okk ottimo bellissimo scusa
    scusami scusate scusi perdona perdonami ascolta vedi dopodiché natale pasqua capodanno ferragosto
    mattino weekend finesettimana sempre almeno prego già difatti appunto giusto momento momentaneamente
    fino un' tutto notte prossimo prossima prossimi prossime entro
    """
)
CONJUNCTIONS: Final = _words("e ed o oppure & né nonché")
BREAKERS: Final = _words(
    """
    ma però perché poiché siccome quindi mentre anche_se dunque così invece poi tuttavia perciò quando
    dove finché infatti dato visto eppure adesso ora cioè ossia ovvero insomma anzi comunque dopodiché
    sennò altrimenti stavolta cosicché eppoi
    """
)
CONDITIONALS: Final = _words("se qualora purché")
RELATIVES: Final = _words("che cui")
QUESTIONS: Final = _words(
    """
    che cosa cos' chi dove dov' come com' quando perché quale quali quanto quanti quanta hai sai conosci
    puoi potresti mi_consigli ti tu vuoi pensi credi sei ci secondo posso possiamo dovrei conoscete
    avete ricordi vedi
    """
)
APPEALS: Final = _words(
    """
    dici pensi trovi consigli consiglieresti aiuti suggerisci suggerimenti suggeriresti proponi spieghi
    esiste esistono idee consiglio proposte dritte meglio secondo si può posso mi_sapresti sapresti
    riesci riusciresti faresti compreresti sapete
    """
)
ELIDED: Final = _words(
    """
    nato nata nati nate cresciuto cresciuta cresciuti originario originaria laureato laureata diplomato
    diplomata sposato sposata fidanzato fidanzata allergico allergica allergici intollerante iscritto
    iscritta residente appassionato appassionata amante tornato tornata reduce
    """
)
UNREAL: Final = _words(
    """
    spero speriamo sperando immagina immaginiamo supponiamo supponi ipoteticamente fingi fingiamo magari
    vorrei vorremmo piacerebbe forse traduci scherzo scherzavo potrei dovrei sarei vivrei avrei farei
    andrei sogno sogna sognavo sognato parrebbe sembrerebbe sarebbe ipotizziamo avrebbe vorrebbe poniamo
    ammettiamo potrebbe
    """
)
UNREAL_PAIRS: Final = _phrases(
    """
    facciamo finta, fai finta, fa' finta, per esempio, ad esempio, come se, mettiamo che, metti che, nel
    romanzo, nel film, nel libro, nel gioco, nella storia, mio personaggio, mio romanzo, mio sogno, un
    sogno, anche se_, non credo, non penso, non so, non è, può darsi, mi piacerebbe, mi chiedo, chissà
    se, dice la, scrivi un, scrivi una, interpreta un, non sono_sicuro, non dico, non direi, spero di,
    spero che, vorrei che, dubito che, nella serie, nel telefilm, nella fiction, nel cartone, nel
    fumetto, un romanzo, nella saga, nell' anime, nel manga, una letterina, una storia, un racconto
    """
)
JESTING: Final = frozenset({"sto scherzando", "stavo scherzando", "scherzavo ,", "per scherzo"})
SAYING: Final = _words(
    "detto dice dicono scritto scrive chiesto risposto ha_detto disse racconta raccontato urlato esclamato"
)
NEGATIONS: Final = _words("non mai quasi né neanche nemmeno neppure")
WHOLLY: Final = _words("per niente nulla da morire impazzire matti un sacco tanto poco po' tutto di")
IN_YOUTH: Final = frozenset(
    ("da", who) for who in "ragazzo ragazza giovane bambino bambina piccolo piccola ragazzi".split()
)
UNWHOLE: Final = _words(
    """
    solo soltanto sempre solamente soprattutto proprio spesso quasi vorrei potrei dovrei devo voglio posso
    vuole può deve
    """
)
TIME_WORDS: Final = _words(
    """
    ieri oggi stamattina stanotte fa scorso scorsa scorsi anno mese settimana giorni giorno settimane nel
    nella nell' a ad in il la l' lo due tre qualche un una altro di da dal dall'
    """
)
OVER: Final = _words("più")
NAME_PARTICLES: Final = _words(
    "di de del della dei degli da dal la le lo von van d' l' dell' nell' sul sull' sulla de' ne' in"
)
PERSON_PARTICLES: Final = _words("de la le lo von van d' de'")
NOT_NAMES: Final = _words(
    """
    lunedì martedì mercoledì giovedì venerdì sabato domenica gennaio febbraio marzo aprile maggio giugno
    luglio agosto settembre ottobre novembre dicembre natale pasqua dio capodanno ferragosto
    """
)
STOPS: Final = _words(
    """
    chiamato chiamata scorso scorsa prossimo prossima perché quando mentre se che cui chi dove ma però
    quindi così finché prima dopo anche poi come ogni oggi ieri domani stasera adesso ora ultimamente
    più troppo invece insieme sempre spesso solo soltanto soprattutto e ed o oppure né non io lui lei
    noi voi loro è sono ho ha mi ti si ci vi tanto molto tantissimo moltissimo davvero purtroppo
    specialmente eccetto tranne fa già ancora fino nonostante per dal dalla dallo dall' da durante fin
    ormai senza con attualmente bene benissimo abbastanza perfettamente comunque cioè ossia anzi online
    credo penso dai raga eh ahah ahaha lol xd boh finalmente pure manco mai nel_frattempo intanto
    parecchio un_casino grazie ok prego praticamente
    """
)
TAILS: Final = _phrases(
    """
    un sacco, un po', di più, di sera, di notte, di mattina, la sera, la mattina, la domenica, il
    sabato, la notte, al mattino, a volte, in generale, più di, di solito, al momento, nel tempo, da
    sempre, da morire, da matti, quest' anno, il lunedì, il martedì, il mercoledì, il giovedì, il
    venerdì, lo scorso, la scorsa, l' anno, la settimana, il mese, in estate, d' estate, d' inverno, in
    inverno, a colazione, a cena, a pranzo, nel weekend, questa estate, quest' estate, il prossimo, la
    prossima, a settembre, a giugno, a luglio, a maggio, a marzo, a dicembre, in primavera, in autunno,
    i miei, le mie, la mia, il mio, tutte le, tutti i, tutti gli, tutto il, tutta la, tutta l', anni fa,
    mesi fa, giorni fa, settimane fa, anno fa, mese fa, secolo fa, un secolo, un casino, un botto, un
    mondo, da impazzire, per niente, ogni tanto, ogni giorno, ogni sera, ogni mattina, nel frattempo, al
    giorno, al mese, in effetti, a gennaio, a febbraio, ad aprile, ad agosto, ad ottobre, a ottobre, a
    novembre, a natale, a pasqua, in pratica, da quando, da dieci, da due, da tre, da cinque, da
    vent'anni, da anni, da mesi, da poco, da ieri, da oggi, da una, da un, per lavoro, per ora, per me,
    per sempre, per anni, secondo me, il pomeriggio, a casa, al lavoro, in casa, in ufficio, da bambino,
    da bambina, da piccolo, da piccola, da ragazzo, da ragazza, da giovane, di pomeriggio, di lunedì, di
    martedì, di mercoledì, di giovedì, di venerdì, di sabato, di domenica, di recente, di rado, fin da,
    sin da, per via, a memoria, a orecchio, da solo, da sola, da autodidatta
    """
)
TIME_NOUNS: Final = _words(
    """
    mattina sera pomeriggio notte weekend estate inverno primavera autunno lunedì martedì mercoledì
    giovedì venerdì sabato domenica gennaio febbraio marzo aprile maggio giugno luglio agosto settembre
    ottobre novembre dicembre 2019 2020 2021 2022 2023 2024 2025 2026 generale vacanza mio mia miei mie
    nostro nostra particolare anni mesi
    """
)
DEICTIC: Final = _words(
    """
    questo questa questi queste quello quella quelli quelle ciò tuo tua tuoi tue suo sua suoi sue mio
    mia miei mie nostro nostra nostri nostre vostro vostra tu io lui lei noi voi loro me te nessun
    nessuna
    """
)
VAGUE: Final = _words(
    "più meno altro cose ovunque dappertutto duro all'estero così meglio troppo nessun nessuna"
)
GENERIC: Final = _words("")
WHENEVER: Final = _words("quando finché")
SIGNS: Final = _words(
    """
    il lo gli un una uno che di del della è sono ho ha non mi ti si ci per con da dal nel nella a al
    alla io mio mia miei mie e anche più molto come perché questo questa l' un' sei hai siamo piace
    piacciono chiamo chiama dove cosa adoro odio amo vivo abito lavoro ciao ieri oggi
    """
)
TIME_OPENINGS: Final = _words(
    """
    da dal dallo dalla dall' fino sino nel nello nella nell' a ad al all' in tra fra ormai sono è prima
    verso durante il l'
    """
)
RUNNING_ON: Final = _words("ho abito vivo faccio lavoro frequento suono gioco")
