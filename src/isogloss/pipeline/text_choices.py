"""Choose how to prepare source and target text when the options do not say: look at the files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice

from isogloss.corpus.inputs import several_files
from isogloss.corpus.languages import (
    UNDETERMINED,
    declared_language,
    is_known,
    language_in_name,
    language_of_script,
)
from isogloss.corpus.pairs import Reading, ReadOptions
from isogloss.corpus.processing import SideOptions
from isogloss.corpus.tokenizer import missing_segmenter
from isogloss.io.streams import read_lines
from isogloss.pipeline.train_options import TrainOptions

__all__ = ["chosen_sides"]

_LOOKED_AT = 2000
"""Number of lines at the beginning of the text from which a language is guessed."""
_SIDES = ("source", "target")


def chosen_sides(options: TrainOptions, note: Callable[[str], None]) -> tuple[SideOptions, SideOptions]:
    """Return how source and target text are prepared.

    A language comes from the options, else from the file, its name, or the script of the text.
    """
    named = options.source_language, options.target_language
    languages = named if all(named) else _languages(options)
    chosen = replace(options, source_language=languages[0], target_language=languages[1])
    sides = chosen.sides
    tokenizers = (
        options.source_tokenizer or options.tokenizer,
        options.target_tokenizer or options.tokenizer,
    )
    free = [
        (name, side) for name, side, tokenizer in zip(_SIDES, sides, tokenizers, strict=True) if not tokenizer
    ]
    for name, side in free:
        if not is_known(side.language):
            note(f"the {name} language '{side.language}' is unknown; rules for all languages are used")
        elif advice := missing_segmenter(side.language):
            note(f"the {name} text is split into characters: {advice}")
    return sides


def _languages(options: TrainOptions) -> tuple[str, str]:
    found = _in_one_file(options) if options.target is None else _in_two_files(options)
    source, target = options.source_language or found[0], options.target_language or found[1]
    return source or UNDETERMINED, target or UNDETERMINED


def _in_one_file(options: TrainOptions) -> tuple[str, str]:
    names, _ = options.files
    files = several_files(names)
    reading = Reading()
    wanted = ReadOptions(source_language=options.source_language, target_language=options.target_language)
    pairs = list(islice(files.read(wanted, reading), _LOOKED_AT))
    declared = tuple(map(declared_language, (reading.source_language, reading.target_language)))
    name = language_in_name(names[0]) if files.format.name == "po" else ""
    return (
        declared[0] or language_of_script(pair.source for pair in pairs),
        declared[1] or name or language_of_script(pair.target for pair in pairs),
    )


def _in_two_files(options: TrainOptions) -> tuple[str, str]:
    source, target = (
        language_in_name(paths[0]) or language_of_script(islice(read_lines(paths[0]), _LOOKED_AT))
        for paths in options.files
    )
    return source, target
