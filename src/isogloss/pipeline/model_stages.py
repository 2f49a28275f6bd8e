"""The stages that make models from tokens: align, classes, rules, language model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from isogloss.align import Alignments, AlignOptions, LinkOptions, align_corpus
from isogloss.align.bitext import read_sides
from isogloss.align.placeholder_links import link_marks
from isogloss.classes import ClassOptions, CountedText, count_in_shards, induce_classes
from isogloss.features.annotators import annotate, annotator
from isogloss.grammar import ExtractOptions, extract_rules
from isogloss.grammar.dictionary import add_entries, store_dictionary
from isogloss.grammar.options import Significance
from isogloss.grammar.selection import prune_table
from isogloss.io.config import from_settings
from isogloss.io.errors import ConfigError
from isogloss.io.executor import Executor, shared_scratch
from isogloss.io.progress import Track
from isogloss.io.scratch import temporary_folder
from isogloss.io.streams import read_lines
from isogloss.lm import LmOptions, build
from isogloss.neural import JointOptions, train_joint
from isogloss.pipeline.stage import CHECKPOINT

__all__ = ["align", "classes", "columns", "joint_model", "language_model", "prune", "rules"]

Paths = Mapping[str, Path]
Options = Mapping[str, Any]


def align(
    inputs: Paths,
    outputs: Paths,
    options: Options,
    *,
    threads: int,
    track: Track,
    warn: Callable[[str], None],
    executor: Executor | None = None,
) -> None:
    """Align words; the entries of a dictionary are further pairs."""
    entries = list(_dictionary(inputs))
    result = align_corpus(
        chain(read_sides(inputs["source"], inputs["target"]), entries),
        training=AlignOptions(**options["training"]),
        links=LinkOptions(**options["links"]),
        threads=threads,
        memory_limit=options["memory"],
        origin=inputs["source"],
        progress=track,
        warn=warn,
        executor=executor,
        scratch=shared_scratch(executor, None, outputs["links"]),
    )
    pairs = len(result.alignments) - len(entries)
    links = result.alignments[:pairs]
    if "dictionary_source" in inputs:
        result.alignments[pairs:].write(outputs["dictionary_links"])
    if options["marks"]:
        links = link_marks(links, read_sides(inputs["source"], inputs["target"]))
    links.write(outputs["links"])
    assert result.model is not None
    result.model.save(outputs["aligner"])


def classes(
    inputs: Paths,
    outputs: Paths,
    options: Options,
    *,
    threads: int,
    track: Track,
    executor: Executor | None = None,
) -> None:
    """Induce word classes of both languages."""
    for side in track(("source", "target"), "word classes", 2):
        sentences: CountedText | Iterator[list[str]]
        if executor is not None and executor.distributed:
            scratch = shared_scratch(executor, None, outputs[side])
            sentences = count_in_shards(inputs[side], executor, scratch)
        else:
            sentences = (line.split() for line in read_lines(inputs[side]))
        found = induce_classes(sentences, ClassOptions(**options), threads=threads, origin=inputs[side])
        found.classes.save(outputs[side])


def columns(inputs: Paths, outputs: Paths, options: Options, *, track: Track) -> None:
    """Annotate the words of the training text with other tools."""
    for side, facts in options.items():
        for name in facts["types"]:
            dictionary = inputs.get(f"{side}_dictionary") if name == "synset" else None
            tool = annotator(name, facts["language"], dictionary)
            sentences = (line.split() for line in track(read_lines(inputs[side]), f"{side} {name}", None))
            annotate(tool, sentences).save(outputs[f"{side}_{name}"])


def rules(
    inputs: Paths,
    outputs: Paths,
    options: Options,
    *,
    threads: int,
    memory: int,
    track: Track,
    executor: Executor | None = None,
    made: Path | None = None,
) -> None:
    """Extract and score translation rules; the entries of a dictionary are further pairs.

    If ``made`` has the same rules already, they are moved from there.
    """
    if made is not None and made.is_dir() and any(made.iterdir()):
        made.rename(outputs["rules"])
        return
    with temporary_folder(outputs["rules"].parent, ".entries-") as folder:
        files = {name: inputs[name] for name in ("source", "target", "links")}
        if "dictionary_source" in inputs:
            entries = zip(_dictionary(inputs), read_lines(inputs["dictionary_links"]), strict=True)
            files = add_entries(files, entries, folder)
        extract_rules(
            files["source"],
            files["target"],
            files["links"],
            outputs["rules"],
            ExtractOptions(**options),
            memory_limit=memory,
            threads=threads,
            scratch=shared_scratch(executor, None, outputs["rules"]),
            track=track,
            executor=executor,
        )
    if "dictionary_source" in inputs:
        store_dictionary(outputs["rules"], _dictionary(inputs))


def _dictionary(inputs: Paths) -> Iterator[tuple[str, str]]:
    """The entries of a dictionary, as tokens; none if there is no dictionary."""
    if "dictionary_source" not in inputs:
        return iter(())
    return (
        pair for pair in read_sides(inputs["dictionary_source"], inputs["dictionary_target"]) if all(pair)
    )


def prune(inputs: Paths, outputs: Paths, options: Options, *, threads: int, track: Track) -> None:
    """Keep the rules that are significant."""
    kept, _ = prune_table(
        inputs["rules"],
        outputs["rules"],
        inputs["source"],
        inputs["target"],
        Significance.parse(options["significance"]),
        threads=threads,
        track=track,
    )
    if kept == 0:
        raise ConfigError(f"no rule is significant at '{options['significance']}'; choose a lower threshold")


def joint_model(
    inputs: Paths,
    outputs: Paths,
    options: Options,
    *,
    threads: int,
    track: Track,
    note: Callable[[str], None],
) -> None:
    """Train the neural joint model."""
    source, target = ([line.split() for line in read_lines(inputs[side])] for side in ("source", "target"))
    links = Alignments.read(inputs["links"])
    model = train_joint(
        source,
        target,
        links,
        JointOptions(**options),
        threads=threads,
        track=track,
        note=note,
        work=outputs[CHECKPOINT],
    )
    model.save(outputs["joint"])


def language_model(
    inputs: Paths,
    outputs: Paths,
    options: Options,
    *,
    threads: int,
    memory: int,
    track: Track,
    executor: Executor | None = None,
) -> None:
    """Estimate the language model of the target language."""
    build(
        [inputs["text"], *(path for name, path in inputs.items() if name == "dictionary_target")],
        options=from_settings(LmOptions, options),
        binary=outputs["lm"],
        threads=threads,
        memory_limit=memory,
        scratch=shared_scratch(executor, None, outputs["lm"]),
        track=track,
        executor=executor,
    )
