// What is asked over users, by who writes the graph anew: whose it is, and nothing of what is known of them.

// name: owners
MATCH (e:Entity)
WHERE e.user_id IS NOT NULL AND (e.tenant = $tenant OR $tenant IS NULL AND e.tenant IS NOT NULL)
RETURN DISTINCT e.tenant AS tenant, e.user_id AS user_id

// name: owners_of_states
MATCH (p:Projection)
WHERE p.user_id IS NOT NULL AND (p.tenant = $tenant OR $tenant IS NULL AND p.tenant IS NOT NULL)
RETURN DISTINCT p.tenant AS tenant, p.user_id AS user_id
