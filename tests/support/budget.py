"""How many examples a fuzz test tries: a fixed number in CI, more by LANEWISE_FUZZ=10."""

import os

from hypothesis import HealthCheck, settings

TIMES = float(os.environ.get("LANEWISE_FUZZ", "1"))


def examples(number: int):
    """Settings of a test that tries `number` examples, the same each time unless more are asked."""
    return settings(
        max_examples=max(1, round(TIMES * number)),
        derandomize=TIMES <= 1,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
