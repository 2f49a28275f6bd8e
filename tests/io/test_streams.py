from __future__ import annotations

import gzip
import io
import os
import random
import struct
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from isogloss import _engine
from isogloss.io import streams
from isogloss.io.errors import DataFormatError, InputFileError, OutputError
from support.properties import examples

pack_zstd = zstandard.ZstdCompressor().compress
pack: dict[str, Callable[[bytes], bytes]] = {"plain": bytes, "gzip": gzip.compress, "zstd": pack_zstd}

lines_of_text = st.lists(
    st.text(st.characters(exclude_characters="\n\r\0\ufeff", exclude_categories=["Cs"])), max_size=20
)


@pytest.fixture(params=pack)
def packer(request: pytest.FixtureRequest) -> Callable[[bytes], bytes]:
    return pack[request.param]


def read_back(folder: Path, content: bytes) -> list[str]:
    path = folder / "text"
    path.write_bytes(content)
    return list(streams.read_lines(path))


@examples(40)
@given(lines=lines_of_text, packing=st.sampled_from(sorted(pack)), crlf=st.booleans())
def test_lines_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], packing: str, crlf: bool
) -> None:
    end = "\r\n" if crlf else "\n"
    text = "".join(line + end for line in lines)
    assert read_back(tmp_path_factory.mktemp("lines"), pack[packing](text.encode())) == lines


@examples(40)
@given(lines=lines_of_text, suffix=st.sampled_from(["", ".gz", ".zst"]))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], suffix: str
) -> None:
    path = tmp_path_factory.mktemp("written") / f"text{suffix}"
    with streams.atomic_output(path) as stream:
        stream.writelines(f"{line}\n" for line in lines)
    assert list(streams.read_lines(path)) == lines
    assert b"".join(streams.read_chunks(path)).decode() == "".join(f"{line}\n" for line in lines)


@examples(40)
@given(content=st.binary(max_size=200), sizes=st.lists(st.integers(0, 30), max_size=20))
def test_open_bytes_gives_every_byte_whatever_is_asked(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, sizes: list[int]
) -> None:
    path = tmp_path_factory.mktemp("bytes") / "x.gz"
    path.write_bytes(gzip.compress(content))
    with streams.open_bytes(path) as stream:
        got = b"".join([stream.read(size) for size in sizes] + [stream.read()])
    assert got == content


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n\n", ["a", ""]),
        (b"a\r\nb\rc\r\n", ["a", "b\rc"]),
        ("\ufeffa\n\ufeffb\n".encode(), ["a", "\ufeffb"]),
        ("one\u2028still one\u0085and\x0bmore\n".encode(), ["one\u2028still one\u0085and\x0bmore"]),
    ],
)
def test_what_ends_a_line(
    tmp_path: Path, packer: Callable[[bytes], bytes], content: bytes, lines: list[str]
) -> None:
    assert read_back(tmp_path, packer(content)) == lines


def test_lines_across_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_CHUNK", 7)
    lines = ["", "abc", "x" * 50, "ü" * 20, "end"]
    assert read_back(tmp_path, "\r\n".join(lines).encode()) == lines
    assert read_back(tmp_path, gzip.compress("\n".join(lines).encode())) == lines


def test_a_small_file_with_a_huge_line_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_LONGEST_LINE", 1 << 20)
    monkeypatch.setattr(streams, "_LARGEST_WHOLE", 1 << 20)
    for pack, name in ((pack_zstd, "a.zst"), (gzip.compress, "a.gz"), (bytes, "a")):
        path = tmp_path / name
        path.write_bytes(pack(b"one\ntwo\n" + b"a" * (8 << 20)))
        chunks: list[bytes] = []
        with pytest.raises(DataFormatError, match=rf"{name}:3: the line has more than 1 MiB"):
            chunks.extend(streams.read_chunks(path))
        assert sum(map(len, streams.read_chunks(path, longest_line=0))) == 8 + (8 << 20)
        with pytest.raises(DataFormatError, match="more than"):
            streams.read_whole(path)


