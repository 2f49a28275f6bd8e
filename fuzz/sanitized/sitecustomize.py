"""Let the package of PYTHONPATH be found before the editable installation, whose finder comes first."""

import sys

sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
