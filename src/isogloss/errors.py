"""Every error that Isogloss raises on purpose; see ``isogloss.io.errors``."""

from isogloss.io.errors import *  # noqa: F403
from isogloss.io.errors import __all__ as __all__