def test_a_long_line_costs_no_more_than_its_length(tmp_path: Path) -> None:
    length = 16 << 20
    content = b"x" * length + b"\nshort"
    tracemalloc.start()
    try:
        lines = read_back(tmp_path, content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [len(line) for line in lines] == [length, 5]
    assert peak < 4 * length


@pytest.mark.parametrize("packing", ["gzip", "zstd"])
def test_a_cut_packed_file_is_an_error_wherever_it_is_cut(tmp_path: Path, packing: str) -> None:
    path = tmp_path / "cut"
    noise = random.Random(1).randbytes(50).hex().encode() + b"\n"
    whole = pack[packing](noise * 5)
    start = 4 if packing == "zstd" else 2
    for end in range(start, len(whole)):
        path.write_bytes(whole[:end])
        with pytest.raises(DataFormatError, match="is truncated; copy or download it again"):
            list(streams.read_lines(path))


@pytest.mark.parametrize("packing", ["gzip", "zstd"])
def test_a_damaged_packed_file_is_an_error_or_reads_as_it_was(tmp_path: Path, packing: str) -> None:
    content = b"some text that will be packed\n" * 10
    compressor = zstandard.ZstdCompressor(write_checksum=True)
    whole = bytearray(compressor.compress(content) if packing == "zstd" else gzip.compress(content))
    path = tmp_path / "damaged"
    for at in range(4, len(whole)):
        whole[at] ^= 0x10
        path.write_bytes(whole)
        whole[at] ^= 0x10
        try:
            assert b"".join(streams.read_chunks(path)) == content  # a flipped bit of the header's date
        except DataFormatError as error:
            assert str(path) in str(error)  # noqa: PT017


def test_several_members_and_frames_are_one_text(tmp_path: Path) -> None:
    assert read_back(tmp_path, gzip.compress(b"a\nb") + gzip.compress(b"c\n") + b"\0" * 512) == ["a", "bc"]
    assert read_back(tmp_path, pack_zstd(b"a\nb") + pack_zstd(b"") + pack_zstd(b"c\n")) == ["a", "bc"]


def test_notes_in_a_zstd_file_are_passed_over(tmp_path: Path) -> None:
    notes = struct.pack("<II", 0x184D2A53, 4) + b"note"
    assert read_back(tmp_path, notes + pack_zstd(b"a\n") + notes + pack_zstd(b"b\n")) == ["a", "b"]


def test_unpacking_is_done_in_bounded_steps(tmp_path: Path) -> None:
    for name, content in (("x.gz", gzip.compress(bytes(24 << 20))), ("x.zst", pack_zstd(bytes(24 << 20)))):
        path = tmp_path / name
        path.write_bytes(content)
        tracemalloc.start()
        try:
            total = sum(map(len, streams.read_chunks(path)))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert total == 24 << 20
        assert peak < 30 << 20
    with streams.open_bytes(tmp_path / "x.gz") as stream:
        assert stream.read(10) == bytes(10)


def test_invalid_utf8_is_named_by_line(tmp_path: Path, packer: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "latin1.txt"
    path.write_bytes(packer(b"fine\nf\xfcr\n"))
    with pytest.raises(DataFormatError) as caught:
        list(streams.read_lines(path))
    assert str(caught.value) == (
        f"{path}:2: byte 0xfc at column 2 is not valid UTF-8; convert the file to UTF-8; "
        "'isogloss corpus check' lists all such lines"
    )
    # Surrogates are not text either, though some writers let them through.
    path.write_bytes(packer(b"\xed\xa0\x80\n"))
    with pytest.raises(DataFormatError, match=":1: byte 0xed"):
        list(streams.read_lines(path))


def test_a_binary_file_is_refused(tmp_path: Path, packer: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(packer(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"))
    with pytest.raises(DataFormatError, match="not a text file"):
        list(streams.read_byte_lines(path))


def test_missing_and_unreadable(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match=f"^{tmp_path}: is a folder; give a file$"):
        list(streams.read_lines(tmp_path))
    with pytest.raises(InputFileError, match="No such file or directory"):
        list(streams.read_lines(tmp_path / "none"))
    if os.geteuid() != 0:
        secret = tmp_path / "secret"
        secret.write_text("x")
        secret.chmod(0)
        with pytest.raises(InputFileError, match="Permission denied"):
            list(streams.read_lines(secret))


def test_standard_input_may_be_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"a\nb\n"))))
    assert list(streams.read_lines("-")) == ["a", "b"]


def test_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    with streams.atomic_output("-") as stream:
        stream.write("grün\n")
    assert capsys.readouterr().out == "grün\n"


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_a_failed_body_leaves_the_old_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out{suffix}"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), streams.atomic_output(path) as stream:
        assert stream.write("new" * 100_000) / 0
    assert path.read_bytes() == b"old"
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


def test_until_the_end_the_old_file_is_there(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    with streams.atomic_output(path) as stream:
        stream.write("new")
        stream.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"


def test_several_outputs_appear_together_or_not_at_all(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b.gz", "c.zst")]
    paths[0].write_text("old")
    with pytest.raises(OutputError), streams.atomic_outputs([*paths, "/dev/full"]) as opened:
        all(stream.write("x") for stream in opened)
    assert paths[0].read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["a"]
    with pytest.raises(OutputError, match="No such file"), streams.atomic_outputs([*paths, tmp_path / "n/o"]):
        raise AssertionError
    assert [item.name for item in tmp_path.iterdir()] == ["a"]
    with streams.atomic_outputs(paths) as opened:
        for stream, word in zip(opened, "abc", strict=True):
            stream.write(f"{word}\n")
    assert [list(streams.read_lines(path)) for path in paths] == [["a"], ["b"], ["c"]]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("size", [1, 10_000_000])
def test_a_full_disk(size: int) -> None:
    full = r"^/dev/full: No space left on device$"
    with pytest.raises(OutputError, match=full), streams.atomic_output("/dev/full") as stream:
        stream.write("x" * size)


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    for path, problem in (
        (tmp_path, "is a folder; give the name of a file"),
        (tmp_path / "no/such/folder", "No such file or directory"),
        (tmp_path / ("x" * 300), "File name too long"),
    ):
        with pytest.raises(OutputError) as caught, streams.atomic_output(path):
            raise AssertionError
        assert str(caught.value) == f"{path}: {problem}"
    if os.geteuid() != 0:
        tmp_path.chmod(0o500)
        with pytest.raises(OutputError, match="Permission denied"), streams.atomic_output(tmp_path / "x"):
            raise AssertionError


def test_other_errors_in_the_body_keep_their_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="elsewhere"), streams.atomic_output(tmp_path / "x"):
        (tmp_path / "elsewhere").read_text()
    with pytest.raises(InputFileError, match="elsewhere"), streams.atomic_output(tmp_path / "x"):
        list(streams.read_lines(tmp_path / "elsewhere"))
    assert not list(tmp_path.iterdir())


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with streams.atomic_output(tmp_path / "link") as stream:
        stream.write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_equal_text_gives_equal_bytes(tmp_path: Path, suffix: str) -> None:
    paths = [tmp_path / f"{name}{suffix}" for name in ("one", "another-name")]
    for path in paths:
        with streams.atomic_output(path) as stream:
            stream.write("the same text\n" * 1000)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    if suffix == ".gz":
        assert zlib.decompress(paths[0].read_bytes(), wbits=31) == b"the same text\n" * 1000


def test_complaints_of_the_engine_get_the_name_of_the_file() -> None:
    with pytest.raises(DataFormatError) as caught, streams.naming_file("dev.nbest"):
        raise _engine.LineError("too few fields", 3, "look")
    assert str(caught.value) == "dev.nbest:3: too few fields; look"
    assert (caught.value.path, caught.value.line) == ("dev.nbest", 3)
