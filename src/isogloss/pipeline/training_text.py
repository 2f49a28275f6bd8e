"""Write training text given as Python lists to files in the run folder, so that the run can resume."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeGuard, cast

from isogloss.io.errors import ConfigError
from isogloss.io.streams import StrPath, atomic_output
from isogloss.io.text_lines import TextLines, names_file, text_lines
from isogloss.metric.references import References, ReferencesLike, as_references
from isogloss.pipeline.train import claim
from isogloss.pipeline.train_options import TrainOptions

__all__ = ["TrainingText"]

_FOLDER = "input"


class TrainingText:
    """Text for a run: files are used directly, lists are written to the run folder."""

    def __init__(self, folder: StrPath) -> None:
        self._folder = Path(folder)

    def lines(self, name: str, text: TextLines | None) -> StrPath | None:
        """A file with the sentences."""
        if text is None:
            return None
        if isinstance(text, str | PathLike):
            if not Path(text).is_file():
                text_lines(text, name)  # raises an error with the reason
            return text
        return self._written(name, text_lines(text, name))

    def references(self, name: str, references: ReferencesLike | None) -> tuple[StrPath, ...] | None:
        """A file for every translator."""
        if references is None:
            return None
        if isinstance(references, str | PathLike):
            return (references,)
        if not isinstance(references, References):
            given = list(references)
            files = [item for item in given if isinstance(item, PathLike) or _names_file(item)]
            if files and len(files) == len(given):
                return tuple(files)
            references = as_references(cast("ReferencesLike", given))
        return tuple(
            self._written(f"{name}_{number}", [line or "" for line in stream])
            for number, stream in enumerate(references.streams)
        )

    def _written(self, name: str, lines: Sequence[str]) -> Path:
        """Write a file with these lines, unless it already has them: then no stage runs again."""
        for number, line in enumerate(lines, start=1):
            if "\n" in line or "\r" in line:
                raise ConfigError(
                    f"{name}: sentence {number} contains a line break; split the sentence or replace the "
                    "line break"
                )
        claim(self._folder)
        content = "".join(f"{line}\n" for line in lines)
        path = self._folder / _FOLDER / f"{name}.txt"
        if not path.exists() or path.read_bytes() != content.encode():
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_output(path) as stream:
                stream.write(content)
        return path

    def options(
        self,
        given: Mapping[str, object],
        options: TrainOptions | Mapping[str, object] | None,
        iterations: int | None,
        warn: Callable[[str], None],
    ) -> TrainOptions:
        """The options of the run; given values that are not None override ``options``."""
        given = {name: value for name, value in given.items() if value is not None}
        if isinstance(options, TrainOptions):
            tune = options.tune if iterations is None else replace(options.tune, iterations=iterations)
            changes: dict[str, Any] = {**given, "tune": tune}
            return replace(options, **changes)
        settings: dict[str, Any] = {**(options or {}), **given}
        if iterations is not None:
            tuning = settings.get("tune", {})
            as_settings = tuning if isinstance(tuning, Mapping) else asdict(tuning)
            settings["tune"] = {**as_settings, "iterations": iterations}
        return TrainOptions.from_settings(settings, warn)


def _names_file(item: object) -> TypeGuard[str]:
    return isinstance(item, str) and names_file(item)
