"""Italian phrases that say who and where somebody is, what they do and what they speak.

The notation is that of `phrases.parse_rules`; see `rules` for what its macros stand for.
"""

from typing import Final

CIRCUMSTANCES: Final = """
= name name
1 mi chiamo
1 chiamatemi|chiamami
3 si chiama
3 si chiamano
3 si chiamava|chiamavano
3 è chiamat{o}
1 {am} il|la signor|signora|signorina|dottor|dottoressa|professor|professoressa|prof
= name role
1 {ho} scoperto di_essere
1 {am}
3 è
= age age
1 compio|compiamo
3 compie|compiono
1 {ho} compiuto|fatto
1 ne {ho} compiuti|fatti
3 ha compiuto|fatto
= birthday date
1 {am} nat{o} il|l'
1 compio gli_anni il|l'
3 è nat{o} il|l'
3 compie gli_anni il|l'
= born_in place
1 {am} nat{o} [e] [cresciut{o}] {where}
1 {am} originari{o} {di}
1 {am} [proprio] di|d'
1 {am} cresciut{o} [insieme] {where}
1 {am} venut{o} al_mondo {where}
1 {am} nativ{o} {di}
1 {am} di_origini|d'_origine
1 vengo|veniamo|provengo da|dal|dalla|dall'
1 {am} cresciut{o} {where}
3 è nat{o} [e] [cresciut{o}] {where}
3 è originari{o} {di}
3 è di|d'
3 viene|proviene da|dal|dalla|dall'
3 è cresciut{o} {where}
= lives_in place
1 vivo|abito|risiedo|viviamo|abitiamo|risiediamo {where}
1 vivo|abito|viviamo|abitiamo [da_solo|da_sola|da_anni|da_poco|da_sempre|ancora] [vicino] {where}
1 vivo|abito|viviamo|abitiamo in_provincia|in_periferia|nei_dintorni|in_centro|nella_zona|in_zona|
   alle_porte {di}|{a}
1 sto|stiamo {city}
1 {am} tornat{o}|rientrat{o} a_vivere|ad_abitare|a_stare|a_casa {where}
1 {am} di_casa|di_stanza|di_base {where}
1 {am} finit{o} a_vivere {where}
1 {ho} messo_radici|affittato_casa|affittato_un_appartamento|comprato_casa|una_stanza {where}
1 {am} emigrat{o}|sbarcat{o}|approdat{o} {where}
1 sto|stiamo vivendo|abitando {where}
1 mi sono trasferit{o}|stabilit{o}|spostat{o} {where}
1 ci siamo trasferit{o}|stabilit{o}|spostat{o} {where}
1 {am} andat{o} a_vivere|ad_abitare|a_stare {where}
1 {am} tornat{o} a_vivere|ad_abitare|a_stare {where}
1 {am} residente|residenti|domiciliat{o} {where}
1 sto|stiamo di_casa {where}
1 {ho} cambiato casa_e_vivo|casa_e_viviamo {where}
1 {ho} preso_casa {where}
1 {ho} traslocato {where}
3 vive|abita|risiede|vivono|abitano|risiedono {where}
3 sta vivendo {where}
3 si è|sono trasferit{o}|stabilit{o} {where}
3 ha|hanno traslocato {where}
3 è|sono andat{o} a_vivere|ad_abitare {where}
3 è residente {where}
3 sta|stanno {city}
3 sta|stanno di_casa {where}
3 è|sono tornat{o} a_vivere|ad_abitare|a_stare {where}
3 è|sono emigrat{o} {where}
3 ha|hanno preso_casa|messo_radici|affittato_casa {where}
= lives_in home
1 vivo|abito|viviamo|abitiamo con|insieme_a
3 vive|abita|vivono|abitano con|insieme_a
= lives_in place past
1 vivevo|abitavo|vivevamo|abitavamo {where}
1 stavo|stavamo {city}
1 {ho} vissuto|abitato {where}
1 mi sono trasferit{o} da|dal|dalla|dall'
1 ci siamo trasferit{o} da|dal|dalla|dall'
1 {am} stat{o} residente {where}
1 stavo|stavamo di_casa {where}
3 viveva|abitava|vivevano|abitavano {where}
3 ha vissuto|abitato {where}
3 si è|sono trasferit{o} da|dal|dalla|dall'
= works_at organisation
1 lavoro|lavoriamo {at}
1 sto lavorando {at}
1 {am} stat{o} assunt{o} {at}
1 {am} assunt{o} {at}
1 mi hanno assunt{o} {at}
1 {ho} iniziato|cominciato a_lavorare {at}
1 {am} dipendente {di}
1 {ho} trovato|iniziato [un] lavoro {at}
1 {am} impiegat{o}|operai{o}|assunt{o}|tirocinante|stagista|apprendista {at}
1 lavoro|lavoriamo [di_notte|di_giorno|part-time|part_time|full-time|a_tempo_pieno|sempre|ancora] {at}
1 sto facendo uno_stage|il_tirocinio|un_tirocinio {at}
1 faccio uno_stage|un_tirocinio|i_turni|il_turno_di_notte {at}
1 {ho} un_posto_fisso|un_contratto|il_posto_fisso {at}
1 mi hanno preso|presa|confermato|confermata {at}
1 {am} passat{o} a_lavorare {at}
1 {ho} [appena] firmato [il_contratto] con
1 {ho} vinto il_concorso {at}
1 lavoro part-time {at}
1 faccio il_tirocinio|uno_stage|lo_stage {at}
3 lavora|lavorano {at}
3 sta lavorando {at}
3 è stat{o} assunt{o} {at}
3 ha iniziato|cominciato a_lavorare {at}
3 lavora|lavorano [di_notte|di_giorno|part-time|part_time|a_tempo_pieno|sempre|ancora] {at}
3 è impiegat{o}|operai{o}|assunt{o}|tirocinante|stagista {at}
3 l' hanno|anno assunt{o} {at}
3 è dipendente {di}
3 ha trovato [un] lavoro {at}
= works_at taught
1 insegno|insegniamo
3 insegna|insegnano
= works_at taught past
1 insegnavo
1 {ho} insegnato
3 insegnava
3 ha insegnato
= works_at organisation past
1 lavoravo|lavoravamo {at}
1 {ho} smesso di_lavorare {at}
1 {ho} dato_le_dimissioni {da}|{at}
1 mi hanno licenziato|licenziata {da}
1 {am} stat{o} licenziat{o} {da}
1 {am} andat{o} in_pensione {da}
1 ero|eravamo impiegat{o}|dipendente|operai{o} {at}|{di}
3 lavoravano {at}
3 è andat{o} in_pensione {da}
3 ha lasciato il_lavoro {at}
1 {ho} lavorato {at}
1 mi sono licenziat{o} {da}
1 ci siamo licenziat{o} {da}
1 ho lasciato il_lavoro {at}
3 lavorava {at}
3 ha lavorato {at}
3 si è licenziat{o} {da}
= works_as occupation
1 lavoro|sto_lavorando [di_notte|di_giorno|part-time|part_time|a_tempo_pieno|da_casa|in_proprio|
   stagionalmente|ancora|d'_estate|in_smart_working] come|da
1 mi guadagno_da_vivere come|facendo_il|facendo_la|facendo_l'
1 campo facendo il|lo|la|l'
1 nella_vita|di_mestiere faccio il|lo|la|l'|i
1 nella_vita|di_mestiere|di_professione {am}
1 {ho} trovato_posto|iniziato|cominciato come
1 mi hanno assunto|assunta|preso|presa|promosso|promossa come|a
1 {ho} iniziato|cominciato a_lavorare come
1 faccio il|lo|la|l'|i
1 di mestiere|lavoro|professione faccio il|lo|la|l'
1 di mestiere|professione {am}
1 {am} stat{o} assunt{o} come
1 ho trovato lavoro come
3 lavora [di_notte|di_giorno|part-time|a_tempo_pieno] come|da
3 ha iniziato|cominciato a_lavorare come
3 fa|fanno il|lo|la|l'|i|le
3 nella_vita fa il|lo|la|l'
3 ha iniziato|cominciato|trovato_lavoro|trovato_posto come
3 di mestiere|lavoro|professione fa il|lo|la|l'
3 è stat{o} assunt{o} come
= works_as role
1 {am} diventat{o}
3 è diventat{o}
= works_as role past
1 ero|eravamo
1 {am} stat{o}
3 era|erano
3 è|sono stat{o}
= works_as occupation past
1 lavoravo come
1 facevo|facevamo il|lo|la|l'|i
1 {ho} fatto il|lo|la|l'|i
1 {ho} lavorato [per_anni|tanti_anni] come|da
3 ha|hanno fatto il|lo|la|l'
3 ha lavorato come|da
3 facevano i|le|gli
3 lavorava come
3 faceva il|lo|la|l'
= studies field
1 studio|studiamo
1 sto|stiamo studiando|imparando
1 {ho} iniziato|cominciato a_studiare|a_imparare|ad_imparare
1 imparo
1 sto facendo|seguendo|frequentando un|una|il|la|l' master|dottorato|laurea|specialistica|magistrale|
   triennale|corso|specializzazione in|di
1 faccio un|una|il|la|l' master|dottorato|laurea|specialistica|magistrale|triennale|corso|
   specializzazione in|di
1 sto|{am} al [primo|secondo|terzo|quarto|quinto|ultimo] anno di
1 {am} [uno|una|un'] student{o}|studente|studentessa|universitari{o}|laureand{o}|dottorand{o}|
   specializzand{o}|matricola di|in|a
1 frequento [un] [il] corso di|d'
1 prendo lezioni di
1 mi sto specializzando|laureando in
1 sto prendendo lezioni|un_dottorato di|in
1 {ho} ripreso a_studiare
1 seguo un_corso di
3 sta facendo un|una|il|la|l' master|dottorato|laurea|specialistica|magistrale|triennale|specializzazione in
3 fa un|una|il|la|l' master|dottorato|specialistica|magistrale|triennale|specializzazione in
3 è al [primo|secondo|terzo|quarto|quinto|ultimo] anno di
3 è student{o}|studente|studentessa|laureand{o}|dottorand{o}|specializzand{o} di|in
3 si sta specializzando|laureando in
3 impara|imparano
3 studia|studiano
3 sta studiando|imparando
3 ha iniziato|cominciato a_studiare|a_imparare
= studies field past
1 {ho} studiato
1 mi sono laureat{o}|diplomat{o} in
1 {am} laureat{o}|diplomat{o}|specializzat{o} in
1 {ho} fatto|finito|preso|conseguito il|un|la|una dottorato|master|laurea|diploma|specializzazione|
   magistrale|triennale in
1 {ho} preso_la|una|la|un|fatto_la|fatto_un|finito_la laurea|specialistica|magistrale|triennale|dottorato|
   master in
1 studiavo
3 ha studiato
3 si è laureat{o}|diplomat{o} in
3 è laureat{o}|diplomat{o}|specializzat{o} in
3 ha una|un laurea|dottorato|master in
3 studiava
= studies_at organisation
1 studio|sto_studiando {where}
1 frequento|frequentiamo
1 vado al_liceo|all'_università {where}
1 mi sono iscritt{o} all'_università|al_liceo|alla_facoltà {di}
1 vado all'_università|alla_scuola|a_scuola|a_lezione {where}
1 sto facendo l'_università|il_liceo|l'_erasmus {where}
1 sto frequentando
1 sto|{am} al [primo|secondo|terzo|quarto|quinto|ultimo] anno al|alla|all'|del|della|dell'|di
1 {am} fuorisede|matricola {where}
1 {am} studente|studentessa {where}
1 {am} {un} studente|studentessa {where}
1 faccio l'_università|il_liceo {where}
3 studia|sta_studiando {where}
3 frequenta
3 frequentano
3 sta frequentando
3 è student{o}|studente|studentessa {where}
3 è al [primo|secondo|terzo|quarto|quinto|ultimo] anno al|alla|all'|del|della|dell'
3 va all'_università|al_liceo {where}
= studies_at enrolment
1 {am} [ancora] iscritt{o} all'|al|alla|ai|alle|agli|ad|a
1 mi sono iscritt{o} all'|al|alla|ai|alle|agli|ad|a
3 è [ancora] iscritt{o} all'|al|alla|ai|alle|agli|ad|a
3 si è iscritt{o} all'|al|alla|ai|alle|agli|ad|a
= studies_at enrolment past
1 ero iscritt{o} all'|al|alla|ai|alle|agli|ad|a
3 era iscritt{o} all'|al|alla|ai|alle|agli|ad|a
= studies_at organisation past
1 mi sono laureat{o}|diplomat{o} {where}
1 {ho} preso_la_laurea|fatto_l'_università|fatto_il_liceo|fatto_le_superiori {where}
3 si è laureat{o}|diplomat{o} {where}
1 {ho} studiato {where}
1 ho frequentato
3 ha studiato {where}
= speaks language
1 parlo|parliamo [correntemente] [fluentemente] [bene] [benino] [sia] [solo] [anche]
1 a_casa|in_casa|in_famiglia parlo|parliamo
1 me la cavo in|con_l'|con_il|col
1 capisco|mastico|scrivo|leggo
1 {am} [di] madrelingua|lingua_madre
1 {am} bilingue|trilingue in
1 {am} cresciut{o} parlando|bilingue
1 so parlare
1 me la_cavo con
1 {am} madrelingua
1 {am} bilingue
3 parla|parlano [correntemente] [fluentemente] [bene] [benino] [sia] [solo] [anche]
3 se la cava in|con_l'|con_il|col
3 capisce|mastica
3 sa parlare
3 è madrelingua
"""
