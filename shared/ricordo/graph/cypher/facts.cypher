// Facts are edges of one static type between entities; the predicate is a property, looked up in a closed
// vocabulary before it comes here. Every pattern names tenant and user, on nodes and on edges.

// name: lock
// Locks the user's node until the transaction ends, and returns the version of the facts that the graph has. The counter
// changes each time, so that a server with optimistic transactions refuses the later of two.
MERGE (p:Projection {tenant: $tenant, user_id: $user_id})
SET p.locks = coalesce(p.locks, 0) + 1
WITH p
RETURN p.version AS version

// name: set_version
MATCH (p:Projection {tenant: $tenant, user_id: $user_id})
SET p.version = $version
REMOVE p.state

// name: drop_version
MATCH (p:Projection {tenant: $tenant, user_id: $user_id})
DELETE p

// name: upsert
// The edge is merged from its object: the user is the subject of most facts, and an end with few edges is found sooner.
UNWIND $facts AS fact
MERGE (s:Entity {tenant: $tenant, user_id: $user_id, key: fact.subject_key})
SET s.name = fact.properties.subject
MERGE (o:Entity {tenant: $tenant, user_id: $user_id, key: fact.object_key})
SET o.name = fact.properties.object
MERGE (o)<-[f:FACT {tenant: $tenant, user_id: $user_id, id: fact.properties.id}]-(s)
SET f += fact.properties

// name: remove
// Returns the ends of what was removed, each as often as it was one.
MATCH (s:Entity {tenant: $tenant, user_id: $user_id})
      -[f:FACT {tenant: $tenant, user_id: $user_id}]->
      (o:Entity {tenant: $tenant, user_id: $user_id})
WHERE f.id IN $ids
WITH f, s.key AS subject_key, o.key AS object_key
DELETE f
RETURN subject_key, object_key

// name: remove_isolated
// Of the ends of what was removed, no other has lost anything; or of those that were isolated before. They are there, so that
// nothing is created; matched, a key "$tenant" would not be found by ArcadeDB, which takes it for the parameter.
UNWIND $ends AS lost
MERGE (e:Entity {tenant: $tenant, user_id: $user_id, key: lost.key})
WITH e
WHERE NOT (e)-[:FACT {tenant: $tenant, user_id: $user_id}]-(:Entity {tenant: $tenant, user_id: $user_id})
DETACH DELETE e

// name: export
MATCH (:Entity {tenant: $tenant, user_id: $user_id})
      -[f:FACT {tenant: $tenant, user_id: $user_id}]->
      (:Entity {tenant: $tenant, user_id: $user_id})
RETURN properties(f) AS fact
ORDER BY f.id

// name: adjacent
MATCH (:Entity {tenant: $tenant, user_id: $user_id, key: $entity})
      -[f:FACT {tenant: $tenant, user_id: $user_id}]-
      (n:Entity {tenant: $tenant, user_id: $user_id})
WHERE f.valid_to IS NULL AND n.key <> $entity
WITH n, collect(DISTINCT f.predicate) AS predicates
RETURN n.key AS key, n.name AS name, predicates
ORDER BY name, key
LIMIT $limit

// name: beyond
// In two steps: a way that is closed, as past the user with all of their edges, is not gone at all.
MATCH (:Entity {tenant: $tenant, user_id: $user_id, key: $entity})
      -[f:FACT {tenant: $tenant, user_id: $user_id}]-
      (m:Entity {tenant: $tenant, user_id: $user_id})
WHERE f.valid_to IS NULL AND m.key <> $entity AND NOT m.key IN $closed
WITH DISTINCT m
MATCH (m)
      -[g:FACT {tenant: $tenant, user_id: $user_id}]-
      (n:Entity {tenant: $tenant, user_id: $user_id})
WHERE g.valid_to IS NULL AND n.key <> $entity AND NOT n.key IN $nearer
WITH n, collect(DISTINCT g.predicate) AS predicates
RETURN n.key AS key, n.name AS name, predicates
ORDER BY name, key
LIMIT $limit

// name: edges_of
// The strongest facts of some entities, whatever is at their other end. Each is found by a list, not by UNWIND, for the sake of
// a key "$tenant", as above.
MATCH (a:Entity {tenant: $tenant, user_id: $user_id})
      -[f:FACT {tenant: $tenant, user_id: $user_id}]-
      (b:Entity {tenant: $tenant, user_id: $user_id})
