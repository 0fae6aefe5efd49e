"""What keeps a failing server from being hammered: the circuit breaker and the token bucket."""

from ricordo.runtime.resilience.breaker import Admission, BreakerOpen, BreakerState, CircuitBreaker
from ricordo.runtime.resilience.bucket import TokenBucket, Unlimited

__all__ = ["Admission", "BreakerOpen", "BreakerState", "CircuitBreaker", "TokenBucket", "Unlimited"]
