-- name: state
select completed_at, began_for, reached from pass_runs where tenant = $1 and pass = $2

-- name: reach
insert into pass_runs (tenant, pass, began_for, reached) values ($1, $2, $3, $4)
on conflict (tenant, pass) do update set began_for = excluded.began_for, reached = excluded.reached

-- name: complete
insert into pass_runs (tenant, pass, completed_at) values ($1, $2, $3)
on conflict (tenant, pass) do update set completed_at = excluded.completed_at, began_for = null, reached = null

-- name: try
select pg_try_advisory_lock(hashtextextended('pass/' || $1, 3))

-- name: patience
select set_config('lock_timeout', $1, false)

-- name: wait
select pg_advisory_lock(hashtextextended('pass/' || $1, 3))
