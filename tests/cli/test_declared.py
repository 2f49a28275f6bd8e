"""Verbs whose options are declared elsewhere: what help shows is what is used."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import MISSING
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any

import pytest
from cyclopts import App, CycloptsError, Parameter, RepeatArgumentError
from cyclopts.argument import Argument

from isogloss.cli.declared import DECLARED, Changes, Declared, declares
from isogloss.cli.main import _VERBS, app, main, verbs
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.options import Option
from isogloss.io.resources import Threads
from isogloss.learn import find_learner
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


@pytest.mark.parametrize("verb", ["train", "translate", "catalog fill", "correct"])
def test_no_option_silently_keeps_the_last_of_several(verb: str) -> None:
    inner = dict(every_verb())[verb]
    for argument in arguments_of(inner):
        words, is_list = argument.token_count()
        if argument.name.startswith("--") and argument.show:
            twice = [argument.name, *["1"] * words] * 2
            try:
                app.parse_args([*verb.split(), *twice], exit_on_error=False, print_error=False)
                refused = False
            except CycloptsError as error:  # also for options that are required
                refused = isinstance(error, RepeatArgumentError)
            assert refused is not is_list, f"{verb} {argument.name}"


def test_repeated_sources_are_all_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("a\tb\n")
    words = ["train", str(tmp_path / "x"), "--source", str(tmp_path / "a.tsv"), "--source", "missing.tsv"]
    assert main(words) == 2
    assert "missing.tsv: No such file" in capsys.readouterr().err


def declaring() -> list[tuple[str, Declared]]:
    found = []
    for words, inner in verbs():
        declared = getattr(inner.default_command, DECLARED, None)
        if isinstance(declared, Declared) and declared.options:
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
    assert "unexpected argument 'x'" in capsys.readouterr().err


def test_the_list_of_verbs_has_the_first_sentence_of_each() -> None:
    for members in _VERBS.values():
        for name, (_, sentence) in members.items():
            inner = app[name]
            told = inner.help if inner.default_command is None else inspect.getdoc(inner.default_command)
            assert " ".join((told or "").split()).startswith(sentence.rstrip(".")), name


# Every option of every verb ------------------------------------------------------------------------------


SEVERAL = {
    "--aligner": "of the text that a joint model learns from; for pairs that are added to a memory later",
    "--batch": "examples of a memory; samples of a step of training",
    "--case": "of a system in training, of text on its own",
    "--columns": "features of a list by name; of a TSV file by number",
    "--config": "options of a verb, or the description of an experiment",
    "--count": "of utterances; how rules are counted",
    "--dev-source": "optional in training, required for tuning",
    "--dev-target": "likewise",
    "--dictionary": "translations of words to train with; a WordNet",
    "--epochs": "passes of a fixed number; at most so many, with early stopping",
    "--features": "to compute, to compare as sets, to give other files",
    "--for": "sentences that a table or a selection is made for",
    "--force": "forced decoding; storing a reranker that is worse than the list",
    "--format": "of what a verb reads or prints; each has formats of its own",
    "--held-out": "an n-best list; a number of sentence pairs",
    "--html": "a page of the training; a page of what changed",
    "--initial-weights": "by default those of a system or of a list",
    "--input": "what a line of the input is; each verb reads other kinds",
    "--iterations": "of the algorithm that the verb runs",
    "--keep": "findings of 'corpus check' that are no reason to drop a pair",
    "--language": "of text, or to translate into",
    "--list": "a table of what was found",
    "--lowercase": "ignore case in scores, or in alignment",
    "--max-length": "of sentences to align, of phrases to extract",
    "--max-span": "of the search, and what a table is filtered for",
    "--max-words": "of a sentence, to split or to drop it",
    "--memory-limit": "of counting and sorting, or of alignment",
    "--method": "learners by their names; align, select and memory have methods of their own",
    "--min-count": "rare words of classes; of a joint model",
    "--model": "of case (a table), of alignment (a folder)",
    "--most": "values per word; sentences to print",
    "--nbest": "candidates per sentence, to give or to keep",
    "--order": "words of an n-gram; the direction in which a joint model reads",
    "--orientation": "how orientations are counted; how those of an imported table were",
    "--output": "where the result goes; what it is, each verb says",
    "--pairs": "of a synthetic corpus",
    "--placeholders": "kinds to keep, or the file they are kept in",
    "--prune": "n-grams by count, lexical entries by probability",
    "--reference": "of lists and text; of examples, beside --source",
    "--reordering": "to read or to write",
    "--restarts": "of mert, of clustering",
    "--samples": "of a significance test",
    "--scale": "of scores; of features, on or off, called the same in Python",
    "--search": "with or without its own rules",
    "--seed": "random seed of what the verb draws",
    "--significance": "of rules, when they are extracted or later",
    "--size": "of a selection, of examples",
    "--source": "source side of what the verb works on",
    "--source-columns": "from files",
    "--source-language": "of training text, of bilingual files",
    "--sparse": "features of candidates for a reranker; of examples in a memory",
    "--system": "that decodes, or whose tokenizers count",
    "--target": "target side of what the verb works on",
    "--target-columns": "from files",
    "--target-language": "of training text, of bilingual files",
    "--threshold": "of hypotheses, of links",
    "--to": "format of the output, with or without a default",
    "--tokenized": "which text is tokens, each verb says",
    "--tokenizer": "of a system in training, of text on its own",
    "--weights": "of a system that is made, or in place of its own",
}
"""Flags that are declared more than once, and what they have in common or why they differ.

