-- A text that the embedding model refuses has a row without a vector. Functions are created anew after this step.
alter table vectors alter column vector drop not null;
create index vectors_refused on vectors (tenant, model) where vector is null;
