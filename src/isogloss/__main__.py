"""``python -m isogloss`` is the command ``isogloss``."""

from isogloss.cli.main import run

run()
