"""PostgreSQL: one module per subject, SQL in `sql/*.sql` as named blocks, the schema in `migrations/`."""
