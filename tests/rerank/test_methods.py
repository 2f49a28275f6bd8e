"""Learners by name, with options as they are written on a command line."""

from __future__ import annotations

import pytest

from isogloss.io.errors import ConfigError
from isogloss.learn.registry import learner_names
from isogloss.rerank import method_named, parse_method


def test_every_method_has_one_name_and_keeps_its_old_one() -> None:
    for old, name in (("expected", "expected-bleu"), ("voted", "voted-perceptron"), ("kbmira", "batch-mira")):
        assert old not in learner_names(decoder=False)
        assert method_named(old) == method_named(name)
    assert parse_method("splitting:margin=0.5,good=10") == method_named(
        "splitting", {"margin": 0.5, "good": 10}
    )
    with pytest.raises(ConfigError, match=r"'online-mira' learns while it decodes.*batch-mira"):
        parse_method("mira")  # it is not guessed which one is meant
    with pytest.raises(ConfigError, match="'voted:5': KEY=VALUE is expected after the colon, found '5'"):
        parse_method("voted:5")


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("bogus", {}, "no method is called 'bogus'; choose one of: mert, batch-mira"),
        ("splitting", {"size": "3"}, "the method 'splitting' has no option 'size'; it has: iterations"),
        ("splitting", {"margin": "wide"}, "margin of the method 'splitting' cannot be 'wide'"),
        ("splitting", {"margin": "-1"}, "margin must be above 0"),
        ("splitting", {"good": "1.5"}, "good must be a share between 0 and 1 or a whole number"),
        ("ordinal", {"ratio": "0.5"}, "ratio must be at least 1"),
        ("voted", {"iterations": "0"}, "iterations must be at least 1"),
        ("perceptron", {"quality": "high"}, "quality must be one of sentence, document, got 'high'"),
        ("mbr", {"scales": "0+1"}, "scales must be above 0, got 0"),
        ("expected", {"regularization": "-1"}, "regularization must be at least 0"),
    ],
)
def test_options_of_methods_are_checked(method: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        method_named(method, options)
