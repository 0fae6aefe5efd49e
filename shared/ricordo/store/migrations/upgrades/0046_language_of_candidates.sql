-- The ranking reads the language of memories, too: by the function of that name, which is created after this step.
drop function if exists ranking_rows(text, text, uuid[], text, timestamptz, boolean);
