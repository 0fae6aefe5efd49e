-- What a text says is read with its vector, and kept beside it. Functions are created anew after this step.
drop function if exists texts_to_encode(text, text, uuid[]);
drop function if exists save_vectors(text, text, uuid[], bytea[], uuid[], bytea[], timestamptz, text[]);
drop function if exists memories_to_enrich(text, text, uuid[]);
drop function if exists messages_to_read(text, uuid[]);
alter table vectors add column reading jsonb, add column read_by text, add column read_previous bytea;
