"""Circuit breaker and rate limiter for calls to servers."""

from ricordo.resilience.breaker import Admission, BreakerState, CircuitBreaker
from ricordo.resilience.rate_limiter import RateLimiter, Unlimited, evenly_spaced

__all__ = ["Admission", "BreakerState", "CircuitBreaker", "RateLimiter", "Unlimited", "evenly_spaced"]
