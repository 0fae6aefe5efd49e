"""The pages of the album, one module a subject."""
