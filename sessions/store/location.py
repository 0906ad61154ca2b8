"""Where the store lies when nobody names one."""

import os
from pathlib import Path

from platformdirs import user_data_path


def default_store() -> Path:
    """Return the path in ``NECROPSY_STORE``, or ``necropsy.db`` in the platform's data folder; nothing is created."""
    named = os.environ.get("NECROPSY_STORE")
    if named:
        return Path(os.path.expanduser(named))  # noqa: PTH111 - unlike pathlib's, it leaves a home that nobody has
    return user_data_path("necropsy", appauthor=False) / "necropsy.db"


def demo_store() -> Path:
    """Return the path of the store that holds nothing but the bundled session, apart from the person's own."""
    return user_data_path("necropsy", appauthor=False) / "demo.db"
