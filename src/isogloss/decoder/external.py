"""External decoders: any command that writes an n-best list."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from isogloss.decoder.decoder import DEFAULT_MAX_WORDS
from isogloss.decoder.plf import Lattice, format_plf
from isogloss.decoder.sentence import Source
from isogloss.decoder.translation import DecodedBatch
from isogloss.decoder.translator import TextTranslator
from isogloss.decoder.weights import write_weights
from isogloss.io.errors import ConfigError, DataFormatError, ExternalCommandError, InputFileError
from isogloss.nbest.edit import best_rows
from isogloss.nbest.formats import read_nbest
from isogloss.nbest.store import NbestStore

if TYPE_CHECKING:
    from isogloss.decoder.explanation import Explanation

__all__ = ["CommandOptions", "ExternalDecoder", "NbestDecoder"]

_FILES = ("source", "weights", "nbest")
_PLACE = re.compile(r"\{(\w*)\}")
_SHOWN_STDERR = 2000  # characters to show of the error output of a failed command


class NbestDecoder(Protocol):
    """The interface that tuning needs: n-best lists with given weights."""

    def decode(self, sources: Sequence[Source], weights: Mapping[str, float], *, size: int) -> NbestStore:
        """Up to ``size`` translations of every source; sources are numbered from 0.

        Weights are named like the features in the list.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandOptions:
    """How to run the command.

    >>> CommandOptions(timeout=3600).format
    'moses'
    """

    timeout: float | None = None
    """Seconds after which the command is killed and decoding fails."""
    format: str = "moses"
    """Format of the n-best list that it writes, one of ``isogloss.nbest.formats``."""
    folder: str | None = None
    """Folder to run it in; the current folder by default."""

    def __post_init__(self) -> None:
        if self.timeout is not None and not 0 < self.timeout < float("inf"):
            raise ConfigError(f"timeout must be above 0 seconds, got {self.timeout}")


