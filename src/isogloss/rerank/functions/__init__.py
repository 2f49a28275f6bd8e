"""The feature functions, one per file; ``FUNCTIONS`` has them by name."""

from isogloss.rerank.features import FeatureFunction
from isogloss.rerank.functions.agreement import Agreement
from isogloss.rerank.functions.brackets import Brackets
from isogloss.rerank.functions.class_lm import ClassLanguageModel
from isogloss.rerank.functions.column import Column
from isogloss.rerank.functions.consensus import Consensus
from isogloss.rerank.functions.continuity import RightContinuity
from isogloss.rerank.functions.expected import ExpectedUtility
from isogloss.rerank.functions.factor_lm import FactorLanguageModel
from isogloss.rerank.functions.lengths import Lengths
from isogloss.rerank.functions.lm import LanguageModelScore
from isogloss.rerank.functions.missing import MissingWords
from isogloss.rerank.functions.model1 import Model1
from isogloss.rerank.functions.nouns import WrongNounPosition
from isogloss.rerank.functions.popularity import WordPopularity
from isogloss.rerank.functions.python import PythonFunction
from isogloss.rerank.functions.quotes import Quotes
from isogloss.rerank.functions.registered import RegisteredFunction
from isogloss.rerank.functions.score import DecoderScore
from isogloss.rerank.functions.segmentation import PhraseSegmentation
from isogloss.rerank.functions.sparse import SparseTemplates

__all__ = ["FUNCTIONS"]

FUNCTIONS: dict[str, type[FeatureFunction]] = {
    function.name: function
    for function in (
        Agreement,
        Brackets,
        ClassLanguageModel,
        Column,
        Consensus,
        DecoderScore,
        ExpectedUtility,
        FactorLanguageModel,
        LanguageModelScore,
        Lengths,
        MissingWords,
        Model1,
        PhraseSegmentation,
        PythonFunction,
        Quotes,
        RegisteredFunction,
        RightContinuity,
        SparseTemplates,
        WordPopularity,
        WrongNounPosition,
    )
}
