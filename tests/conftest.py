"""Settings that every test shares: the Hypothesis profiles, and one thread for each of several processes.

`ci`, the default, draws the same examples in every run and sets no deadline, so a failure seen once is seen again.
`thorough` draws at random and many more: HYPOTHESIS_PROFILE=thorough make test.
"""

import os

from hypothesis import settings

# Side by side, each process has one processor; threads of both would wait for one another at the end of each product.
# Torch, and the processes that tests start, read it when they start.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# Golden files are compared as text; importing them for their doctests would run generated code.
collect_ignore_glob = ["golden/*"]

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("thorough", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
