"""What keeps a failing server from being hammered: the circuit breaker and the token bucket."""

from ricordo.runtime.resilience.breaker import Admission, BreakerState, CircuitBreaker
from ricordo.runtime.resilience.bucket import TokenBucket, Unlimited

__all__ = ["Admission", "BreakerState", "CircuitBreaker", "TokenBucket", "Unlimited"]
