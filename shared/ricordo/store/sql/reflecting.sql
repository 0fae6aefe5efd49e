-- Reflections: what has accumulated since the last one, what they are drawn from, and the insights that there are.

-- name: gather
-- $2 memory ids, whose rows the transaction holds and whose stage it is about to set, by the statement that notes that they are
-- counted: the stage may be taken back, that never is.
-- What an assistant said, was made of others or tells nothing is no observation of the user.
insert into accumulated (tenant, user_id, importance)
select $1, m.user_id, sum(1 + 9 * m.importance)
from memories m join stages s on s.tenant = $1 and s.memory_id = m.id
where m.tenant = $1 and m.id = any($2::uuid[]) and not s.gathered and m.role = 'user' and m.message_id is not null
  and m.informative >= 0.5 and m.kind not in ('summary', 'reflection', 'synthesis', 'extract')
group by m.user_id
order by m.user_id
on conflict (tenant, user_id) do update set importance = accumulated.importance + excluded.importance

-- name: due
-- $2 the threshold, $3 one user or null, $4 how many
select user_id, importance from accumulated
where tenant = $1 and importance > $2 and ($3::text is null or user_id = $3)
order by importance desc, user_id limit $4

-- name: observations
-- $3 how many: the latest that the user said and that are enriched
select * from memories
where tenant = $1 and user_id = $2 and role = 'user' and message_id is not null and archived_at is null
  and derived_by <> '' and informative >= 0.5
  and kind not in ('summary', 'reflection', 'synthesis', 'extract')
order by created_at desc, id desc limit $3

-- name: own_names
select distinct object from facts
where tenant = $1 and user_id = $2 and subject_key = 'user' and predicate = 'name'
order by object

-- name: former
-- $3 hashes of what insights are about. Who pins, verifies or corrects one waits.
select i.about, m.* from insights i join memories m on m.tenant = $1 and m.id = i.memory_id
where i.tenant = $1 and i.user_id = $2 and i.about = any($3::uuid[])
order by m.id for update of m

-- name: lock
select importance from accumulated where tenant = $1 and user_id = $2 for update

-- name: note
insert into insights (tenant, user_id, about, memory_id)
select $1, $2, n.about, n.memory_id from unnest($3::uuid[], $4::uuid[]) as n (about, memory_id)
order by n.about
on conflict (tenant, user_id, about) do update set memory_id = excluded.memory_id

-- name: settle
-- $3 what was reflected upon: what came in meanwhile stays
update accumulated set importance = greatest(0, importance - $3) where tenant = $1 and user_id = $2
