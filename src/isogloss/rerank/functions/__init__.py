"""The feature functions, one per file; ``FUNCTIONS`` has them by name."""

from isogloss.rerank.features import FeatureFunction
from isogloss.rerank.functions.agreement import Agreement
from isogloss.rerank.functions.brackets import Brackets
from isogloss.rerank.functions.class_lm import ClassLanguageModel
from isogloss.rerank.functions.column import Column
from isogloss.rerank.functions.consensus import Consensus
from isogloss.rerank.functions.continuity import RightContinuity
from isogloss.rerank.functions.copying import Copying
from isogloss.rerank.functions.coverage import Coverage
from isogloss.rerank.functions.cross import Cross
from isogloss.rerank.functions.expected import ExpectedUtility
from isogloss.rerank.functions.factor_lm import FactorLanguageModel
from isogloss.rerank.functions.joint import JointModelScore
from isogloss.rerank.functions.language import LanguageOdds
from isogloss.rerank.functions.length_model import LengthModel
from isogloss.rerank.functions.lengths import Lengths
from isogloss.rerank.functions.lexicon import LexiconOdds
from isogloss.rerank.functions.lm import LanguageModelScore
from isogloss.rerank.functions.memory import MemorySimilarity
from isogloss.rerank.functions.missing import MissingWords
from isogloss.rerank.functions.model1 import Model1
from isogloss.rerank.functions.nouns import WrongNounPosition
from isogloss.rerank.functions.popularity import WordPopularity
from isogloss.rerank.functions.preserved import Preserved
from isogloss.rerank.functions.python import PythonFunction
from isogloss.rerank.functions.quotes import Quotes
from isogloss.rerank.functions.registered import RegisteredFunction
from isogloss.rerank.functions.repetition import Repetition
from isogloss.rerank.functions.score import DecoderScore
from isogloss.rerank.functions.segmentation import PhraseSegmentation
from isogloss.rerank.functions.sparse import SparseTemplates
from isogloss.rerank.functions.terms import Terminology

__all__ = ["FUNCTIONS"]

FUNCTIONS: dict[str, type[FeatureFunction]] = {
    function.name: function
    for function in (
        Agreement,
        Brackets,
        ClassLanguageModel,
        Column,
        Consensus,
        Copying,
        Coverage,
        Cross,
        DecoderScore,
        ExpectedUtility,
        FactorLanguageModel,
        JointModelScore,
        LanguageModelScore,
        LanguageOdds,
        LengthModel,
        Lengths,
        LexiconOdds,
        MemorySimilarity,
        MissingWords,
        Model1,
        PhraseSegmentation,
        Preserved,
        PythonFunction,
        Quotes,
        RegisteredFunction,
        Repetition,
        RightContinuity,
        SparseTemplates,
        Terminology,
        WordPopularity,
        WrongNounPosition,
    )
}
