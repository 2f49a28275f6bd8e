"""The NTT system of IWSLT 2007 (Watanabe et al.) as one recipe.

Two systems. *Primary*: hierarchical rules from the bitext that is like dev and test, decoder with sparse
features estimated on dev. *Post-evaluation*: in-domain bitext only, iterations stopped by a held-out set; as
in the slides, with rules also from a further set, it is a third system. Each is followed by a reranker that
learned from lists of dev and of training sentences, decoded by models that did not see them. Conditions:
correct transcripts, the recognizer's best string, all its strings (union, chosen by the reranker), its
lattices. The test set is only translated and scored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.decoder import System
from isogloss.experiments.ntt_iwslt2007.options import DEV, HELD_OUT, TEST, NttOptions, NttSet
from isogloss.experiments.ntt_iwslt2007.sets import HeardSet
from isogloss.experiments.presets import settings_toml
from isogloss.experiments.results import Say
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, atomic_output, read_lines
from isogloss.learn.learner import Learner
from isogloss.learn.metrics import list_statistics
from isogloss.learn.problem import Problem
from isogloss.learn.registry import canonical_method, make_learner
from isogloss.lm import LanguageModel, LmOptions, build
from isogloss.metric import Bleu, References
from isogloss.metric.evaluation import EvaluateOptions, SystemOutput, evaluate_systems
from isogloss.metric.significance import Comparison
from isogloss.nbest.edit import add_column, best_rows, merge
from isogloss.nbest.store import NbestStore
from isogloss.pipeline import Run, Stage, Trained, train, train_options
from isogloss.pipeline.evaluation import scoring
from isogloss.pipeline.folds import unseen_lists
from isogloss.rerank import RerankModel, RerankOptions, parse_features, prepare
from isogloss.rerank import train_model as learn
from isogloss.rerank.lengths import with_lengths_like
from isogloss.speech.hypotheses import Utterance, text_utterances
from isogloss.speech.translate import SpeechOptions, spoken_lines, translate_speech

__all__ = ["NttExperiment"]

PRIMARY, POST = "primary", "post-evaluation"
SLIDES = "post-evaluation-as-in-the-slides"
TEXT, ONE_BEST, ALL, LATTICE = "text", "ASR 1-best", "ASR n-best", "ASR lattice"
DECODER = "decoder"
NO_SPARSE = ", no sparse features"
_PERPLEXITY_ORDER = 3
_LATTICE_SHARES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)  # weight of arc scores relative to the language model


class NttExperiment:
    """All systems, rerankers and scores in a folder; finished parts are not run again."""

    def __init__(
        self,
        options: NttOptions,
        folder: StrPath,
        *,
        threads: int = 1,
        memory: int = 1 << 30,
        say: Say = lambda message: None,
        warn: Say = lambda message: None,
        track: Track = no_track,
    ) -> None:
        self.options, self.folder = options, Path(folder)
        self.threads, self.memory = threads, memory
        self.say, self.warn, self.track = say, warn, track
        self.functions = parse_features(options.features)
        self.learners: dict[str, Learner] = {
            canonical_method(name, decoder=False, warn=warn): make_learner(name) for name in options.methods
        }
        self.folder.mkdir(parents=True, exist_ok=True)

    @cached_property
    def sets(self) -> dict[str, HeardSet]:
        """The sets, read once."""
        return {
            name: HeardSet.read(files, self.options.num_hypotheses)
            for name, files in self.options.sets.items()
        }

    def run(self) -> dict[str, Any]:
        """Run everything; the results come back as plain values."""
        self.sets  # noqa: B018  # what is wrong with a file should be said before hours of training
        results: dict[str, Any] = {
            "preset": self.options.preset,
            "settings": settings_toml(self.options),
            "systems": {},
        }
        systems = {PRIMARY: self._primary, POST: self._post_evaluation}
        if self.options.extra_from:
            systems[SLIDES] = partial(self._post_evaluation, SLIDES, self.options.extra_from)
        for name, make in systems.items():
            results["systems"][name] = self._system(name, make())
        return results

    # The two systems -----------------------------------------------------------------------------------

    def _settings(self, **more: Any) -> dict[str, Any]:
        options = self.options
        given = train_options.TrainOptions.current_names(options.train)
        online = dict(given.get("tune", {})).get("online", {})
        types = {
            f"{side}_types": [*options.chosen.types, *given.get(f"{side}_columns", ())]
            for side in ("source", "target")
        }
        return {
            "search": "hiero",
            "method": "online-mira",
            "seed": options.seed,
            **options.chosen.train,
            **given,
            "features": {**types, "templates": list(options.templates), **given.get("features", {})},
            "tune": {
                "preset": options.preset,
                **given.get("tune", {}),
                "iterations": options.iterations,
                "online": {**online, "patience": options.patience},
            },
            **more,
        }

    def _train(self, name: str, settings: Mapping[str, Any]) -> Trained:
        self.say(f"{name} system")
        return train(
            self.folder / name,
            train_options.TrainOptions.from_settings(settings),
            threads=self.threads,
            memory=self.memory,
            track=self.track,
            warn=self.warn,
            progress=lambda event: self.say(f"  {event.stage}: {event.what}"),
        )

    def _primary(self) -> Trained:
        options = self.options
        dev = options.sets[DEV]
        return self._train(
            PRIMARY,
            self._settings(
                source=options.source,
                target=options.target,
                dev_source=dev.source,
                dev_target=list(dev.references),
                adapt_to=[dev.source, options.sets[TEST].source],
                sample=dict(options.sample),
            ),
        )

    def _post_evaluation(self, name: str = POST, extra_from: str = "") -> Trained:
        options = self.options
        source, target = options.in_domain or (options.source, options.target)
        held_out = options.sets.get(HELD_OUT)
        more: dict[str, Any] = {}
        files = [options.sets[DEV]] if held_out is None else [options.sets[DEV], held_out]
        sources, references = self._joined(files)
        if held_out is not None:
            more["held_out_size"] = len(self.sets[HELD_OUT].text)
        if extra_from:
            extra = options.sets[extra_from]
            more["extra_bitext"] = [[extra.source, path] for path in extra.references]
        return self._train(
            name,
            self._settings(source=source, target=target, dev_source=sources, dev_target=references, **more),
        )

    def _joined(self, files: Sequence[NttSet]) -> tuple[Path, list[Path]]:
        """Concatenate the sets: train holds out the last sentences."""
        most = max(len(one.references) for one in files)
        place = self.folder / "post-evaluation-dev"
        place.mkdir(exist_ok=True)
        columns: list[list[str]] = [[] for _ in range(1 + most)]
        for one in files:
            sides = [list(read_lines(path)) for path in (one.source, *one.references)]
            sides += [[""] * len(sides[0])] * (1 + most - len(sides))
            for column, lines in zip(columns, sides, strict=True):
                column += lines
        paths = [place / "source", *(place / f"reference.{number}" for number in range(most))]
        for path, lines in zip(paths, columns, strict=True):
            with atomic_output(path) as stream:
                stream.writelines(line + "\n" for line in lines)
        return paths[0], paths[1:]

    # Lists, rerankers, scores --------------------------------------------------------------------------

    def _system(self, name: str, trained: Trained) -> dict[str, Any]:
        lists = self._lists(name, trained)
        system = trained.load()
        test = self.sets[TEST]
        outputs: dict[str, dict[str, list[str]]] = {DECODER: self._decoded(system, lists, test)}
        if LATTICE in self.conditions:
            outputs[DECODER][LATTICE] = self._lattices(name, trained, system)
        has_sparse = all(lists[_key(DEV, condition)].sparse is not None for condition in self._listed)
        without = {key: replace(store, sparse=None) for key, store in lists.items()}
        for method, learner in self.learners.items():
            rows = {method: lists, f"{method}{NO_SPARSE}": without} if has_sparse else {method: lists}
            for label, own in rows.items():
                outputs[label] = {}
                for condition in self._listed:
                    make = partial(self._reranker, own, condition, learner, system)
                    stage = self._reranker_stage(name, trained, label, condition, make)
                    self.say(f"{name}: reranker ({label}) for {condition}")
                    Run(self.folder).execute([stage])
                    reranker = RerankModel.load(self.folder / stage.outputs["model"])
                    reranker = reranker.with_functions(self.functions)
                    outputs[label][condition] = self._reranked(reranker, own, condition, system)
        steps = trained.history["iterations"]
        return {
            "scores": self._scores(name, trained, outputs),
            "sampling": trained.sampling,
            "perplexity": self._perplexity(name, trained, system),
            "iterations": len(steps),
            "best_iteration": trained.history.get("best"),
            "sparse_features": max((step["active_features"] for step in steps), default=0),
        }

    @property
    def conditions(self) -> list[str]:
        """The available conditions: text, and the outputs of the recognizer."""
        heard, files = self.options.sets[TEST].heard, self.options.sets
        lattices = files[TEST].lattices is not None and files[DEV].lattices is not None
        return [TEXT, *((ONE_BEST, ALL) if heard else ()), *((LATTICE,) if lattices else ())]

    @property
    def _listed(self) -> list[str]:
        """The conditions with lists."""
        return [condition for condition in self.conditions if condition != LATTICE]

    def _perplexity(self, name: str, trained: Trained, system: System) -> dict[str, dict[str, float | None]]:
        """The perplexity of the transcripts of every set, by a 3-gram model of the training text's source."""
        place = self.folder / "perplexity" / name
        if not place.exists():
            self._source_lm(trained, place, _PERPLEXITY_ORDER)
        model = LanguageModel.load(place)
        return {
            one: model.perplexity(_tokenized(system, heard.text), threads=self.threads).to_dict()
            for one, heard in self.sets.items()
        }

    def _lists(self, name: str, trained: Trained) -> dict[str, NbestStore]:
        """Lists of dev and test in every condition, and of training sentences, stored in the folder."""
        options, facts = self.options, self._list_facts()
        stages = [
            Stage(
                name=f"lists-{name}",
                function=partial(self._make_lists, trained),
                inputs=self._list_inputs(trained),
                outputs={key: f"lists/{name}/{key}" for key in self._list_names()},
                options={**facts, "lm": options.source_lm_order},
            )
        ]
        if options.fold_sentences:
            stages.append(
                Stage(
                    name=f"folds-{name}",
                    function=partial(self._make_folds, trained),
                    inputs={"system": trained.folder / "system"},
                    outputs={key: f"lists/{name}/{key}" for key in ("folds", "folds.source", "folds.target")},
                    options={**facts, "folds": options.folds, "sentences": options.fold_sentences},
                )
            )
        Run(self.folder).execute(stages)
        found = {key: NbestStore.open(self.folder / f"lists/{name}/{key}") for key in self._list_names()}
        if options.fold_sentences:
            found["folds"] = NbestStore.open(self.folder / f"lists/{name}/folds")
        return found

    def _list_facts(self) -> dict[str, Any]:
        options = self.options
        facts: dict[str, Any] = {"nbest": options.nbest, "hypotheses": options.num_hypotheses}
        return {**facts, "sparse": True} if options.sparse else facts

    def _list_inputs(self, trained: Trained) -> dict[str, StrPath]:
        sets = self.options.sets.items()
        files = {f"{name}_{kind}": path for name, one in sets for kind, path in _files(one).items()}
        return {"system": trained.folder / "system", **files}

    def _list_names(self) -> list[str]:
        return [_key(one, condition) for one in (DEV, TEST) for condition in self._listed]

    def _make_lists(
        self,
        trained: Trained,
        inputs: Mapping[str, Path],
        outputs: Mapping[str, Path],
        options: Mapping[str, Any],
    ) -> None:
        system = trained.load()
        lm = outputs[self._list_names()[0]].with_name("source-lm")
        # Hypotheses are scored by a language model of the source side of the training text.
        self._source_lm(trained, lm, self.options.source_lm_order)
        for one in (DEV, TEST):
            heard = self.sets[one]
            for condition in self._listed:
                self.say(f"list of {one}, {condition}")
                utterances, nbest = self._heard(heard, condition)
                speech = SpeechOptions(nbest=nbest, source_lm=lm, sparse=self.options.sparse)
                store = translate_speech(system, utterances, speech, threads=self.threads, track=self.track)
                _with_columns(store, self._columns()).save(outputs[_key(one, condition)])

    def _heard(self, heard: HeardSet, condition: str) -> tuple[Sequence[Utterance], int]:
        if condition == TEXT:
            return text_utterances(heard.text), self.options.nbest
        if condition == ONE_BEST:
            return [utterance[:1] for utterance in heard.utterances], self.options.nbest
        return heard.utterances, max(1, self.options.nbest // self.options.num_hypotheses)

    def _columns(self) -> list[str]:
        """Numbers of the recognizer in any set: all lists must have the same columns."""
        return sorted(
            {f"Asr.{n}" for one in self.sets.values() for u in one.utterances for h in u for n in h.columns}
        )

    def _source_lm(self, trained: Trained, place: Path, order: int) -> None:
        build(
            [trained.training_text[0]],
            options=LmOptions(order=order, special_words="unknown"),
            binary=place,
            threads=self.threads,
            memory_limit=self.memory,
        )

    def _make_folds(
        self,
        trained: Trained,
        inputs: Mapping[str, Path],
        outputs: Mapping[str, Path],
        options: Mapping[str, Any],
    ) -> None:
        lm = outputs["folds"].with_name("source-lm")
        self._source_lm(trained, lm, self.options.source_lm_order)
        speech = SpeechOptions(nbest=options["nbest"], source_lm=lm, sparse=self.options.sparse)

        def translated(system: System, lines: Sequence[str]) -> NbestStore:
            return translate_speech(
                system, text_utterances(lines), speech, threads=self.threads, track=self.track
            )

        found = unseen_lists(
            trained,
            translated,
            folds=options["folds"],
            sentences=options["sentences"],
            seed=self.options.seed,
            threads=self.threads,
            memory=self.memory,
            say=self.say,
        )
        _with_columns(found.store, self._columns()).save(outputs["folds"])
        for key, lines in (("folds.source", found.sources), ("folds.target", found.targets)):
            with atomic_output(outputs[key]) as stream:
                stream.writelines(line + "\n" for line in lines)

    def _reranker_stage(
        self,
        name: str,
        trained: Trained,
        label: str,
        condition: str,
        make: Callable[[], RerankModel],
    ) -> Stage:
        """A reranker of a system, stored in the folder: some learn for hours.

        It depends on what the lists are made from, and not on their folders, which learning adds to."""
        options = self.options
        key = re.sub(r"[^\w.-]+", "-", f"{name}-{label}-{condition}")
        folds = {"folds": options.folds, "sentences": options.fold_sentences}
        return Stage(
            name=f"reranker-{key}",
            function=lambda inputs, outputs, options: make().save(outputs["model"]),
            inputs=self._list_inputs(trained),
            outputs={"model": f"rerankers/{key}"},
            options={
                **self._list_facts(),
                **(folds if options.fold_sentences else {}),
                "lm": options.source_lm_order,
                "label": label,
                "features": list(options.features),
                "seed": options.seed,
            },
        )

    def _reranker(
        self, lists: Mapping[str, NbestStore], condition: str, learner: Learner, system: System
    ) -> RerankModel:
        own = lists[_key(DEV, condition)]
        sources = self._sources(DEV, condition, system)
        streams = [
            [line and _tokens(system, line) for line in stream]
            for stream in self.sets[DEV].references.streams
        ]
        statistics = list_statistics(own, References(streams), Bleu())
        store = own
        if "folds" in lists:
            folder, more = Path(str(lists["folds"].path)).parent, lists["folds"]
            targets = list(read_lines(folder / "folds.target"))
            found = list_statistics(more, References([targets]), Bleu())
            found = with_lengths_like(found, best_rows(more), statistics[best_rows(own)])
            statistics = np.concatenate([statistics, found])
            sources = [*sources, *(line.split() for line in read_lines(folder / "folds.source"))]
            store = merge([own, replace(more, sentence_ids=more.sentence_ids + len(streams[0]))])
        chosen = [sources[number] for number in store.sentence_ids.tolist()]
        assembled = prepare(store, self.functions, source=chosen, threads=self.threads)
        problem = Problem(assembled, Bleu(), statistics)
        return learn(problem, learner, self.functions, RerankOptions(seed=self.options.seed)).model

    def _sources(self, name: str, condition: str, system: System) -> list[list[str]]:
        heard = self.sets[name]
        lines = heard.text if condition == TEXT else heard.one_best
        return [line.split() for line in _tokenized(system, lines)]

    def _reranked(
        self, reranker: RerankModel, lists: Mapping[str, NbestStore], condition: str, system: System
    ) -> list[str]:
        store = lists[_key(TEST, condition)]
        sources = self._sources(TEST, condition, system)
        ordered = reranker.rerank(
            store, [sources[number] for number in store.sentence_ids.tolist()], threads=self.threads
        )
        return list(spoken_lines(ordered, best_rows(ordered), len(sources), system))

    def _decoded(
        self, system: System, lists: Mapping[str, NbestStore], test: HeardSet
    ) -> dict[str, list[str]]:
        found = {}
        for condition in self._listed:
            store = lists[_key(TEST, condition)]
            found[condition] = list(spoken_lines(store, best_rows(store), len(test.text), system))
        return found

    def _lattices(self, name: str, trained: Trained, system: System) -> list[str]:
        """Translate lattices directly; the weight of their scores is tuned on dev."""
        self.say(f"{name}: lattices")
        dev, weights = self.sets[DEV], dict(system.weights)
        scores = {}
        for share in _LATTICE_SHARES:
            with system.decoder.using({**weights, "arcs": share * weights["lm"]}):
                lines = list(system.translate(dev.lattices, threads=self.threads))
            found = evaluate_systems([SystemOutput("dev", (lines,))], dev.references, self._scoring(trained))
            scores[share] = found.systems[0].scores[0].score
        best = max(scores, key=lambda share: scores[share])
        self.say("  " + ", ".join(f"{share:g}: {score:.2f}" for share, score in scores.items()))
        with system.decoder.using({**weights, "arcs": best * weights["lm"]}):
            return list(system.translate(self.sets[TEST].lattices, threads=self.threads))

    def _scoring(self, trained: Trained) -> EvaluateOptions:
        side = trained.options.sides[1]
        return EvaluateOptions(
            metrics=("bleu",), **scoring(side.tokenizer, side.case), seed=self.options.seed
        )

    def _scores(
        self, name: str, trained: Trained, outputs: Mapping[str, Mapping[str, Sequence[str]]]
    ) -> dict[str, dict[str, dict[str, float]]]:
        """BLEU by decision and condition, with p-values against the decoder's choice in the same condition
        and, for speech, against the recognizer's best string; and what sparse features add to a reranker."""
        found: dict[str, dict[str, dict[str, float]]] = {}
        for chooser, by_condition in outputs.items():
            found[chooser] = {}
            without = outputs.get(f"{chooser}{NO_SPARSE}")
            for condition, lines in by_condition.items():
                base = ONE_BEST if condition in (ALL, LATTICE) else condition
                bleu, compared = self._compared(trained, outputs[DECODER][base], lines)
                row = {"bleu": bleu, "p_value": 1.0 if compared is None else compared.p_value}
                if without is not None:
                    _, added = self._compared(trained, without[condition], lines)
                    row["sparse_gain"] = 0.0 if added is None else added.difference
                    row["sparse_p_value"] = 1.0 if added is None else added.p_value
                found[chooser][condition] = row
                place = self.folder / "outputs"
                place.mkdir(exist_ok=True)
                with atomic_output(place / _file_name(name, chooser, condition)) as stream:
                    stream.writelines(line + "\n" for line in lines)
        return found

    def _compared(
        self, trained: Trained, base: Sequence[str], lines: Sequence[str]
    ) -> tuple[float, Comparison | None]:
        """BLEU of the test set, and how it compares with other lines."""
        systems = [SystemOutput("base", (list(base),)), SystemOutput("own", (list(lines),))]
        found = evaluate_systems(systems, self.sets[TEST].references, self._scoring(trained))
        score = found.systems[1].scores[0]
        return score.score, score.comparison


def _file_name(system: str, chooser: str, condition: str) -> str:
    """The file of a translation; methods may differ in their options alone.

    >>> _file_name("primary", "voted-perceptron:average=yes, no sparse features", "ASR 1-best")
    'primary.voted-perceptron-average=yes.dense.ASR-1-best'
    """
    method = re.sub(r"[^\w=.-]+", "-", chooser.removesuffix(NO_SPARSE))
    dense = ".dense" if chooser.endswith(NO_SPARSE) else ""
    return f"{system}.{method}{dense}.{condition.replace(' ', '-')}"


def _files(one: NttSet) -> dict[str, Path]:
    named = {"source": one.source, "hypotheses": one.hypotheses, "lattices": one.lattices}
    return {name: path for name, path in named.items() if path is not None}


def _key(name: str, condition: str) -> str:
    return f"{name}-{condition.replace(' ', '-')}"


def _tokenized(system: System, lines: Sequence[str]) -> list[str]:
    return [line if system.text is None else system.text.tokenize(line) for line in lines]


def _tokens(system: System, line: str) -> str:
    return line if system.text is None else " ".join(system.text.target.tokenize(line))


def _with_columns(store: NbestStore, names: Sequence[str]) -> NbestStore:
    """The list with these columns, 0 where the recognizer has no value."""
    for name in names:
        if name not in store.dense_names:
            store = add_column(store, name, np.zeros(store.num_candidates))
    return store
