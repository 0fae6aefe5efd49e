"""Italian phrases that say what somebody likes, has, suffers from, does and plans, and with whom.

The notation is that of `phrases.parse_rules`; see `rules` for what its macros stand for.
"""

from typing import Final

PURSUITS: Final = """
= likes thing denied:dislikes
1 mi|ci piace|piacciono [da_morire|da_matti|da_impazzire|un_sacco|un_casino|un_botto|un_mondo] [assai|
   troppo|troppissimo]
1 mi|ci è|sono sempre piaciut{o}
1 mi|ci garba|garbano|gusta|gustano|aggrada
1 a me|noi piace|piacciono
1 a me|noi mi piace|piacciono
1 adoro|adoriamo|amo|amiamo
1 vado matt{o}|pazz{o} per
1 {am} appassionat{o} {di}
1 {am} un|una [grande] appassionat{o} {di}
1 {am} un|una [grande] fan|amante|tifos{o}|patit{o} {di}
1 {am} fan|amante|tifos{o}|golos{o}|innamorat{o}|ghiott{o}|fissat{o} {di}
1 {ho} {un}|la passione|debolezza per
1 impazzisco|stravedo per
1 {am} un|una [grande] [vero] [vera] [accanit{o}] [grandissim{o}] appassionat{o}|fan|amante|tifos{o}|
   patit{o}|divoratore|divoratrice|fanatic{o}|maniac{o}|malat{o} {di}
1 {am} fissat{o}|in_fissa|fuori_di_testa con|per
1 mi sono fissat{o}|innamorat{o} con|{di}
1 vado [proprio] ghiott{o}|goloso|golosa|fier{o} {di}|per
1 {ho} un_debole|una_fissa|un'_ossessione|una_vera_passione|una_cotta per
1 mi rilassa|rilassano|affascina|affascinano|appassionano|entusiasmano|divertono|attira
1 mi sono appassionat{o}|innamorat{o} {di}|{a}
1 mi fa|fanno impazzire
1 mi appassiona|entusiasma|diverte
1 mi diverto a
3 gli|le piace|piacciono [da_morire|da_matti|da_impazzire|un_sacco|un_casino|un_botto|un_mondo]
3 è fissat{o} con
3 è innamorat{o}|pazz{o}|matt{o} {di}|per
3 piace|piacciono
3 adora|ama|adorano|amano
3 va matt{o}|pazz{o} per
3 è appassionat{o} {di}
3 è un|una [grande] appassionat{o}|fan|amante {di}
3 è fan|amante|tifos{o}|golos{o} {di}
3 ha la|una passione per
3 impazzisce per
= likes thing past
1 adoravo|amavo
1 mi|ci piaceva|piacevano
3 adorava|amava
= dislikes thing past
1 odiavo|detestavo
1 non sopportavo|mi_piaceva|mi_piacevano
3 odiava|detestava
= likes topic
1 lo|la|li|le adoro|amo
= dislikes topic
1 lo|la|li|le odio|detesto
1 non lo|la|li|le sopporto|reggo|digerisco|tollero
= likes preferred
1 preferisco|preferiamo
3 preferisce
= dislikes thing
1 non mi|ci è_mai|sono_mai piaciut{o}
1 non tollero|digerisco|concepisco
1 non posso_vedere|posso_soffrire|posso_sopportare|posso_sentire
1 mi sta|stanno antipatic{o}|sulle_scatole|sui_nervi
1 mi dà|danno sui_nervi|la_nausea|il_voltastomaco
1 mi disgusta|disgustano|ripugna|annoia|annoiano|irrita|irritano|infastidisce|infastidiscono
1 mi fa|fanno venire_la_nausea|venire_i_nervi|cagare
1 {am} nauseat{o}|disgustat{o} {da}
3 non può_vedere|può_soffrire|tollera
1 odio|detesto|odiamo|detestiamo|disprezzo
1 non sopporto|sopportiamo|reggo
1 non riesco_a sopportare|mangiare
1 mi fa|fanno schifo|ribrezzo|orrore
1 mi dà|danno fastidio
3 odia|detesta|odiano|detestano
3 non sopporta
3 gli|le fa|fanno schifo
= allergic_to spoken_of
1 non posso|possiamo mangiare|bere|toccare
3 non può mangiare|bere|toccare
= allergic_to topic
1 {am} [molto|super|gravemente] allergic{o}
3 è [molto|super|gravemente] allergic{o}
1 ne sono allergic{o}
1 ci sono allergic{o}
= allergic_to substance
1 {am} allergic{o}|intollerant{o}|allergici|allergiche|intollerante|intolleranti {a}
1 {ho} un'_allergia|un'_intolleranza|l'_allergia|l'_intolleranza|una_forte_allergia|
      una_grave_allergia {a}
1 soffro di_allergia|di_allergie {a}
1 {am} [anche|pure|molto|super] [stat{o}] [sempre] [gravemente] allergic{o}|allergici|allergiche|
   intollerante|intolleranti {a}
1 {am} ipersensibile {a}
1 {ho} [sempre] [avuto] una|un' [forte] [grave] [brutta] allergia|intolleranza {a}
1 ho scoperto_di_essere|saputo_di_essere allergic{o}|intollerante {a}
3 ha [sempre] [avuto] una|un' [forte] [grave] [brutta] allergia|intolleranza {a}
3 sono allergici|allergiche|intolleranti {a}
3 è allergic{o}|intollerante {a}
3 ha un'_allergia|un'_intolleranza {a}
= has_condition substance
1 soffro {di}
1 mi hanno_diagnosticato|è_stat{o}_diagnosticat{o}
1 mi è stat{o} diagnosticat{o}
1 {am} affett{o} {da}
1 sono in_cura per
1 mi hanno trovato|riscontrato|diagnosticato [da_poco] [una] [un] [l'] [il] [la] [lo]
1 convivo con
1 combatto|lotto con
1 soffro|soffriamo [da_anni|da_sempre|molto|spesso|un_po'] {di}
3 soffrono {di}
3 convive con
1 ho sempre_sofferto|sofferto {di}
3 soffre {di}
3 gli|le hanno_diagnosticato
3 gli|le è stat{o} diagnosticat{o}
3 è affett{o} {da}
3 è malat{o} {di}
1 {am} malat{o} {di}
= owns possession
1 {ho}|possiedo|possediamo
3 ha|possiede|hanno|possiedono
1 tengo|teniamo
3 tiene|tengono
= owns possession past
1 avevo|avevamo
1 {ho} avuto
3 aveva|avevano
3 ha|hanno avuto
= owns ending
1 {ho} vendut{o}|regalat{o}|pers{o}|buttat{o}|rottamat{o}|cedut{o}
1 {ho} dat{o} via|in_permuta
3 ha vendut{o}|regalat{o}|pers{o}|rottamat{o}
= lives_in ending
1 me ne sono|siamo andat{o} {da}
1 ce ne siamo andat{o} {da}
1 {am} andat{o} via {da}
3 se ne è|sono andat{o} {da}
= plays ending
1 {ho} abbandonato|piantato
1 {ho} chiuso con
= has_child name
1 {am} [il|la] papà|mamma|padre|madre {di}
3 è [il|la] papà|mamma|padre|madre {di}
= partner name
1 {am} tornat{o} [insieme] con
= partner parting
1 mi sono lasciat{o}|separat{o} con|da|dal|dalla
1 ci siamo lasciat{o} con
1 {ho} rotto|chiuso|litigato_e_rotto con
1 {ho} divorziato {da}
1 {am} divorziat{o} {da}
= partner loss
3 mi ha lasciat{o}|mollat{o}|piantat{o}
3 mi ha scaricat{o}
= has_pet loss
3 è [purtroppo] mort{o}|mancat{o}|deceduto|deceduta
3 se_n' è andat{o}
3 non c' è più
3 ci ha lasciat{o}|lasciati
= likes organisation
1 tifo [per] [la|il|l'|il]
3 tifa [per] [la|il|l']
= owns property
1 {am} proprietari{o} {di}
3 è proprietari{o} {di}
= has_pet possession
1 allevo|alleviamo
3 alleva|allevano
= owns acquisition
1 {ho} comprato|acquistato|adottato|preso|ereditato|salvato
1 mi sono comprat{o}|pres{o}
1 ci siamo comprat{o}|pres{o}
1 mi hanno regalato
1 {ho} portato_a_casa
3 ha comprato|acquistato|adottato|preso|ereditato|salvato
3 si è comprat{o}|pres{o}
= partner name
1 {am} sposat{o}|fidanzat{o} con
1 mi sono sposat{o}|fidanzat{o}|mess{o} con
1 sto insieme a|con
1 frequento|sto_frequentando|mi_vedo_con|mi_sto_vedendo_con|sto_uscendo_con|sto_vedendo {un} |
   [bel|bella|certo|certa|altro|altra] ragazzo|ragazza|tipo|tipa|tizio|tizia|uomo|donna
1 sto con
1 sono in_una_relazione con
1 convivo con
1 ho sposato
1 sto_insieme a
1 sto [insieme] [felicemente] [da_anni] con
1 {am} [felicemente] sposat{o}|fidanzat{o}|accasat{o} con
1 {am} insieme a
1 {am} in_coppia con
1 mi sono sposat{o}|fidanzat{o}|mess{o}|accasat{o} [insieme] a_con|con
3 è sposat{o}|fidanzat{o} con
3 si è sposat{o}|fidanzat{o} con
3 sta insieme a
3 frequenta|sta_frequentando|si_vede_con|si_sta_vedendo_con|sta_uscendo_con|sta_vedendo|sta_con {un} |
   [bel|bella|certo|certa|altro|altra] ragazzo|ragazza|tipo|tipa|tizio|tizia|uomo|donna
3 ha sposato
= friend name
1 {am} amic{o}|amici|amiche di|con
1 sono molto_amic{o} di
3 è amic{o} di
1 {am} [molto] [grande] [grandi] [buoni] amic{o}|amici|amiche di|con|del|della
= friend kin
3 è un|una [mio] [mia] [caro] [cara] amico_mio|amica_mia
3 è una_delle_mie migliori_amiche
3 è uno_dei_miei migliori_amici
= knows name
1 conosco|conosciamo
1 {ho} conosciuto|incontrato
1 {ho} per_vicino|per_vicina|per_collega|come_collega
1 lavoro con
3 conosce|conoscono
3 ha conosciuto
= plays sport
1 faccio|facciamo
3 fa|fanno
= plays instrument
1 suono|suoniamo
1 gioco|giochiamo {a}
1 pratico|pratichiamo
1 {ho} giocato_sempre|sempre_giocato {a}
1 {ho} sempre_suonato
1 mi diletto|cimento con|al|alla
1 strimpello|strimpelliamo
1 sto imparando a_suonare|a_giocare_a
1 {ho} iniziato|cominciato a_suonare|a_giocare_a
1 {ho} ripreso a_suonare
1 so suonare
1 faccio pratica_di
3 suona|suonano
3 gioca|giocano {a}
3 pratica
3 sta imparando a_suonare
3 ha iniziato|cominciato a_suonare|a_giocare_a
= plays instrument past
1 suonavo|suonavamo
1 giocavo|giocavamo {a}
1 {ho} smesso di_suonare|di_giocare_a|di_giocare_al
1 {ho} suonato
3 ha smesso di_suonare|di_giocare_a|di_giocare_al
3 ha suonato
3 suonava
3 giocava {a}
= member_of organisation
1 {am} [un|una] [ancora] [da_anni] membro|membri|soci{o}|iscritt{o}|volontari{o}|tesserat{o}|abbonat{o}|
   attivista|militante|donatore|donatrice|presidente|segretari{o}|tesorier{o}|vicepresidente|
   consiglier{o} {di}
1 {am} membro|volontari{o} {in}|{a}
1 {am} volontari{o}|tesserat{o}|arruolat{o} {con}|per
1 milito|militiamo|suoniamo|cantiamo|giochiamo|recito|recitiamo|ballo|corro|nuoto|remo|alleno|
   mi_alleno {in}|per|con
1 mi sono tesserat{o}|arruolat{o}|unit{o}|aggregat{o} {in}|{a}|con
1 {ho} preso_la_tessera|la_tessera {di}
1 {ho} aderito {a}
1 faccio|facciamo parte {di}
1 appartengo {a}
1 mi sono unit{o} {in}|{a}
1 canto|suono|gioco {in}
1 canto con
1 {am} nel direttivo|consiglio|comitato {di}
1 faccio volontariato {at}|con
1 {am} entrat{o} {in}|a_far_parte_di|a_far_parte_del
3 è [un|una] membro|soci{o}|volontari{o}|tesserat{o}|attivista|militante|presidente|segretari{o} {di}
3 sono membri|soci {di}
3 milita|suonano|cantano|giocano|recita|balla|corre|nuota|rema {in}
3 fanno parte {di}
3 fa parte {di}
3 canta|suona|gioca {in}
3 si è unit{o} {a}|{in}
3 fa volontariato {at}
= member_of group past
1 {ho} lasciato|mollato
3 ha lasciato
= member_of organisation past
1 facevo|facevamo parte {di}
1 {ho} fatto parte {di}
1 cantavo|suonavo|giocavo|militavo|recitavo {in}
1 ero|eravamo membro|membri|soci{o}|iscritt{o}|volontari{o}|tesserat{o} {di}
1 {ho} cantato|suonato|giocato|militato {in}
3 cantava|suonava|giocava {in}
3 era membro|soci{o}|iscritt{o} {di}
3 ha fatto parte {di}
3 faceva parte {di}
= visited place
1 {ho} visitato|girato|esplorato|attraversato
1 {ho} appena|già|anche visitato
1 {ho} passato|trascorso un|una|il|la|le|le_vacanze|due|tre|quattro|l'|gli|i|qualche [settimana|settimane|
   mese|mesi|weekend|vacanze|giorno|giorni|estate|capodanno|natale|ferie|fine_settimana|ponte|anno|
   viaggio_di_nozze] {where}
1 {am} già stat{o} {where}
1 {am} [appena] rientrat{o}|tornat{o}|reduc{o} {da}|da_un_viaggio_a|da_un_viaggio_in
1 {am} andat{o} in_ferie|in_viaggio_di_nozze|in_luna_di_miele|in_vacanza|a_visitare|a_vedere {where}
1 {am} andat{o} a_visitare|a_vedere
1 {ho} fatto il_viaggio_di_nozze|la_luna_di_miele|le_vacanze|le_ferie|un_giro|tappa|l'_interrail {where}
1 {am} stat{o} [in_vacanza] [in_viaggio] {where}
1 {am} stat{o} una|due|tre|qualche|dieci|quindici settimana|settimane|giorno|giorni|mese|mesi|weekend {where}
1 {am} andat{o} [in_vacanza] [in_gita] [in_viaggio] {where}
1 {am} tornat{o}|rientrat{o} {da}|da_un_viaggio_a|da_un_viaggio_in
1 {ho} fatto un_viaggio|una_vacanza {where}
3 ha visitato
3 è stat{o} [in_vacanza] {where}
3 è|sono andat{o} [in_vacanza|in_viaggio|in_gita] {where}
3 sono stat{o} [in_vacanza] {where}
3 hanno visitato
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
1 {ho} stabilito|scelto|promesso|giurato di
1 {ho} in_mente|in_animo|in_cantiere|in_progetto di
1 {am} decis{o}|intenzionat{o}|determinat{o} a
3 hanno deciso|intenzione di
3 è decis{o}|intenzionat{o} a
= plans future
1 apro|apriamo|compro|compriamo|inizio|iniziamo|comincio|cominciamo|smetto|lascio|lasciamo|adotto|
   adottiamo|ristrutturo|
  ristrutturiamo|vendo|vendiamo|costruiamo|costruisco|cambio|parto|partiamo|corro|prendo|prendiamo
1 mi trasferisco|sposo|laureo|licenzio|iscrivo|opero
1 ci trasferiamo|sposiamo|iscriviamo
1 vado|andiamo a_vivere|a_convivere|in_pensione
= plans undertaking
1 sto|stiamo organizzando|pianificando|progettando|programmando
1 {ho} in_programma
3 sta organizzando|pianificando
"""
