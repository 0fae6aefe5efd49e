"""Italian phrases that state facts.

The verb says whose they are, for a subject is often left out: 1 marks the user's own forms, 3 those of
everybody else. The notation is that of `phrases.parse_rules`.
"""

from typing import Final

from ricordo.domain.facts.extraction.phrases import Node, compile_phrases, parse_rules

_MACROS: Final = {
    "o": ("o", "a", "i", "e"),
    "a": tuple("a ad al allo alla all' ai agli alle".split()),
    "in": tuple("in nel nello nella nell' nei negli nelle".split()),
    "di": tuple("di d' del dello della dell' dei degli delle".split()),
    "da": tuple("da dal dallo dalla dall' dai dagli dalle".split()),
    "con": ("con", "col"),
    "at": tuple("a al allo alla all' ai alle in nel nello nella nell' per presso da dal dalla".split()),
    "where": tuple("a ad in al alle nel nella nell' nei nelle negli ai all' alla".split()),
    "am": ("sono", "siamo"),
    "ho": ("ho", "abbiamo"),
    "un": tuple("un uno una un'".split()),
}

_PHRASES: Final = """
= name name
1 mi chiamo
1 chiamatemi|chiamami
3 si chiama
3 si chiamano
3 è chiamat{o}
= name role
1 {am}
3 è
= age age
1 {ho} compiuto|fatto
3 ha compiuto|fatto
= birthday date
1 {am} nat{o} il|l'
1 compio gli_anni il|l'
3 è nat{o} il|l'
3 compie gli_anni il|l'
= born_in place
1 {am} nat{o} [e] [cresciut{o}] {where}
1 {am} originari{o} {di}
1 {am} di|d'
1 vengo|veniamo|provengo da|dal|dalla|dall'
1 {am} cresciut{o} {where}
3 è nat{o} [e] [cresciut{o}] {where}
3 è originari{o} {di}
3 è di|d'
3 viene|proviene da|dal|dalla|dall'
3 è cresciut{o} {where}
= lives_in place
1 vivo|abito|risiedo|viviamo|abitiamo {where}
1 sto vivendo|abitando {where}
1 mi sono trasferit{o}|stabilit{o} {where}
1 ci siamo trasferit{o}|stabilit{o} {where}
1 {am} andat{o} a_vivere|ad_abitare|a_stare {where}
1 {am} residente|residenti|domiciliat{o} {where}
1 sto di_casa {where}
1 ho cambiato casa_e_vivo {where}
1 ho preso_casa {where}
1 ho traslocato {where}
3 vive|abita|risiede {where}
3 sta vivendo {where}
3 si è trasferit{o}|stabilit{o} {where}
3 è andat{o} a_vivere|ad_abitare {where}
3 è residente {where}
= lives_in place past
1 vivevo|abitavo|vivevamo|abitavamo {where}
1 {ho} vissuto|abitato {where}
1 mi sono trasferit{o} da|dal|dalla|dall'
1 ci siamo trasferit{o} da|dal|dalla|dall'
3 viveva|abitava {where}
3 ha vissuto|abitato {where}
3 si è trasferit{o} da|dal|dalla|dall'
= works_at organisation
1 lavoro|lavoriamo {at}
1 sto lavorando {at}
1 {am} stat{o} assunt{o} {at}
1 {am} assunt{o} {at}
1 mi hanno assunt{o} {at}
1 {ho} iniziato|cominciato a_lavorare {at}
1 {am} dipendente {di}
1 {ho} trovato|iniziato [un] lavoro {at}
1 insegno {at}
1 {am} impiegat{o} {at}
1 lavoro part-time {at}
1 faccio il_tirocinio|uno_stage|lo_stage {at}
3 lavora {at}
3 sta lavorando {at}
3 è stat{o} assunt{o} {at}
3 ha iniziato|cominciato a_lavorare {at}
3 insegna {at}
3 è dipendente {di}
3 ha trovato [un] lavoro {at}
= works_at organisation past
1 lavoravo {at}
1 {ho} lavorato {at}
1 mi sono licenziat{o} {da}
1 ho lasciato il_lavoro {at}
3 lavorava {at}
3 ha lavorato {at}
3 si è licenziat{o} {da}
= works_as occupation
1 lavoro|sto_lavorando come|da
1 {ho} iniziato|cominciato a_lavorare come
1 faccio il|lo|la|l'|i
1 di mestiere|lavoro|professione faccio il|lo|la|l'
1 di mestiere|professione {am}
1 {am} stat{o} assunt{o} come
1 ho trovato lavoro come
3 lavora come|da
3 ha iniziato|cominciato a_lavorare come
3 fa il|lo|la|l'
3 di mestiere|lavoro|professione fa il|lo|la|l'
3 è stat{o} assunt{o} come
= works_as role
1 {am} diventat{o}
3 è diventat{o}
= works_as role past
1 ero
3 era
= works_as occupation past
1 lavoravo come
1 facevo il|lo|la|l'
3 lavorava come
3 faceva il|lo|la|l'
= studies field
1 studio|studiamo
1 sto|stiamo studiando|imparando
1 {ho} iniziato|cominciato a_studiare|a_imparare|ad_imparare
1 imparo
1 studio per_diventare
3 studia
3 sta studiando|imparando
3 ha iniziato|cominciato a_studiare|a_imparare
= studies field past
1 {ho} studiato
1 mi sono laureat{o}|diplomat{o} in
1 {am} laureat{o} in
1 ho una_laurea in
1 studiavo
3 ha studiato
3 si è laureat{o}|diplomat{o} in
3 è laureat{o} in
= studies_at organisation
1 studio|sto_studiando {where}
1 frequento|frequentiamo
1 vado al_liceo|all'_università {where}
1 {am} iscritt{o} all'|al|alla
1 mi sono iscritt{o} all'_università|al_liceo|alla_facoltà {di}
1 {am} studente|studentessa {where}
1 {am} {un} studente|studentessa {where}
1 faccio l'_università|il_liceo {where}
3 studia|sta_studiando {where}
3 frequenta
3 è iscritt{o} all'|al|alla
3 va all'_università|al_liceo {where}
= studies_at organisation past
1 {ho} studiato {where}
1 ho frequentato
3 ha studiato {where}
= speaks language
1 parlo|parliamo [correntemente] [fluentemente]
1 so parlare
1 me la_cavo con
1 {am} madrelingua
1 {am} bilingue
3 parla [correntemente] [fluentemente]
3 sa parlare
3 è madrelingua
= likes thing denied:dislikes
1 mi|ci piace|piacciono
1 a me|noi piace|piacciono
1 a me|noi mi piace|piacciono
1 adoro|adoriamo|amo|amiamo
1 vado matt{o}|pazz{o} per
1 {am} appassionat{o} {di}
1 {am} un|una [grande] appassionat{o} {di}
1 {am} un|una [grande] fan|amante|tifos{o}|patit{o} {di}
1 {am} fan|amante|tifos{o}|golos{o}|innamorat{o}|ghiott{o}|fissat{o} {di}
1 {ho} {un}|la passione|debolezza per
1 impazzisco per
1 mi sono appassionat{o}|innamorat{o} {di}|{a}
1 mi fa|fanno impazzire
1 mi appassiona|entusiasma|diverte
1 mi diverto a
3 gli|le piace|piacciono
3 piace|piacciono
3 adora|ama
3 va matt{o}|pazz{o} per
3 è appassionat{o} {di}
3 è un|una [grande] appassionat{o}|fan|amante {di}
3 è fan|amante|tifos{o}|golos{o} {di}
3 ha la|una passione per
3 impazzisce per
= likes preferred
1 preferisco|preferiamo
3 preferisce
= dislikes thing
1 odio|detesto|odiamo|detestiamo|disprezzo
1 non sopporto|sopportiamo|reggo
1 non riesco_a sopportare|mangiare
1 mi fa|fanno schifo|ribrezzo|orrore
1 mi dà|danno fastidio
3 odia|detesta
3 non sopporta
3 gli|le fa|fanno schifo
= allergic_to substance
1 {am} allergic{o}|intollerant{o}|allergici|allergiche|intollerante|intolleranti {a}
1 {ho} un'_allergia|un'_intolleranza|l'_allergia|l'_intolleranza|una_forte_allergia|
      una_grave_allergia {a}
1 soffro di_allergia {a}
3 è allergic{o}|intollerante {a}
3 ha un'_allergia|un'_intolleranza {a}
= has_condition substance
1 soffro {di}
1 mi hanno_diagnosticato|è_stat{o}_diagnosticat{o}
1 mi è stat{o} diagnosticat{o}
1 {am} affett{o} {da}
1 sono in_cura per
1 ho sempre_sofferto|sofferto {di}
3 soffre {di}
3 gli|le hanno_diagnosticato
3 gli|le è stat{o} diagnosticat{o}
3 è affett{o} {da}
= owns possession
1 {ho}|possiedo|possediamo
3 ha|possiede
= owns thing
1 {am} proprietari{o} {di}
3 è proprietari{o} {di}
= owns acquisition
1 {ho} comprato|acquistato|adottato|preso|ereditato|salvato
1 mi sono comprat{o}|pres{o}
1 ci siamo comprat{o}|pres{o}
1 mi hanno regalato
1 {ho} portato_a_casa
3 ha comprato|acquistato|adottato|preso|ereditato|salvato
= partner name
1 {am} sposat{o}|fidanzat{o} con
1 mi sono sposat{o}|fidanzat{o}|mess{o} con
1 sto insieme a|con
1 sto con
1 sono in_una_relazione con
1 esco con
1 convivo con
1 ho sposato
1 sto_insieme a
3 è sposat{o}|fidanzat{o} con
3 si è sposat{o}|fidanzat{o} con
3 sta insieme a
3 ha sposato
= friend name
1 {am} amic{o}|amici|amiche di|con
1 sono molto_amic{o} di
3 è amic{o} di
= friend kin
3 è un|una [mio] [mia] [caro] [cara] amico_mio|amica_mia
3 è una_delle_mie migliori_amiche
3 è uno_dei_miei migliori_amici
= knows name
1 conosco|conosciamo
1 {ho} conosciuto|incontrato
1 lavoro con
3 conosce
3 ha conosciuto
= plays instrument
1 suono|suoniamo
1 gioco|giochiamo {a}
1 pratico|pratichiamo
1 sto imparando a_suonare|a_giocare_a
1 {ho} iniziato|cominciato a_suonare|a_giocare_a
1 {ho} ripreso a_suonare
1 so suonare
1 faccio pratica_di
3 suona
3 gioca {a}
3 pratica
3 sta imparando a_suonare
3 ha iniziato|cominciato a_suonare|a_giocare_a
= plays instrument past
1 suonavo
1 giocavo {a}
3 suonava
3 giocava {a}
= member_of organisation
1 {am} membro|membri|soci{o}|iscritt{o}|volontari{o} {di}
1 {am} membro|volontari{o}|iscritt{o} {in}|{a}
1 faccio|facciamo parte {di}
1 appartengo {a}
1 mi sono iscritt{o}|unit{o} {in}|{a}
1 canto|suono|gioco {in}
1 faccio volontariato {at}|con
1 {am} entrat{o} {in}|a_far_parte_di|a_far_parte_del
3 è membro|soci{o}|volontari{o} {di}
3 fa parte {di}
3 canta|suona|gioca {in}
3 si è iscritt{o}|unit{o} {a}|{in}
3 fa volontariato {at}
= member_of organisation past
1 facevo parte {di}
1 cantavo {in}
3 faceva parte {di}
= visited place
1 {ho} visitato|girato|esplorato
1 {am} stat{o} [in_vacanza] [in_viaggio] {where}
1 {am} andat{o} [in_vacanza] [in_gita] [in_viaggio] {where}
1 {am} tornat{o}|rientrat{o} {da}|da_un_viaggio_a|da_un_viaggio_in
1 {ho} fatto un_viaggio|una_vacanza {where}
3 ha visitato
3 è stat{o} [in_vacanza] {where}
3 è andat{o} [in_vacanza] {where}
3 è tornat{o} {da}
= plans activity
1 {ho} intenzione di
1 conto|contiamo di
1 progetto|progettiamo|pianifico di
1 sto|stiamo progettando|pianificando|programmando di|un_viaggio|una_vacanza
1 {ho} in_programma di
1 {ho} deciso di
1 sto|stiamo per
1 sto pensando_seriamente_di
3 ha intenzione di
3 ha deciso di
3 ha in_programma di
3 sta progettando|pianificando di
= plans thing
1 sto|stiamo organizzando|pianificando|progettando|programmando
1 {ho} in_programma
3 sta organizzando|pianificando
"""

