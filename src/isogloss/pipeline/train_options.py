"""What ``isogloss train`` can be told."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from isogloss.align.options import AlignOptions, LinkOptions
from isogloss.classes import ClassOptions
from isogloss.corpus.check import CheckOptions
from isogloss.corpus.formats import detect_format
from isogloss.corpus.placeholders import DEFAULT_KINDS, parse_kinds
from isogloss.corpus.processing import Case, Punctuation, SideOptions
from isogloss.decoder.options import SearchOptions
from isogloss.features.annotators import ANNOTATORS
from isogloss.features.block import block_features
from isogloss.features.options import SPELLING_TYPES, SparseOptions
from isogloss.grammar.options import ExtractOptions, Significance
from isogloss.io.config import check_names, from_settings
from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, DefaultText, Options
from isogloss.io.streams import StrPath, atomic_output
from isogloss.learn.registry import canonical_method, find_learner, learner_names
from isogloss.lm.estimation import LmOptions
from isogloss.selection.options import SampleOptions
from isogloss.tuning import TuneOptions

__all__ = [
    "BLOCK_DECODER",
    "CLASS",
    "DEFAULT_FEATURES",
    "NO_FEATURES",
    "NO_TUNING",
    "RELEVANT_SET",
    "SearchName",
    "TrainOptions",
    "grammar_of",
    "read_options",
    "write_options",
]

SearchName = Literal["hiero", "phrase", "block"]

NO_TUNING = "none"
"""The method that leaves the weights as they are."""
CLASS = "class"
"""The token type of word classes."""
DEFAULT_FEATURES = SparseOptions(
    templates=("pair", "target_bigram", "deletion", "shape", "orientation", "distortion"),
    source_types=("surface", CLASS),
    target_types=("surface", CLASS),
)
"""Sparse features that ``online-mira`` learns unless told otherwise."""
NO_FEATURES = SparseOptions(templates=())
BLOCK_DECODER = SearchOptions(
    hierarchical=False, phrase_order="swap", max_options=10, max_scanned=10, beam_size=30, pop_limit=60
)
"""How blocks are searched unless told otherwise. The training text is decoded many times, and a choice of
few blocks per phrase is learnt sooner."""
ONLINE_MIRA = "online-mira"
RELEVANT_SET = "relevant-set"
_OLD_NAMES = {"tuner": "method"}
_CATALOGS = ("po", "xliff")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions(Options):
    """From which files a system is trained, and how. All that is here may change the result.

    >>> TrainOptions(source="a.de", target="a.en", tokenizer="none").sides[0].case
    'keep'
    """

    source: StrPath
    """Training text of the source language, a sentence per line; or, without ``target``, one bilingual file
    (TSV, PO, TMX, XLIFF)."""
    target: StrPath | None = None
    """Its translation, line by line."""
    dev_source: Annotated[StrPath | None, DefaultText("set aside from the training text")] = None
    """Sentences to tune on; without them the last pairs of the training text are set aside."""
    dev_target: tuple[StrPath, ...] = ()
    """Their references: a file per translator."""
    test_source: StrPath | None = None
    """Sentences to report results on."""
    test_target: tuple[StrPath, ...] = ()
    """Their references."""
    dev_size: Annotated[int, AtLeast(0), DefaultText("a tenth of the pairs, at most 1,000")] = 0
    """Pairs to set aside for tuning if there is no ``dev_source``; 0 is a tenth, at most 1,000."""
    test_size: Annotated[int, AtLeast(0), DefaultText("none")] = 0
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
    """``hiero``: rules with gaps; ``phrase``: plain phrases with jumps; ``block``: phrases of which
    neighbours may change places, or none if ``decoder.phrase_order`` is ``monotone``."""
    method: str = ONLINE_MIRA
    """How weights are tuned: ``online-mira`` (dense and sparse features, while it decodes), ``relevant-set``
    (sparse features, from the training text), ``mert``, ``batch-mira``, ``pro`` or another learner of n-best
    lists (dense features), or ``none``. Options may follow the name: ``batch-mira:iterations=30``."""
    held_out_size: Annotated[int, AtLeast(0), DefaultText("none")] = 0
    """Sentences at the end of the development set that are not learned from but decide which iteration's
    weights are the best."""
    tuning_pairs: Annotated[int, AtLeast(0), DefaultText("none")] = 0
    """Training pairs that are learned from beside the development set. Tuning works with rules and a
    language model that have not seen them; the finished system has seen all pairs."""
    tokenizer: str = "moses"
    """Of both languages; ``none`` for text that is tokenised."""
    source_tokenizer: Annotated[str, DefaultText("the same as tokenizer")] = ""
    """Of the source language, if it is another one."""
    target_tokenizer: Annotated[str, DefaultText("the same as tokenizer")] = ""
    """Of the target language, if it is another one."""
    source_language: Annotated[str, DefaultText("the ending of the file's name, or en")] = ""
    """Such as ``de``; by default the ending of the file's name if it looks like a language, else ``en``."""
    target_language: Annotated[str, DefaultText("the ending of the file's name, or en")] = ""
    """Such as ``en``."""
    case: Annotated[Case | Literal[""], DefaultText("truecase; keep without a tokenizer")] = ""
    """``truecase``, ``usual``, ``lowercase`` or ``keep``; by default ``truecase``, without a tokenizer
    ``keep``."""
    placeholders: Annotated[
        tuple[str, ...] | None, DefaultText("catalog for PO and XLIFF files, else none")
    ] = None
    """Kinds of placeholders (``printf``, ``braces``, …; ``catalog`` for the usual ones) that a translation
    must have as often as its source; by default ``catalog`` if the training text is a PO or XLIFF file, else
    none."""
    source_case: Annotated[Case | Literal[""], DefaultText("the same as case")] = ""
    """Of the source language, if it is another one."""
    target_case: Annotated[Case | Literal[""], DefaultText("the same as case")] = ""
    """Of the target language, if it is another one."""
    source_punctuation: Punctuation = "keep"
    """``remove`` leaves punctuation out of the source side, as in speech: the target side restores it."""
    isolate_script: str = ""
    """Such as ``arabic``: source words are split where this script begins and ends."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Of everything that draws random numbers."""
    clean: CheckOptions = field(default_factory=CheckOptions)
    """From where on a training pair is left out."""
    keep: tuple[str, ...] = ()
    """Rules of ``isogloss corpus check`` that are no reason to leave out a pair."""
    align: AlignOptions = field(default_factory=AlignOptions)
    links: LinkOptions = field(default_factory=LinkOptions)
    classes: ClassOptions = field(default_factory=ClassOptions)
    """Word classes, which sparse features see; their ``seed`` is the one above."""
    rules: ExtractOptions | None = None
    """Which rules are extracted; what is usual for the search by default."""
    significance: str = ""
    """Keep only rules that Fisher's exact test finds significant: ``alpha+epsilon`` (which drops all that
    was seen once), ``alpha-epsilon`` or a -log p. Without it all are kept."""
    lm: LmOptions = field(default_factory=lambda: LmOptions(special_words="unknown"))
    """The language model."""
    decoder: SearchOptions | None = None
    """Limits of the search."""
    features: SparseOptions | None = None
    """Sparse features; beside what the spelling gives, token types are ``class`` (induced word classes),
    ``lemma``, ``pos`` and ``synset`` (see ``isogloss.features.annotators``) and the columns below. By default
    a few templates with ``online-mira`` and none with methods that learn dense features only."""
    source_columns: Mapping[str, StrPath] = field(default_factory=dict)
    """Token types of source words from files: lines of a word, a tab and its values."""
    target_columns: Mapping[str, StrPath] = field(default_factory=dict)
    """Token types of target words from files."""
    source_dictionary: StrPath | None = None
    """Folder of the WordNet of the source language, for ``synset``; by default what ``wn`` has."""
    target_dictionary: StrPath | None = None
    """Folder of the WordNet of the target language."""
    corrections: StrPath | None = None
    """Corrections to train on, source TAB translation, as ``isogloss retrain`` writes them. They replace what
    the training text has for their source; those of sentences that are set aside are left out."""
    tune: TuneOptions = field(default_factory=TuneOptions)
    """How it is tuned; its ``method`` and ``seed`` are those above."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.method != NO_TUNING:
            object.__setattr__(self, "method", canonical_method(self.method, decoder=True))
        for files in self.extra_bitext:
            if isinstance(files, str) or len(files) != 2:
                raise ConfigError(f"extra_bitext has pairs of files, source and target, got {files!r}")
        self._check_sets()
        self._check_features()
        self._check_tuning_pairs()
        if self.significance:
            Significance.parse(self.significance)
        relevant = self.tune.relevant
        if (
            self.learner_name == RELEVANT_SET
            and relevant.shared_phrase
            and not (self.test_source or self.test_size)
        ):
            raise ConfigError("shared_phrase compares the training text with a test set, and there is none")
        self.sides  # noqa: B018  # an unknown tokenizer is an error now, not when the text is there
        self.protected  # noqa: B018

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], warn: Callable[[str], None] = lambda message: None
    ) -> TrainOptions:
        """The options that settings stand for; a wrong name or type is an error that says where.

        ``warn`` is told about names of earlier versions.
        """
        settings = cls.current_names(settings, warn)
        if isinstance(settings.get("method"), str) and settings["method"] != NO_TUNING:
            settings["method"] = canonical_method(settings["method"], decoder=True, warn=warn)
        if not isinstance(settings.get("source"), str | Path):
            raise ConfigError(
                "the training text is missing: give --source and --target, or one bilingual --source"
            )
        if isinstance(settings.get("rules"), Mapping):
            # What is usual for rules depends on the search.
            rules = dict(settings["rules"])
            check_names(ExtractOptions, rules, "rules")
            settings["rules"] = ExtractOptions.for_grammar(
                grammar_of(settings.get("search", "hiero")), **{"tight": False, **rules}
            )
        if isinstance(settings.get("decoder"), Mapping) and settings.get("search") == "block":
            settings["decoder"] = {**asdict(BLOCK_DECODER), **settings["decoder"]}
        if isinstance(settings.get("features"), Mapping):
            # What is not said of sparse features stays as it is by default, with the columns that are given.
            usual = DEFAULT_FEATURES.to_json()
            for side in ("source", "target"):
                usual[f"{side}_types"] += list(settings.get(f"{side}_columns", ()))
            settings["features"] = {**usual, **settings["features"]}
        return from_settings(cls, settings)

    @staticmethod
    def current_names(
        settings: Mapping[str, Any], warn: Callable[[str], None] = lambda message: None
    ) -> dict[str, Any]:
        """Settings by today's names; ``warn`` is told about those of earlier versions."""
        found = dict(settings)
        for old, new in _OLD_NAMES.items():
            if old in found:
                if new in found:
                    raise ConfigError(f"give {new}, not {old} beside it")
                warn(f"'{old}' is now called '{new}'")
                found[new] = found.pop(old)
        return found

    def _check_sets(self) -> None:
        for name in ("dev", "test"):
            source, targets = getattr(self, f"{name}_source"), getattr(self, f"{name}_target")
            if (source is None) != (not targets):
                raise ConfigError(f"{name}_source and {name}_target go together")
            if source is not None and getattr(self, f"{name}_size"):
                raise ConfigError(f"{name}_size is for training without a {name}_source")

    def _check_tuning_pairs(self) -> None:
        if not self.tuning_pairs:
            return
        if self.learner_name in (NO_TUNING, RELEVANT_SET):
            raise ConfigError(f"the method {self.learner_name} does not learn from tuning_pairs")
        if self.adapt_to or self.extra_bitext:
            raise ConfigError("tuning_pairs do not go together with adapt_to or extra_bitext")

    def _check_features(self) -> None:
        for name in (*self.source_columns, *self.target_columns):
            if name in (*SPELLING_TYPES, CLASS):
                raise ConfigError(f"'{name}' is a token type already; give the column another name")
        if not self.sparse_features.templates:
            if self.source_columns or self.target_columns:
                raise ConfigError("token columns are for sparse features, and there are none")
            return
        able = [name for name in learner_names(decoder=True) if _learns_sparse(name)]
        if self.learner_name not in able:
            raise ConfigError(
                f"sparse features are learned by {' and '.join(able)}, and the method is {self.learner_name}"
            )
        for side in ("source", "target"):
            known = [*SPELLING_TYPES, CLASS, *ANNOTATORS, *self.columns(side)]
            for name in self._types(side):
                if name not in known:
                    raise ConfigError(
                        f"no {side} token type is called '{name}'; there are {', '.join(sorted(known))}"
                    )

    def _types(self, side: str) -> tuple[str, ...]:
        features = self.sparse_features
        if not features.templates:
            return ()
        return features.source_types if side == "source" else features.target_types

    def columns(self, side: str) -> Mapping[str, StrPath]:
        """Files with the values of words."""
        return self.source_columns if side == "source" else self.target_columns

    def annotated(self, side: str) -> list[str]:
        """Token types that other tools find in the training text."""
        return [name for name in self._types(side) if name in ANNOTATORS and name not in self.columns(side)]

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
    def protected(self) -> tuple[str, ...]:
        """Kinds of placeholders that are protected."""
        if self.placeholders is not None:
            return parse_kinds(",".join(self.placeholders or ("none",)))
        catalog = self.target is None and detect_format(self.source, look_inside=False).name in _CATALOGS
        return DEFAULT_KINDS if catalog else ()

    @property
    def sparse_features(self) -> SparseOptions:
        """The sparse features, none of them or some."""
        if self.features is not None:
            return self.features
        if self.learner_name == RELEVANT_SET:
            return block_features(swap=self.search_options.phrase_order != "monotone")
        if self.learner_name != ONLINE_MIRA:
            return NO_FEATURES
        return replace(
            DEFAULT_FEATURES,
            source_types=(*DEFAULT_FEATURES.source_types, *self.source_columns),
            target_types=(*DEFAULT_FEATURES.target_types, *self.target_columns),
        )

    @property
    def needs_classes(self) -> bool:
        """Whether a sparse feature looks at word classes."""
        return any(
            CLASS in self._types(side) and CLASS not in self.columns(side) for side in ("source", "target")
        )

    @property
    def extraction(self) -> ExtractOptions:
        """Which rules are extracted."""
        # Loose edges give words that are never aligned a rule; tight ones let them through untranslated.
        return self.rules or ExtractOptions.for_grammar(grammar_of(self.search), tight=False)

    @property
    def search_options(self) -> SearchOptions:
        """Limits of the search, and which one it is."""
        if self.search == "block":
            given = self.decoder or BLOCK_DECODER
            order = given.phrase_order if given.phrase_order == "monotone" else "swap"
            return replace(given, hierarchical=False, phrase_order=order)
        return replace(self.decoder or SearchOptions(), hierarchical=self.search == "hiero")

    @property
    def learner_name(self) -> str:
        """The method without its options."""
        return self.method.partition(":")[0]

    @property
    def tuning(self) -> TuneOptions:
        """How it is tuned, with method and seed filled in."""
        return replace(self.tune, method=self.method, seed=self.seed)


