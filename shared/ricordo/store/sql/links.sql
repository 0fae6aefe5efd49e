-- Links between memories of a user. Whoever changes them holds the lock of the user.

-- name: lock
-- $2 user ids, sorted, so that whoever needs several takes them in the same order. Until the end of the transaction
-- nobody else changes links of theirs, nor finishes to erase a memory of theirs.
select pg_advisory_xact_lock(hashtextextended($1 || '/' || user_id, 2)) from unnest($2::text[]) as user_id

-- name: link
-- $2 ids of memories that are not compared (any more), $3 to $5 ids of memories, users and texts that they are compared by
-- from now on; $6 texts that were compared, $7 to $9 all pairs of theirs with the cosines.
with unlinked as (
    delete from linked_memories where tenant = $1 and memory_id = any($2::uuid[])
), linked as (
    insert into linked_memories (tenant, memory_id, user_id, text_id)
    select $1, l.memory_id, l.user_id, l.text_id
    from unnest($3::uuid[], $4::text[], $5::uuid[]) as l (memory_id, user_id, text_id) order by l.memory_id
    on conflict (tenant, memory_id) do update set text_id = excluded.text_id
), similar_now as (
    select * from unnest($7::uuid[], $8::uuid[], $9::numeric[]) as p (text_id, other_id, cosine)
), parted as (
    delete from similar_texts s
    where s.tenant = $1 and (s.text_id = any($6::uuid[]) or s.other_id = any($6::uuid[]))
      and (s.text_id, s.other_id) not in (select p.text_id, p.other_id from similar_now p)
)
insert into similar_texts (tenant, text_id, other_id, cosine)
select $1, text_id, other_id, cosine from similar_now
on conflict (tenant, text_id, other_id) do update set cosine = excluded.cosine
where similar_texts.cosine <> excluded.cosine
