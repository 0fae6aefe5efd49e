"""Objects in a folder or in a bucket, both through the same library (obstore)."""

from ricordo.documents.objects.store import Bucket, KeptObjects, in_bucket, in_folder, in_memory

__all__ = ["Bucket", "KeptObjects", "in_bucket", "in_folder", "in_memory"]
