"""Settings of the property tests: the same examples every time, few of them, no deadline on shared machines."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "model", max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("model")
