"""Functions of the public API: load, train, tune. They take files or Python objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.io.errors import ConfigError

if TYPE_CHECKING:
    from isogloss.adapt import LocalOptions, Memory, RetrievalOptions
    from isogloss.adapt.options import LocalMethod
    from isogloss.corpus.processing import Case, TextProcessing
    from isogloss.decoder import NbestDecoder, SearchOptions, Source, System
    from isogloss.io.progress import Track
    from isogloss.io.streams import StrPath
    from isogloss.io.text_lines import TextLines
    from isogloss.metric import References
    from isogloss.metric.references import ReferencesLike
    from isogloss.pipeline import Retrained, Trained, TrainOptions
    from isogloss.pipeline.train_options import SearchName
    from isogloss.tuning import TuneIteration, TuneOptions, TuneResult

__all__ = ["load", "retrain", "train", "tune"]


def load(
    path: StrPath,
    *,
    options: SearchOptions | None = None,
    weights: Mapping[str, float] | StrPath | None = None,
    memory: Memory | StrPath | None = None,
    local: LocalMethod | LocalOptions = "ebuu",
    retrieval: RetrievalOptions | None = None,
    corrections: bool = True,
    matches: bool = True,
) -> System:
    """Open a stored translation system.

    >>> system = isogloss.load("engine")                          # doctest: +SKIP
    >>> print(system.translate("The king is old."))               # doctest: +SKIP
    Der König ist alt.

    Parameters
    ----------
    path
        A folder written by ``isogloss.train`` or ``isogloss train``.
    options
        Options of the search, instead of the stored ones.
    weights
        Weights by name, or a file of weights, instead of the stored ones.
    memory
        A memory of examples. With a memory, every sentence is translated with its own weights, trained on the
        most similar examples (local training). Examples added later are used from the next sentence on.
    local
        Method of local training: ``ebuu`` (expected error), ``mbuu`` (large margin), or options. A name uses
        the settings that ``isogloss memory tune`` stored in the memory, or the defaults.
    retrieval
        Which examples to use; by default the settings stored in the memory.
    corrections
        Use the corrections made with ``System.correct`` or ``isogloss correct``.
    matches
        Return the translation that the training text has for the same source, if there is one.
    """
    from isogloss.decoder import load as load_system

    system = load_system(path, options=options, weights=weights, corrections=corrections, matches=matches)
    if memory is None:
        if retrieval is not None or local != "ebuu":
            raise ConfigError("local and retrieval need a memory; give memory too")
        return system
    from isogloss.adapt import LocalOptions, LocalSystem, LocalTranslator, Memory

    opened = memory if isinstance(memory, Memory) else Memory.open(memory)
    chosen = local if isinstance(local, LocalOptions) else opened.update_options(local)
    found = retrieval or opened.retrieval_options(chosen.method)
    return LocalSystem(LocalTranslator(system, opened, found, chosen))


def train(
    folder: StrPath,
    *,
    source: TextLines | None = None,
    target: TextLines | None = None,
    dev_source: TextLines | None = None,
    dev_target: ReferencesLike | None = None,
    test_source: TextLines | None = None,
    test_target: ReferencesLike | None = None,
    method: str | None = None,
    iterations: int | None = None,
    search: SearchName | None = None,
    tokenizer: str | None = None,
    case: Case | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
    placeholders: Sequence[str] | None = None,
    seed: int | None = None,
    options: TrainOptions | Mapping[str, object] | None = None,
    threads: int = 0,
    memory_limit: int = 4 << 30,
    progress: bool | Track = False,
    warn: Callable[[str], None] | None = None,
) -> Trained:
    """Train a translation system from sentence pairs.

    Cleans and tokenizes the text, aligns words, extracts rules, estimates a language model, tunes weights,
    evaluates and writes a report.

    >>> trained = isogloss.train("engine", source="train.de", target="train.en")     # doctest: +SKIP
    >>> trained.results["dev"]["scores"]["BLEU"]["score"]                           # doctest: +SKIP
    31.4
    >>> print(trained.load().translate("Der König ist alt."))                       # doctest: +SKIP
    The king is old.

    An interrupted run resumes if you repeat the call. If you change an option, only the stages that
    depend on it run again. Text is a file (plain, gzip or zstd; one sentence per line) or a list of
    sentences, such as a column of a table.

    Parameters
    ----------
    folder
        Folder for the system and all intermediate files: a new folder, or the folder of an earlier run.
    source, target
        Training text, source and target side. Without ``target``, one bilingual file: TSV, PO, TMX or XLIFF.
    dev_source, dev_target
        Development set: sentences to tune on and their references, a file or a list of sentences each. For
        several references per sentence, give a list of lists or several files as ``Path`` objects. By default
        a tenth of the training text, at most 1,000 pairs, is set aside from its end and not used for
        training.
    test_source, test_target
        Sentences to report scores on, and their references.
    method
        How to tune the weights: ``auto`` (default; sparse features too, as far as they gain on held-out
        text), ``online-mira``, ``mert``, ``batch-mira``, ``pro``, ``relevant-set``, any other learner of
        ``isogloss.learn.learner_names(decoder=True)``, or ``none``. Options may follow the name:
        ``"batch-mira:iterations=30"``.
    iterations
        Tuning iterations; by default 4 for ``auto``, 8 for ``online-mira``, 30 for ``relevant-set``, else 10.
    search
        ``hiero`` (default): hierarchical rules; ``phrase``: phrase-based with distortion; ``block``:
        phrase-based, adjacent phrases may swap.
    tokenizer
        ``words``, ``moses``, ``moses-hyphens``, ``characters``, ``syllables``, ``fugashi``, ``jieba``, or
        ``none`` if the text is tokenized already; by default what suits the language.
    case
        ``truecase`` (default), ``usual``, ``lowercase`` or ``keep``.
    source_language, target_language
        Languages, such as ``de`` or ``pt-BR``; by default what the file, its name or its script tells.
    placeholders
        Kinds of placeholders that a translation must keep, such as ``printf`` and ``braces``; ``catalog`` for
        those of formats. The default is ``all``, or none if the text is tokenized already.
    seed
        Random seed for every stage.
    options
        All other options: ``TrainOptions``, or a mapping with the same names as in a TOML file, such as
        ``{"lm": {"order": 4}}``. Parameters of this function override it.
    threads
        Number of threads; 0 uses all processors. The result does not depend on it.
    memory_limit
        Memory that counting and sorting may use, in bytes.
    progress
        True shows progress bars. A function is called with ``(items, description, total)`` for every long
        loop and must yield the items, like ``tqdm``; ``total`` may be None.
    warn
        Function that is called with each warning.

    Returns
    -------
    Trained
        ``results`` (scores), ``history`` (learning curve), ``report`` (an HTML page), ``load()``.
    """
    from isogloss.io.progress import as_track
    from isogloss.pipeline.train import train as run
    from isogloss.pipeline.training_text import TrainingText

    text = TrainingText(folder)
    given: dict[str, object] = {
        "source": text.lines("source", source),
        "target": text.lines("target", target),
        "dev_source": text.lines("dev_source", dev_source),
        "dev_target": text.references("dev_target", dev_target),
        "test_source": text.lines("test_source", test_source),
        "test_target": text.references("test_target", test_target),
        "method": method,
        "search": search,
        "tokenizer": tokenizer,
        "case": case,
        "source_language": source_language,
        "target_language": target_language,
        "placeholders": None if placeholders is None else tuple(placeholders),
        "seed": seed,
    }
    tell = warn or (lambda message: None)
    return run(
        folder,
        text.options(given, options, iterations, tell),
        threads=threads,
        memory=memory_limit,
        track=as_track(progress),
        warn=tell,
    )


def retrain(
    folder: StrPath,
    *,
    threads: int = 0,
    memory_limit: int = 4 << 30,
    progress: bool | Track = False,
    warn: Callable[[str], None] | None = None,
) -> Retrained:
    """Train an engine again, as it was trained, with its corrections among the training text.

    >>> isogloss.load("engine").correct("The king is old.", "Der König ist betagt.")    # doctest: +SKIP
    >>> isogloss.retrain("engine").after                                                # doctest: +SKIP
    {'BLEU': 33.1, 'chrF2': 58.2, 'right': 0.25}

    Every fifth correction stays out of it, to show what the others are worth. All corrections hold afterwards
    as they did before. A run that was interrupted resumes if you repeat the call.

    Parameters
    ----------
    folder
        The folder that ``isogloss.train`` or ``isogloss train`` made.
    threads
        0 uses all processors. The result does not depend on it.
    memory_limit
        Bytes that counting and sorting may use.
    progress
        True shows progress bars. A function gets ``(items, description, total)`` for every long loop, where
        ``total`` may be None, and must yield the items.
    warn
        Is told, in a sentence each, what the user should know.

    Returns
    -------
    Retrained
        ``before`` and ``after``: scores on the corrections that stayed out; ``trained``.
    """
    from isogloss.io.progress import as_track
    from isogloss.pipeline import retrain as run

    tell = warn or (lambda message: None)
    return run(folder, threads=threads, memory=memory_limit, track=as_track(progress), warn=tell)


def tune(
    system: System | NbestDecoder | StrPath,
    source: StrPath | Iterable[Source],
    references: ReferencesLike,
    *,
    method: str | None = None,
    iterations: int | None = None,
    held_out: tuple[StrPath | Iterable[Source], ReferencesLike] | None = None,
    start: Mapping[str, float] | StrPath | None = None,
    options: TuneOptions | None = None,
    tokenized: bool = False,
    save: bool = False,
    threads: int = 0,
    work: StrPath | None = None,
    progress: bool | Track = False,
    report: Callable[[TuneIteration], None] | None = None,
    warn: Callable[[str], None] | None = None,
) -> TuneResult:
    """Tune the weights of a system on sentences and their references.

    >>> system = isogloss.load("engine")                                                # doctest: +SKIP
    >>> tuned = isogloss.tune(system, "dev.de", "dev.en", method="mert")                # doctest: +SKIP
    >>> tuned.best.dev_score                                                            # doctest: +SKIP
    24.8
    >>> system.save_weights(tuned.dense, tuned.sparse)                                  # doctest: +SKIP

    The system's own weights do not change unless you ``save`` the new ones.

    Parameters
    ----------
    system
        A system, its folder, or another decoder (``ExternalDecoder``).
    source
        Sentences to tune on: a file or a list. If the system was trained with a tokenizer, give plain text,
        unless you set ``tokenized``.
    references
        Their references: a file or a list of sentences. For several references per sentence, give a list of
        lists or several files as ``Path`` objects.
    method
        How to tune: ``auto`` (default; sparse features too, as far as they gain on held-out text),
        ``online-mira``, ``mert``, ``batch-mira``, ``pro``, or any other learner of
        ``isogloss.learn.learner_names(decoder=True)``. Options may follow the name:
        ``"mert:restarts=5"``.
    iterations
        Iterations; by default 4 for ``auto``, 8 for ``online-mira``, 30 for ``relevant-set``, else 10.
    held_out
        Held-out sentences and their references; the iteration that translates them best is kept.
    start
        Initial weights, or a file of weights; by default the system's own.
    options
        All other options, such as ``nbest``; ``method`` and ``iterations`` override it.
    tokenized
        Treat sources and references as tokens separated by spaces, even if the system has a tokenizer.
    save
        Store the new weights in the system if tuning completes.
    threads
        Number of threads; 0 uses all processors. The result does not depend on it.
    work
        Folder for the state of the run. With it, an interrupted run resumes if you repeat the call.
    progress
        True shows progress bars. A function is called with ``(items, description, total)`` for every long
        loop, and must yield the items; ``total`` may be None.
    report
        Function that is called after every iteration.
    warn
        Function that is called with each warning.

    Returns
    -------
    TuneResult
        ``dense`` and ``sparse`` weights of the best iteration, ``best``, and ``history``, a list that
        ``pandas.DataFrame`` accepts as a table.
    """
    import os
    from dataclasses import replace

    from isogloss.decoder import System, read_weights
    from isogloss.decoder import load as load_system
    from isogloss.io.progress import as_track
    from isogloss.learn.registry import canonical_method
    from isogloss.tuning import TuneOptions
    from isogloss.tuning import tune as run

    decoder = load_system(system) if isinstance(system, str | os.PathLike) else system
    stored = decoder if isinstance(decoder, System) else None
    if save and stored is None:
        raise ConfigError("save needs a stored system; save the weights of an external decoder yourself")
    chosen = options or TuneOptions()
    if method is not None:
        told = warn or (lambda message: None)
        chosen = replace(chosen, method=canonical_method(method, decoder=True, warn=told))
    if iterations is not None:
        chosen = replace(chosen, iterations=iterations)
    text = stored.text if stored is not None and not tokenized else None
    sources, known = _parallel(source, references, text)
    if start is not None and not isinstance(start, Mapping):
        start = read_weights(start, None if stored is None else stored.decoder.names)
    result = run(
        decoder,
        sources,
        known,
        chosen,
        held_out=None if held_out is None else _parallel(*held_out, text),
        start=start,
        threads=threads or os.cpu_count() or 1,
        track=as_track(progress),
        report=report,
        work=None if work is None else Path(work),
    )
    if save and stored is not None:
        stored.save_weights(result.dense, result.sparse)
    return result


def _parallel(
    source: StrPath | Iterable[Source], references: ReferencesLike, text: TextProcessing | None
) -> tuple[list[Source], References]:
    """Read sentences and references as tokens and check that their numbers match."""
    from os import PathLike

    from isogloss.decoder import Lattice, Sentence
    from isogloss.io.text_lines import text_lines
    from isogloss.metric import References
    from isogloss.metric.references import as_references

    given: list[Source]
    if isinstance(source, str | PathLike):
        given = [*text_lines(source, "source")]
    else:
        given = [
            item if isinstance(item, Sentence | Lattice) else text_lines([item], "source")[0]
            for item in source
        ]
    known = as_references(references, exactly=len(given))
    if text is None:
        return given, known
    written = [item if isinstance(item, str) else "" for item in given]
    streams = [
        [line and text.tokenize_target(line, of) for line, of in zip(stream, written, strict=True)]
        for stream in known.streams
    ]
    tokens: list[Source] = [text.tokenize(item) if isinstance(item, str) else item for item in given]
    return tokens, References(streams, known.names)
