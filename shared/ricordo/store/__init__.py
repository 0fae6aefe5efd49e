"""PostgreSQL holds the truth. SQL lives in `sql/*.sql` as named blocks, the schema in `migrations/`."""
