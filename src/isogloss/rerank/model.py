"""The model of a reranker: features, decision and storage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from isogloss import _engine
from isogloss._engine import Vocabulary
from isogloss.io.errors import ConfigError, DataFormatError, ModelFormatError
from isogloss.io.streams import StrPath
from isogloss.learn.mbr import UTILITIES, expected_utility, posterior
from isogloss.metric.interface import FloatArray
from isogloss.nbest.store import Int64, NbestStore
from isogloss.rerank.assembly import assemble
from isogloss.rerank.bundle import bundle_files, found_again, relative_names, remove_unused
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.functions import FUNCTIONS
from isogloss.rerank.functions.registered import RegisteredFunction
from isogloss.rerank.naming import function_named
from isogloss.rerank.options import DECISIONS
from isogloss.rerank.registry import Code, registered
from isogloss.rerank.scaling import Scaling
from isogloss.storage.folder import open_folder, write_folder

__all__ = ["RerankModel"]

KIND = "reranker"
VERSION = 1


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RerankModel:
    """Scores the candidates of n-best lists by features of the list and computed features."""

    columns: tuple[str, ...]
    """The dense columns of the list that it uses."""
    only_these: bool
    """Whether other columns in a list are an error: True unless the columns were selected by name."""
    functions: tuple[FeatureFunction, ...]
    """Functions to compute; their columns follow those of the list."""
    scaling: Scaling
    dense: FloatArray
    """Voters × columns: weights of scaled columns. One voter unless the decision is ``vote``."""
    sparse_names: tuple[str, ...] = ()
    sparse: FloatArray = field(default_factory=lambda: np.zeros((1, 0)))
    """Voters × sparse features."""
    decision: str = "score"
    utility: str = "bleu"
    """Utility for the decision ``mbr``."""
    references: int = 0
    """For the decision ``mbr``: use only this many of the most probable candidates as references; 0 uses
    all."""
    fingerprints: tuple[Mapping[str, str] | None, ...] = ()
    """Hashes of the files of each function at training time; None for a function that the user named in this
    process, whose files are trusted."""
    made_with: dict[str, Any] = field(default_factory=dict)
    """Options and results of the training, as plain values."""

    @property
    def feature_names(self) -> tuple[str, ...]:
        """All dense columns, in order."""
        return (*self.columns, *(name for function in self.functions for name in function.columns()))

    def weights(self) -> dict[str, float]:
        """The weights by name, of scaled dense features; the mean of the voters if there are several."""
        dense, sparse = self.dense.mean(axis=0), self.sparse.mean(axis=0)
        named = dict(zip(self.feature_names, dense.tolist(), strict=True))
        return named | {
            name: value for name, value in zip(self.sparse_names, sparse.tolist(), strict=True) if value
        }

    def with_notes(self, **notes: Any) -> RerankModel:
        """A copy of the model with more notes on its training."""
        return replace(self, made_with={**self.made_with, **notes})

    def with_functions(self, given: Sequence[FeatureFunction]) -> RerankModel:
        """A copy of the model with other files for functions with the same columns."""
        by_columns = {(function.name, function.columns()): function for function in given}
        functions, fingerprints = [], []
        for function, known in zip(self.functions, self.fingerprints, strict=True):
            other = by_columns.pop((function.name, function.columns()), None)
            functions.append(other or function)
            fingerprints.append(None if other else known)
        if by_columns:
            unknown = next(iter(by_columns.values()))
            raise ConfigError(
                f"the model has no feature '{unknown.name}' labeled '{unknown.label}'; "
                f"it has: {', '.join(function.written() for function in self.functions) or 'none'}"
            )
        return replace(self, functions=tuple(functions), fingerprints=tuple(fingerprints))

    def check_list(self, store: NbestStore, name: str = "n-best list") -> None:
        """Raise an error if the columns of a list differ from those of training."""
        there = store.dense_names
        missing = [name for name in self.columns if name not in there]
        extra = [name for name in there if name not in self.columns] if self.only_these else []
        differences = []
        if missing:
            differences.append(f"the list lacks {', '.join(missing)}")
        if extra:
            differences.append(f"the list has {', '.join(extra)}, which the model never saw")
        if self.made_with.get("list_has_sparse") and store.sparse is None:
            differences.append("the list has no sparse features, the model learned from some")
        if differences:
            raise DataFormatError(
                "the columns differ from those the model was trained on: " + "; ".join(differences),
                store.path or name,
                hint="use a list of the same system, or train with columns= (--columns) naming those to use",
            )

    def check_resources(self) -> None:
        """Raise an error for files that have changed since training, and for code that only the user may
        name.

        A stored model is never trusted: a function without recorded fingerprints is an error, like one with
        wrong ones.
        """
        self.check_code()
        for function, known in zip(self.functions, self.fingerprints, strict=True):
            if known is None:
                continue
            if function.belongs_to_list:
                written, path = function.written(), function.resources()["path"]
                raise ConfigError(
                    f"{path} belongs to the list that the model learned from; name the file that belongs to "
                    f"this list: {_named_again(written.replace(path, 'FILE'))}"
                )
            found = function.fingerprints()
            for key, path in function.resources().items():
                if found[key] != known.get(key):
                    raise ConfigError(
                        f"{path} is not the file that the feature '{function.written()}' was trained with; "
                        f"to use the new file, name it explicitly: {_named_again(function.written())}"
                    )

    def check_code(self) -> None:
        """Raise an error for code that the user has not named in this process."""
        for function, known in zip(self.functions, self.fingerprints, strict=True):
            function.check()
            if function.runs_code and known is not None:
                raise ConfigError(
                    "the model uses a Python file, which is never run automatically; if you trust it, name "
                    f"it explicitly: {_named_again(function.written())}"
                )

    def scores(
        self, store: NbestStore, source: Sequence[Sequence[str]] | None = None, *, threads: int = 1
    ) -> FloatArray:
        """One score per candidate; higher is better."""
        return self.scores_in(FeatureContext(store=store, source=source, training=False, threads=threads))

    def scores_in(self, context: FeatureContext) -> FloatArray:
        """The same for a list with its context."""
        self.check_list(context.store, context.name)
        self.check_resources()
        return self.scores_of(assemble(context, self.columns, self.functions), threads=context.threads)

    def scores_of(self, assembled: NbestStore, *, threads: int = 1) -> FloatArray:
        """The same for a list whose columns are ``feature_names`` already."""
        lists, numbers = self._lists(assembled)
        scores = []
        for dense, sparse in zip(self.dense, self.sparse, strict=True):
            known = np.append(sparse, 0.0)[numbers]
            scores.append(lists.scores(np.concatenate([dense, known])))
            if not np.all(np.isfinite(scores[-1])):
                raise ConfigError("the features are so large that the scores are not finite numbers")
        offsets = assembled.sentence_offsets
        match self.decision:
            case "vote":
                return _votes(scores, offsets)
            case "mbr":
                return expected_utility(
                    assembled,
                    posterior(scores[0], offsets),
                    utility=self.utility,
                    references=self.references,
                    threads=threads,
                )
        return scores[0]

    def _lists(self, assembled: NbestStore) -> tuple[_engine.RerankLists, Int64]:
        """The engine's view of the list, and the model's id of each of its sparse features."""
        dense = self.scaling(assembled.dense)
        if assembled.sparse is None or not self.sparse_names:
            return _engine.RerankLists(assembled.sentence_offsets, dense), np.zeros(0, np.int64)
        known = {name: number for number, name in enumerate(self.sparse_names)}
        names = assembled.sparse.names.words()
        rows = assembled.sparse.rows(np.arange(assembled.num_candidates))
        lists = _engine.RerankLists(assembled.sentence_offsets, dense, *rows, sparse_size=len(names))
        return lists, np.array([known.get(name, len(known)) for name in names], dtype=np.int64)

    def rerank(
        self, store: NbestStore, source: Sequence[Sequence[str]] | None = None, *, threads: int = 1
    ) -> NbestStore:
        """The list with the model's scores, the best candidate of every sentence first."""
        scores = self.scores(store, source, threads=threads)
        order = np.lexsort((-scores, store.sentence_of_row()))  # stable: equals keep their order
        return replace(store, scores=scores, path=None).select(order)

    def save(self, path: StrPath, *, bundle: bool = True) -> None:
        """Store as a folder, with copies of the files of its functions unless ``bundle`` is False."""
        bundled = [bundle_files(path, function) if bundle else {} for function in self.functions]
        names = Vocabulary()
        for name in self.sparse_names:
            names.add(name)
        name_bytes, name_offsets = names.arrays()
        write_folder(
            path,
            kind=KIND,
            version=VERSION,
            arrays={
                "means": self.scaling.means,
                "deviations": self.scaling.deviations,
                "dense": self.dense,
                "sparse": self.sparse,
                "sparse_name_bytes": name_bytes,
                "sparse_name_offsets": name_offsets,
            },
            attributes={
                "columns": list(self.columns),
                "only_these": self.only_these,
                "functions": [
                    {
                        **function.as_dict(),
                        "resources": function.fingerprints() if known is None else dict(known),
                        **({"bundled": copies} if copies else {}),
                        **relative_names(path, function),
                    }
                    for function, known, copies in zip(
                        self.functions, self.fingerprints, bundled, strict=True
                    )
                ],
                "decision": self.decision,
                "utility": self.utility,
                "references": self.references,
                "made_with": self.made_with,
            },
        )
        remove_unused(path, bundled)

    @classmethod
    def load(cls, path: StrPath, code: Mapping[str, Code] | None = None) -> RerankModel:
        """Open a stored model. No code is run, and files are opened only when the model is used.

        ``code`` has the user's functions and classes by name; others must be registered.
        """
        folder = open_folder(path, kind=KIND, version=VERSION)
        arrays, stored = folder.arrays, folder.attributes
        missing = _unknown_classes(stored, code or {})
        if missing:
            raise ConfigError(
                f"{folder.path}: the feature '{missing[0]}' is a class that is unknown in this process; "
                "register it with @isogloss.feature, or pass it: Reranker.load(path, functions=[...])"
            )
        try:
            names = Vocabulary.from_arrays(arrays["sparse_name_bytes"], arrays["sparse_name_offsets"])
            model = cls(
                columns=tuple(str(name) for name in stored["columns"]),
                only_these=bool(stored["only_these"]),
                functions=tuple(
                    _stored_function(found_again(folder.path, one), code or {}) for one in stored["functions"]
                ),
                fingerprints=tuple(dict(one["resources"]) for one in stored["functions"]),
                scaling=Scaling(np.array(arrays["means"]), np.array(arrays["deviations"])),
                dense=np.array(arrays["dense"]),
                sparse_names=tuple(names.words()),
                sparse=np.array(arrays["sparse"]),
                decision=stored["decision"],
                utility=stored["utility"],
                references=int(stored["references"]),
                made_with=dict(stored["made_with"]),
            )
            _check(model)
        except (KeyError, IndexError, TypeError, ValueError, ConfigError) as error:
            raise ModelFormatError(
                f"the reranker is damaged ({error})", path, "rebuild it or restore it from a backup"
            ) from None
        return model


