-- name: count
-- $2 user or null.
select count(*) from memories where tenant = $1 and ($2::text is null or user_id = $2)

-- name: expiring
-- $2 now, $3 user or null, $4 how long a use keeps what is past its time.
select count(*) from memories
where tenant = $1 and expires_at <= $2 and archived_at is null and not pinned and ($3::text is null or user_id = $3)
  and not coalesce(last_accessed > expires_at and last_accessed <= $2 and last_accessed > $2 - $4::interval, false)

-- name: expire
-- $2 now, $3 user or null, $4 how long a use keeps what is past its time, $5 how many. Locked in id order, as by all others.
with due as (
    select id from memories
    where tenant = $1 and expires_at <= $2 and archived_at is null and not pinned
      and ($3::text is null or user_id = $3)
      and not coalesce(last_accessed > expires_at and last_accessed <= $2 and last_accessed > $2 - $4::interval, false)
    order by expires_at, id limit $5
), locked as (
    select m.id from memories m
    where m.tenant = $1 and m.id = any(array(select id from due)) and m.archived_at is null and not m.pinned
    order by m.id for update of m
)
update memories m set archived_at = $2, archive_reason = 'expiry', unreported_move_at = now()
from locked l where m.tenant = $1 and m.id = l.id
returning m.id, m.user_id

-- name: over_quota
-- $2 kinds, $3 how many may stay, $4 user or null.
select user_id, count(*) as number from memories
where tenant = $1 and archived_at is null and kind = any($2::text[]) and ($4::text is null or user_id = $4)
group by user_id having count(*) > $3 order by user_id

-- name: prune
-- $2 now, $3 user, $4 kinds, $5 how many stay, $6 strategy, $7 how many go at most.
-- A test compares the order with `memories_to_prune` of tests/fixtures/reference_formulas.py.
with ranked as (
    select m.id, row_number() over (
               order by m.pinned or m.verified desc,
                        case $6::text
                            when 'fifo' then extract(epoch from m.stored_at)::double precision
                            when 'recency' then extract(epoch from greatest(m.created_at, m.last_accessed))::double precision
                            -- 600: a power too small for a double is an error here
                            else 0.7 * m.importance + 0.3 * exp(-least(600, greatest(0,
                                     extract(epoch from $2::timestamptz - m.created_at)::double precision / 86400 / 50)))
                        end desc,
                        m.created_at desc, m.id) as place
    from memories m
    where m.tenant = $1 and m.user_id = $3 and m.kind = any($4::text[]) and m.archived_at is null
), worst as (
    select id from ranked where place > $5 order by place desc limit $7
), locked as (
    -- what is pinned, verified or archived meanwhile is left alone
    select m.id from memories m
    where m.tenant = $1 and m.id = any(array(select id from worst)) and m.archived_at is null
      and not m.pinned and not m.verified
    order by m.id for update of m
)
update memories m set archived_at = $2, archive_reason = 'retention', unreported_move_at = now()
from locked l where m.tenant = $1 and m.id = l.id
returning m.id, m.user_id

-- name: state
select completed_at, unfinished_run_at, resume_after from pass_runs where tenant = $1 and pass = $2

-- name: save_position
insert into pass_runs (tenant, pass, unfinished_run_at, resume_after) values ($1, $2, $3, $4)
on conflict (tenant, pass) do update set unfinished_run_at = excluded.unfinished_run_at, resume_after = excluded.resume_after

-- name: complete
insert into pass_runs (tenant, pass, completed_at) values ($1, $2, $3)
on conflict (tenant, pass) do update set completed_at = excluded.completed_at, unfinished_run_at = null, resume_after = null

-- name: try
select pg_try_advisory_lock(hashtextextended('pass/' || $1, 3))

-- name: patience
select set_config('lock_timeout', $1, false)

-- name: wait
select pg_advisory_lock(hashtextextended('pass/' || $1, 3))
