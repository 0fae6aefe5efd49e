-- People are found by their surname as by their first name, which only people and animals have as another name.
alter table entities no force row level security;
alter table entity_names no force row level security;
insert into entity_names (tenant, user_id, name_key, key)
select e.tenant, e.user_id, substr(e.key, strpos(e.key, ' ') + 1), e.key
from entities e
join entity_names n on n.tenant = e.tenant and n.user_id = e.user_id and n.key = e.key and n.name_key = split_part(e.key, ' ', 1)
where strpos(e.key, ' ') > 0 and strpos(e.key, '(') = 0
on conflict do nothing;
alter table entities force row level security;
alter table entity_names force row level security;
