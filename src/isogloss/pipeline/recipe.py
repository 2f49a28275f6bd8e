"""The stages from parallel text to a tuned, evaluated system, and their inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from isogloss.corpus.formats import has_contexts
from isogloss.corpus.placeholders import DEFAULT_KINDS
from isogloss.corpus.processing import SideOptions
from isogloss.corpus.tokenizer import missing_segmenter
from isogloss.decoder.beside import ALIGNER, CONFIDENCE, CONTEXTS, EXAMPLES, MATCHES
from isogloss.io.executor import Executor, LocalExecutor
from isogloss.io.progress import Track
from isogloss.io.streams import StrPath
from isogloss.pipeline import (
    calibration,
    evaluation,
    joint_choice,
    learning_curve,
    model_stages,
    near_match_stage,
    search_choice,
    text_stages,
    tuning_stages,
    whole_text,
)
from isogloss.pipeline.stage import Output, Stage
from isogloss.pipeline.train_options import NO_TUNING, RELEVANT_SET, SearchName, TrainOptions
from isogloss.report.verdict import VERDICT
from isogloss.tuning import TuneIteration

__all__ = ["JOINT_CHOICE", "SEARCH_CHOICE", "SEARCH_RULES", "Helpers", "recipe"]

SEARCH_CHOICE, JOINT_CHOICE = "work/search.json", "work/joint.json"
SEARCH_RULES = "work/search-rules"
"""The rules of the chosen search, until they are moved to their place."""
SEARCHES: tuple[SearchName, ...] = ("hiero", "phrase")
"""What the development set chooses from, the default first."""

Inputs = dict[str, StrPath | Output]
_SIDES = ("source", "target")

_TEXTS = ("dev_", "test_", "train_", "tune_")  # prefixes of inputs that contain sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class Helpers:
    """Settings that do not change the result: resources and callbacks."""

    threads: int
    memory: int
    track: Track
    warn: Callable[[str], None]
    report: Callable[[TuneIteration], None]
    note: Callable[[str], None] = lambda message: None
    executor: Executor = field(default_factory=LocalExecutor)
    rules: Path | None = None
    """Where the rules of this recipe are, if an earlier stage has extracted them."""


def recipe(
    options: TrainOptions, helpers: Helpers, sides: tuple[SideOptions, SideOptions] | None = None
) -> list[Stage]:
    """The stages, in order; ``sides`` is what is done to the text of source and target."""
    return _Recipe(options, helpers, sides or options.sides).stages()


class _Recipe:
    def __init__(
        self, options: TrainOptions, helpers: Helpers, sides: tuple[SideOptions, SideOptions]
    ) -> None:
        self.options, self.helpers, self.sides = options, helpers, sides

    def stages(self) -> list[Stage]:
        options, helpers = self.options, self.helpers
        clean = self._clean()
        first = [clean]
        train: Inputs = {"source": clean["source"], "target": clean["target"]}
        sets = self._given_sets()
        if options.dev_source is None or options.sets_test_aside:
            split = self._hold_out(clean)
            first.append(split)
            train = {"source": split["source"], "target": split["target"]}
            sets |= {name: split[name] for name in split.outputs if name not in train}
        if options.corrections is not None:
            folded = self._fold_in(train, sets)
            first.append(folded)
            train = {side: folded[side] for side in _SIDES}
        facts = {name: asdict(side) for name, side in zip(("source", "target"), self.sides, strict=True)}
        more = self._more_text()
        if options.dictionary is not None:
            entries = self._dictionary()
            first.append(entries)
            more |= {f"dictionary_{side}": entries[side] for side in _SIDES}
        tokens = Stage(
            name="tokenize",
            function=partial(
                text_stages.tokenize,
                threads=helpers.threads,
                track=helpers.track,
                executor=helpers.executor,
            ),
            inputs={**train, **sets, **more},
            outputs={
                **{name: f"work/tokens/{name.replace('_', '.')}" for name in (*train, *sets, *more)},
                "text": "work/text",
            },
            extras={} if self._uses_all(sets) else {"matches": MATCHES},
            options={**facts, "placeholders": list(options.protected)},
        )
        joined = [self._join(tokens)] if options.extra_bitext else []
        both: Inputs = {side: (joined[0] if joined else tokens)[side] for side in ("source", "target")}
        models = self._models(both, tokens)
        if options.chooses_search:  # what comes after depends on the choice
            needed = [models[name] for name in ("align", "sample", "lm") if name in models]
            return [*first, tokens, *joined, *needed, self._choose_search(tokens, models)]
        final = self._tables(models)
        rehearsal = self._without_tuning_pairs(both, tokens, models) if options.tuning_pairs else {}
        tune = self._tune(tokens, models | rehearsal)
        system = Stage(
            name="system",
            function=tuning_stages.put_together,
            inputs={
                **{name: tune.inputs[name] for name in tune.inputs if not name.startswith(_TEXTS)},
                **{name: tune[name] for name in tune.outputs if name != "history"},
                **final,
                "text": tokens["text"],
            },
            outputs={"system": "work/system" if self._uses_all(sets) else "system"},
            options=self._search_facts(),
        )
        built = [*models.values(), *rehearsal.values()]
        contexts = self._contexts(train, tokens)
        near = self._near_matches(both, tokens, models, system)
        confidence = self._calibrate(system, sets, tokens)
        half = self._half(system, both, models, sets)
        evaluate = self._evaluate([system, near, confidence, *half], sets, tokens, train, clean)
        last = [self._from_all(train, both, tokens, models, system)] if self._uses_all(sets) else []
        made = [tune, system, near, confidence, *half, evaluate, *last]
        return [*first, tokens, *contexts, *joined, *built, *made]

    def _uses_all(self, sets: Inputs) -> bool:
        """Whether the finished system is made from all pairs, with those that were set aside."""
        options = self.options
        aside = any(isinstance(item, Output) for item in sets.values())
        return options.all_pairs and aside and not options.adapt_to and options.learner_name != RELEVANT_SET

    def _from_all(
        self, train: Inputs, both: Inputs, tokens: Stage, models: Mapping[str, Stage], system: Stage
    ) -> Stage:
        helpers, options = self.helpers, self.options
        tables = ("rules", "lm")
        aside = {
            name: item
            for name, item in tokens.inputs.items()
            if name.startswith(("dev_", "test_")) and isinstance(item, Output)
        }
        return Stage(
            name="all-pairs",
            function=partial(
                whole_text.build_from_all,
                threads=helpers.threads,
                memory=helpers.memory,
                track=helpers.track,
                warn=helpers.warn,
                executor=helpers.executor,
            ),
            inputs={
                **{name: item for name, item in system.inputs.items() if name not in tables},
                **{f"train_{side}": item for side, item in both.items()},
                "lm_target": tokens["target"],
                **{name: tokens[name] for name in tokens.outputs if name.startswith("dictionary_")},
                **{name: tokens[name] for name in aside},
                **{f"text_{name}": item for name, item in (train | aside).items()},
            },
            outputs={"system": "system", "matches": MATCHES},
            options={
                "align": models["align"].options,
                "rules": models["rules"].options,
                "significance": options.significance,
                "lm": models["lm"].options,
                "system": system.options,
            },
        )

    def _clean(self) -> Stage:
        options = self.options
        inputs = self._files()
        # Without a placeholder of a format, a program breaks; other things may differ between languages.
        needed = tuple(kind for kind in options.protected if kind in DEFAULT_KINDS)
        check = replace(options.clean, placeholders=options.clean.placeholders or needed)
        facts: dict[str, Any] = {"check": asdict(check), "keep": list(options.keep)}
        facts |= {"source_language": "", "target_language": ""}
        if options.target is None:
            facts |= {
                "source_language": options.source_language,
                "target_language": options.target_language,
            }
        return Stage(
            name="clean",
            function=partial(text_stages.clean, track=self.helpers.track),
            inputs=inputs,
            outputs={
                "source": "work/clean/source",
                "target": "work/clean/target",
                "dropped": "work/clean/dropped.tsv",
                "facts": "work/clean/facts.json",
            },
            options=facts,
        )

    def _files(self) -> Inputs:
        sources, targets = self.options.files
        if len(sources) == 1:
            return {"source": sources[0], **dict(zip(("target",), targets, strict=False))}
        found: Inputs = {f"source_{number:03}": path for number, path in enumerate(sources)}
        return found | {f"target_{number:03}": path for number, path in enumerate(targets)}

    def _given_sets(self) -> Inputs:
        options = self.options
        found: Inputs = {}
        for name, source, targets in (
            ("dev", options.dev_source, options.dev_target),
            ("test", options.test_source, options.test_target),
        ):
            if source is not None:
                found[f"{name}_source"] = source
                found |= {f"{name}_target_{number:03}": path for number, path in enumerate(targets)}
        return found

    def _contexts(self, train: Inputs, tokens: Stage) -> list[Stage]:
        """The stage that keeps the contexts of the training text, if its files can have any."""
        sources, targets = self.options.files
        if targets or not any(has_contexts(path) for path in sources):
            return []
        languages = ("source_language", "target_language")
        return [
            Stage(
                name="contexts",
                function=text_stages.keep_contexts,
                inputs={**self._files(), "train": train["source"], "text": tokens["text"]},
                outputs={"contexts": CONTEXTS},
                options={name: getattr(self.options, name) for name in languages},
            )
        ]

    def _hold_out(self, clean: Stage) -> Stage:
        options = self.options
        parts = {"source": "train.source", "target": "train.target"}
        if options.dev_source is None:
            parts |= {"dev_source": "dev.source", "dev_target_000": "dev.target"}
        if options.sets_test_aside:
            parts |= {"test_source": "test.source", "test_target_000": "test.target"}
        dev = 0 if options.dev_source is not None else options.dev_size or "usual"
        test = (options.test_size or "usual") if options.sets_test_aside else 0
        return Stage(
            name="hold-out",
            function=partial(text_stages.hold_out, warn=self.helpers.warn),
            inputs={"source": clean["source"], "target": clean["target"]},
            outputs={name: f"work/held-out/{path}" for name, path in parts.items()},
            options={"dev": dev, "test": test, "seed": options.seed},
            version=2,
        )

    def _fold_in(self, train: Inputs, sets: Inputs) -> Stage:
        assert self.options.corrections is not None
        aside = {name: item for name, item in sets.items() if name.endswith("_source")}
        return Stage(
            name="fold-in",
            function=text_stages.fold_in,
            inputs={**train, "corrections": self.options.corrections, **aside},
            outputs={side: f"work/corrected/{side}" for side in _SIDES},
        )

    def _dictionary(self) -> Stage:
        assert self.options.dictionary is not None
        return Stage(
            name="dictionary",
            function=text_stages.take_dictionary,
            inputs={"dictionary": self.options.dictionary},
            outputs={side: f"work/dictionary/{side}" for side in _SIDES},
        )

    def _more_text(self) -> Inputs:
        """Additional texts to tokenize; names end in the side."""
        found: Inputs = {
            f"adapt_{number:03}_source": path for number, path in enumerate(self.options.adapt_to)
        }
        for number, files in enumerate(self.options.extra_bitext):
            found |= {
                f"extra_{number:03}_{side}": path
                for side, path in zip(("source", "target"), files, strict=True)
            }
        return found

    def _sample(self, tokens: Stage, aligned: Inputs) -> Stage:
        text = {name: tokens[name] for name in tokens.outputs if name.startswith("adapt_")}
        return Stage(
            name="sample",
            function=partial(text_stages.sample, threads=self.helpers.threads, track=self.helpers.track),
            inputs={
                "source": tokens["source"],
                "target": tokens["target"],
                **{f"aligned_{name}": item for name, item in aligned.items()},
                **text,
            },
            outputs={
                **{name: f"work/sample/{name}" for name in aligned},
                "facts": "work/sample/facts.json",
            },
            options=asdict(self.options.sample),
        )

    def _join(self, tokens: Stage) -> Stage:
        more = {name: tokens[name] for name in tokens.outputs if name.startswith("extra_")}
        return Stage(
            name="join",
            function=text_stages.join,
            inputs={"source": tokens["source"], "target": tokens["target"], **more},
            outputs={"source": "work/joined/source", "target": "work/joined/target"},
        )

    def _models(self, both: Inputs, tokens: Stage) -> dict[str, Stage]:
        options, helpers = self.options, self.helpers
        threads, memory, track = helpers.threads, helpers.memory, helpers.track
        entries: Inputs = {name: tokens[name] for name in tokens.outputs if name.startswith("dictionary_")}
        align = Stage(
            name="align",
            function=partial(
                model_stages.align,
                threads=threads,
                track=track,
                warn=helpers.warn,
                executor=helpers.executor,
            ),
            inputs=both | entries,
            outputs={
                "links": "work/links",
                **({"dictionary_links": "work/dictionary/links"} if entries else {}),
            },
            extras={"aligner": ALIGNER},
            # Memory is an option here: with too little, word pairs are left out.
            options={
                "training": asdict(options.align),
                "links": asdict(options.links),
                "memory": memory,
                "marks": bool(options.protected),
            },
        )
        found = {"align": align}
        if options.needs_classes:
            found["classes"] = Stage(
                name="classes",
                function=partial(
                    model_stages.classes, threads=threads, track=track, executor=helpers.executor
                ),
                inputs=both,
                outputs={"source": "work/classes/source", "target": "work/classes/target"},
                options={**asdict(options.classes), "seed": options.seed},
            )
        if annotated := {side: options.annotated(side) for side in _SIDES if options.annotated(side)}:
            found["columns"] = self._columns(tokens, annotated)
        aligned: Inputs = {**both, "links": align["links"]}
        if options.adapt_to:
            chosen = found["sample"] = self._sample(tokens, aligned)
            aligned = {name: chosen[name] for name in aligned}
        if entries:
            entries["dictionary_links"] = align["dictionary_links"]
        found |= self._rules(aligned | entries, both)
        found["lm"] = self._language_model(tokens["target"], entries)
        if options.trains_joint and not options.tuning_pairs:
            found["joint"] = self._joint(aligned, tokens, self._tables(found))
        return found

    def _joint(self, aligned: Inputs, tokens: Stage, tables: Inputs) -> Stage:
        """The stage that trains the joint model; the development set decides on it if nobody else has."""
        options, helpers = self.options, self.helpers
        threads, track, note = helpers.threads, helpers.track, helpers.note
        training = {**asdict(options.joint), "seed": options.seed}
        if options.neural:
            return Stage(
                name="joint",
                function=partial(model_stages.joint_model, threads=threads, track=track, note=note),
                inputs=aligned,
                outputs={"joint": "work/joint"},
                options=training,
                checkpoint=True,
            )
        return Stage(
            name="joint",
            function=partial(joint_choice.train_and_judge, threads=threads, track=track, note=note),
            inputs={
                **aligned,
                **tables,
                **{name: tokens[name] for name in tokens.outputs if name.startswith("dev_")},
            },
            outputs={"joint": "work/joint", "choice": JOINT_CHOICE},
            options={
                "joint": training,
                "search": asdict(options.search_options),
                "tune": options.tuning.as_stored(),
            },
            checkpoint=True,
        )

    def _rules(self, aligned: Inputs, both: Inputs, prefix: str = "") -> dict[str, Stage]:
        options, helpers = self.options, self.helpers
        threads, memory, track = helpers.threads, helpers.memory, helpers.track
        rules = Stage(
            name=f"{prefix}rules",
            function=partial(
                model_stages.rules,
                threads=threads,
                memory=memory,
                track=track,
                executor=helpers.executor,
                made=None if prefix else helpers.rules,
            ),
            inputs=aligned,
            outputs={"rules": f"work/{prefix}rules"},
            options=options.extraction_facts,
        )
        if not options.significance:
            return {"rules": rules}
        prune = Stage(
            name=f"{prefix}prune",
            function=partial(model_stages.prune, threads=threads, track=track),
            inputs={**both, "rules": rules["rules"]},
            outputs={"rules": f"work/{prefix}significant-rules"},
            options={"significance": options.significance},
        )
        return {"rules": rules, "prune": prune}

    def _language_model(self, text: Output, entries: Inputs, prefix: str = "") -> Stage:
        helpers = self.helpers
        return Stage(
            name=f"{prefix}lm",
            function=partial(
                model_stages.language_model,
                threads=helpers.threads,
                memory=helpers.memory,
                track=helpers.track,
                executor=helpers.executor,
            ),
            inputs={"text": text, **{name: entries[name] for name in entries if name == "dictionary_target"}},
            outputs={"lm": f"work/{prefix}lm"},
            options=asdict(self.options.lm),
        )

    def _without_tuning_pairs(
        self, both: Inputs, tokens: Stage, models: Mapping[str, Stage]
    ) -> dict[str, Stage]:
        """The models for tuning, made without the training pairs that tuning learns from."""
        references = [name for name in tokens.outputs if name.startswith("dev_target")]
        aside = Stage(
            name="set-aside",
            function=text_stages.set_aside,
            inputs={**both, "links": models["align"]["links"]},
            outputs={
                **{name: f"work/aside/{name}" for name in (*_SIDES, "links", "tune_source")},
                **{f"tune_{name[4:]}": f"work/aside/tune_{name[4:]}" for name in references},
            },
            options={"pairs": self.options.tuning_pairs},
        )
        rest: Inputs = {name: aside[name] for name in (*_SIDES, "links")}
        entries: Inputs = {name: tokens[name] for name in tokens.outputs if name.startswith("dictionary_")}
        if entries:
            entries["dictionary_links"] = models["align"]["dictionary_links"]
        text: Inputs = {side: aside[side] for side in _SIDES}
        found = {
            "aside": aside,
            **self._rules(rest | entries, text, "tuning-"),
            "lm": self._language_model(aside["target"], entries, "tuning-"),
        }
        if self.options.trains_joint:  # the finished system has the same one
            found["joint"] = self._joint(rest, tokens, self._tables(found))
        return found

    def _tables(self, models: Mapping[str, Stage]) -> Inputs:
        return {"rules": models.get("prune", models["rules"])["rules"], "lm": models["lm"]["lm"]}

    def _columns(self, tokens: Stage, annotated: Mapping[str, list[str]]) -> Stage:
        options = self.options
        dictionaries = {"source": options.source_dictionary, "target": options.target_dictionary}
        inputs: Inputs = {side: tokens[side] for side in annotated}
        for side, folder in dictionaries.items():
            if folder is not None and "synset" in annotated.get(side, ()):
                inputs[f"{side}_dictionary"] = folder
        return Stage(
            name="columns",
            function=partial(model_stages.columns, track=self.helpers.track),
            inputs=inputs,
            outputs={
                f"{side}_{name}": f"work/columns/{side}.{name}"
                for side in annotated
                for name in annotated[side]
            },
            options={
                side: {"language": self._language(side), "types": names} for side, names in annotated.items()
            },
        )

    def _language(self, side: str) -> str:
        source, target = self.sides
        return (source if side == "source" else target).language

    def _choose_search(self, tokens: Stage, models: Mapping[str, Stage]) -> Stage:
        helpers = self.helpers
        candidates = {name: self.options.with_search(name) for name in SEARCHES}
        return Stage(
            name="search",
            function=partial(
                search_choice.choose_search,
                threads=helpers.threads,
                memory=helpers.memory,
                track=helpers.track,
            ),
            inputs={
                **models["rules"].inputs,
                "lm": models["lm"]["lm"],
                **{name: tokens[name] for name in tokens.outputs if name.startswith("dev_")},
            },
            outputs={"choice": SEARCH_CHOICE},
            extras={"rules": SEARCH_RULES},
            options={
                "searches": {
                    name: {"rules": asdict(one.extraction), "decoder": asdict(one.search_options)}
                    for name, one in candidates.items()
                },
                "tune": self.options.tuning.as_stored(),
            },
        )

    def _tune(self, tokens: Stage, models: Mapping[str, Stage]) -> Stage:
        options, helpers = self.options, self.helpers
        inputs = self._tables(models)
        if "joint" in models:
            inputs["joint"] = models["joint"]["joint"]
        if "classes" in models:
            inputs |= {f"{side}_classes": models["classes"][side] for side in _SIDES}
        if "columns" in models:
            inputs |= {f"column_{name}": models["columns"][name] for name in models["columns"].outputs}
        for side in _SIDES:
            inputs |= {f"column_{side}_{name}": path for name, path in options.columns(side).items()}
        facts = self._search_facts()
        outputs = {"weights": "work/tuning/weights.tsv", "history": "work/tuning/history.json"}
        if options.method == NO_TUNING:
            return Stage(
                name="tune", function=tuning_stages.start, inputs=inputs, outputs=outputs, options=facts
            )
        if facts["features"] is not None:
            outputs["sparse_weights"] = "work/tuning/weights.sparse"
        watching = tuning_stages.Watching(
            threads=helpers.threads,
            memory=helpers.memory,
            track=helpers.track,
            report=helpers.report,
            note=helpers.note,
            executor=helpers.executor,
        )
        work = tuning_stages.tune_weights
        sets: Inputs = {name: tokens[name] for name in tokens.outputs if name.startswith("dev_")}
        if "aside" in models:
            aside = models["aside"]
            sets |= {name: aside[name] for name in aside.outputs if name.startswith("tune_")}
        facts |= {"tune": options.tuning.as_stored(), "held_out": options.held_out_size}
        if options.learner_name == RELEVANT_SET:
            work = tuning_stages.tune_on_training_text
            sets |= {f"train_{name}": tokens[name] for name in ("source", "target")}
            if options.tuning.relevant.folds > 1:
                sets |= {f"train_rules_{name}": item for name, item in models["rules"].inputs.items()}
                facts["folds"] = {
                    "extraction": asdict(options.extraction),
                    "lm": asdict(options.lm),
                    "significance": options.significance,
                }
            if options.tuning.relevant.shared_phrase:
                sets["test_source"] = tokens["test_source"]
        return Stage(
            name="tune",
            function=partial(work, watching=watching),
            inputs={**inputs, **sets},
            outputs=outputs,
            options=facts,
            checkpoint=True,
        )

    def _search_facts(self) -> dict[str, Any]:
        features = self.options.sparse_features
        return {
            "search": asdict(self.options.search_options),
            "features": features.to_json() if features.templates else None,
        }

    def _near_matches(self, both: Inputs, tokens: Stage, models: Mapping[str, Stage], system: Stage) -> Stage:
        """The stage that keeps the training text for near matches and learns when to use them."""
        aligned: Inputs = {**both, "links": models["align"]["links"]}
        if "sample" in models:
            aligned = {name: models["sample"][name] for name in aligned}
        helpers = self.helpers
        return Stage(
            name="near-matches",
            function=partial(
                near_match_stage.near_matches,
                threads=helpers.threads,
                memory=helpers.memory,
                track=helpers.track,
            ),
            inputs={
                **aligned,
                **{f"lm_{side}": tokens[side] for side in _SIDES},
                "system": system["system"],
            },
            outputs={"examples": EXAMPLES},
            options={"extraction": self.options.extraction_facts, "lm": asdict(self.options.lm)},
        )

    def _calibrate(self, system: Stage, sets: Inputs, tokens: Stage) -> Stage:
        options, helpers = self.options, self.helpers
        dev = {name: item for name, item in sets.items() if name.startswith("dev_")}
        # Other methods do not learn from the development set.
        tuned = options.learner_name not in (NO_TUNING, RELEVANT_SET)
        return Stage(
            name="calibrate",
            function=partial(calibration.calibrate, threads=helpers.threads, track=helpers.track),
            inputs={
                "system": system["system"],
                **dev,
                **({f"tokens_{name}": tokens[name] for name in dev} if tuned else {}),
            },
            outputs={"confidence": CONFIDENCE},
            options={
                "tune": options.tuning.as_stored() if tuned else None,
                "lowercase": self.sides[1].case == "lowercase",
            },
        )

    def _half(self, system: Stage, both: Inputs, models: Mapping[str, Stage], sets: Inputs) -> list[Stage]:
        """What half of the training pairs would give; of a plain recipe only, and not in a hurry."""
        options, helpers = self.options, self.helpers
        if options.effort == "quick":
            return []
        if "test_source" not in sets or options.significance or options.adapt_to or options.extra_bitext:
            return []
        return [
            Stage(
                name="half",
                function=partial(
                    learning_curve.translate_with_half,
                    threads=helpers.threads,
                    memory=helpers.memory,
                    track=helpers.track,
                ),
                inputs={
                    **both,
                    "links": models["align"]["links"],
                    "system": system["system"],
                    "test_source": sets["test_source"],
                },
                outputs={"translation": "work/half/test.translation"},
                options={"rules": options.extraction_facts, "lm": asdict(options.lm)},
            )
        ]

    def _evaluate(self, made: list[Stage], sets: Inputs, tokens: Stage, train: Inputs, clean: Stage) -> Stage:
        options, (source, target) = self.options, self.sides
        names = [name for name in evaluation.SETS if f"{name}_source" in sets]
        tuned = options.method != NO_TUNING
        return Stage(
            name="evaluate",
            function=partial(
                evaluation.evaluate_system, threads=self.helpers.threads, track=self.helpers.track
            ),
            inputs={
                **{stage.name: stage[name] for stage in made for name in stage.outputs},
                "train_source": tokens["source"],
                **{f"memory_{side}": train[side] for side in _SIDES},
                **{f"tokens_{name}": tokens[name] for name in sets if name.startswith("dev_target")},
                "cleaning": clean["facts"],
                **sets,
            },
            outputs={
                **{name: f"{name}.translation" for name in names},
                "results": "results.json",
                "verdict": VERDICT,
            },
            options={
                "scoring": evaluation.scoring(target.tokenizer, target.case),
                "languages": [source.language, target.language],
                "tokenizers": [source.tokenizer, target.tokenizer],
                # Other sentences take part in tuning, or another measure is optimized.
                "comparable": tuned and not options.tuning_pairs and options.learner_name != RELEVANT_SET,
                "circumstances": {"tuned": tuned, "segmenter": self._segmenter()},
            },
            version=3,
        )

    def _segmenter(self) -> str:
        """Advice on segmenters that are not installed."""
        missing = [missing_segmenter(side.language) for side in self.sides if side.tokenizer == "characters"]
        return "; ".join(dict.fromkeys(filter(None, missing)))
