-- The columns of a fact, which are the attributes of `Fact`: all queries, writes and exports follow this list.

-- fragment: columns
       id, predicate,
-- include: mutable

-- fragment: mutable
       subject, object, confidence, first_seen, last_reinforced, valid_from, valid_to, contradictions, disputed, verified,
       message_ids
