"""Stored folders: open, save and check them."""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.storage.inspection import Inspection, inspect_folder

__all__ = ["Inspection", "inspect_folder"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspection": (
            "Inspection",
            "inspect_folder",
        ),
    },
)
