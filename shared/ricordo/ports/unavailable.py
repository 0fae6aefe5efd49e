"""What every port raises when its server cannot be asked just now."""


class Unavailable(Exception):
    """A dependency does not answer: a transient failure, the same call may succeed later."""
