-- In which state the evidence of a user is: another one whenever it has changed. A worker that remembers what it has
-- folded need not read the evidence again while the state is the one that it left.
create table folded_users (
    tenant text not null,
    user_id text not null,
    state uuid not null default gen_random_uuid(),
    primary key (tenant, user_id)
);
alter table folded_users enable row level security;
alter table folded_users force row level security;
create policy one_tenant on folded_users
    using (tenant = current_tenant()) with check (tenant = current_tenant());
grant select, insert, update, delete on folded_users to ricordo_worker;

-- Whoever changes evidence, of whatever version, changes the state. Who erases evidence of a user waits here for who folds
-- it at the moment, under the lock of `facts.sql`: to take that lock before the first row spares the two of them a
-- deadlock, which one would have to repeat. Nothing of a user is left here by an erasure.
create function evidence_has_changed() returns trigger language plpgsql as $$
begin
    if not exists (select from changed) then
        return null;
    end if;
    perform pg_advisory_xact_lock(hashtextextended(of_user.tenant || '//' || of_user.user_id, 1))
    from (select tenant, user_id from changed group by tenant, user_id
          order by tenant collate "C", user_id collate "C") as of_user;
    if tg_op = 'DELETE' then
        delete from folded_users f
        using (select distinct tenant, user_id from changed) as c where f.tenant = c.tenant and f.user_id = c.user_id;
    else
        insert into folded_users (tenant, user_id) select tenant, user_id from changed group by tenant, user_id
        on conflict (tenant, user_id) do update set state = gen_random_uuid();
    end if;
    return null;
end
$$;
create trigger evidence_was_added after insert on fact_evidence referencing new table as changed
for each statement execute function evidence_has_changed();
create trigger evidence_was_replaced after update on fact_evidence referencing new table as changed
for each statement execute function evidence_has_changed();
create trigger evidence_was_erased after delete on fact_evidence referencing old table as changed
for each statement execute function evidence_has_changed();

-- As for the other tables: one tenant has all rows, until it is known better.
do $$
begin
    if current_setting('server_version_num')::integer < 180000 then
        return;
    end if;
    perform pg_restore_attribute_stats(
        'schemaname', current_schema()::text, 'relname', 'folded_users', 'attname', 'tenant', 'inherited', false,
        'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
end
$$;
