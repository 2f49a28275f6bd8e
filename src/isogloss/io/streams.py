"""Bytes and lines in and out of files: plain, gzip or zstd, and ``-`` for the standard streams.

The compression of a file is detected from its first bytes, not its name. Lines end only at ``\\n`` (a
preceding ``\\r`` is dropped): other Unicode line separators may occur inside a sentence. An output file
appears only when it is complete.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import re
import secrets
import stat
import sys
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import zstandard

from isogloss._engine import LineError
from isogloss.io.durable import sync_path
from isogloss.io.errors import DataFormatError, InputFileError, OutputError, UserError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = [
    "StrPath",
    "atomic_bytes",
    "atomic_output",
    "atomic_outputs",
    "check_output",
    "decode_lines",
    "limit_lines",
    "naming_file",
    "not_text",
    "open_bytes",
    "read_byte_lines",
    "read_chunks",
    "read_lines",
    "read_whole",
    "split_chunks",
    "standard_input",
]

StrPath = str | PathLike[str]

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")  # pzstd starts with a skippable frame
_CHUNK = 1 << 20
_ZSTD_CHUNK = 1 << 10  # limits the output of one step: a 4-byte block may expand to 128 KiB
_LONGEST_LINE = 1 << 26  # bytes: a line is kept in memory, and a small compressed file can hold a huge one
_LARGEST_WHOLE = 1 << 30  # bytes of a file that is read at once


def read_chunks(path: StrPath, *, longest_line: int | None = None) -> Iterator[bytes]:
    """Yield the decompressed bytes of a file in chunks; ``-`` is standard input.

    A truncated or damaged compressed file is an error, never a short result. So is a line with more than
    ``longest_line`` bytes, by default 64 MiB; 0 allows any, for formats that are not read by line.
    """
    limit = _LONGEST_LINE if longest_line is None else longest_line
    return limit_lines(_chunks(path), path, limit) if limit else _chunks(path)


def read_whole(path: StrPath) -> bytes:
    """Read a file at once; more than 1 GiB is an error."""
    content = bytearray()
    for chunk in read_chunks(path, longest_line=0):
        content += chunk
        if len(content) > _LARGEST_WHOLE:
            raise DataFormatError(
                f"the file has more than {_LARGEST_WHOLE >> 30} GiB (decompressed)", path, hint="split it"
            )
    return bytes(content)


def limit_lines(chunks: Iterator[bytes], path: StrPath, limit: int = _LONGEST_LINE) -> Iterator[bytes]:
    """Pass on the chunks of a file; a line with more bytes than the limit is an error."""
    lines = pending = 0
    for chunk in chunks:
        end = chunk.rfind(b"\n")
        pending = len(chunk) - end - 1 if end >= 0 else pending + len(chunk)
        lines += chunk.count(b"\n")
        if pending > limit:
            raise DataFormatError(
                f"the line has more than {limit >> 20} MiB",
                path,
                lines + 1,
                "is this text, one sentence per line? Split the line if it is",
            )
        yield chunk


def _chunks(path: StrPath) -> Iterator[bytes]:
    try:
        with contextlib.ExitStack() as stack:
            if os.fspath(path) == "-":
                raw: IO[bytes] = standard_input()
            else:
                raw = stack.enter_context(Path(path).open("rb"))
            first = raw.read(_CHUNK)
            if first.startswith(_GZIP_MAGIC):
                yield from _gunzip(_resume(first, raw), path)
            elif first.startswith(_ZSTD_MAGIC) or _SKIPPABLE.match(first):
                yield from _unzstd(_resume(first, raw), path)
            else:
                yield from _resume(first, raw)
    except IsADirectoryError:
        raise InputFileError("is a folder", path, "give a file") from None
    except OSError as error:
        if isinstance(error, UserError):
            raise
        raise InputFileError(error.strerror or str(error), path) from None


def standard_input() -> IO[bytes]:
    """Return standard input as bytes; an error if the caller has closed it."""
    if sys.stdin is None:  # closed by the caller
        raise InputFileError("is closed", "standard input", "give a file, or redirect standard input")
    return sys.stdin.buffer


def _resume(first: bytes, raw: IO[bytes]) -> Iterator[bytes]:
    while first:
        yield first
        first = raw.read(_CHUNK)


def _gunzip(chunks: Iterator[bytes], path: StrPath) -> Iterator[bytes]:
    member = zlib.decompressobj(wbits=31)
    for packed in chunks:
        while packed:
            if member.eof:  # a file may consist of several members, with zero padding
                packed = packed.lstrip(b"\0")
                if not packed:
                    break
                member = zlib.decompressobj(wbits=31)
            try:
                unpacked = member.decompress(packed, _CHUNK)
            except zlib.error as error:
                raise DataFormatError(f"damaged gzip file ({error})", path) from None
            packed = member.unused_data if member.eof else member.unconsumed_tail
            if unpacked:
                yield unpacked
    if not member.eof:
        raise _cut_off(path)


def _unzstd(chunks: Iterator[bytes], path: StrPath) -> Iterator[bytes]:
    frame = zstandard.ZstdDecompressor().decompressobj()
    waiting: list[bytes] = []
    size = 0
    for chunk in chunks:
        for start in range(0, len(chunk), _ZSTD_CHUNK):
            packed = chunk[start : start + _ZSTD_CHUNK]
            while packed:
                if frame.eof:
                    frame = zstandard.ZstdDecompressor().decompressobj()
                try:
                    unpacked = frame.decompress(packed)
                except zstandard.ZstdError as error:
                    raise DataFormatError(f"damaged zstd file ({error})", path) from None
                packed = frame.unused_data if frame.eof else b""
                waiting.append(unpacked)
                size += len(unpacked)
                if size >= _CHUNK:
                    yield b"".join(waiting)
                    waiting, size = [], 0
    if size:
        yield b"".join(waiting)
    if not frame.eof:
        raise _cut_off(path)


def _cut_off(path: StrPath) -> DataFormatError:
    return DataFormatError("the compressed file is truncated", path, hint="copy or download it again")


class _ChunkReader(io.RawIOBase):
    """A file object over chunks of bytes, for parsers that call ``read``."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest = chunks, b""

    def close(self) -> None:
        if isinstance(self._chunks, Generator):
            self._chunks.close()  # and with it the file
        super().close()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        if not self._rest:
            self._rest = next(self._chunks, b"")
        taken, self._rest = self._rest[: len(view)], self._rest[len(view) :]
        view[: len(taken)] = taken
        return len(taken)


