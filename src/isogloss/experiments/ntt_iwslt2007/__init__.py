"""The NTT system of IWSLT 2007 as one recipe for any data.

>>> from isogloss.experiments.ntt_iwslt2007 import NttOptions, run_ntt_iwslt2007
"""

from isogloss.experiments.ntt_iwslt2007.experiment import NttExperiment
from isogloss.experiments.ntt_iwslt2007.options import NttOptions, NttSet
from isogloss.experiments.ntt_iwslt2007.report import run_ntt_iwslt2007

__all__ = ["NttExperiment", "NttOptions", "NttSet", "run_ntt_iwslt2007"]