_ATTRIBUTES: Final = """
= name name
il mio [vero] nome è
mi chiamano [tutti]
tutti|gli_amici mi chiamano
nome di_battesimo
3 il suo nome è
3 l'ho|l'abbiamo chiamato|chiamata
3 l' ho|abbiamo chiamato|chiamata
= birthday date
il mio compleanno è|cade [il] [l']
la mia data_di_nascita è
= born_in place
la mia città natale|d'_origine è
il mio paese natale|d'_origine è
il mio luogo_di_nascita è
= lives_in place
la mia [nuova] casa|città è [a|in]
casa mia è a|in
= works_as occupation
il mio lavoro|mestiere è [quello_di|fare] [il|l'|la|lo]
la mia professione è
= works_at organisation
il mio datore_di_lavoro|nuovo_lavoro è [a|alla|presso|in]
la mia azienda è
= speaks language
la mia lingua_madre|madrelingua|prima_lingua|seconda_lingua è
= studies_at organisation
la mia università|scuola è
il mio liceo è
= likes thing
la mia [più] [grande] passione è|sono
il mio hobby è
i miei hobby|interessi sono
le mie passioni sono
= plays instrument
il mio strumento|sport è
= plans activity
il mio|nostro piano|progetto è di|quello_di
"""

_AFTER: Final = {
    "works_as": """
= works_at organisation
{at}
""",
    "works_at": """
= works_as occupation
come
""",
    "studies": """
= studies_at organisation
{at}
""",
    "birthday": """
= born_in place
{where}
""",
    "born_in": """
= birthday date
il|l'
""",
    "lives_in": """
= lives_in place
a|ad|in
""",
}

PHRASES: Final[Node] = compile_phrases(parse_rules(_PHRASES), _MACROS)
ATTRIBUTES: Final[Node] = compile_phrases(parse_rules(_ATTRIBUTES), _MACROS)
AFTER: Final = {predicate: compile_phrases(parse_rules(text), _MACROS) for predicate, text in _AFTER.items()}
