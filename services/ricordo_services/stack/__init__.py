"""The local servers as child processes: start, wait, keep running, stop, recover."""
