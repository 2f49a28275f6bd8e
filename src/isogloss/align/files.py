"""Align a corpus in files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path

from isogloss.align.bitext import read_pairs, read_sides
from isogloss.align.corpus import CorpusAlignment, align_corpus
from isogloss.align.eflomal import require_eflomal
from isogloss.align.gold import check_gold, read_gold, score_alignments
from isogloss.align.lexicon import read_lexicon, write_lexicon
from isogloss.align.model import AlignmentModel
from isogloss.align.options import AlignOptions, Backend, LinkOptions
from isogloss.io.errors import ConfigError, OutputError
from isogloss.io.executor import Executor
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath

__all__ = ["align_files"]


def align_files(
    source: StrPath,
    target: StrPath | None = None,
    *,
    output: StrPath | None = None,
    model: StrPath | None = None,
    lexical_input: StrPath | None = None,
    model_output: StrPath | None = None,
    lexical_output: StrPath | None = None,
    extra_source: StrPath | None = None,
    extra_target: StrPath | None = None,
    gold: StrPath | None = None,
    training: AlignOptions | None = None,
    links: LinkOptions | None = None,
    backend: Backend = "isogloss",
    threads: int = 1,
    memory_limit: int | None = None,
    progress: Track = no_track,
    warn: Callable[[str], None] = lambda message: None,
    executor: Executor | None = None,
    scratch: StrPath | None = None,
) -> CorpusAlignment:
    """Align two parallel files, or one with both sides, and write the links to ``output``.

    The model is trained on the files and on ``extra_source`` and ``extra_target``, which are not aligned
    themselves. A stored ``model`` or a Moses lexical table (``lexical_input``) replaces it. The trained model
    is stored as ``model_output`` and ``lexical_output``. With ``gold`` links, the result has scores. A
    distributed ``executor`` trains on many machines, which must share the folder ``scratch``.
    """
    training = training or AlignOptions()
    ready = _given(model=model, lexical_input=lexical_input)
    kept = _given(model_output=model_output, lexical_output=lexical_output)
    more = _given(extra_source=extra_source, extra_target=extra_target)
    chosen = _changed(training)
    if memory_limit is not None:
        chosen.append("memory_limit")
    if len(ready) > 1:
        raise ConfigError("give either `model` or `lexical_input`, not both")
    if ready and (learning := [name for name in [*chosen, *more, *kept] if _is_learning(name, ready)]):
        raise ConfigError(f"`{ready[0]}` is not trained further; remove {_listed(learning)}")
    if backend == "eflomal":
        if unknown := [*ready, *kept, *(name for name in chosen if name != "lowercase")]:
            raise ConfigError(f"eflomal does not support {_listed(unknown)}; use another `backend`")
        require_eflomal()
    if len(more) == 1:
        raise ConfigError("extra_source and extra_target must be given together")
    _check_outputs(_given(output=output, gold=gold), kept, output, lexical_output)
    answers = None if gold is None else read_gold(gold)
    fitted = None
    if model is not None:
        fitted = AlignmentModel.load(model)
    elif lexical_input is not None:
        fitted = read_lexicon(lexical_input, lowercase=None if training.lowercase else False)
    extra = () if extra_source is None or extra_target is None else read_sides(extra_source, extra_target)
    result = align_corpus(
        read_pairs(source) if target is None else read_sides(source, target),
        training=training,
        links=links,
        extra=extra,
        model=fitted,
        backend=backend,
        threads=threads,
        memory_limit=memory_limit,
        origin=source,
        progress=progress,
        warn=warn,
        executor=executor,
        scratch=scratch,
    )
    if answers is not None and gold is not None:
        check_gold(answers, result.source_lengths.tolist(), result.target_lengths.tolist(), gold)
        result = replace(result, scores=score_alignments(result.alignments, answers))
    if result.model is not None and model_output is not None:
        result.model.save(model_output)
    if result.model is not None and lexical_output is not None:
        write_lexicon(result.model, lexical_output)
    if output is not None:
        result.alignments.write(output)
    return result


def _given(**options: StrPath | None) -> list[str]:
    return [name for name, value in options.items() if value is not None]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _changed(training: AlignOptions) -> list[str]:
    """Training options that differ from the defaults and matter for training only."""
    usual = AlignOptions()
    names = (field.name for field in fields(training) if field.name != "max_length")
    return [name for name in names if getattr(training, name) != getattr(usual, name)]


def _is_learning(name: str, ready: Sequence[str]) -> bool:
    return name != "lowercase" or "lexical_input" not in ready  # a table may be lowercased or not


def _check_outputs(
    wanted: Sequence[str], kept: Sequence[str], output: StrPath | None, lexical_output: StrPath | None
) -> None:
    if not wanted and not kept:
        raise ConfigError("nothing to do: give `output`, `model_output`, `lexical_output` or `gold`")
    # Training may take an hour, so check now that the files can be written.
    for path in (output, lexical_output):
        if path is not None and not Path(path).parent.is_dir():
            raise OutputError("the folder does not exist", Path(path).parent)
