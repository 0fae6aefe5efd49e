-- Fills the tables of a tenant with rows of a user, as many as `rows` says, without a look at their neighbours.
create temporary table old on commit drop as
select '{tenant}' as tenant, 'u-1' as user_id, gen_random_uuid() as id, gen_random_uuid() as other_id,
       'old-' || gen_random_uuid() as name, 'old-' || n % 500 as conversation_id,
       now() - interval '1 year' + n * interval '1 minute' as at
from generate_series(1, {rows}) as n;

insert into history (tenant, message_id, memory_id, user_id, conversation_id, role, speaker, content, digest, sent_at, metadata,
                     stored_at)
select tenant, name, id, user_id, conversation_id, 'user', '', 'x', '', at, '{{}}', at from old;
insert into memories (tenant, id, user_id, message_id, conversation_id, content, role, created_at, stored_at, derived_by)
select tenant, id, user_id, name, conversation_id, 'x', 'user', at, at, 'rules' from old;
insert into stages (tenant, memory_id, message_id, user_id, conversation_id, ingested, encoded, enriched, indexed, extracted)
select tenant, id, name, user_id, conversation_id, at, at, at, at, at from old;
insert into vectors (tenant, memory_id, model, text_hash, vector) select tenant, id, 'all-MiniLM-L6-v2', '', '' from old;
insert into fact_evidence (tenant, user_id, message_id, ordinal, sent_at, subject, subject_key, predicate, object, object_key,
                           polarity, kind, position)
select tenant, user_id, name, 0, at, name, name, 'likes', name, name, 'affirmed', 'said', 0 from old;
insert into facts (tenant, id, user_id, subject, subject_key, predicate, object, object_key, confidence, first_seen,
                   last_reinforced, message_ids, version)
select tenant, id, user_id, name, name, 'likes', name, name, 1, at, at, array[name], 0 from old;
insert into mentions (tenant, user_id, tie, name, word, kind, tells, entity, entity_key)
select tenant, user_id, '', name, name, '', true, name, name from old;
insert into entities (tenant, user_id, key, name, aliases, mentions) select tenant, user_id, name, name, '{{}}', 1 from old;
insert into entity_names (tenant, user_id, name_key, key) select tenant, user_id, name, name from old;
insert into tombstones (tenant, scope, key, user_id, erased_at) select tenant, 'erased', name, user_id, at from old;
insert into corrections (tenant, user_id, correcting_id, sent_at, corrected_id) select tenant, user_id, id, at, other_id from old;
insert into dead_letters (tenant, consumer, subject, sequence, message_id, code, reason, attempts, died_at)
select tenant, 'ingest', name, 1, name, '', '', 1, at from old
