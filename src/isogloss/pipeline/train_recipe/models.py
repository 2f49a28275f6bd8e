"""The recipe's stages of models: alignment, classes, rules, language model, joint model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial

from isogloss.decoder.beside import ALIGNER
from isogloss.pipeline import joint_choice, model_stages, text_stages
from isogloss.pipeline.stage import Output, Stage
from isogloss.pipeline.train_recipe.part import SIDES, Inputs, Part

__all__ = ["JOINT_CHOICE", "Models", "tables"]

JOINT_CHOICE = "work/joint.json"


class Models(Part):
    """Stages that learn from tokens what a system consists of."""

    def all(self, both: Inputs, tokens: Stage) -> dict[str, Stage]:
        """The stages of all models of the finished system."""
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
        if annotated := {side: options.annotated(side) for side in SIDES if options.annotated(side)}:
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
            found["joint"] = self._joint(aligned, tokens, tables(found))
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

    def without_tuning_pairs(
        self, both: Inputs, tokens: Stage, models: Mapping[str, Stage]
    ) -> dict[str, Stage]:
        """The models for tuning, made without the training pairs that tuning learns from."""
        references = [name for name in tokens.outputs if name.startswith("dev_target")]
        aside = Stage(
            name="set-aside",
            function=text_stages.set_aside,
            inputs={**both, "links": models["align"]["links"]},
            outputs={
                **{name: f"work/aside/{name}" for name in (*SIDES, "links", "tune_source")},
                **{f"tune_{name[4:]}": f"work/aside/tune_{name[4:]}" for name in references},
            },
            options={"pairs": self.options.tuning_pairs},
        )
        rest: Inputs = {name: aside[name] for name in (*SIDES, "links")}
        entries: Inputs = {name: tokens[name] for name in tokens.outputs if name.startswith("dictionary_")}
        if entries:
            entries["dictionary_links"] = models["align"]["dictionary_links"]
        text: Inputs = {side: aside[side] for side in SIDES}
        found = {
            "aside": aside,
            **self._rules(rest | entries, text, "tuning-"),
            "lm": self._language_model(aside["target"], entries, "tuning-"),
        }
        if self.options.trains_joint:  # the finished system has the same one
            found["joint"] = self._joint(rest, tokens, tables(found))
        return found

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


def tables(models: Mapping[str, Stage]) -> Inputs:
    """What the search reads: rules and language model."""
    return {"rules": models.get("prune", models["rules"])["rules"], "lm": models["lm"]["lm"]}
