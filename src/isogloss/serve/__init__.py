"""A web service and a workbench page for stored systems.

serve           run the service until told to stop
ServeOptions    its options
"""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.serve.options import ServeOptions
    from isogloss.serve.supervisor import serve

__all__ = ["ServeOptions", "serve"]

__getattr__, __dir__ = lazy_names(__name__, {"options": ("ServeOptions",), "supervisor": ("serve",)})
