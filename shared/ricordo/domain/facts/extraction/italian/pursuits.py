"""Italian phrases that say what somebody likes, has, suffers from, does and plans, and with whom.

The notation is that of `phrases.parse_rules`; see `rules` for what its macros stand for.
"""

from typing import Final

PURSUITS: Final = """
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
3 adora|ama|adorano|amano
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
3 odia|detesta|odiano|detestano
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
3 ha|possiede|hanno|possiedono
= owns property
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
3 conosce|conoscono
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
3 suona|suonano
3 gioca|giocano {a}
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
= plans undertaking
1 sto|stiamo organizzando|pianificando|progettando|programmando
1 {ho} in_programma
3 sta organizzando|pianificando
"""
