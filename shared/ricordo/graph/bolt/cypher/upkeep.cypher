// What is asked over users, by who writes the graph anew: whose it is, and nothing of what is known of them.

// name: owners
MATCH (e:Entity)
WHERE e.user_id IS NOT NULL AND (e.tenant = $tenant OR $tenant IS NULL AND e.tenant IS NOT NULL)
RETURN DISTINCT e.tenant AS tenant, e.user_id AS user_id

// name: owners_of_states
MATCH (p:Projection)
WHERE p.user_id IS NOT NULL AND (p.tenant = $tenant OR $tenant IS NULL AND p.tenant IS NOT NULL)
RETURN DISTINCT p.tenant AS tenant, p.user_id AS user_id

// name: sweep_ownerless
// What has the form of an entity of ours, and says of no user of a tenant that it is theirs: no other query finds it. What
// has another form is somebody else's.
MATCH (e:Entity)
WHERE e.user_id IS NULL AND e.tenant IN $tenants
   OR e.tenant IS NULL AND $unnamed AND e.user_id IS NOT NULL AND e.key IS NOT NULL
DETACH DELETE e
