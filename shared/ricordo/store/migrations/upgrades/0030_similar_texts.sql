-- Related memories are pairs of texts that the vector index finds, of any number (ADR 30). The pairs of former versions stay,
-- without their cosines: `ricordo reindex` compares all memories again.
-- Which text each memory is compared by: an id of its user, of the model that its point is of and of the text, so that equal
-- texts share one. A memory that is not compared, such as thanks, has no row.
create table linked_memories (
    tenant text not null,
    memory_id uuid not null,
    user_id text not null,
    text_id uuid not null,
    primary key (tenant, memory_id),
    foreign key (tenant, memory_id) references memories (tenant, id) on delete cascade
);
create index linked_memories_of_text on linked_memories (tenant, text_id, memory_id);

-- Pairs of texts whose vectors are similar enough, with their cosine; 0 for a pair of Ricordo 0.1 until it is compared again.
create table similar_texts (
    tenant text not null,
    text_id uuid not null,
    other_id uuid not null,
    cosine numeric(5, 4) not null,
    primary key (tenant, text_id, other_id),
    constraint similar_texts_order check (text_id < other_id)
);
create index similar_texts_of_other on similar_texts (tenant, other_id);

do $$
declare
    name text;
begin
    foreach name in array array['linked_memories', 'similar_texts'] loop
        execute format('alter table %I enable row level security', name);
        execute format(
            'create policy tenant_isolation on %I using (tenant = current_tenant()) with check (tenant = current_tenant())',
            name);
        execute format('grant select, insert, update, delete on %I to ricordo_worker', name);
        if current_setting('server_version_num')::integer >= 180000 then
            perform pg_restore_attribute_stats(
                'schemaname', current_schema()::text, 'relname', name, 'attname', 'tenant', 'inherited', false,
                'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
        end if;
    end loop;
end
$$;
-- Forced, the policies would ask the owner for a tenant: this is about all of them.
alter table memories no force row level security;
alter table vectors no force row level security;
alter table neighbours no force row level security;
insert into linked_memories (tenant, memory_id, user_id, text_id)
select n.tenant, n.memory_id, n.user_id, md5(md5(n.user_id) || md5(n.model) || encode(v.text_hash, 'hex'))::uuid
from neighbours n join vectors v on v.tenant = n.tenant and v.memory_id = n.memory_id and v.model = n.model;
insert into similar_texts (tenant, text_id, other_id, cosine)
select distinct m.tenant, least(l.text_id, o.text_id), greatest(l.text_id, o.text_id), 0
from memories m cross join unnest(m.related_ids) as related (id)
join linked_memories l on l.tenant = m.tenant and l.memory_id = m.id
join linked_memories o on o.tenant = m.tenant and o.memory_id = related.id
where l.text_id <> o.text_id;
alter table memories force row level security;
alter table vectors force row level security;
alter table linked_memories force row level security;
alter table similar_texts force row level security;

drop trigger if exists memories_deleted on memories;
drop function if exists remove_links_of_deleted();
drop table neighbours, link_versions;
alter table memories drop column related_ids;
