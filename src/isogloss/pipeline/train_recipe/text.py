"""The recipe's stages of text: clean it, set some aside, tokenize it."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from typing import Any

from isogloss.corpus.formats import has_contexts
from isogloss.corpus.placeholders import DEFAULT_KINDS
from isogloss.corpus.term_lists import term_format
from isogloss.decoder.beside import CONTEXTS, MATCHES
from isogloss.pipeline import text_stages
from isogloss.pipeline.stage import Stage
from isogloss.pipeline.train_recipe.part import SIDES, Inputs, Part

__all__ = ["Text"]


class Text(Part):
    """Stages that read what the user gave, up to tokens."""

    def clean(self) -> Stage:
        """The stage that reads the training text and drops pairs that would do harm."""
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

    def given_sets(self) -> Inputs:
        """The development and test sets that the user named."""
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

    def contexts(self, train: Inputs, tokens: Stage) -> list[Stage]:
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

    def hold_out(self, clean: Stage) -> Stage:
        """The stage that sets development and test sets aside."""
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

    def fold_in(self, train: Inputs, sets: Inputs) -> Stage:
        """The stage that adds corrections to the training text."""
        assert self.options.corrections is not None
        aside = {name: item for name, item in sets.items() if name.endswith("_source")}
        return Stage(
            name="fold-in",
            function=text_stages.fold_in,
            inputs={**train, "corrections": self.options.corrections, **aside},
            outputs={side: f"work/corrected/{side}" for side in SIDES},
        )

    def dictionary(self) -> Stage:
        """The stage that reads the dictionary."""
        path = self.options.dictionary
        assert path is not None
        languages = [side.language for side in self.sides]
        return Stage(
            name="dictionary",
            function=text_stages.take_dictionary,
            inputs={"dictionary": path},
            outputs={side: f"work/dictionary/{side}" for side in SIDES},
            options={"languages": languages} if term_format(path) == "tbx" else {},
        )

    def more(self) -> Inputs:
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

    def join(self, tokens: Stage) -> Stage:
        """The stage that appends other bitext."""
        more = {name: tokens[name] for name in tokens.outputs if name.startswith("extra_")}
        return Stage(
            name="join",
            function=text_stages.join,
            inputs={"source": tokens["source"], "target": tokens["target"], **more},
            outputs={"source": "work/joined/source", "target": "work/joined/target"},
        )

    def tokenize(self, train: Inputs, sets: Inputs, more: Inputs, *, keeps_matches: bool) -> Stage:
        """The stage that tokenizes every text, and stores how."""
        helpers = self.helpers
        facts = {name: asdict(side) for name, side in zip(SIDES, self.sides, strict=True)}
        return Stage(
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
            extras={"matches": MATCHES} if keeps_matches else {},
            options={**facts, "placeholders": list(self.options.protected)},
        )
