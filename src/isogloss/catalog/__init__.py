"""Translating catalogs (PO), XLIFF files and memories (TMX): what is empty is filled, the rest stays."""

from isogloss.catalog.fill import Filled, fill_catalog
from isogloss.catalog.messages import Draft, MessageTranslator

__all__ = ["Draft", "Filled", "MessageTranslator", "fill_catalog"]
