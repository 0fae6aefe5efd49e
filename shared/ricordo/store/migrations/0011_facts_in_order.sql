-- Facts are asked for most confident first: those that hold, and those of one predicate, are read in that order, and no
-- more of them than are shown.
create index facts_current on facts (tenant, user_id, confidence desc, last_reinforced desc) where valid_to is null;
create index facts_of_predicate on facts (tenant, user_id, predicate, confidence desc, last_reinforced desc);
