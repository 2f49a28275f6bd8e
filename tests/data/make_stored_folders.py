"""Made ``stored-0.1.0.dev.tar.xz``: folders as version 0.1.0.dev wrote them, and what it printed about them.

It was run once, with the last version before packages and learners got their present names, and it imports
the names of that version. It is kept to show where the archive comes from and does not run with later ones:

    PYTHONPATH=OLD/src python tests/data/make_stored_folders.py tests/data/stored-0.1.0.dev.tar.xz

Everything comes from a synthetic corpus of 60 pairs, so that the archive stays small. ``recorded.json`` holds
commands, their standard input and their output; ``tests/test_stored_folders.py`` gives them again.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

TRAIN = {
    "engine": [
        *("--source", "raw/train.src", "--target", "raw/train.tgt", "--source-language", "de"),
        *("--dev-source", "raw/dev.src", "--dev-target", "raw/dev.tgt.0"),
        *("--test-source", "raw/test.src", "--test-target", "raw/test.tgt.0"),
        *("--features", "pair,target_bigram", "--tuner", "mira", "--iterations", "3"),
        *("--config", "small.toml"),
    ],
    "engine-mert": ["--config", "mert.toml"],
    "engine-blocks": [
        *("--source", "corpus/first.src", "--target", "corpus/first.tgt", "--tokenizer", "none"),
        *("--dev-source", "corpus/dev.src", "--dev-target", "corpus/dev.tgt.0"),
        *("--search", "block", "--tuner", "relevant-set", "--iterations", "3", "--config", "small.toml"),
    ],
}
"""How the engines were trained. ``NAME-stopped`` holds what an interrupted tuning left."""

SMALL = """\
[rules]
max_length = 3

[lm]
order = 3

[tune]
nbest = 10
"""

MERT = f"""\
source = "corpus/train.src"
target = "corpus/train.tgt"
dev_source = "corpus/dev.src"
dev_target = ["corpus/dev.tgt.0"]
search = "phrase"
tuner = "mert"
tokenizer = "none"

[decoder]
beam_size = 20
pop_limit = 40

{SMALL}
iterations = 3
restarts = 3
"""

RERANKERS = {
    "expected": "lm:lm model1:aligner lengths",
    "splitting": "lm:lm score",
    "voted": "sparse:path=aligner lengths",
}

STOPPED = """
import sys
from isogloss.cli.main import main
import isogloss.learn.tuning as tuning

write = tuning._Run._write_state

def write_state(self, folder, best):
    write(self, folder, best)
    if len(self.history) == 2 and folder.name != "dense":  # there it only looks for a beginning
        raise KeyboardInterrupt

