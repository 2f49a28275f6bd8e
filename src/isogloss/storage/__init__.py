"""What isogloss keeps on disk: opening, saving, checking."""
