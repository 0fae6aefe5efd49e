-- Functions are created anew after this step; this one returns another type.
drop function if exists ranking_rows(text, text, uuid[], text);