def open_bytes(path: StrPath) -> IO[bytes]:
    """Open a file like ``read_chunks``, for parsers that take a file object; lines may have any length."""
    return cast(IO[bytes], io.BufferedReader(_ChunkReader(read_chunks(path, longest_line=0)), _CHUNK))


def read_lines(path: StrPath) -> Iterator[str]:
    """Yield the lines of a UTF-8 text file without line ends."""
    return decode_lines(read_chunks(path), path)


def decode_lines(chunks: Iterable[bytes], path: StrPath, before: int = 0) -> Iterator[str]:
    """Yield the lines of a UTF-8 text given in chunks; ``path`` is for messages.

    ``before`` is the number of lines before these.
    """
    for number, line in enumerate(_split_lines(chunks, path), start=before + 1):
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataFormatError(
                f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not valid UTF-8",
                path,
                number,
                "convert the file to UTF-8; 'isogloss corpus check' lists all such lines",
            ) from None
        yield text.removeprefix("\ufeff") if number == 1 else text


def read_byte_lines(path: StrPath) -> Iterator[bytes]:
    """Yield the lines of a file as bytes; NUL bytes are an error, because they mean it is not text."""
    return _split_lines(read_chunks(path), path)


def _split_lines(chunks: Iterable[bytes], path: StrPath) -> Iterator[bytes]:
    for lines in split_chunks(chunks, path):
        yield from lines


def split_chunks(
    chunks: Iterable[bytes], path: StrPath, *, allow_zero: bool = False
) -> Iterator[list[bytes]]:
    """Yield the lines that each chunk of a text completes. NUL bytes are an error unless they are allowed."""
    begun: list[bytes] = []  # chunks of an unfinished line: joining them each time would be quadratic
    for chunk in chunks:
        if b"\0" in chunk and not allow_zero:
            raise not_text(path)
        first, *others = chunk.split(b"\n")
        begun.append(first)
        if others:
            others.insert(0, b"".join(begun))
            begun = [others.pop()]
            yield [line.removesuffix(b"\r") for line in others]
    if rest := b"".join(begun):
        yield [rest.removesuffix(b"\r")]


def not_text(path: StrPath) -> DataFormatError:
    """The error for a file that is not text at all."""
    return DataFormatError(
        "not a text file (it contains NUL bytes)",
        path,
        hint="give UTF-8 text: plain, gzip or zstd",
    )


@contextlib.contextmanager
def naming_file(path: StrPath) -> Iterator[None]:
    """Add the file name to the engine's errors about a line."""
    try:
        yield
    except LineError as error:
        problem, line, hint = error.args
        raise DataFormatError(problem, path, line, hint) from None


