from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from isogloss.io.errors import InputFileError
from isogloss.io.shared_arrays import join_parts, write_parts


def test_parts_come_back_as_they_were(tmp_path: Path) -> None:
    arrays = [np.arange(5, dtype=np.uint32), np.zeros((0, 2), np.float32), np.eye(3), np.arange(8)[::2]]
    parts = write_parts(tmp_path / "some", *arrays)
    for array, part in zip(arrays, parts, strict=True):
        found = part.read()
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)
    again = write_parts(tmp_path / "some", *arrays)
    assert again[0].path != parts[0].path
    np.testing.assert_array_equal(join_parts([parts[0], again[0]]), [*range(5), *range(5)])


def test_damage_is_noticed(tmp_path: Path) -> None:
    first, second = write_parts(tmp_path / "some", np.arange(5), np.arange(7))
    path = Path(first.path)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert first.read().tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(InputFileError, match="not what the worker wrote"):
        second.read()
    path.write_bytes(content[:8])
    with pytest.raises(InputFileError, match="not what the worker wrote"):
        first.read()
    path.unlink()
    with pytest.raises(InputFileError, match="storage that all nodes share"):
        first.read()
