"""Fill the untranslated entries of PO catalogs, XLIFF files and TMX memories, and leave the rest alone."""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.catalog.fill import Filled, Unfilled, fill_catalog
    from isogloss.catalog.messages import Draft, MessageTranslator
    from isogloss.catalog.options import FillOptions

__all__ = ["Draft", "FillOptions", "Filled", "MessageTranslator", "Unfilled", "fill_catalog"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "fill": (
            "Filled",
            "Unfilled",
            "fill_catalog",
        ),
        "messages": (
            "Draft",
            "MessageTranslator",
        ),
        "options": ("FillOptions",),
    },
)
