"""Translating catalogs (PO), XLIFF files and memories (TMX): what is empty is filled, the rest stays."""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.catalog.fill import Filled, FillOptions, fill_catalog
    from isogloss.catalog.messages import Draft, MessageTranslator

__all__ = ["Draft", "FillOptions", "Filled", "MessageTranslator", "fill_catalog"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "fill": (
            "FillOptions",
            "Filled",
            "fill_catalog",
        ),
        "messages": (
            "Draft",
            "MessageTranslator",
        ),
    },
)