class ExternalDecoder(TextTranslator):
    """Runs a command for every decoding, as a list of arguments without a shell.

    In each argument, ``{source}``, ``{weights}`` and ``{nbest}`` are replaced with file names and ``{size}``
    with the size of the list; write braces as ``{{`` and ``}}``. The command reads sentences (or lattices in
    PLF), one per line, from ``{source}`` or standard input, and weights (name, tab, number) from
    ``{weights}``. It writes the list to ``{nbest}`` or, if the command does not contain it, to standard
    output. ``weights``, named like the features in the list, are used to translate and are the start of
    tuning.

    >>> decoder = ExternalDecoder(["my-decoder", "--weights={weights}", "--nbest", "{size}"])
    >>> decoder.command[1]
    '--weights={weights}'
    """

    def __init__(
        self,
        command: Sequence[str],
        options: CommandOptions | None = None,
        *,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        if isinstance(command, str) or not command or not command[0]:
            raise ConfigError("the command must be a list: a program and its arguments")
        self.command, self.options = tuple(command), options or CommandOptions()
        self.weights = None if weights is None else dict(weights)
        """The weights for translating."""
        for argument in self.command:
            for name in _PLACE.findall(argument.replace("{{", "").replace("}}", "")):
                if name not in (*_FILES, "size"):
                    known = ", ".join(f"{{{place}}}" for place in (*_FILES, "size"))
                    raise ConfigError(
                        f"'{{{name}}}' in the argument '{argument}' is not a known name; known are {known}; "
                        "write {{ and }} for braces"
                    )
        if not any("{weights}" in argument for argument in self.command):
            raise ConfigError("the command does not contain {weights}, so the weights would have no effect")

    def decode(self, sources: Sequence[Source], weights: Mapping[str, float], *, size: int) -> NbestStore:
        """Run the command; an incomplete list is an error."""
        if size < 1:
            raise ConfigError(f"size must be at least 1, got {size}")
        with tempfile.TemporaryDirectory(prefix="isogloss-", ignore_cleanup_errors=True) as folder:
            files = {name: Path(folder) / name for name in _FILES}
            lines = (_line(source) for source in sources)
            files["source"].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            write_weights(files["weights"], weights)
            with files["source"].open("rb") as stdin:
                errors = self._run(self._arguments(files, size), files["nbest"], stdin.fileno())
            with self._blaming_command(errors):
                return self._checked(read_nbest(files["nbest"], format=self.options.format), len(sources))

    def nbest(
        self,
        sentences: Iterable[Source],
        *,
        nbest: int = 100,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        time_limit: float | None = None,
    ) -> NbestStore:
        """The ``nbest`` best translations of every sentence; the command applies its own limits."""
        return self.decode(list(sentences), self._known_weights(), size=nbest)

    def explain(self, sentence: Source, *, tokenized: bool = False) -> Explanation:
        """Translate a sentence and show the contribution of every feature; rules are unknown."""
        from isogloss.decoder.explanation import explanation_of

        weights = self._known_weights()
        return explanation_of(sentence, self.decode([sentence], weights, size=2), (), weights)

    def _decoded(
        self, batch: list[Source], *, threads: int, max_words: int, time_limit: float | None
    ) -> DecodedBatch:
        store = self.nbest(batch, nbest=1)
        return DecodedBatch(store, best_rows(store), batch)

    def _known_weights(self) -> dict[str, float]:
        if self.weights is None:
            raise ConfigError("the weights of the command are unknown; give weights to ExternalDecoder")
        return self.weights

    def _arguments(self, files: Mapping[str, Path], size: int) -> list[str]:
        values = {**{name: str(path) for name, path in files.items()}, "size": str(size)}

        def value(match: re.Match[str]) -> str:
            return {"{{": "{", "}}": "}"}.get(match[0]) or values[match[1]]

        return [re.sub(r"\{\{|\}\}|\{(\w*)\}", value, argument) for argument in self.command]

    def _run(self, arguments: list[str], output: Path, stdin: int) -> str:
        """Run the command to the end and return its error output."""
        to_file = any("{nbest}" in argument for argument in self.command)
        errors = output.with_name("stderr")
        with errors.open("wb") as stderr, contextlib.ExitStack() as stack:
            stdout = stderr if to_file else stack.enter_context(output.open("wb"))
            try:
                # In its own session, so that its child processes end with it.
                process = subprocess.Popen(
                    arguments,
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    cwd=self.options.folder,
                    start_new_session=True,
                )
            except OSError as error:
                raise ExternalCommandError(
                    f"cannot be started: {error.strerror or error}", self.command[0]
                ) from None
            try:
                code = process.wait(timeout=self.options.timeout)
            except subprocess.TimeoutExpired:
                _end(process)
                problem = f"did not finish within {self.options.timeout:g} seconds"
                raise ExternalCommandError(problem, self.command[0], _tail(errors)) from None
            except BaseException:
                _end(process)
                raise
        if code < 0:
            with contextlib.suppress(ValueError):
                raise ExternalCommandError(
                    f"was killed by {signal.Signals(-code).name}", self.command[0], _tail(errors)
                )
        if code != 0:
            raise ExternalCommandError(f"failed with exit code {code}", self.command[0], _tail(errors))
        if not output.is_file():
            raise ExternalCommandError("wrote no n-best list to {nbest}", self.command[0], _tail(errors))
        return _tail(errors)

    @contextlib.contextmanager
    def _blaming_command(self, errors: str) -> Iterator[None]:
        try:
            yield
        except (DataFormatError, InputFileError) as error:
            line = getattr(error, "line", None)
            where = "" if line is None else f" on line {line}"
            raise ExternalCommandError(
                f"wrote an invalid n-best list: {error.problem}{where}", self.command[0], errors
            ) from None

    def _checked(self, store: NbestStore, sources: int) -> NbestStore:
        ids = store.sentence_ids
        if not np.array_equal(ids, np.arange(sources)):
            known = set(ids.tolist())
            missing = next((i for i in range(sources) if i not in known), None)
            problem = (
                f"there is no sentence {missing} in it"
                if missing is not None
                else f"it has a sentence {int(ids[-1])}, and there were {sources}, numbered from 0"
            )
            raise DataFormatError(problem, "list")
        return store


def _line(source: Source) -> str:
    if isinstance(source, Lattice):
        return format_plf(source)
    text = source if isinstance(source, str) else " ".join(source.words)
    return re.sub(r"[\r\n]", " ", text)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the command and its child processes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _tail(errors: Path) -> str:
    """The end of the command's error output."""
    with errors.open("rb") as stream:
        stream.seek(max(0, errors.stat().st_size - 4 * _SHOWN_STDERR))
        return stream.read().decode("utf-8", "replace").strip()[-_SHOWN_STDERR:]
