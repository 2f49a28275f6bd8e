"""Verbs whose options are declared elsewhere: what help shows is what is used."""

from __future__ import annotations

import inspect
from dataclasses import MISSING
from pathlib import Path
from typing import Annotated

import pytest
from cyclopts import Parameter

from isogloss.cli.declared import DECLARED, Declared, declares
from isogloss.cli.main import _VERBS, app, main, verbs
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.resources import Threads
from isogloss.pipeline import TrainOptions

FILES = {"source": "a", "target": "b"}


def made(*assignments: str, config: Path | None = None, **given: object) -> TrainOptions:
    declared = Declared({"options": TrainOptions}, {}, only_shown=False)
    options = declared.build({**FILES, **given}, config, assignments)["options"]
    assert isinstance(options, TrainOptions)
    return options


def test_set_and_flags_and_a_file_override_each_other_in_this_order(tmp_path: Path) -> None:
    config = tmp_path / "x.toml"
    config.write_text('search = "phrase"\nseed = 3\n[lm]\norder = 2\nprune = [0, 1]\n')
    options = made("lm.order=4", config=config, seed=7)
    assert (options.search, options.seed, options.lm.order) == ("phrase", 7, 4)


def test_words_need_no_quotes_and_lists_may_have_commas() -> None:
    assert made("search=phrase").search == "phrase"
    assert made("keep=separator,copied").keep == ("separator", "copied")
    assert made("clean.patterns=[0-9]{1,2}").clean.patterns == ("[0-9]{1,2}",)
    assert made(**{"clean.patterns": ["a,b", "c"]}).clean.patterns == ("a,b", "c")
    assert made(placeholders=["printf,braces"]).placeholders == ("printf", "braces")
    assert made(placeholders=["none"]).placeholders == ()


def test_mistakes_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no option is called 'lm.ordr'; did you mean lm.order\?"):
        made("lm.ordr=4")
    with pytest.raises(ConfigError, match="--set takes NAME=VALUE"):
        made("lm.order")
    with pytest.raises(ConfigError, match="--dev-size must be at least 0, got -1"):
        made(dev_size=-1)
    config = tmp_path / "x.toml"
    config.write_text("seed = 'x'\n")
    with pytest.raises(DataFormatError, match=r"x.toml: seed must be a whole number, got 'x'"):
        made(config=config)


def test_lists_take_several_words_and_repeats_and_single_options_refuse_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["train", "x", "--seed", "1", "--seed", "2"]) == 2
    assert "--seed specified multiple times" in capsys.readouterr().err
    for words in (["--set", "seed=1", "--set", "seed=2"], ["--seed", "1", "--set", "seed=2"]):
        assert main(["train", "x", "--source", "a", *words]) == 2
        assert "--seed is given twice" in capsys.readouterr().err


def declaring() -> list[tuple[str, Declared]]:
    found = []
    for words, inner in verbs():
        declared = getattr(inner.default_command, DECLARED, None)
        if isinstance(declared, Declared):
            found.append((" ".join(words), declared))
    return found


@pytest.mark.parametrize(("verb", "declared"), declaring(), ids=[name for name, _ in declaring()])
def test_defaults_shown_are_the_defaults_used(verb: str, declared: Declared) -> None:
    for parameter in declared.parameters():
        note = parameter.annotation.__metadata__[0]
        option = declared.options[parameter.name.replace("__", ".")]
        assert parameter.default is None  # nothing is given unless it is typed
        assert note.show_default == (option.shown_default or False)
        assert option.help, f"{verb}: {option.name} has no help"
        if option.default is not MISSING and not option.default_text and "." not in option.name:
            option.check(option.default)


@pytest.mark.parametrize("verb", [name for name, _ in declaring()])
def test_every_option_is_listed(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", *verb.split()]) == 0
    printed = capsys.readouterr().out
    for option in dict(declaring())[verb].options:
        assert option in printed


def test_numbers_are_whole_and_lists_of_them_may_have_commas() -> None:
    assert made(**{"lm.prune": ["0,0", "1"]}).lm.prune == (0, 0, 1)
    assert made("lm.prune=1").lm.prune == (1,)
    assert made(seed="7").seed == 7
    with pytest.raises(ConfigError, match=r"--seed must be a whole number, at least 0, got '1\.5'"):
        made(seed="1.5")
    with pytest.raises(
        ConfigError, match=r"--lm\.prune must be a list of whole numbers, at least 0, got 'x'"
    ):
        made(**{"lm.prune": ["0,x"]})


def test_messages_of_a_verb_name_options_as_they_are_typed() -> None:
    @declares(resources=Threads)
    def verb(*, resources: Threads, model_output: Annotated[str, Parameter(name="--model")] = "") -> None:
        raise ConfigError("model_output and threads must differ; threads are cheap")

    with pytest.raises(ConfigError, match=r"^--model and --threads must differ; threads are cheap$"):
        verb()


def test_a_dash_is_standard_input_or_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "-", "--source", "-", "--threads", "-"]) == 2
    assert capsys.readouterr().err == "error: --threads must be a whole number, at least 0, got '-'\n"
    assert main(["train", "-", "x"]) == 2
    assert "one argument too many: 'x'" in capsys.readouterr().err


def test_the_list_of_verbs_has_the_first_sentence_of_each() -> None:
    for members in _VERBS.values():
        for name, (_, sentence) in members.items():
            inner = app[name]
            told = inner.help if inner.default_command is None else inspect.getdoc(inner.default_command)
            assert " ".join((told or "").split()).startswith(sentence.rstrip(".")), name