_OPTIONS = "options.json"
_FILES = (
    *("source", "target", "dev_source", "dev_target", "test_source", "test_target", "adapt_to"),
    *("extra_bitext", "source_columns", "target_columns", "source_dictionary", "target_dictionary"),
    "corrections",
)


def write_options(folder: Path, options: TrainOptions) -> None:
    """Keep the options of an engine, so that it can be trained again.

    Files have their full names; those in the folder have names relative to it, so that it can be moved.
    """
    stored, base = asdict(options), os.path.abspath(folder)  # noqa: PTH100  # links stay

    def name_of(path: str) -> str:
        full = os.path.abspath(path)  # noqa: PTH100
        return os.path.relpath(full, base) if full.startswith(base + os.sep) else full

    stored |= {name: _renamed(stored[name], name_of) for name in _FILES}
    content = json.dumps(stored, indent=1, default=str) + "\n"
    path = folder / _OPTIONS
    if not path.exists() or path.read_text(encoding="utf-8") != content:
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_output(path) as stream:
            stream.write(content)


def read_options(folder: Path) -> TrainOptions:
    """The options that an engine was trained with."""
    path = folder / _OPTIONS
    try:
        settings = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise ConfigError(
            f"{folder} does not say how it was trained; repeat the 'isogloss train' that made it, which then "
            "keeps its options"
        ) from None
    except ValueError:
        raise ConfigError(f"{path} is damaged; repeat the 'isogloss train' that made the engine") from None
    known = {name: value for name, value in settings.items() if value is not None}
    known |= {
        name: _renamed(known[name], lambda path: str(folder / path)) for name in _FILES if name in known
    }
    return from_settings(TrainOptions, known)


def _renamed(value: Any, name_of: Callable[[str], str]) -> Any:
    """Names of files, in whatever they are listed, under other names."""
    if isinstance(value, Mapping):
        return {name: _renamed(item, name_of) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_renamed(item, name_of) for item in value]
    return None if value is None else name_of(os.fspath(value))


def _learns_sparse(name: str) -> bool:
    entry = find_learner(name, decoder=True)
    return entry.needs_decoder and entry.sparse  # the lists of a decoder have its dense features only


def grammar_of(search: str) -> str:
    """The kind of grammar that a search needs."""
    return "phrase" if search == "block" else search


def _language(path: StrPath) -> str:
    """What the ending of a file's name says, such as ``de`` for ``train.de.gz``."""
    name = Path(path)
    if name.suffix in (".gz", ".zst"):
        name = name.with_suffix("")
    ending = name.suffix[1:]
    return ending if len(ending) == 2 and ending.isalpha() and ending.islower() else "en"
