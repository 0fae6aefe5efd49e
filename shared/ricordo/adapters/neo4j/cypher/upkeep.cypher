// What is asked over users, by who writes the graph anew: whose it is, and nothing of what is known of them.

// name: owners
MATCH (e:Entity)
WHERE $tenant IS NULL OR e.tenant = $tenant
RETURN DISTINCT e.tenant AS tenant, e.user_id AS user_id
