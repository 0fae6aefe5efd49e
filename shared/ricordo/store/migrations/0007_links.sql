-- Which memories of a user are near to each other. `memories.related_ids` shows those that are so mutually.

-- How far the links of a user have come. `generation` is another one whenever a memory has left.
create table linked_users (
    tenant text not null,
    user_id text not null,
    generation uuid not null default gen_random_uuid(),
    number bigint not null default 0,
    primary key (tenant, user_id)
);

-- Up to ten nearest of each, nearest first, by the vectors of one model; and the change that wrote them last.
-- `vector` is the one by which a memory is linked, int16, little endian, in 4,000ths: `vectors` may hold a newer one.
-- `nearest` may name who is erased, until links of the user are changed next.
create table neighbours (
    tenant text not null,
    memory_id uuid not null,
    user_id text not null,
    model text not null,
    number bigint not null,
    said_at timestamptz not null,
    vector bytea not null,
    nearest uuid[] not null,
    primary key (tenant, memory_id),
    foreign key (tenant, memory_id) references memories (tenant, id) on delete cascade
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, toast_tuple_target = 128);
-- Neighbours change, the vector hardly ever: outside of the row it is not written again with them.
alter table neighbours alter column vector set storage external, alter column nearest set storage plain;
create index neighbours_of_user on neighbours (tenant, user_id, model, number);

do $$
declare
    name text;
begin
    foreach name in array array['linked_users', 'neighbours'] loop
        execute format('alter table %I enable row level security', name);
        execute format('alter table %I force row level security', name);
        execute format(
            'create policy one_tenant on %I using (tenant = current_tenant()) with check (tenant = current_tenant())',
            name);
        execute format('grant select, insert, update, delete on %I to ricordo_worker', name);
    end loop;
end
$$;

-- As for the other tables: one tenant has all rows, and one model, until it is known better.
do $$
declare
    field record;
begin
    if current_setting('server_version_num')::integer < 180000 then
        return;
    end if;
    for field in
        select table_name, column_name from information_schema.columns
        where table_schema = current_schema() and table_name in ('linked_users', 'neighbours')
          and column_name in ('tenant', 'model')
    loop
        perform pg_restore_attribute_stats(
            'schemaname', current_schema()::text, 'relname', field.table_name::text,
            'attname', field.column_name::text, 'inherited', false,
            'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
    end loop;
end
$$;

-- An erased memory leaves nobody that is related to it, in the same transaction. Whoever erases memories of a user
-- waits here for who changes their links at the moment, under the lock of `links.sql`, and the other way round: to
-- take that lock before the first row spares the two of them a deadlock, which one would have to repeat.
create function unlink_erased() returns trigger language plpgsql as $$
begin
    if not exists (select from erased) then
        return null;
    end if;
    perform pg_advisory_xact_lock(hashtextextended(of_user.tenant || '/' || of_user.user_id, 2))
    from (select tenant, user_id from erased group by tenant, user_id
          order by tenant collate "C", user_id collate "C") as of_user;
    update linked_users u set generation = gen_random_uuid()
    from (select distinct tenant, user_id from erased) as e where u.tenant = e.tenant and u.user_id = e.user_id;
    delete from linked_users u
    using (select distinct tenant, user_id from erased) as e
    where u.tenant = e.tenant and u.user_id = e.user_id
      and not exists (select from neighbours n where n.tenant = u.tenant and n.user_id = u.user_id);
    with pairs as (
        select distinct e.tenant, e.id as gone, r.id as other from erased e cross join unnest(e.related_ids) as r (id)
    ), locked as (
        select m.tenant, m.id from memories m
        where (m.tenant, m.id) in (select tenant, other from pairs) order by m.id for update
    )
    update memories m
    set related_ids = array(
        select r.id from unnest(m.related_ids) with ordinality as r (id, place)
        where not exists (select from pairs p where p.tenant = m.tenant and p.gone = r.id) order by r.place)
    from locked l where m.tenant = l.tenant and m.id = l.id;
    return null;
end
$$;
create trigger unlink_erased after delete on memories referencing old table as erased
for each statement execute function unlink_erased();
