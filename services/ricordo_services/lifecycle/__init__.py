"""lifecycle: reinforcement, decay, consolidation and reconciliation of memories."""