WHERE a.key IN $keys AND NOT b.key IN $closed AND f.valid_to IS NULL AND (f.confidence >= $min_confidence OR f.verified)
WITH DISTINCT f, CASE WHEN f.verified THEN 10 ELSE f.confidence END AS strength
ORDER BY strength DESC, f.id
LIMIT $limit
WITH f, strength, startNode(f) AS s, endNode(f) AS o
RETURN properties(f) AS fact, s.key AS subject_key, s.name AS subject_name, o.key AS object_key, o.name AS object_name
ORDER BY strength DESC, f.id

// Paths are found by their entities: the strength of a step, in tenths, is that of its strongest fact. The facts of those
// that are kept are read afterwards.

// name: paths_1
MATCH (a:Entity {tenant: $tenant, user_id: $user_id, key: $start})
      -[f:FACT {tenant: $tenant, user_id: $user_id}]-
      (b:Entity {tenant: $tenant, user_id: $user_id, key: $end})
WHERE f.valid_to IS NULL AND (f.confidence >= $min_confidence OR f.verified)
WITH a, b, max(CASE WHEN f.verified THEN 10 ELSE f.confidence END) AS strength
RETURN [a.key, b.key] AS keys, strength

// name: paths_2
MATCH (a:Entity {tenant: $tenant, user_id: $user_id, key: $start})
      -[f:FACT {tenant: $tenant, user_id: $user_id}]-
      (m:Entity {tenant: $tenant, user_id: $user_id})
      -[g:FACT {tenant: $tenant, user_id: $user_id}]-
      (b:Entity {tenant: $tenant, user_id: $user_id, key: $end})
WHERE NOT m.key IN [$start, $end] AND f.valid_to IS NULL AND (f.confidence >= $min_confidence OR f.verified)
  AND g.valid_to IS NULL AND (g.confidence >= $min_confidence OR g.verified)
WITH a, m, b, max(CASE WHEN f.verified THEN 10 ELSE f.confidence END) AS one,
     max(CASE WHEN g.verified THEN 10 ELSE g.confidence END) AS two
RETURN [a.key, m.key, b.key] AS keys, one * two AS strength
ORDER BY strength DESC, m.key
LIMIT $limit

// name: paths_3
MATCH (a:Entity {tenant: $tenant, user_id: $user_id, key: $start})
      -[f:FACT {tenant: $tenant, user_id: $user_id}]-
      (m:Entity {tenant: $tenant, user_id: $user_id})
      -[g:FACT {tenant: $tenant, user_id: $user_id}]-
      (n:Entity {tenant: $tenant, user_id: $user_id})
      -[h:FACT {tenant: $tenant, user_id: $user_id}]-
      (b:Entity {tenant: $tenant, user_id: $user_id, key: $end})
WHERE NOT m.key IN [$start, $end] AND NOT n.key IN [$start, $end] AND m.key <> n.key
  AND f.valid_to IS NULL AND (f.confidence >= $min_confidence OR f.verified)
  AND g.valid_to IS NULL AND (g.confidence >= $min_confidence OR g.verified)
  AND h.valid_to IS NULL AND (h.confidence >= $min_confidence OR h.verified)
WITH a, m, n, b, max(CASE WHEN f.verified THEN 10 ELSE f.confidence END) AS one,
     max(CASE WHEN g.verified THEN 10 ELSE g.confidence END) AS two,
     max(CASE WHEN h.verified THEN 10 ELSE h.confidence END) AS three
RETURN [a.key, m.key, n.key, b.key] AS keys, one * two * three AS strength
ORDER BY strength DESC, m.key, n.key
LIMIT $limit

// name: edges_among
// The facts among some entities.
MATCH (a:Entity {tenant: $tenant, user_id: $user_id})
      -[f:FACT {tenant: $tenant, user_id: $user_id}]-
      (b:Entity {tenant: $tenant, user_id: $user_id})
WHERE a.key IN $keys AND b.key IN $keys AND f.valid_to IS NULL AND (f.confidence >= $min_confidence OR f.verified)
WITH DISTINCT f, startNode(f) AS s, endNode(f) AS o
RETURN properties(f) AS fact, s.key AS subject_key, s.name AS subject_name, o.key AS object_key, o.name AS object_name

// name: erase
MATCH (e:Entity {tenant: $tenant, user_id: $user_id})
DETACH DELETE e
