-- Links between memories of a user. Whoever changes them holds the lock of the user.

-- name: lock
-- $2 user ids, sorted, so that whoever needs several takes them in the same order. Until the end of the transaction
-- nobody else changes links of theirs, nor finishes to erase a memory of theirs.
select pg_advisory_xact_lock(hashtextextended($1 || '/' || user_id, 2)) from unnest($2::text[]) as user_id

-- name: texts
-- $2 models in their order, $3 ids of memories to compare, $4 of those that the index found for them. Returned are all of
-- them that can be compared, and one memory of each text that is paired already, with the vector of the first of equal
-- texts. What lifecycle has made of others is bound to these already. Memories that had no row are locked until the end
-- of the transaction; who deletes one that had waits for the lock of the user.
with found as (
    select unnest($3::uuid[]) as id
    union
    select unnest($4::uuid[])
), locked as materialized (
    select m.id from memories m
    where m.tenant = $1 and m.id in (select id from found)
      and not exists (select from linked_memories l where l.tenant = $1 and l.memory_id = m.id)
    order by m.id for key share
), near as (
    select id from found
    union
    select member.memory_id
    from linked_memories l
    cross join lateral (
        select s.other_id as text_id from similar_texts s where s.tenant = $1 and s.text_id = l.text_id
        union all
        select s.text_id from similar_texts s where s.tenant = $1 and s.other_id = l.text_id) as partner
    cross join lateral (
        select k.memory_id from linked_memories k where k.tenant = $1 and k.text_id = partner.text_id
        order by k.memory_id limit 1) as member
    where l.tenant = $1 and l.memory_id = any($3::uuid[])
), texts as (
    select m.id, m.user_id, v.model, v.vector, l.text_id as former_id,
           md5(md5(m.user_id) || md5(v.model) || encode(v.text_hash, 'hex'))::uuid as text_id
    from near join memories m on m.tenant = $1 and m.id = near.id
    cross join lateral (
        select one.model, one.vector, one.text_hash from vectors one
        where one.tenant = $1 and one.memory_id = m.id and one.model = any($2::text[])
        order by array_position($2::text[], one.model) limit 1) as v
    left join linked_memories l on l.tenant = $1 and l.memory_id = m.id
    where m.informative >= 0.5 and m.derived_by <> 'lifecycle'
      and (l.memory_id is not null or m.id in (select id from locked))
)
select id as memory_id, user_id, model, text_id, former_id is distinct from text_id as is_new,
       case when row_number() over (partition by text_id order by id) = 1 then vector end as vector
from texts

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
