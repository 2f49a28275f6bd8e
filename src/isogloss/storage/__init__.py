"""Stored folders: open, save and check them."""

from isogloss.storage.inspection import Inspection, inspect_folder

__all__ = ["Inspection", "inspect_folder"]
