"""The album: pages of the gateway where a person sees, keeps, corrects and forgets what is remembered."""
