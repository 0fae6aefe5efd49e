-- What a row of facts holds of `Fact`: rows.py writes and reads all of it.

-- fragment: columns
       id, subject, predicate, object, confidence, first_seen, last_reinforced, valid_from, valid_to, contradictions,
       disputed, verified, message_ids

-- fragment: changing
       subject, object, confidence, first_seen, last_reinforced, valid_from, valid_to, contradictions, disputed, verified,
       message_ids

-- fragment: former
       facts.subject, facts.object, facts.confidence, facts.first_seen, facts.last_reinforced, facts.valid_from,
       facts.valid_to, facts.contradictions, facts.disputed, facts.verified, facts.message_ids

-- fragment: excluded
       excluded.subject, excluded.object, excluded.confidence, excluded.first_seen, excluded.last_reinforced,
       excluded.valid_from, excluded.valid_to, excluded.contradictions, excluded.disputed, excluded.verified,
       excluded.message_ids
