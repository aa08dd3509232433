"""What every test shares: an offscreen Qt, and a home of its own so that no test sees the user's settings."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
