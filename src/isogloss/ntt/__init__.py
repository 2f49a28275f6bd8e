"""The NTT system of IWSLT 2007 as one recipe on anybody's data.

>>> from isogloss.ntt import NttExperiment, read_ntt
"""

from isogloss.ntt.experiment import NttExperiment
from isogloss.ntt.options import NttOptions, NttSet, read_ntt
from isogloss.ntt.report import ntt_page, ntt_tables

__all__ = ["NttExperiment", "NttOptions", "NttSet", "ntt_page", "ntt_tables", "read_ntt"]
