"""All errors that Isogloss raises deliberately; see ``isogloss.io.errors``."""

from isogloss.io.errors import *  # noqa: F403
from isogloss.io.errors import __all__ as __all__
