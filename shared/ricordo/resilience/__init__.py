"""Circuit breaker and rate limiter for calls to servers."""

from ricordo.resilience.breaker import Admission, BreakerState, CircuitBreaker
from ricordo.resilience.rate_limiter import evenly_spaced

__all__ = ["Admission", "BreakerState", "CircuitBreaker", "evenly_spaced"]
