-- Texts that give orders to a model are no longer found and marked: a context shows all of them as data.
drop function if exists ranking_rows(text, text, uuid[], text, timestamptz, boolean);
alter table memories no force row level security;
update memories set tags = array_remove(tags, 'ricordo:instruction') where 'ricordo:instruction' = any(tags);
alter table memories force row level security;
