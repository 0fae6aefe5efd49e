-- Nobody of whom something is stated is presumed unknown to the user ("~") any more. Where somebody was, names are resolved
-- anew when their user is folded next, which a mention without a name asks for.
drop function if exists evidence_to_fold(text, jsonb, jsonb, text[], text[]);
alter table fact_evidence no force row level security;
alter table mentions no force row level security;
delete from mentions where tie = '~' or not tells;
alter table mentions drop column tells;
insert into mentions (tenant, user_id, tie, name, word, kind, entity, entity_key)
select distinct tenant, user_id, '', '', '', '', '', '' from fact_evidence where '~' in (subject_tie, object_tie)
on conflict do nothing;
update fact_evidence set subject_tie = '' where subject_tie = '~';
update fact_evidence set object_tie = '' where object_tie = '~';
alter table fact_evidence force row level security;
alter table mentions force row level security;
