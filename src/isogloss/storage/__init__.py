"""What isogloss keeps on disk: opening, saving, checking."""

from isogloss.storage.inspection import Inspection, inspect_folder

__all__ = ["Inspection", "inspect_folder"]