@contextlib.contextmanager
def atomic_output(path: StrPath) -> Iterator[IO[str]]:
    """Open a text file for writing that replaces ``path`` only if there is no error.

    Compressed if the name ends in ``.gz`` or ``.zst``; ``-`` is standard output. The same text gives the same
    bytes, so compressed outputs can be compared.
    """
    with atomic_outputs([path]) as (stream,):
        yield stream


def atomic_bytes(path: StrPath, content: bytes) -> None:
    """Write a file of bytes as ``atomic_output`` writes text."""
    with atomic_output(path) as stream:
        stream.flush()
        cast(io.TextIOWrapper, stream).buffer.write(content)


@contextlib.contextmanager
def atomic_outputs(paths: Sequence[StrPath]) -> Iterator[list[IO[str]]]:
    """Open several text files as ``atomic_output`` does: all of them appear, or none."""
    renames: list[tuple[Path, Path]] = []
    try:
        with contextlib.ExitStack() as stack:
            yield [stack.enter_context(_output(path, renames)) for path in paths]
        for partial, final in renames:
            try:
                partial.replace(final)
            except OSError as error:
                raise OutputError(error.strerror or str(error), final) from None
        for folder in dict.fromkeys(final.parent for _, final in renames):
            with contextlib.suppress(PermissionError):  # a folder that may be written but not read
                sync_path(folder)
    finally:
        for partial, _ in renames:
            partial.unlink(missing_ok=True)


def check_output(path: StrPath) -> None:
    """Refuse a path that ``atomic_output`` could not write to. Call it before long work."""
    if os.fspath(path) == "-":
        return
    final = Path(os.path.realpath(path))
    _output_mode(path, final)
    if not final.parent.is_dir():
        raise OutputError("No such file or directory", path, f"make the folder '{Path(path).parent}' first")


def _output_mode(path: StrPath, final: Path) -> int:
    """Return the mode of the file to write, that of a plain file if there is none yet."""
    try:
        mode = final.stat().st_mode
    except FileNotFoundError:
        return stat.S_IFREG
    except OSError as error:
        raise OutputError(error.strerror or str(error), path) from None
    if stat.S_ISDIR(mode):
        raise OutputError("is a folder", path, "give the name of a file")
    return mode


@contextlib.contextmanager
def _output(path: StrPath, renames: list[tuple[Path, Path]]) -> Iterator[IO[str]]:
    if os.fspath(path) == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    final = Path(os.path.realpath(path))  # keep a symbolic link and replace its target
    mode = _output_mode(path, final)
    # Write to a pipe or device directly: it must not be replaced by a file.
    special = not stat.S_ISREG(mode)
    partial = final if special else final.with_name(f".{final.name[:40]}.{secrets.token_hex(4)}.part")
    raw = _OutputFile(partial, "wb" if special else "xb", path)
    if not special:
        renames.append((partial, final))
    with io.BufferedWriter(raw) as buffered:
        try:
            with _packer(Path(path).suffix, buffered) as packed:
                text = io.TextIOWrapper(packed, encoding="utf-8", newline="\n")
                try:
                    yield text
                    text.flush()
                except BaseException:
                    raw.abandoned = True
                    raise
                finally:
                    text.detach()
            buffered.flush()
            if not special:
                raw.sync()
        except BaseException:
            raw.abandoned = True
            raise


class _OutputFile(io.FileIO):
    """A file whose errors name the user's output. Once abandoned, it discards what the layers above still
    buffer, so that they can be closed."""

    def __init__(self, file: Path, mode: str, path: StrPath) -> None:
        self.abandoned = False
        self._path = path
        with self._naming_output():
            super().__init__(file, mode)

    def write(self, data: ReadableBuffer) -> int:
        if self.abandoned:
            return memoryview(data).nbytes
        with self._naming_output():
            return super().write(data)

    def sync(self) -> None:
        with self._naming_output():
            os.fsync(self.fileno())

    @contextlib.contextmanager
    def _naming_output(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(error.strerror or str(error), self._path) from None


@contextlib.contextmanager
def _packer(suffix: str, raw: IO[bytes]) -> Iterator[IO[bytes]]:
    if suffix == ".gz":
        # No name and no time in the header: equal text, equal bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
            yield cast(IO[bytes], packed)
    elif suffix == ".zst":
        with zstandard.ZstdCompressor().stream_writer(raw, closefd=False) as stream:
            yield cast(IO[bytes], stream)
    else:
        yield raw
