"""What keeps a failing server from being hammered: the circuit breaker and the limit of requests."""

from ricordo.resilience.breaker import Admission, BreakerState, CircuitBreaker
from ricordo.resilience.bucket import Bucket, Unlimited, evenly

__all__ = ["Admission", "BreakerState", "Bucket", "CircuitBreaker", "Unlimited", "evenly"]
