"""What ``isogloss train`` can be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args

from isogloss.align.options import LinkOptions, TrainingOptions
from isogloss.classes import ClassOptions
from isogloss.corpus.check import CheckOptions
from isogloss.corpus.processing import Case, Punctuation, SideOptions
from isogloss.corpus.streams import StrPath
from isogloss.errors import ConfigError
from isogloss.features.options import SPELLING_TYPES, SparseOptions
from isogloss.grammar.options import ExtractOptions
from isogloss.learn.online import HOPE_AND_FEAR
from isogloss.learn.tuning import METHODS, TuneOptions
from isogloss.lm.build import BuildOptions
from isogloss.sampling.options import SampleOptions
from isogloss.search.options import SearchOptions

__all__ = [
    "CLASS",
    "DEFAULT_FEATURES",
    "NO_FEATURES",
    "NO_TUNER",
    "TUNERS",
    "SearchName",
    "TrainOptions",
]

SearchName = Literal["hiero", "phrase"]

NO_TUNER = "none"
TUNERS = (*METHODS, NO_TUNER)
CLASS = "class"
"""The token type of word classes."""
DEFAULT_FEATURES = SparseOptions(
    templates=("pair", "target_bigram", "deletion", "shape", "orientation", "distortion"),
    source_types=("surface", CLASS),
    target_types=("surface", CLASS),
)
"""Sparse features that ``mira`` learns unless told otherwise."""
NO_FEATURES = SparseOptions(templates=())


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    """From which files a system is trained, and how. All that is here may change the result.

    >>> TrainOptions(source="a.de", target="a.en", tokenizer="none").sides[0].case
    'keep'
    """

    source: StrPath
    """Training text of the source language, a sentence per line; or, without ``target``, one bilingual file
    (TSV, PO, TMX, XLIFF)."""
    target: StrPath | None = None
    """Its translation, line by line."""
    dev_source: StrPath | None = None
    """Sentences to tune on; without them the last pairs of the training text are set aside."""
    dev_target: tuple[StrPath, ...] = ()
    """Their references: a file per translator."""
    test_source: StrPath | None = None
    """Sentences to report results on."""
    test_target: tuple[StrPath, ...] = ()
    """Their references."""
    dev_size: int = 0
    """Pairs to set aside for tuning if there is no ``dev_source``; 0 is a tenth, at most 1,000."""
    test_size: int = 0
    """Pairs to set aside for testing if there is no ``test_source``."""
    adapt_to: tuple[StrPath, ...] = ()
    """Text of the source language: rules are extracted only from training pairs that are like it. Words are
    aligned in all pairs, and the language model is that of all pairs."""
    sample: SampleOptions = field(default_factory=SampleOptions)
    """How they are chosen."""
    extra_bitext: tuple[tuple[StrPath, StrPath], ...] = ()
    """Further pairs of files, such as a development set: words are aligned and rules extracted from them too.
    They are neither cleaned nor sampled, and the language model does not see them."""
    search: SearchName = "hiero"
    """``hiero``: rules with gaps; ``phrase``: plain phrases with jumps."""
    tuner: str = "mira"
    """``mira`` (learns dense and sparse features while it decodes), ``mert``, ``kbmira``, ``pro``, or
    ``none`` for weights that are not tuned."""
    held_out_size: int = 0
    """Sentences at the end of the development set that are not learnt from but decide which iteration's
    weights are the best."""
    tokenizer: str = "moses"
    """Of both languages; ``none`` for text that is tokenised."""
    source_tokenizer: str = ""
    """Of the source language, if it is another one."""
    target_tokenizer: str = ""
    """Of the target language, if it is another one."""
    source_language: str = ""
    """Such as ``de``; by default the ending of the file's name if it looks like a language, else ``en``."""
    target_language: str = ""
    """Such as ``en``."""
    case: Case | Literal[""] = ""
    """``truecase``, ``lowercase`` or ``keep``; by default ``truecase``, and ``keep`` without a tokenizer."""
    source_case: Case | Literal[""] = ""
    """Of the source language, if it is another one."""
    target_case: Case | Literal[""] = ""
    """Of the target language, if it is another one."""
    source_punctuation: Punctuation = "keep"
    """``remove`` leaves punctuation out of the source side, as in speech: the target side restores it."""
    isolate_script: str = ""
    """Such as ``arabic``: source words are split where this script begins and ends."""
    seed: int = 1
    """Of everything that draws random numbers."""
    clean: CheckOptions = field(default_factory=CheckOptions)
    """From where on a training pair is left out."""
    keep: tuple[str, ...] = ()
    """Rules of ``isogloss corpus check`` that are no reason to leave out a pair."""
    align: TrainingOptions = field(default_factory=TrainingOptions)
    links: LinkOptions = field(default_factory=LinkOptions)
    classes: ClassOptions = field(default_factory=ClassOptions)
    """Word classes, which sparse features see; their ``seed`` is the one above."""
    rules: ExtractOptions | None = None
    """Which rules are extracted; what is usual for the search by default."""
    lm: BuildOptions = field(default_factory=lambda: BuildOptions(special_words="unknown"))
    """The language model; ``memory`` and ``threads`` are given elsewhere."""
    decoder: SearchOptions | None = None
    """Limits of the search."""
    features: SparseOptions | None = None
    """Sparse features; ``class`` is the token type of induced word classes. By default a few templates with
    ``mira`` and none with other tuners, which learn dense features only."""
    tune: TuneOptions = field(default_factory=lambda: TuneOptions(online=HOPE_AND_FEAR))
    """Of the tuner; its ``method`` and ``seed`` are ``tuner`` and ``seed`` above."""
    source_columns: Mapping[str, StrPath] = field(default_factory=dict)
    """Further token types of source words for sparse features, such as parts of speech, named entities or
    synsets: name and file, with lines of a word, a tab and its values with spaces between."""
    target_columns: Mapping[str, StrPath] = field(default_factory=dict)
    """The same for target words."""

    def __post_init__(self) -> None:
        if self.search not in get_args(SearchName):
            raise ConfigError(f"search must be one of {', '.join(get_args(SearchName))}, got {self.search!r}")
        if self.tuner not in TUNERS:
            raise ConfigError(f"tuner must be one of {', '.join(TUNERS)}, got {self.tuner!r}")
        for name in ("case", "source_case", "target_case"):
            if getattr(self, name) not in ("", *get_args(Case)):
                raise ConfigError(
                    f"{name} must be one of {', '.join(get_args(Case))}, got {getattr(self, name)!r}"
                )
        for files in self.extra_bitext:
            if isinstance(files, str) or len(files) != 2:
                raise ConfigError(f"extra_bitext has pairs of files, source and target, got {files!r}")
        for name in ("dev_size", "test_size", "held_out_size", "seed"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} must be at least 0, got {getattr(self, name)}")
        self._check_sets()
        self._check_features()
        self.sides  # noqa: B018  # an unknown tokenizer is an error now, not when the text is there

    def _check_sets(self) -> None:
        for name in ("dev", "test"):
            source, targets = getattr(self, f"{name}_source"), getattr(self, f"{name}_target")
            if (source is None) != (not targets):
                raise ConfigError(f"{name}_source and {name}_target go together")
            if source is not None and getattr(self, f"{name}_size"):
                raise ConfigError(f"{name}_size is for training without a {name}_source")

    def _check_features(self) -> None:
        for name in (*self.source_columns, *self.target_columns):
            if name in (*SPELLING_TYPES, CLASS):
                raise ConfigError(f"'{name}' is a token type already; give the column another name")
        if not self.sparse_features.templates:
            if self.source_columns or self.target_columns:
                raise ConfigError("token columns are for sparse features, and there are none")
            return
        if self.tuner != "mira":
            raise ConfigError(f"sparse features are learnt by mira only, and the tuner is {self.tuner}")
        for names, columns in (
            (self.sparse_features.source_types, self.source_columns),
            (self.sparse_features.target_types, self.target_columns),
        ):
            known = sorted({*SPELLING_TYPES, CLASS, *columns})
            for name in names:
                if name not in known:
                    raise ConfigError(f"no token type is called '{name}'; there are {', '.join(known)}")

    @property
    def sides(self) -> tuple[SideOptions, SideOptions]:
        """What is done to the text of the source and of the target language."""
        names = (self.source_tokenizer or self.tokenizer, self.target_tokenizer or self.tokenizer)
        languages = (
            self.source_language or _language(self.source),
            self.target_language or (_language(self.target) if self.target is not None else "en"),
        )
        cases = (self.source_case or self.case, self.target_case or self.case)
        source, target = (
            SideOptions(
                tokenizer=name, language=language, case=case or ("keep" if name == "none" else "truecase")
            )
            for name, language, case in zip(names, languages, cases, strict=True)
        )
        source = replace(source, punctuation=self.source_punctuation, isolate=self.isolate_script)
        return source, target

    @property
    def sparse_features(self) -> SparseOptions:
        """The sparse features, none of them or some."""
        if self.features is not None:
            return self.features
        if self.tuner != "mira":
            return NO_FEATURES
        return replace(
            DEFAULT_FEATURES,
            source_types=(*DEFAULT_FEATURES.source_types, *self.source_columns),
            target_types=(*DEFAULT_FEATURES.target_types, *self.target_columns),
        )

    @property
    def needs_classes(self) -> bool:
        """Whether a sparse feature looks at word classes."""
        features = self.sparse_features
        return bool(features.templates) and CLASS in (*features.source_types, *features.target_types)

    @property
    def extraction(self) -> ExtractOptions:
        """Which rules are extracted."""
        # Loose edges give words that are never aligned a rule; tight ones let them through untranslated.
        return self.rules or ExtractOptions.for_grammar(self.search, tight=False)

    @property
    def search_options(self) -> SearchOptions:
        """Limits of the search, and which one it is."""
        return replace(self.decoder or SearchOptions(), hierarchical=self.search == "hiero")

    @property
    def tuning(self) -> TuneOptions:
        """Of the tuner, with its name and the seed filled in."""
        return replace(self.tune, method=self.tuner, seed=self.seed)


def _language(path: StrPath) -> str:
    """What the ending of a file's name says, such as ``de`` for ``train.de.gz``."""
    name = Path(path)
    if name.suffix in (".gz", ".zst"):
        name = name.with_suffix("")
    ending = name.suffix[1:]
    return ending if len(ending) == 2 and ending.isalpha() and ending.islower() else "en"
