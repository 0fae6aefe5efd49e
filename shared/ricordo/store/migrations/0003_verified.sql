-- What a user has confirmed is shown whatever its confidence: few facts among many.
create index facts_verified on facts (tenant, user_id) where verified;
