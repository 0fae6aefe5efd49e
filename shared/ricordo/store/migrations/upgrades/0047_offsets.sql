-- The offset that the instant of a message was written with, which is not known of earlier ones. Functions are created anew
-- after this step; one of them returns another type.
alter table history add column utc_offset text;
drop function if exists profile_of_user(text, text);