def _named_again(written: str) -> str:
    """How to name a function explicitly, in Python and on the command line."""
    return f"functions=['{written}'] (--features {written})"


def _unknown_classes(stored: Mapping[str, Any], code: Mapping[str, Code]) -> list[str]:
    functions = stored.get("functions")
    listed = functions if isinstance(functions, list) else []  # what it is otherwise is said later
    names = [one["name"] for one in listed if isinstance(one, dict) and "name" in one]
    known = (*FUNCTIONS, *code)
    return [name for name in names if isinstance(name, str) and name not in known and not registered(name)]


def _stored_function(one: Mapping[str, Any], code: Mapping[str, Code]) -> FeatureFunction:
    name, options = str(one["name"]), dict(one["options"])
    given = code.get(name)
    if name not in FUNCTIONS and isinstance(given, type) and issubclass(given, FeatureFunction):
        return given(**options)
    function = function_named(name, options)
    if isinstance(function, RegisteredFunction) and function.function in code:
        return replace(function, code=code[function.function])
    return function


def _check(model: RerankModel) -> None:
    columns, voters = len(model.feature_names), len(model.dense)
    shapes = {
        "dense": (model.dense, (voters, columns)),
        "sparse": (model.sparse, (voters, len(model.sparse_names))),
        "means": (model.scaling.means, (columns,)),
        "deviations": (model.scaling.deviations, (columns,)),
    }
    for name, (array, shape) in shapes.items():
        if array.shape != shape or array.dtype != np.float64 or not np.all(np.isfinite(array)):
            raise ValueError(f"{name} has shape {array.shape}, {shape} was expected")
    if voters < 1 or (voters > 1 and model.decision != "vote"):
        raise ValueError(f"{voters} weight vectors for the decision '{model.decision}'")
    if model.decision not in DECISIONS or model.utility not in UTILITIES or model.references < 0:
        raise ValueError(f"unknown decision '{model.decision}' or utility '{model.utility}'")
    if np.any(model.scaling.deviations < 0):
        raise ValueError("a standard deviation is negative")


def _votes(scores: list[FloatArray], offsets: Int64) -> FloatArray:
    """Votes; ties are broken by the mean score of the voters."""
    votes, total = np.zeros(len(scores[0])), np.zeros(len(scores[0]))
    owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    for scored in scores:
        order = np.lexsort((-scored, owners))
        votes[order[offsets[:-1]]] += 1
        largest = np.abs(scored).max(initial=0.0)
        total += scored / largest if largest > 0 else 0.0
    places = np.empty(len(votes))
    places[np.lexsort((-total, owners))] = np.arange(len(votes))
    return np.asarray(votes - (places - offsets[:-1][owners]) / (2 * np.diff(offsets)[owners]))