tuning._Run._write_state = write_state
raise SystemExit(0 if main(sys.argv[1:]) == 130 else 1)
"""


def isogloss(*words: str, text: str = "", code: str = "") -> str:
    """Run a command, and give what it prints."""
    command = [sys.executable, *(["-c", code] if code else ["-m", "isogloss"]), "--quiet", *words]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{words}\n{done.stderr}")
    return done.stdout


def make_folders() -> None:
    isogloss("corpus", "synthetic", "corpus", "--pairs", "60", "--seed", "3")
    isogloss("corpus", "synthetic", "raw", "--pairs", "60", "--seed", "3", "--raw")
    for side in ("src", "tgt"):
        Path(f"corpus/first.{side}").write_text(
            "".join(f"{line}\n" for line in lines(f"corpus/train.{side}")[:12])
        )
    Path("small.toml").write_text(SMALL)
    Path("mert.toml").write_text(MERT)
    for name, words in TRAIN.items():
        isogloss("train", name, *words)
        stopped = Path(f"{name}-stopped")
        isogloss("train", str(stopped), *words, code=STOPPED)
        for path in stopped.iterdir():
            if path.is_dir() and path.name != ".checkpoint":
                shutil.rmtree(path)  # the same as in the finished folder
    sides = ("corpus/train.src", "corpus/train.tgt")
    isogloss("align", *sides, "--model-output", "aligner")
    isogloss("classes", "corpus/train.tgt", "--classes", "8", "--output", "classes")
    isogloss("lm", "build", "corpus/train.tgt", "--order", "3", "--binary", "lm")
    isogloss("extract", *sides, "corpus/train.align", "--max-length", "3", "--output", "rules")
    isogloss(
        "extract",
        *sides,
        "corpus/train.align",
        "--grammar",
        "phrase",
        "--max-length",
        "3",
        "--output",
        "phrases",
    )
    isogloss(
        *("system", "create", "system", "--rules", "phrases", "--lm", "lm", "--search", "phrase"),
        *("--templates", "pair,target_bigram", "--target-column", "class=classes"),
    )
    isogloss(
        *("tune", "system", "--dev-source", "corpus/dev.src", "--dev-target", "corpus/dev.tgt.0"),
        *("--iterations", "2"),
    )
    isogloss(
        *("memory", "build", "memory", "--system", "system", "--source", "corpus/dev.src"),
        *("--reference", "corpus/dev.tgt.0", "--aligner", "aligner", "--nbest", "5", "--sparse"),
    )
    new = ["zorblat " + lines("corpus/test.src")[0], "florkish " + lines("corpus/test.tgt.0")[0]]
    isogloss("memory", "add", "memory", "--system", "system", "--pair", *new)
    isogloss(
        *("local", "tune", "system", "--memory", "memory", "--source", "corpus/test.src"),
        *("--reference", "corpus/test.tgt.0", "--strength", "1", "--strength", "10"),
    )
    nbest = isogloss(
        "translate", "system", "--nbest", "10", "--format", "moses", text=Path("corpus/dev.src").read_text()
    )
    Path("list.moses").write_text(nbest)
    isogloss("nbest", "convert", "list.moses", "--output", "list", "--to", "store")
    Path("list.moses").unlink()
    for method, features in RERANKERS.items():
        isogloss(
            *("rerank", "train", "list", "--reference", "corpus/dev.tgt.0", "--source", "corpus/dev.src"),
            *("--method", method, "--features", features, "--output", f"reranker-{method}"),
        )


def lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines()


def record() -> list[dict[str, Any]]:
    """What the folders are good for, and what comes out."""
    raw, text = ("".join(f"{line}\n" for line in lines(f"{name}/test.src")[:6]) for name in ("raw", "corpus"))
    first = lines("corpus/test.src")[0]
    commands: list[tuple[list[str], str]] = [
        (["translate", "engine"], raw),
        (["translate", "engine", "--nbest", "2", "--format", "moses"], raw),
        (["translate", "engine-mert", "--nbest", "2", "--format", "moses"], text),
        (["translate", "engine-blocks", "--nbest", "2", "--format", "moses"], text),
        (["translate", "system", "--nbest", "2", "--format", "moses"], text),
        (["translate", "system", "--memory", "memory", "--local", "ebuu"], f"zorblat {first}\n{text}"),
        (["translate", "system", "--memory", "memory", "--local", "mbuu", "--local-strength", "10"], text),
        (["memory", "query", "memory", first, "--json"], ""),
        (["memory", "info", "memory", "--json"], ""),
        (["lm", "query", "lm", "--show", "sentences"], Path("corpus/dev.tgt.0").read_text()),
        (["grammar", "show", "rules", "--json"], ""),
        (["grammar", "show", "phrases", "--json"], ""),
        (["align", "corpus/dev.src", "corpus/dev.tgt.0", "--model", "aligner", "--output", "-"], ""),
        (["nbest", "info", "list", "--json"], ""),
        (["nbest", "best", "list"], ""),
        *(
            (["rerank", "apply", f"reranker-{method}", "list", "--source", "corpus/dev.src"], "")
            for method in RERANKERS
        ),
    ]
    return [
        {"command": words, "input": given, "output": isogloss(*words, text=given)}
        for words, given in commands
    ]


def pack(archive: Path) -> None:
    """The same bytes for the same files, but for what is random in the names of stored arrays."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        member.uid = member.gid = member.mtime = 0
        member.uname = member.gname = ""
        return None if member.name.endswith((".lock", "report.html")) else member

    with tarfile.open(archive, "w:xz", preset=9) as tar:
        for path in sorted(Path().iterdir()):
            tar.add(path, filter=plain)


def main() -> None:
    archive = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_folders()
        trained = {name: {"options": words} for name, words in TRAIN.items()}
        Path("recorded.json").write_text(json.dumps({"train": trained, "commands": record()}, indent=1))
        pack(archive)


if __name__ == "__main__":
    main()
