"""The stages that make a system from models: tune, and assemble."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from isogloss.classes import WordClasses
from isogloss.corpus.phrases import sharing_phrases
from isogloss.corpus.processing import TextProcessing
from isogloss.decoder.decoder import DEFAULT_MAX_WORDS, Decoder
from isogloss.decoder.options import SearchOptions
from isogloss.decoder.stored_system import create_system
from isogloss.decoder.system import System
from isogloss.decoder.weights import default_weights, read_weights, write_weights
from isogloss.features import SparseModel, SparseOptions
from isogloss.features.columns import TokenColumn
from isogloss.features.weights import SparseWeights
from isogloss.grammar import ExtractOptions
from isogloss.grammar.table import RuleTable
from isogloss.io.config import from_settings
from isogloss.io.errors import ConfigError
from isogloss.io.executor import Executor, absolute
from isogloss.io.progress import Track
from isogloss.io.streams import atomic_output, read_lines
from isogloss.lm import LmOptions
from isogloss.lm.model import LanguageModel
from isogloss.metric import References
from isogloss.neural import JointModel
from isogloss.pipeline.fold_models import FoldDecoders, FoldText
from isogloss.pipeline.report import history_of
from isogloss.pipeline.stage import CHECKPOINT
from isogloss.pipeline.train_options import CLASS
from isogloss.tuning import TuneIteration, TuneOptions, tune
from isogloss.tuning.sharded_decoding import elsewhere

__all__ = [
    "LEAST_SENTENCES",
    "Watching",
    "make_decoder",
    "put_together",
    "start",
    "tune_on_training_text",
    "tune_weights",
    "usable_sentences",
]

Paths = Mapping[str, Path]
Options = Mapping[str, Any]

LEAST_SENTENCES = 10
"""A development set with fewer sentences is useless for tuning."""


def start(inputs: Paths, outputs: Paths, options: Options) -> None:
    """Write untuned weights instead of tuning."""
    decoder = make_decoder(inputs, options)
    write_weights(
        outputs["weights"], default_weights(decoder.names, hierarchical=decoder.options.hierarchical)
    )
    _write_history(outputs["history"], {"method": "none", "iterations": []})


def _nothing_aside(inputs: Paths) -> bool:
    """Whether the corpus was too small to set anything aside."""
    return next(read_lines(inputs["dev_source"]), None) is None


def _untuned(inputs: Paths, outputs: Paths, options: Options) -> None:
    start(inputs, outputs, options)
    sparse = _sparse(inputs, options)
    if "sparse_weights" in outputs and sparse is not None:
        SparseWeights.from_names({}, signature=sparse.signature).save(outputs["sparse_weights"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """Number of threads and callbacks."""

    threads: int
    memory: int
    track: Track
    report: Callable[[TuneIteration], None]
    note: Callable[[str], None] = lambda message: None
    executor: Executor | None = None


@dataclass(frozen=True, slots=True)
class StageDecoder:
    """Opens the decoder of a stage, from the names of its inputs and its options as JSON."""

    inputs: tuple[tuple[str, str], ...]
    options: str

    @classmethod
    def of(cls, inputs: Paths, options: Options) -> StageDecoder:
        """Describe the decoder that ``make_decoder`` makes."""
        paths = {name: absolute(path) for name, path in inputs.items()}
        needed = {name: options[name] for name in ("search", "features")}
        return cls(tuple(sorted(paths.items())), json.dumps(needed))

    def open(self) -> Decoder:
        """The decoder, without weights."""
        return make_decoder({name: Path(path) for name, path in self.inputs}, json.loads(self.options))


def tune_weights(inputs: Paths, outputs: Paths, options: Options, watching: Watching) -> None:
    """Tune the weights on the development set."""
    if _nothing_aside(inputs):
        _untuned(inputs, outputs, options)
        return
    sources, references = usable_sentences(inputs, "dev")
    learned_from = len(sources) - options["held_out"]
    if learned_from < LEAST_SENTENCES:
        raise ConfigError(
            f"{max(0, learned_from)} sentences of 1 to {DEFAULT_MAX_WORDS} words are left to learn from, at "
            f"least {LEAST_SENTENCES} are needed"
        )
    rest = slice(learned_from, len(sources))
    held_out = (sources[rest], _part(references, rest)) if options["held_out"] else None
    learned, known = sources[:learned_from], [stream[:learned_from] for stream in references]
    if "tune_source" in inputs:
        more, translations = usable_sentences(inputs, "tune")
        learned = learned + more
        known = [a + b for a, b in zip(known, translations, strict=True)]
    _tune(inputs, outputs, options, (learned, References(known)), held_out, watching)


def tune_on_training_text(inputs: Paths, outputs: Paths, options: Options, watching: Watching) -> None:
    """Tune the weights on the training text; the development set selects the best iteration."""
    if _nothing_aside(inputs):
        _untuned(inputs, outputs, options)
        return
    tuning = TuneOptions.from_stored(options["tune"])
    sources, references = usable_sentences(inputs, "train")
    if "test_source" in inputs:
        kept = sharing_phrases(sources, read_lines(inputs["test_source"]), tuning.relevant.shared_phrase)
        sources = [sources[at] for at in kept]
        references = [[stream[at] for at in kept] for stream in references]
    if not sources:
        raise ConfigError(
            "no sentence of the training text shares a phrase of this length with the test set; set a lower "
            "shared_phrase"
        )
    held_out, held_out_references = usable_sentences(inputs, "dev")
    judged = (held_out, References(held_out_references))
    folds = partial(_folds, inputs, outputs, options["folds"], watching) if "folds" in options else None
    _tune(inputs, outputs, options, (sources, References(references)), judged, watching, folds)


def _folds(
    inputs: Paths, outputs: Paths, options: Options, watching: Watching, decoder: Decoder
) -> FoldDecoders:
    text = FoldText(
        [list(read_lines(inputs[f"train_rules_{name}"])) for name in ("source", "target", "links")],
        (inputs["train_source"], inputs["train_target"]),
        ExtractOptions(**options["extraction"]),
        from_settings(LmOptions, options["lm"]),
        options["significance"],
    )
    folder = outputs[CHECKPOINT] / "folds"
    return FoldDecoders(text, decoder, folder, watching.threads, watching.memory)


def _tune(
    inputs: Paths,
    outputs: Paths,
    options: Options,
    learned_from: tuple[list[str], References],
    held_out: tuple[list[str], References] | None,
    watching: Watching,
    folds: Callable[[Decoder], FoldDecoders] | None = None,
) -> None:
    decoder = make_decoder(inputs, options)
    decoder.set_weights(default_weights(decoder.names, hierarchical=decoder.options.hierarchical))
    tuning = TuneOptions.from_stored(options["tune"])
    result = tune(
        System(decoder, inputs["rules"].parent),
        *learned_from,
        tuning,
        held_out=held_out,
        threads=watching.threads,
        track=watching.track,
        report=watching.report,
        work=outputs[CHECKPOINT],
        unseen=None if folds is None else folds(decoder),
        elsewhere=elsewhere(StageDecoder.of(inputs, options), watching.executor),
    )
    for note in result.notes:
        watching.note(note)
    write_weights(outputs["weights"], result.dense)
    if "sparse_weights" in outputs:
        sparse = result.sparse
        if sparse is None and decoder.sparse is not None:
            sparse = SparseWeights.from_names({}, signature=decoder.sparse.signature)
        assert sparse is not None
        sparse.save(outputs["sparse_weights"])
    _write_history(outputs["history"], history_of(result, tuning.method))


def usable_sentences(inputs: Paths, name: str) -> tuple[list[str], list[list[str | None]]]:
    """Sources and reference streams, without empty sentences and those long enough for windows."""
    sources = list(read_lines(inputs[f"{name}_source"]))
    if not sources:  # a text too small to hold any out
        return [], []
    streams = References.read(
        [inputs[item] for item in sorted(inputs) if item.startswith(f"{name}_target")]
    ).streams
    usable = [
        at for at, line in enumerate(sources) if 1 <= len(line.split(" ")) <= DEFAULT_MAX_WORDS and line
    ]
    return [sources[at] for at in usable], [[stream[at] for at in usable] for stream in streams]


def _part(streams: list[list[str | None]], part: slice) -> References:
    return References([stream[part] for stream in streams])


def _write_history(path: Path, history: Mapping[str, Any]) -> None:
    with atomic_output(path) as stream:
        stream.write(json.dumps(history, indent=1) + "\n")


def put_together(inputs: Paths, outputs: Paths, options: Options) -> None:
    """Store the system in one self-contained folder."""
    text = TextProcessing.open(inputs["text"])
    weights = read_weights(inputs["weights"])
    system = create_system(
        outputs["system"],
        rules=inputs["rules"],
        lm=inputs["lm"],
        options=SearchOptions.from_mapping(options["search"]),
        weights=weights,
        sparse=_sparse(inputs, options),
        text=text if text.changes else None,
        joint=_joint(inputs),
    )
    if "sparse_weights" in inputs and len(sparse := SparseWeights.open(inputs["sparse_weights"])):
        system.save_weights(weights, sparse)


def make_decoder(inputs: Paths, options: Options) -> Decoder:
    """The decoder of rules, language model and word classes, without weights."""
    return Decoder(
        RuleTable.open(inputs["rules"]),
        LanguageModel.load(inputs["lm"]),
        SearchOptions.from_mapping(options["search"]),
        sparse=_sparse(inputs, options),
        joint=None if (joint := _joint(inputs)) is None else JointModel.open(joint),
    )


def _joint(inputs: Paths) -> Path | None:
    """The folder of the joint model; it is empty if the model was not worth keeping."""
    folder = inputs.get("joint")
    return folder if folder is not None and any(folder.iterdir()) else None


def _sparse(inputs: Paths, options: Options) -> SparseModel | None:
    if options["features"] is None:
        return None
    columns: dict[str, dict[str, TokenColumn]] = {}
    for side in ("source", "target"):
        start = f"column_{side}_"
        columns[side] = {
            name.removeprefix(start): TokenColumn.load(path)
            for name, path in inputs.items()
            if name.startswith(start)
        }
        if CLASS not in columns[side] and f"{side}_classes" in inputs:
            columns[side][CLASS] = TokenColumn.from_classes(WordClasses.load(inputs[f"{side}_classes"]))
    return SparseModel(
        SparseOptions.from_json(options["features"]),
        source_columns=columns["source"],
        target_columns=columns["target"],
    )
