"""One Hypothesis profile: no deadlines (the first call compiles), the same examples every time in CI."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("taut", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("taut"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "taut")
