"""What the workers need of the world, as small protocols."""
