-- The decay factor is computed when it is read: by the function of that name, which is created after this step.
drop function if exists ranking_rows(text, text, uuid[], text);
alter table memories drop column decay_factor;
