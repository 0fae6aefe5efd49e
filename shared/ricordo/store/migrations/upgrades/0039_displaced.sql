-- It does not return displaced memories any more; functions are created anew after this step.
drop function if exists record_messages(text, jsonb, jsonb, text[], timestamptz, bigint, bigint, timestamptz);
