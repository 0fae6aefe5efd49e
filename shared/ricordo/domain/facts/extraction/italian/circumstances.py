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
3 è chiamat{o}
= name role
1 {am}
3 è
= age age
1 compio|compiamo
3 compie|compiono
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
1 sto|stiamo vivendo|abitando {where}
1 mi sono trasferit{o}|stabilit{o} {where}
1 ci siamo trasferit{o}|stabilit{o} {where}
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
= lives_in place past
1 vivevo|abitavo|vivevamo|abitavamo {where}
1 {ho} vissuto|abitato {where}
1 mi sono trasferit{o} da|dal|dalla|dall'
1 ci siamo trasferit{o} da|dal|dalla|dall'
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
1 insegno {at}
1 {am} impiegat{o} {at}
1 lavoro part-time {at}
1 faccio il_tirocinio|uno_stage|lo_stage {at}
3 lavora|lavorano {at}
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
1 ci siamo licenziat{o} {da}
1 ho lasciato il_lavoro {at}
3 lavorava {at}
3 ha lavorato {at}
3 si è licenziat{o} {da}
= works_as occupation
1 lavoro|sto_lavorando [di_notte|di_giorno|part-time|a_tempo_pieno] come|da
1 {ho} iniziato|cominciato a_lavorare come
1 faccio il|lo|la|l'|i
1 di mestiere|lavoro|professione faccio il|lo|la|l'
1 di mestiere|professione {am}
1 {am} stat{o} assunt{o} come
1 ho trovato lavoro come
3 lavora [di_notte|di_giorno|part-time|a_tempo_pieno] come|da
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
3 studia|studiano
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
3 parla|parlano [correntemente] [fluentemente]
3 sa parlare
3 è madrelingua
"""
