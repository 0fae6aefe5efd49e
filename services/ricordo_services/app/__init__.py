"""The composition root: settings become resources, and resources become workers and jobs."""