Anything else with the same name must be the same declaration. Think twice before adding a line: people expect
a flag that they know to mean what they know.
"""

LEARNING = {
    "train": True,
    "tune": True,
    "tune-nbest": False,
    "rerank train": False,
    "rerank sweep": False,
}
"""Verbs whose ``--method`` is a learner, and whether they have a decoder."""


DESCRIBED = ("experiment relevant-set", "experiment local-training", "experiment ntt-iwslt2007")
"""Verbs that need a file of tables that no default can stand for; tests of the experiments read such
files."""


def every_verb() -> list[tuple[str, App]]:
    return [(" ".join(words), inner) for words, inner in verbs() if inner.default_command is not None]


def arguments_of(inner: App) -> Iterator[Argument]:
    return iter(inner.assemble_argument_collection(default_parameter=app.default_parameter))


def declaration(inner: App) -> Declared:
    found = getattr(inner.default_command, DECLARED, None)
    return found if isinstance(found, Declared) else Declared({}, {})


def flags() -> dict[str, dict[str, Argument]]:
    """Verbs by flag, with what the flag is there."""
    found: dict[str, dict[str, Argument]] = {}
    for verb, inner in every_verb():
        for argument in arguments_of(inner):
            for name in argument.names:
                if name.startswith("-"):
                    found.setdefault(name, {})[verb] = argument
    return found


@pytest.mark.parametrize(("verb", "inner"), every_verb(), ids=[verb for verb, _ in every_verb()])
def test_every_option_is_told_in_a_sentence(verb: str, inner: App) -> None:
    for argument in arguments_of(inner):
        told = argument.parameter.help or ""
        # What a choice means may begin with its name, which is written as people type it.
        named = told.split(" ")[0].rstrip(":,") in (argument.get_choices(force=True) or ())
        assert told[:1].isupper() or named, f"{verb} {argument.name}: {told}"
        assert told.endswith("."), f"{verb} {argument.name}: {told}"


@pytest.mark.parametrize(("verb", "inner"), every_verb(), ids=[verb for verb, _ in every_verb()])
def test_every_option_is_declared_by_a_class_or_by_the_verb(verb: str, inner: App) -> None:
    declared = declaration(inner)
    own = set(inspect.signature(inner.default_command).parameters)  # type: ignore[arg-type]
    if declared.classes:
        own = {*declared.own, "set", "config"}
    by_class = {declared.flag(name): option for name, option in declared.options.items()}
    for argument in arguments_of(inner):
        if not argument.name.startswith("-"):
            continue
        option = by_class.get(argument.name)
        if option is None:
            assert argument.field_info.name in own, f"{verb}: nobody declares {argument.name}"
        allowed = {argument.name, f"--no-{argument.name[2:]}", "-o", *(argument.parameter.alias or ())}
        assert set(argument.names) <= allowed, f"{verb}: {argument.names}"


@pytest.mark.parametrize(("verb", "inner"), every_verb(), ids=[verb for verb, _ in every_verb()])
def test_what_a_verb_shows_as_default_is_what_it_uses(verb: str, inner: App) -> None:
    declared = declaration(inner)
    used = {} if verb in DESCRIBED else defaults_used(declared)
    by_class = {declared.flag(name): option for name, option in declared.options.items()}
    for argument in arguments_of(inner):
        shown, default = argument.show_default, argument.field_info.default
        option = by_class.get(argument.name)
        if option is not None:
            assert shown == (option.shown_default or False), f"{verb} {argument.name}"
            if option.name in used and not option.default_text:
                assert used[option.name] == option.default, f"{verb} {argument.name}"
        elif isinstance(shown, str):  # words stand for nothing given, or say yes
            assert default is None or (default is True and shown == "yes"), f"{verb} {argument.name}"
        elif not shown:
            nothing = (None, False, inspect.Parameter.empty)
            assert any(default is value for value in nothing), f"{verb} {argument.name}: {default}"


def defaults_used(declared: Declared) -> dict[str, Any]:
    """What the options are if only those are given that must be."""
    given = {name: needed(option) for name, option in declared.options.items() if option.required}
    built = declared.build(given, None, ())
    found: dict[str, Any] = {}
    for into, cls in declared.classes.items():
        if not isinstance(cls, Changes):
            names = [name for name in Declared({into: cls}, {}).options if name not in given]
            for name in names:
                part, _, last = name.rpartition(".")
                owner = attrgetter(part)(built[into]) if part else built[into]
                if owner is not None:  # else the table as a whole is left out
                    found[name] = getattr(owner, last)
    return found


def needed(option: Option) -> Any:
    if option.choices:
        return option.choices[0]
    return ["x"] if option.kind.startswith("list") else "x"


def test_a_flag_means_the_same_everywhere() -> None:
    found = flags()
    for name, uses in found.items():
        told = {argument.parameter.help for argument in uses.values()}
        assert len(told) == 1 or name in SEVERAL or name == "-o", f"{name}: {sorted(map(str, told))}"
    for name in SEVERAL:
        assert len(found[name]) > 1, f"{name} is declared once; SEVERAL need not name it"
    for argument in found["--seed"].values():
        assert str(argument.parameter.help).startswith("Random seed")
    assert found["-o"].keys() == found["--output"].keys()
    assert {argument.parameter.metavar for argument in found["--memory"].values()} == {"FOLDER"}


def test_methods_of_learning_have_one_name_everywhere() -> None:
    for verb, decoder in LEARNING.items():
        declared = dict(declaring())[verb]
        name = next(name for name in declared.options if declared.flag(name) == "--method")
        default = declared.options[name].default
        for method in default if isinstance(default, tuple) else (default,):
            assert find_learner(method, decoder=decoder).name == method
