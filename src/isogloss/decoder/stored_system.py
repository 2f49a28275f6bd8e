"""Create, open and inspect a stored translation system: everything needed to translate, in one folder.

DIR/rules/        the rule table
DIR/lm/           the language model
DIR/weights.tsv   a weight for every dense feature, by name; may be edited
DIR/sparse/       the sparse features, if there are any
DIR/weights.sparse/  their weights, if they have any
DIR/joint/        the neural joint model, if there is one
DIR/text/         tokenizer, case and placeholders, if the system was trained with a tokenizer
DIR/system.json   format version, search options and the list of parts above, with a checksum

A folder written by ``isogloss train`` has all this in DIR/system; ``load`` also accepts DIR itself.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.corpus.processing import TextProcessing
from isogloss.decoder.beside import CONFIDENCE, CONTEXTS, EXAMPLES, MATCHES, beside
from isogloss.decoder.corrections import Corrections
from isogloss.decoder.decoder import Decoder
from isogloss.decoder.matches import TrainingMatches
from isogloss.decoder.near_matches import open_examples
from isogloss.decoder.options import SearchOptions
from isogloss.decoder.stored_weights import SPARSE_WEIGHTS, WEIGHTS, finish_change, read_stored
from isogloss.decoder.system import System, draft
from isogloss.decoder.system_facts import (
    FACTS,
    JOINT,
    LM,
    RULES,
    SPARSE,
    TEXT,
    read_facts,
    settle,
    stored_options,
    write_facts,
)
from isogloss.decoder.weights import default_weights, read_weights, split_sparse, write_weights
from isogloss.features.model import SparseModel
from isogloss.features.weights import SparseWeights
from isogloss.grammar import storage
from isogloss.grammar.table import RuleTable
from isogloss.io.durable import move_into_place
from isogloss.io.errors import (
    ConfigError,
    DataFormatError,
    InputFileError,
    ModelFormatError,
    OutputError,
    UserError,
)
from isogloss.io.replacement import finish_replacement
from isogloss.io.streams import StrPath
from isogloss.lm.model import LanguageModel
from isogloss.storage.folder import store_copy
from isogloss.storage.inspection import Inspection, inspect_folder, is_stored_folder

if TYPE_CHECKING:
    from isogloss.neural.model import JointModel

__all__ = ["TRAINED", "create_system", "inspect_system", "is_system", "load", "open_joint"]

_SHOWN = 5  # strongest sparse features to show for each template in an inspection
TRAINED = "system"  # subfolder with the system in a folder of 'isogloss train'


def create_system(
    path: StrPath,
    *,
    rules: StrPath,
    lm: StrPath,
    options: SearchOptions | None = None,
    weights: Mapping[str, float] | StrPath | None = None,
    sparse: SparseModel | None = None,
    text: TextProcessing | None = None,
    joint: StrPath | None = None,
) -> System:
    """Store a system made of a rule table, a language model (folder or ARPA file) and weights, and open it.

    With ``text``, the system translates plain text, otherwise tokens. Weights may be a file, and may include
    sparse features if there is a ``sparse`` model; without weights, the defaults of the search are used. An
    existing system in the folder is replaced; a folder with other content is an error.
    """
    options = options or SearchOptions()
    folder = Path(path)
    table, model = RuleTable.open(rules), LanguageModel.load(lm)
    joint_model = None if joint is None else open_joint(joint)
    decoder = Decoder(table, model, options, sparse=sparse, joint=joint_model)
    if weights is None:
        weights = default_weights(decoder.names, hierarchical=options.hierarchical)
    sparse_weights = _set_weights(decoder, weights)
    with _new_folder(folder) as partial:
        store_copy(rules, partial / RULES, kind=storage.KIND, version=storage.VERSION)
        model.save(partial / LM)
        write_weights(partial / WEIGHTS, decoder.weights)
        if sparse is not None:
            sparse.save(partial / SPARSE)
        if sparse_weights is not None:
            sparse_weights.save(partial / SPARSE_WEIGHTS)
        if joint_model is not None:
            joint_model.save(partial / JOINT)
        if text is not None:
            text.save(partial / TEXT)
        write_facts(partial, options)
    return load(folder)


def load(
    path: StrPath,
    *,
    options: SearchOptions | None = None,
    weights: Mapping[str, float] | StrPath | None = None,
    changes: Mapping[str, Any] | None = None,
    corrections: bool = False,
    matches: bool = False,
    near_matches: bool | None = None,
) -> System:
    """Open a stored system; given options and weights (or a file of weights) replace the stored ones.

    ``changes`` replaces single options of the search by name. With ``corrections`` it translates as people
    have corrected it, and with ``matches`` it returns translations of the training text, as they are for the
    same source and edited for a similar one (``near_matches`` sets that alone). Without these it is the
    system alone, as it is tuned.
    """
    folder = Path(path)
    if not folder.exists():
        raise InputFileError("No such file or directory", folder)
    if not folder.is_dir():
        raise InputFileError(
            "is a file", folder, "give the folder of a system, as written by 'isogloss train'"
        )
    finish_replacement(folder)
    if not (folder / FACTS).exists() and (folder / TRAINED / FACTS).exists():
        folder = folder / TRAINED
    finish_change(folder, partial(settle, folder))
    stored = options or stored_options(folder)
    if changes:
        stored = replace(stored, **changes)
    for part in read_facts(folder)["parts"]:
        if not (folder / part).exists():
            raise ModelFormatError("is missing", folder / part, "restore it or create the system again")
        if (folder / part).is_symlink():  # a stranger's folder must not name another one
            raise ModelFormatError("is a symbolic link", folder / part, "copy what it names into its place")
    sparse = SparseModel.open(folder / SPARSE) if (folder / SPARSE).exists() else None
    rules = RuleTable.open(folder / RULES)
    joint = open_joint(folder / JOINT) if (folder / JOINT).exists() else None
    decoder = Decoder(rules, LanguageModel.load(folder / LM), stored, sparse=sparse, joint=joint)
    if weights is not None:
        _set_weights(decoder, weights)
    else:
        decoder.set_weights(*read_stored(folder, decoder.names))
    text = TextProcessing.open(folder / TEXT) if (folder / TEXT).exists() else None

    near = matches if near_matches is None else near_matches

    def known(name: str) -> TrainingMatches | None:
        place = beside(folder, name)
        return TrainingMatches.open(place, text) if matches and place.exists() else None

    return System(
        decoder,
        folder,
        text,
        corrections=Corrections(folder, rules, text, partial(draft, decoder)) if corrections else None,
        matches=known(MATCHES),
        contexts=known(CONTEXTS),
        near=open_examples(examples) if near and (examples := beside(folder, EXAMPLES)).exists() else None,
    )


def inspect_system(path: StrPath, *, verify: bool = False) -> Inspection:
    """Inspect a stored system; with ``verify``, read all of it and raise an error if it is damaged.

    The weights have no checksum, because they may be edited; they must match the features.
    """
    folder = Path(path)
    facts = read_facts(folder)
    inside = [item for item in folder.iterdir() if is_stored_folder(item)]
    if is_stored_folder(own := beside(folder, CONFIDENCE)) and own not in inside:
        inside.append(own)
    parts = {item.name: inspect_folder(item, verify=verify) for item in sorted(inside)}
    verified = None
    if verify:
        load(folder)
        verified = sum(part.verified or 0 for part in parts.values())
    weights, sparse = read_stored(folder, None)
    attributes: dict[str, Any] = {"options": facts["options"], "weights": weights}
    if sparse is not None:
        attributes["sparse features"] = len(sparse)
        for template, strongest in sparse.strongest_by_template(_SHOWN).items():
            attributes[f"strongest of {template}"] = dict(strongest)
    return Inspection(
        path=folder,
        kind=facts["kind"],
        version=facts["version"],
        made_by=facts["made_by"],
        attributes=attributes,
        parts=parts,
        verified=verified,
    )


def is_system(path: StrPath) -> bool:
    """Whether a folder is a stored system."""
    return (Path(path) / FACTS).is_file()


def open_joint(path: StrPath) -> JointModel:
    """Open a stored joint model that a search can use."""
    from isogloss.neural.model import JointModel  # most systems have none
    from isogloss.neural.reading import JointReading

    model = JointModel.open(path)
    JointReading.of_facts(model.facts, path).check_search(path)
    return model


def _set_weights(decoder: Decoder, weights: Mapping[str, float] | StrPath) -> SparseWeights | None:
    """Set dense and sparse weights by name; return the sparse ones."""
    dense, by_name = split_sparse(weights if isinstance(weights, Mapping) else read_weights(weights))
    try:
        sparse = None
        if by_name:
            signature = "" if decoder.sparse is None else decoder.sparse.signature
            sparse = SparseWeights.from_names(by_name, signature=signature)
        decoder.set_weights(dense, sparse)
    except ConfigError as error:
        if isinstance(weights, Mapping):
            raise
        raise DataFormatError(str(error), weights) from None
    return sparse


@contextlib.contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder to fill, which replaces ``folder`` once it is complete."""
    final = Path(os.path.realpath(folder))
    if final.is_file():
        raise OutputError("is a file", folder, "a folder is needed here; choose another name")
    if final.is_dir() and any(final.iterdir()) and not (final / FACTS).is_file():
        raise OutputError(
            "the folder holds something that is not a system", folder, "choose a new or empty folder"
        )
    mark = secrets.token_hex(4)
    partial, old = (final.with_name(f".{final.name}.{mark}.{end}") for end in ("part", "old"))
    try:
        try:
            partial.mkdir(parents=True)
            yield partial
            move_into_place(partial, final, old)
        except OSError as error:
            if isinstance(error, UserError):
                raise
            raise OutputError(error.strerror or str(error), folder) from None
    finally:
        for leftover in (partial, old):
            shutil.rmtree(leftover, ignore_errors=True)
