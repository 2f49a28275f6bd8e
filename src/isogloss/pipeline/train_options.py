"""Options of ``isogloss train``."""

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
from isogloss.corpus.inputs import bilingual_files
from isogloss.corpus.languages import UNDETERMINED, checked_language, language_in_name
from isogloss.corpus.placeholders import ALL_KINDS, parse_kinds
from isogloss.corpus.processing import Case, Punctuation, SideOptions
from isogloss.corpus.tokenizer import usual_tokenizer
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
from isogloss.neural.options import JointOptions
from isogloss.selection.options import SampleOptions
from isogloss.tuning import TuneOptions
from isogloss.tuning.options import AUTO, RELEVANT_SET, Effort

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

SearchName = Literal["auto", "hiero", "phrase", "block"]

NO_TUNING = "none"
"""The method that does not tune the weights."""
CLASS = "class"
"""The token type of word classes."""
DEFAULT_FEATURES = SparseOptions(
    templates=("pair", "target_bigram", "deletion", "shape", "orientation", "distortion"),
    source_types=("surface", CLASS),
    target_types=("surface", CLASS),
)
"""Default sparse features for ``auto`` and ``online-mira``."""
NO_FEATURES = SparseOptions(templates=())
BLOCK_DECODER = SearchOptions(
    hierarchical=False, phrase_order="swap", max_options=10, max_scanned=10, beam_size=30, pop_limit=60
)
"""Default search options for blocks. The training text is decoded many times, and few blocks per phrase are
learned faster."""
ONLINE_MIRA = "online-mira"
_OLD_NAMES = {"tuner": "method"}
_CATALOGS = ("po", "xliff")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions(Options):
    """Files and options of training. Everything here may change the result.

    >>> TrainOptions(source="a.de", target="a.en", tokenizer="none").sides[0].case
    'keep'
    """

    source: StrPath | tuple[StrPath, ...]
    """Source side of the training text, one sentence per line; or, without ``target``, bilingual files (TSV,
    PO, TMX, XLIFF), folders of them or patterns such as ``locale/*.po``."""
    target: StrPath | tuple[StrPath, ...] | None = None
    """Target side of the training text, parallel to ``source``; as many files as ``source`` has."""
    dev_source: Annotated[StrPath | None, DefaultText("a random sample of the training text")] = None
    """Source side of the development set, to tune on."""
    dev_target: tuple[StrPath, ...] = ()
    """References of the development set, one file per translator."""
    test_source: StrPath | None = None
    """Source side of the test set, to report results on."""
    test_target: tuple[StrPath, ...] = ()
    """References of the test set, one file per translator."""
    dev_size: Annotated[int, AtLeast(0), DefaultText("a tenth of the pairs, at most 1,000")] = 0
    """Pairs to set aside for tuning if there is no ``dev_source``; 0 sets aside a tenth, at most 1,000."""
    test_size: Annotated[
        int | None,
        AtLeast(0),
        DefaultText("a twentieth of the pairs, at most 1,000; none if a development set is given"),
    ] = None
    """Pairs to set aside for testing if there is no ``test_source``; 0 for none."""
    adapt_to: tuple[StrPath, ...] = ()
    """Source text to adapt to: rules are extracted only from training pairs similar to it. Word alignment and
    the language model still use all pairs."""
    sample: SampleOptions = field(default_factory=SampleOptions)
    """How ``adapt_to`` selects pairs."""
    extra_bitext: tuple[tuple[StrPath, StrPath], ...] = ()
    """More pairs of files, such as a development set, to align and to extract rules from. They are not
    cleaned or sampled, and the language model does not use them."""
    dictionary: StrPath | None = None
    """Dictionary, TSV: a source word, a tab and its translation; more translations may follow after tabs or
    on other lines. CSV and TBX files are read like term lists. Word alignment, rules and the language model
    use the entries like training pairs; those of single words have a feature of their own."""
    search: Annotated[SearchName, DefaultText("hiero or phrase, chosen")] = "auto"
    """``hiero``: hierarchical (Hiero) rules; ``phrase``: phrase-based with distortion; ``block``:
    phrase-based, adjacent phrases may swap (set ``decoder.phrase_order`` to ``monotone`` for no
    reordering)."""
    method: str = AUTO
    """How to tune the weights: ``auto`` (chosen on held-out text), ``online-mira`` (dense and sparse
    features), ``relevant-set`` (sparse features, on the training text), ``mert``, ``batch-mira`` or another
    n-best learner (dense features), or ``none``. Options may follow the name:
    ``batch-mira:iterations=30``."""
    effort: Effort = "normal"
    """How much ``auto`` tries: ``quick`` tunes dense features, ``normal`` adds sparse ones where they gain,
    ``thorough`` compares on more text and repeats it. ``quick`` also skips estimating what more training
    pairs would bring."""
    held_out_size: Annotated[int, AtLeast(0), DefaultText("none")] = 0
    """Sentences at the end of the development set to hold out. Tuning does not learn from them; the iteration
    that translates them best is kept."""
    tuning_pairs: Annotated[int, AtLeast(0), DefaultText("none")] = 0
    """Training pairs to tune on in addition to the development set. Tuning uses rules and a language model
    made without these pairs; the finished system is made from all pairs."""
    all_pairs: bool = True
    """Build the finished system from all pairs: once the weights are tuned and the scores are taken, rules
    and language model are made again, with the pairs that were set aside. Turn it off to score the finished
    system on those pairs yourself."""
    tokenizer: Annotated[str, DefaultText("what suits the language")] = ""
    """Tokenizer for both sides; ``none`` if the text is tokenized already. The default is ``fugashi`` for
    Japanese and ``jieba`` for Chinese if installed, ``syllables`` for Thai, Lao, Khmer and Burmese,
    ``characters`` for other languages without spaces, and ``words`` otherwise."""
    source_tokenizer: Annotated[str, DefaultText("the same as tokenizer")] = ""
    """Tokenizer for the source side, if different."""
    target_tokenizer: Annotated[str, DefaultText("the same as tokenizer")] = ""
    """Tokenizer for the target side, if different."""
    source_language: Annotated[str, DefaultText("from the file, its name or its script")] = ""
    """Code of the source language, such as ``de`` or ``pt-BR``."""
    target_language: Annotated[str, DefaultText("from the file, its name or its script")] = ""
    """Code of the target language, such as ``en``."""
    case: Annotated[Case | Literal[""], DefaultText("truecase; keep without a tokenizer")] = ""
    """How to normalize case: ``truecase`` (the first word of a sentence), ``usual`` (every word, to its most
    frequent form), ``lowercase`` or ``keep``."""
    placeholders: Annotated[tuple[str, ...] | None, DefaultText("all; none without a tokenizer")] = None
    """Kinds of text that a translation must keep unchanged. They are ``printf``, ``braces``, ``tags``,
    ``entities``, ``urls``, ``emails``, ``identifiers``, ``paths``, ``versions``, ``escapes`` and
    ``accelerators``; ``catalog`` stands for the first four, ``all`` for all, ``none`` for none."""
    source_case: Annotated[Case | Literal[""], DefaultText("the same as case")] = ""
    """Case of the source side, if different."""
    target_case: Annotated[Case | Literal[""], DefaultText("the same as case")] = ""
    """Case of the target side, if different."""
    source_punctuation: Punctuation = "keep"
    """``remove`` drops punctuation from the source side, as in speech; the translation restores it."""
    isolate_script: str = ""
    """Split source words where this script begins and ends, such as ``arabic``."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed for every stage."""
    clean: CheckOptions = field(default_factory=CheckOptions)
    """Limits for cleaning the training text."""
    keep: tuple[str, ...] = ()
    """Findings of ``isogloss corpus check`` that are no reason to drop a training pair."""
    align: AlignOptions = field(default_factory=AlignOptions)
    links: LinkOptions = field(default_factory=LinkOptions)
    classes: ClassOptions = field(default_factory=ClassOptions)
    """Word classes for sparse features; their ``seed`` is the one above."""
    rules: ExtractOptions | None = None
    """Which rules to extract; the defaults depend on ``search``."""
    significance: str = ""
    """Keep only significant rules by Fisher's exact test: ``alpha+epsilon`` (drops pairs seen once),
    ``alpha-epsilon`` (keeps them), or the lowest -log p. By default all rules are kept."""
    lm: LmOptions = field(default_factory=lambda: LmOptions(special_words="unknown"))
    """The language model."""
    neural: Annotated[bool | None, DefaultText("decided on the development set; no if quick")] = None
    """Train a neural joint model, which predicts each target word from the last ones and from the source
    words around it, and let the search use it. By default, ``auto`` trains one unless the effort is
    ``quick``, and keeps it if held-out halves of the development set are translated better; other methods
    do not. The search takes about half as long again."""
    joint: JointOptions = field(default_factory=JointOptions)
    """Sizes and training of the neural joint model; its ``seed`` is the one above."""
    decoder: SearchOptions | None = None
    """Options of the search."""
    features: SparseOptions | None = None
    """Sparse features. In addition to the token types made from spelling, there are ``class`` (induced word
    classes), ``lemma``, ``pos``, ``synset`` (see ``isogloss.features.annotators``) and the columns below. By
    default a few templates with ``auto`` and ``online-mira``, and none with methods that learn dense features
    only."""
    source_columns: Mapping[str, StrPath] = field(default_factory=dict)
    """Token types of source words from files: word TAB values, one word per line."""
    target_columns: Mapping[str, StrPath] = field(default_factory=dict)
    """Token types of target words, from such files."""
    source_dictionary: StrPath | None = None
    """Folder with a WordNet of the source language, for ``synset``; by default the one installed for
    ``wn``."""
    target_dictionary: StrPath | None = None
    """Folder with a WordNet of the target language."""
    corrections: StrPath | None = None
    """Corrections to train on, source TAB translation, as ``isogloss retrain`` writes them. They replace the
    training pairs with the same source; those of sentences that are set aside are left out."""
    tune: TuneOptions = field(default_factory=TuneOptions)
    """Options of tuning; its ``method``, ``effort`` and ``seed`` are the ones above."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.search == "auto" and not self.chooses_search:
            object.__setattr__(self, "search", "hiero")
        for side in ("source", "target"):  # one file is the file itself
            if isinstance(files := getattr(self, side), tuple) and len(files) <= 1:
                object.__setattr__(self, side, files[0] if files else None)
        if self.method != NO_TUNING:
            object.__setattr__(self, "method", canonical_method(self.method, decoder=True))
        for files in self.extra_bitext:
            if isinstance(files, str) or len(files) != 2:
                raise ConfigError(f"extra_bitext must be pairs of files, source and target, got {files!r}")
        for side in ("source_language", "target_language"):
            if code := getattr(self, side):
                object.__setattr__(self, side, checked_language(code, side))
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
            raise ConfigError("shared_phrase needs a test set to compare with, and there is none")
        self.sides  # noqa: B018  # an unknown tokenizer is an error now, not when the text is there
        self.protected  # noqa: B018

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], warn: Callable[[str], None] = lambda message: None
    ) -> TrainOptions:
        """Make options from settings; an error names a wrong name or type.

        ``warn`` is called for names of earlier versions.
        """
        settings = cls.current_names(settings, warn)
        if isinstance(settings.get("method"), str) and settings["method"] != NO_TUNING:
            settings["method"] = canonical_method(settings["method"], decoder=True, warn=warn)
        if not (isinstance(settings.get("source"), str | Path | list | tuple) and settings["source"]):
            raise ConfigError(
                "there is no training text; give --source and --target, or one bilingual file as --source"
            )
        if isinstance(settings.get("rules"), Mapping):
            # Defaults of rules depend on the search.
            rules = dict(settings["rules"])
            check_names(ExtractOptions, rules, "rules")
            settings["rules"] = ExtractOptions.for_grammar(
                grammar_of(settings.get("search", "hiero")), **{"tight": False, "word_forms": True, **rules}
            )
        if isinstance(settings.get("decoder"), Mapping) and settings.get("search") == "block":
            settings["decoder"] = {**asdict(BLOCK_DECODER), **settings["decoder"]}
        if isinstance(settings.get("features"), Mapping):
            # Sparse features that are not set keep their defaults, with the given columns added.
            usual = DEFAULT_FEATURES.to_json()
            for side in ("source", "target"):
                usual[f"{side}_types"] += list(settings.get(f"{side}_columns", ()))
            settings["features"] = {**usual, **settings["features"]}
        return from_settings(cls, settings)

    @staticmethod
    def current_names(
        settings: Mapping[str, Any], warn: Callable[[str], None] = lambda message: None
    ) -> dict[str, Any]:
        """Settings with current names; ``warn`` is called for names of earlier versions."""
        found = dict(settings)
        for old, new in _OLD_NAMES.items():
            if old in found:
                if new in found:
                    raise ConfigError(f"give {new} only, not {old} as well")
                warn(f"'{old}' is now called '{new}'")
                found[new] = found.pop(old)
        return found

    @property
    def files(self) -> tuple[list[StrPath], list[StrPath]]:
        """Files of the training text: source and target, or bilingual ones and none; folders are opened."""
        if self.target is None:
            return bilingual_files(_each(self.source)), []
        return _each(self.source), _each(self.target)

    @property
    def sets_test_aside(self) -> bool:
        """Whether a test set is taken from the training text."""
        if self.test_size is None:
            return self.test_source is None and self.dev_source is None
        return self.test_size > 0

    def _check_sets(self) -> None:
        for name in ("dev", "test"):
            source, targets = getattr(self, f"{name}_source"), getattr(self, f"{name}_target")
            if (source is None) != (not targets):
                raise ConfigError(f"{name}_source and {name}_target must be given together")
            if source is not None and getattr(self, f"{name}_size"):
                raise ConfigError(f"{name}_size cannot be combined with {name}_source")

    def _check_tuning_pairs(self) -> None:
        if not self.tuning_pairs:
            return
        if self.learner_name in (NO_TUNING, RELEVANT_SET):
            raise ConfigError(f"the method {self.learner_name} does not learn from tuning_pairs")
        if self.adapt_to or self.extra_bitext:
            raise ConfigError("tuning_pairs cannot be combined with adapt_to or extra_bitext")

    def _check_features(self) -> None:
        for name in (*self.source_columns, *self.target_columns):
            if name in (*SPELLING_TYPES, CLASS):
                raise ConfigError(
                    f"'{name}' is the name of a built-in token type; give the column another name"
                )
        if not self.sparse_features.templates:
            if self.source_columns or self.target_columns:
                raise ConfigError("token columns need sparse features, and there are none")
            return
        able = [name for name in learner_names(decoder=True) if _learns_sparse(name)]
        if self.learner_name not in able:
            raise ConfigError(
                f"sparse features need the method {' or '.join(able)}, and the method is {self.learner_name}"
            )
        if self._quick:
            raise ConfigError(
                "the effort quick tunes dense features only; leave the sparse features out, or set effort to "
                "normal"
            )
        for side in ("source", "target"):
            known = [*SPELLING_TYPES, CLASS, *ANNOTATORS, *self.columns(side)]
            for name in self._types(side):
                if name not in known:
                    raise ConfigError(
                        f"no {side} token type is called '{name}'; known are {', '.join(sorted(known))}"
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
        """Token types from other tools."""
        return [name for name in self._types(side) if name in ANNOTATORS and name not in self.columns(side)]

    @property
    def sides(self) -> tuple[SideOptions, SideOptions]:
        """Text processing of the source and target sides, as far as file names tell."""
        languages = (
            self.source_language or language_in_name(_each(self.source)[0]) or UNDETERMINED,
            self.target_language
            or (language_in_name(_each(self.target)[0]) if self.target is not None else "")
            or UNDETERMINED,
        )
        given = (self.source_tokenizer or self.tokenizer, self.target_tokenizer or self.tokenizer)
        names = [name or usual_tokenizer(language) for name, language in zip(given, languages, strict=True)]
        # A tokenizer that is named takes the rules of English where it is told nothing else.
        languages = (
            "en" if given[0] and languages[0] == UNDETERMINED else languages[0],
            "en" if given[1] and languages[1] == UNDETERMINED else languages[1],
        )
        # Labels are written In Capitals.
        catalog = self.target is None and any(map(_is_catalog, _each(self.source)))
        usual: Case | Literal[""] = "usual" if catalog and (names[0] != "none") else ""
        cases = (self.source_case or self.case or usual, self.target_case or self.case)
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
        """Kinds of placeholders to protect."""
        if self.placeholders is not None:
            return parse_kinds(",".join(self.placeholders or ("none",)))
        tokenizers = {self.source_tokenizer or self.tokenizer, self.target_tokenizer or self.tokenizer}
        return () if "none" in tokenizers else ALL_KINDS

    @property
    def sparse_features(self) -> SparseOptions:
        """The sparse features, possibly none."""
        if self.features is not None:
            return self.features
        if self.learner_name == RELEVANT_SET:
            return block_features(swap=self.search_options.phrase_order != "monotone")
        if self.learner_name not in (AUTO, ONLINE_MIRA) or self._quick:
            return NO_FEATURES
        return replace(
            DEFAULT_FEATURES,
            source_types=(*DEFAULT_FEATURES.source_types, *self.source_columns),
            target_types=(*DEFAULT_FEATURES.target_types, *self.target_columns),
        )

    @property
    def needs_classes(self) -> bool:
        """Whether a sparse feature uses word classes."""
        return any(
            CLASS in self._types(side) and CLASS not in self.columns(side) for side in ("source", "target")
        )

    @property
    def extraction(self) -> ExtractOptions:
        """The options of rule extraction."""
        # Loose phrase pairs give rules to words that are never aligned; tight ones leave them untranslated.
        if self.rules is not None and self.dictionary is not None:
            return replace(self.rules, word_forms=True)  # the search has room for both or none
        return self.rules or ExtractOptions.for_grammar(grammar_of(self.search), tight=False, word_forms=True)

    @property
    def extraction_facts(self) -> dict[str, Any]:
        """The same as plain values; what is not done is left out, as before it could be done."""
        facts = asdict(self.extraction)
        return facts if facts["word_forms"] else {name: facts[name] for name in facts if name != "word_forms"}

    @property
    def search_options(self) -> SearchOptions:
        """The search options."""
        if self.search == "block":
            given = self.decoder or BLOCK_DECODER
            order = given.phrase_order if given.phrase_order == "monotone" else "swap"
            return replace(given, hierarchical=False, phrase_order=order)
        return replace(self.decoder or SearchOptions(), hierarchical=self.search in ("auto", "hiero"))

    @property
    def learner_name(self) -> str:
        """The method without its options."""
        return self.method.partition(":")[0]

    @property
    def tuning(self) -> TuneOptions:
        """The tuning options, with method and seed filled in."""
        return replace(self.tune, method=self.method, effort=self.effort, seed=self.seed)

    @property
    def trains_joint(self) -> bool:
        """Whether a joint model is trained; the development set decides on it if ``neural`` is not set."""
        if self.neural is not None:
            return self.neural
        return self.learner_name == AUTO and not self._quick

    @property
    def chooses_search(self) -> bool:
        """Whether the development set decides which search is used."""
        return (
            self.search == "auto"
            and self.effort != "quick"
            and self.learner_name == AUTO
            and self.rules is None
            and self.decoder is None
        )

    def with_search(self, name: SearchName) -> TrainOptions:
        """The same with another search."""
        return replace(self, search=name)

    @property
    def _quick(self) -> bool:
        return self.learner_name == AUTO and self.effort == "quick"


_OPTIONS = "options.json"
_FILES = (
    *("source", "target", "dev_source", "dev_target", "test_source", "test_target", "adapt_to"),
    *("extra_bitext", "source_columns", "target_columns", "source_dictionary", "target_dictionary"),
    "corrections",
    "dictionary",
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
    return entry.needs_decoder and entry.sparse  # n-best lists of a decoder have dense features only


def grammar_of(search: str) -> str:
    """The kind of grammar that a search needs."""
    return {"auto": "hiero", "block": "phrase"}.get(search, search)


def _each(files: StrPath | tuple[StrPath, ...]) -> list[StrPath]:
    return list(files) if isinstance(files, tuple) else [files]


def _is_catalog(path: StrPath) -> bool:
    return Path(path).is_dir() or detect_format(path, look_inside=False).name in _CATALOGS
