-- A question is read with the names that were met most often: two hundred of what may be many thousands.
create index entities_of_user on entities (tenant, user_id, mentions desc, name);
