"""The NTT system of IWSLT 2007 as one recipe on anybody's data.

>>> from isogloss.experiments.ntt_iwslt2007 import NttExperiment, read_ntt
"""

from isogloss.experiments.ntt_iwslt2007.experiment import NttExperiment
from isogloss.experiments.ntt_iwslt2007.options import NttOptions, NttSet, read_ntt
from isogloss.experiments.ntt_iwslt2007.report import ntt_page, ntt_tables

__all__ = ["NttExperiment", "NttOptions", "NttSet", "ntt_page", "ntt_tables", "read_ntt"]
