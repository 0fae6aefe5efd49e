"""enrichment: how it felt, what mattered, what it was about."""
