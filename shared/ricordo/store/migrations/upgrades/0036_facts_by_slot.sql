-- Facts are folded slot by slot, and who is who is stored. What was said before is resolved when its user is folded next, which
-- a mention without a name asks for.
drop trigger if exists evidence_inserted on fact_evidence;
drop trigger if exists evidence_updated on fact_evidence;
drop trigger if exists evidence_deleted on fact_evidence;
drop function if exists change_evidence_version();
drop function if exists lock_messages(text, text[], uuid[], bytea[], text[]);
drop table evidence_versions;

alter table fact_evidence add column subject_name text not null default '', add column object_name text not null default '';
drop index fact_evidence_of_subject;
create index fact_evidence_of_slot on fact_evidence (tenant, user_id, subject_key, predicate, object_key);
drop index fact_evidence_of_object;
create index fact_evidence_of_object on fact_evidence (tenant, user_id, object_key, subject_key, predicate);
drop index facts_of_object;
create index facts_of_object on facts (tenant, user_id, object_key, subject_key, predicate);
drop index facts_of_subject;
create index facts_of_slot on facts (tenant, user_id, subject_key, predicate, object_key);

-- The people and animals that the evidence of a user speaks of, as they are written and tied, and who they are: a function of
-- all mentions that tell of anybody, and of decisions about names. `entity` is as `subject_name` above; `word` is the first
-- word, and empty where there is no name ("my brother"); `kind` is the predicate of the tie.
create table mentions (
    tenant text not null,
    user_id text not null,
    name_hash uuid generated always as (md5(name)::uuid) stored,
    tie text not null,
    name text not null,
    word text not null,
    kind text not null,
    tells boolean not null,
    entity text not null,
    entity_key text not null,
    primary key (tenant, user_id, name_hash, tie)
);
create index mentions_of_word on mentions (tenant, user_id, word);
create index mentions_of_kind on mentions (tenant, user_id, kind) where kind <> '';
create index mentions_of_entity on mentions (tenant, user_id, entity_key);

do $$
declare
    field text[];
begin
    alter table mentions enable row level security;
    create policy tenant_isolation on mentions using (tenant = current_tenant()) with check (tenant = current_tenant());
    grant select, insert, update, delete on mentions to ricordo_worker;
    if current_setting('server_version_num')::integer >= 180000 then
        foreach field slice 1 in array array[
            ['mentions', 'tenant'], ['mentions', 'user_id'], ['facts', 'user_id'], ['fact_evidence', 'user_id']
        ] loop
            perform pg_restore_attribute_stats(
                'schemaname', current_schema()::text, 'relname', field[1], 'attname', field[2], 'inherited', false,
                'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
        end loop;
    end if;
end
$$;
alter table fact_evidence no force row level security;
insert into mentions (tenant, user_id, tie, name, word, kind, tells, entity, entity_key)
select distinct tenant, user_id, '', '', '', '', false, '', '' from fact_evidence;
alter table fact_evidence force row level security;
alter table mentions force row level security;
