"""The listed mutations can be made: their text is in the source once, and their tests exist."""

from __future__ import annotations

import tomllib

from support.replay_mutations import DATA, TOP


def test_every_mutation_changes_one_place_and_names_tests_that_exist() -> None:
    listed = tomllib.loads((DATA / "mutations.toml").read_text(encoding="utf-8"))["mutation"]
    assert len({one["name"] for one in listed}) == len(listed)
    for one in listed:
        assert (TOP / one["file"]).read_text(encoding="utf-8").count(one["old"]) == 1, one["name"]
        assert one["new"] != one["old"]
        for test in one["tests"]:
            path, _, name = test.partition("::")
            assert f"def {name}" in (TOP / path).read_text(encoding="utf-8"), test
