"""The worker loop: fetch, batch, handle, settle, publish, retry, dead-letter."""
