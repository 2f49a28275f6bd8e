"""The recipe's stages of systems: choose the search, tune, put together, judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from isogloss.corpus.tokenizer import missing_segmenter
from isogloss.decoder.beside import CONFIDENCE, EXAMPLES, MATCHES
from isogloss.pipeline import (
    calibration,
    evaluation,
    learning_curve,
    near_match_stage,
    search_choice,
    tuning_stages,
    whole_text,
)
from isogloss.pipeline.stage import Output, Stage
from isogloss.pipeline.train_options import NO_TUNING, RELEVANT_SET, SearchName
from isogloss.pipeline.train_recipe.models import tables
from isogloss.pipeline.train_recipe.part import SIDES, Inputs, Part
from isogloss.report.verdict import VERDICT

__all__ = ["SEARCH_CHOICE", "SEARCH_RULES", "Systems"]

SEARCH_CHOICE = "work/search.json"
SEARCH_RULES = "work/search-rules"
"""The rules of the chosen search, until they are moved to their place."""
SEARCHES: tuple[SearchName, ...] = ("hiero", "phrase")
"""What the development set chooses from, the default first."""
_TEXTS = ("dev_", "test_", "train_", "tune_")  # prefixes of inputs that contain sentences


class Systems(Part):
    """Stages that make a system from models, and judge it."""

    def choose_search(self, tokens: Stage, models: Mapping[str, Stage]) -> Stage:
        """The stage that lets the development set choose the search."""
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

    def tune(self, tokens: Stage, models: Mapping[str, Stage]) -> Stage:
        """The stage that learns the weights."""
        options, helpers = self.options, self.helpers
        inputs = tables(models)
        if "joint" in models:
            inputs["joint"] = models["joint"]["joint"]
        if "classes" in models:
            inputs |= {f"{side}_classes": models["classes"][side] for side in SIDES}
        if "columns" in models:
            inputs |= {f"column_{name}": models["columns"][name] for name in models["columns"].outputs}
        for side in SIDES:
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

    def put_together(self, tokens: Stage, final: Inputs, tune: Stage, place: str) -> Stage:
        """The stage that stores the tuned system."""
        return Stage(
            name="system",
            function=tuning_stages.put_together,
            inputs={
                **{name: tune.inputs[name] for name in tune.inputs if not name.startswith(_TEXTS)},
                **{name: tune[name] for name in tune.outputs if name != "history"},
                **final,
                "text": tokens["text"],
            },
            outputs={"system": place},
            options=self._search_facts(),
        )

    def _search_facts(self) -> dict[str, Any]:
        features = self.options.sparse_features
        return {
            "search": asdict(self.options.search_options),
            "features": features.to_json() if features.templates else None,
        }

    def near_matches(self, both: Inputs, tokens: Stage, models: Mapping[str, Stage], system: Stage) -> Stage:
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
                **{f"lm_{side}": tokens[side] for side in SIDES},
                "system": system["system"],
            },
            outputs={"examples": EXAMPLES},
            options={"extraction": self.options.extraction_facts, "lm": asdict(self.options.lm)},
        )

    def calibrate(self, system: Stage, sets: Inputs, tokens: Stage) -> Stage:
        """The stage that learns the confidence."""
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

    def half(self, system: Stage, both: Inputs, models: Mapping[str, Stage], sets: Inputs) -> list[Stage]:
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

    def evaluate(self, made: list[Stage], sets: Inputs, tokens: Stage, train: Inputs, clean: Stage) -> Stage:
        """The stage that translates the development and test sets, and judges."""
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
                **{f"memory_{side}": train[side] for side in SIDES},
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

    def from_all(
        self, train: Inputs, both: Inputs, tokens: Stage, models: Mapping[str, Stage], system: Stage
    ) -> Stage:
        """The stage that makes the finished system from all pairs, once it is judged."""
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
