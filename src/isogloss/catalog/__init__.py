"""Translating catalogs (PO), XLIFF files and memories (TMX): what is empty is filled, the rest stays."""

from isogloss.catalog.fill import Filled, FillOptions, fill_catalog
from isogloss.catalog.messages import Draft, MessageTranslator

__all__ = ["Draft", "FillOptions", "Filled", "MessageTranslator", "fill_catalog"]
