// What is created at start. The same statements run on Neo4j 5 and on ArcadeDB.

// name: entity_is_unique
CREATE CONSTRAINT ricordo_entity_key IF NOT EXISTS
FOR (e:Entity) REQUIRE (e.tenant, e.user_id, e.key) IS UNIQUE

// name: projection_is_unique
CREATE CONSTRAINT ricordo_projection_user IF NOT EXISTS
FOR (e:Projection) REQUIRE (e.tenant, e.user_id) IS UNIQUE

// name: entities_of_user
CREATE INDEX ricordo_entity_user IF NOT EXISTS
FOR (e:Entity) ON (e.tenant, e.user_id)
