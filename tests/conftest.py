"""Settings that every test shares: the Hypothesis profiles.

`ci`, the default, draws the same examples in every run and sets no deadline, so a failure seen once is seen again.
`thorough` draws at random and many more: HYPOTHESIS_PROFILE=thorough make test.
"""

import os

from hypothesis import settings

# Golden files are compared as text; importing them for their doctests would run generated code.
collect_ignore_glob = ["golden/*"]

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("thorough", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
