"""Do tuned weights carry over? BLEU of tuning methods on the set they learned from, and on a test set.

    ISOGLOSS_DATA=... python benchmarks/carry_over.py FOLDER [--systems NAME...] [--methods NAME...]

Rules, language model and classes of a system are made once, by the stages of `isogloss train`. Then each
method tunes, and both sets are translated by the search. `before` is the default of versions without the
method `auto`: online MIRA whose dense weights move with large steps. `auto` has no neural joint model;
`default` trains one and keeps it where held-out text gains, as `isogloss train` does. A system whose name
ends in `-auto` has the search that `isogloss train` chooses; the choice is printed.

FOLDER keeps everything; an interrupted run resumes, and if everything is there, only the table is printed. A
line has the means over the seeds: BLEU of dev and test on tokens, test words per word of the reference, CPU
seconds of tuning (for `default`, of the joint model too), and the test gain over each method before it with p
of the paired bootstrap.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from learning import Corpus, prepare

from isogloss.decoder.decoder import Decoder
from isogloss.decoder.system import System
from isogloss.decoder.weights import default_weights
from isogloss.io.progress import no_track
from isogloss.io.streams import atomic_output, read_lines
from isogloss.metric import Bleu, References, paired_bootstrap
from isogloss.pipeline.run import Run
from isogloss.pipeline.train_options import TrainOptions
from isogloss.pipeline.train_recipe import JOINT_CHOICE, SEARCH_CHOICE, Helpers, recipe
from isogloss.pipeline.tuning_stages import make_decoder
from isogloss.tuning import OnlineOptions, TuneOptions, tune

METHODS = {
    "mert": TuneOptions(method="mert", iterations=6),
    "batch-mira": TuneOptions(method="batch-mira", iterations=6),
    "before": TuneOptions(
        method="online-mira",
        dense_first=3,
        online=OnlineOptions(dense_scale=1.0, keep_start=False),
    ),
    "auto": TuneOptions(),
    "default": TuneOptions(),
    "thorough": TuneOptions(effort="thorough"),
}
SYSTEMS = {  # a corpus and a search
    f"{corpus}-{search}": (corpus, search)
    for corpus in (
        *("multi30k-de", "quran", "tanaka", "multi30k-fr", "fisher"),
        *("quran-raw", "tatoeba-ar", "tatoeba-zh", "kftt"),
    )
    for search in ("hiero", "phrase", "auto")
}
RAW = ("quran-raw", "tatoeba-ar", "tatoeba-zh")
"""Corpora that the product tokenizes."""
MODELS = ("clean", "tokenize", "align", "classes", "rules", "lm", "search", "joint")
_METRIC = Bleu()


def make_models(
    folder: Path, corpus: Corpus, search: str, threads: int, *, raw: bool = False, joint: bool = False
) -> TrainOptions:
    """Rules, language model and classes in FOLDER/work; or, with the search `auto`, the choice.

    With `joint`, also a joint model, or an empty folder if it does not help.
    """
    options = TrainOptions.from_settings(
        {
            "source": str(corpus.source),
            "target": str(corpus.target),
            "dev_source": str(corpus.dev.source),
            "dev_target": [str(path) for path in corpus.dev.targets],
            "test_source": str(corpus.test.source),
            "test_target": [str(path) for path in corpus.test.targets],
            "tokenizer": "" if raw else "none",
            "source_language": corpus.source.suffix[1:3],
            "target_language": "en",
            "search": search,
            "neural": None if joint else False,
        }
    )
    helpers = Helpers(
        threads=threads,
        memory=4 << 30,
        track=no_track,
        warn=lambda message: print(message, file=sys.stderr),
        report=lambda step: None,
    )
    Run(folder).execute([stage for stage in recipe(options, helpers) if stage.name in MODELS])
    return options


def tokens_of(models: Path, name: str) -> tuple[list[str], References]:
    """A set, as the search sees it."""
    tokens = models / "work" / "tokens"
    targets = sorted(tokens.glob(f"{name}.target.*"))
    return list(read_lines(tokens / f"{name}.source")), References([list(read_lines(one)) for one in targets])


def system_of(folder: Path, system: str, corpus: Corpus, threads: int) -> str:
    """The system itself, or the one with the search that is chosen."""
    name, search = SYSTEMS[system]
    if search != "auto":
        return system
    begun = time.process_time()
    make_models(folder / system, corpus, search, threads, raw=name in RAW)
    found = json.loads((folder / system / SEARCH_CHOICE).read_text())
    spent = time.process_time() - begun
    print(f"{system:20}{found['reason']}; {spent:.0f} CPU s with the models it needs", flush=True)
    return f"{name}-{found['search']}"


def decoder_of(folder: Path, options: TrainOptions, *, sparse: bool) -> Decoder:
    work = folder / "work"
    inputs = {"rules": work / "rules", "lm": work / "lm"}
    if options.trains_joint:
        inputs["joint"] = work / "joint"
    inputs |= {f"{side}_classes": work / "classes" / side for side in ("source", "target")}
    features = options.sparse_features.to_json() if sparse else None
    decoder = make_decoder(inputs, {"search": asdict(options.search_options), "features": features})
    decoder.set_weights(default_weights(decoder.names, hierarchical=decoder.options.hierarchical))
    return decoder


def run_of(folder: Path, system: str, corpus: Corpus, method: str, seed: int, threads: int) -> dict[str, Any]:
    """Translations of both sets, and what they cost; made if they are not there."""
    result = folder / "translations" / f"{system}.{method}.{seed}.json"
    if result.exists():
        return dict(json.loads(result.read_text()))
    models = folder / system
    name, search = SYSTEMS[system]
    make_models(models, corpus, search, threads, raw=name in RAW)
    tuning = replace(METHODS[method], seed=seed)
    begun = time.process_time()
    options = make_models(models, corpus, search, threads, raw=name in RAW, joint=method == "default")
    decoder = decoder_of(models, options, sparse=tuning.uses_online)
    sets = {name: tokens_of(models, name) for name in ("dev", "test")}
    found = tune(System(decoder, models), *sets["dev"], tuning, threads=threads)
    spent = time.process_time() - begun
    decoder.set_weights(found.dense, found.sparse)
    notes = list(found.notes)
    if options.trains_joint:
        notes.insert(0, json.loads((models / JOINT_CHOICE).read_text())["reason"])
    made: dict[str, Any] = {"seconds": spent, "notes": notes}
    for name, (lines, references) in sets.items():
        store = decoder.nbest(lines, threads=threads)
        made[name] = list(store.lines(store.sentence_offsets[:-1], len(lines)))
        made[f"{name}_statistics"] = _METRIC.statistics(made[name], references).tolist()
    print(f"{system}, {method}, seed {seed}: {spent:.0f} CPU s {notes}", file=sys.stderr, flush=True)
    result.parent.mkdir(exist_ok=True)
    with atomic_output(result) as stream:
        stream.write(json.dumps(made))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument(
        "--methods", nargs="+", choices=METHODS, default=["mert", "batch-mira", "before", "default"]
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    if "ISOGLOSS_DATA" not in os.environ:
        sys.exit("ISOGLOSS_DATA must name a folder with multi30k-tok, tanaka, quran, callhome and fisher")
    data = Path(os.environ["ISOGLOSS_DATA"])
    for system in given.systems:
        corpus = prepare(SYSTEMS[system][0], data, given.folder)
        used = system_of(given.folder, system, corpus, given.threads)
        tables: dict[str, list[Any]] = {}
        for method in given.methods:
            runs = [run_of(given.folder, used, corpus, method, seed, given.threads) for seed in given.seeds]
            dev, test = ([np.array(run[f"{name}_statistics"]) for run in runs] for name in ("dev", "test"))
            scores = [float(_METRIC.score(one.sum(axis=0))) for one in test]
            words = np.mean([one[:, 0].sum() / one[:, 1].sum() for one in test])
            line = (
                f"{system:20}{method:12} dev {np.mean([_METRIC.score(one.sum(axis=0)) for one in dev]):6.2f}"
            )
            line += f"  test {np.mean(scores):6.2f}"
            if len(given.seeds) > 1:
                line += f" [{min(scores):.2f} {max(scores):.2f}]"
            line += f"  length {words:.3f}  {np.mean([run['seconds'] for run in runs]):5.0f} CPU s"
            for other, table in tables.items():
                found = paired_bootstrap(_METRIC, table, test)
                line += f"  {other} {found.difference:+.2f} p {found.p_value:.3f}"
            tables[method] = test
            print(line, flush=True)


if __name__ == "__main__":
    main()
