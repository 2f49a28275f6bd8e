"""Rerankers of the public API: train, apply, save and load."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from isogloss.io.errors import ConfigError, NotTrainedError
from isogloss.io.progress import Track, as_track
from isogloss.io.streams import StrPath
from isogloss.io.text_lines import TextLines
from isogloss.learn.learner import Learner
from isogloss.learn.problem import Problem
from isogloss.metric import Metric
from isogloss.metric.interface import FloatArray
from isogloss.metric.references import ReferencesLike
from isogloss.nbest import NbestLike, NbestList, as_nbest
from isogloss.nbest.build import Numbers
from isogloss.nbest.edit import best_rows
from isogloss.nbest.samples import ALWAYS_THERE
from isogloss.report import Page
from isogloss.rerank.browsing import Changes, changes
from isogloss.rerank.comparison import cross_validate
from isogloss.rerank.features import FeatureFunction
from isogloss.rerank.length_ratios import length_ratio
from isogloss.rerank.methods import parse_method
from isogloss.rerank.model import RerankModel
from isogloss.rerank.naming import Features, FeatureSpec, as_functions
from isogloss.rerank.options import Decision, RerankOptions, RightLength, StartWeights, SweepOptions
from isogloss.rerank.preparation import EITHER, context_of, list_problem, list_warnings, with_decoder_score
from isogloss.rerank.registry import Code, name_of
from isogloss.rerank.report import model_page, training_page
from isogloss.rerank.sanity import doubts, list_fingerprint
from isogloss.rerank.train import RerankTraining, prepare_context, train_model

__all__ = ["Reranker"]


class Reranker:
    """Learns from an n-best list with references which candidates are good, and reranks other lists.

    ``features`` are computed for every candidate in addition to those of the list: names as on the command
    line (``"lm:english.arpa"``), your own functions (see ``isogloss.feature``), or a string with several
    names. ``method`` is the learner: ``expected-bleu``, ``splitting``, ``ordinal``, ``voted-perceptron``,
    ``perceptron``, ``mert``, ``batch-mira``, ``pro`` or ``mbr``, with options after a colon
    (``"splitting:margin=0.5"``), or an object with a method ``learn``. ``metric`` (``bleu``, ``nist``,
    ``chrf``, ``ter`` or a ``Metric``) is optimized; ``tokenize`` and ``lowercase`` are its text options. The
    other keywords are fields of ``RerankOptions``; you can pass them as ``options`` instead.

    >>> nbest = NbestList([["a a house", "a house"], ["the the tree", "the tree"]] * 20)
    >>> def repeated(candidate: str) -> float:
    ...     words = candidate.split()
    ...     return -float(len(words) - len(set(words)))
    >>> reranker = Reranker(features=[repeated]).fit(nbest, references=["a house", "the tree"] * 20)
    >>> reranker.weights["repeated"] > 0
    True
    >>> reranker.rerank([["my my dog", "my dog"]]).best()
    ['my dog']
    """

    def __init__(
        self,
        features: Features = (),
        method: str | Learner = "expected-bleu",
        *,
        metric: str | Metric = "bleu",
        tokenize: str = "none",
        lowercase: bool = False,
        columns: Sequence[str] | None = None,
        score: bool = True,
        scale: bool = True,
        start: StartWeights = "zero",
        length: RightLength = "references",
        decision: Decision | None = None,
        held_out_share: float = 0.0,
        seed: int = 1,
        check_folds: int = 5,
        options: RerankOptions | None = None,
    ) -> None:
        self._functions = tuple(as_functions(features))
        self._method = method if isinstance(method, str) else type(method).__name__
        self._learner: Learner | None = parse_method(method) if isinstance(method, str) else method
        self._metric, self._tokenize, self._lowercase = metric, tokenize, lowercase
        given = RerankOptions(
            columns=None if columns is None else tuple(columns),
            score=score,
            scale=scale,
            start=start,
            length=length,
            decision=decision,
            held_out_share=held_out_share,
            seed=seed,
            check_folds=check_folds,
        )
        if options is not None and given != RerankOptions():
            raise ConfigError("give either options or its fields as keywords, not both")
        self._options = options or given
        self._training: RerankTraining | None = None
        self._model: RerankModel | None = None

    def fit(
        self,
        nbest: NbestLike,
        references: ReferencesLike | None = None,
        *,
        source: TextLines | None = None,
        quality: Numbers | StrPath | None = None,
        threads: int = 1,
        progress: bool | Track = False,
        warn: Callable[[str], None] = lambda message: None,
    ) -> Reranker:
        """Learn from a list: an ``NbestList``, a file, lists of strings, or a table of columns.

        ``references`` and ``source`` are files or lists of sentences, by default those of the list. Instead
        of references, you can give the ``quality`` of every candidate; higher is better. Returns the reranker
        itself; ``training`` has the scores. ``warn`` is called with doubts about the data before the learning
        begins; ``training.warnings`` has them afterward.
        """
        if references is not None and quality is not None:
            raise ConfigError(EITHER)
        if self._learner is None:
            raise ConfigError("a loaded reranker cannot be trained again; create a new one")
        listed, track = as_nbest(nbest, source=source, references=references), as_track(progress)
        context = context_of(listed, threads=threads, track=track)
        functions = with_decoder_score(self._functions, listed.store, self._options)
        assembled = prepare_context(context, functions, columns=self._options.columns)
        problem = list_problem(
            listed,
            assembled,
            metric=self._metric,
            tokenize=self._tokenize,
            lowercase=self._lowercase,
            quality=quality,
            track=track,
        )
        warnings = [*list_warnings(listed, quality), *doubts(listed, assembled, problem)]
        for message in warnings:
            warn(message)
        trained = train_model(
            problem,
            self._learner,
            functions,
            self._options,
            list_has_sparse=listed.store.sparse is not None,
            made_with={**self._notes(functions), "list": list_fingerprint(listed.store)},
            track=track,
        )
        constant = [name for name in trained.constant if name not in ALWAYS_THERE]
        if constant:
            names = ", ".join(constant)
            warnings.append(f"these features are constant within every sentence and are not used: {names}")
            warn(warnings[-1])
        trained = self._validated(trained, problem, functions, track)
        self._training = replace(trained, warnings=tuple(warnings))
        self._model = trained.model
        return self

    def _validated(
        self,
        trained: RerankTraining,
        problem: Problem,
        functions: Sequence[FeatureFunction],
        track: Track,
    ) -> RerankTraining:
        """The training with its cross-validated score, and whether the order of the list is better."""
        folds = self._options.check_folds
        assert self._learner is not None
        if folds < 2 or problem.num_sentences < 2 * folds:
            return trained
        chosen, _ = cross_validate(
            problem,
            self._learner,
            functions,
            self._options,
            SweepOptions(folds=folds, seed=self._options.seed),
            track=track,
        )
        found = problem.score_of_rows(chosen)
        listed = max((problem.sentences()[:-1], best_rows(problem.store)), key=problem.score_of_rows)
        without = problem.score_of_rows(listed)
        return replace(
            trained,
            list_score=problem.reported(without),
            validated_score=problem.reported(found),
            list_length=length_ratio(problem, listed),
            validated_length=length_ratio(problem, chosen),
            worse=found < without,
        )

    def _notes(self, functions: Sequence[FeatureFunction]) -> dict[str, str | int]:
        return {
            "method": self._method,
            "features": " ".join(function.written() for function in functions),
            "metric": self._metric if isinstance(self._metric, str) else self._metric.name,
            "start": self._options.start,
            "length": self._options.length,
            "seed": self._options.seed,
        }

    def rerank(
        self,
        nbest: NbestLike,
        *,
        source: TextLines | None = None,
        threads: int = 1,
        progress: bool | Track = False,
    ) -> NbestList:
        """The list with the reranker's scores, the best candidate of every sentence first.

        ``rerank(nbest).best()`` returns the best translations as strings. Raises an error if the list does
        not have the features of training, or if the files of a feature have changed.
        """
        listed = as_nbest(nbest, source=source)
        reordered = listed.reordered(self.scores(listed, threads=threads, progress=progress))
        if self.model.made_with.get("list") == list_fingerprint(listed.store):
            return reordered.with_note(
                "the model was trained on this same list, so scores say nothing; are dev and test swapped?"
            )
        return reordered

    def scores(
        self,
        nbest: NbestLike,
        *,
        source: TextLines | None = None,
        threads: int = 1,
        progress: bool | Track = False,
    ) -> FloatArray:
        """One score per candidate, sentence by sentence; higher is better."""
        listed = as_nbest(nbest, source=source)
        context = context_of(listed, training=False, threads=threads, track=as_track(progress))
        return self.model.scores_in(context)

    def changes(
        self,
        nbest: NbestLike,
        references: ReferencesLike | None = None,
        *,
        source: TextLines | None = None,
        threads: int = 1,
    ) -> Changes:
        """The sentences for which the reranker takes another candidate than the decoder, and why.

        With references, the largest changes of quality come first. ``changes(...).report()`` is a page.
        """
        return changes(self.model, as_nbest(nbest, source=source, references=references), threads=threads)

    def save(self, path: StrPath, *, force: bool = False, bundle: bool = True) -> None:
        """Store the reranker in a folder. Your own functions are stored by name only.

        The files of its features (language models, alignment models, classes) are copied into the folder, so
        that it works everywhere; with ``bundle`` False, only their names and checksums are stored. A reranker
        that is worse than the order of the list in cross-validation is stored only with ``force``.
        """
        refusal = None if self._training is None else self._training.refusal
        if refusal is not None and not force:
            raise ConfigError(f"{refusal}. To store it anyway, use force=True (--force)")
        self.model.save(path, bundle=bundle)

    @classmethod
    def load(
        cls,
        path: StrPath,
        functions: str | Iterable[FeatureSpec] | Mapping[str, Code] | None = None,
    ) -> Reranker:
        """Open a stored reranker. This never imports or runs code from the folder.

        Pass your own functions and classes that it uses as ``functions``, unless ``isogloss.feature`` has
        registered them in this process. You can also pass other files for its features, as in
        ``["lm:new.arpa"]``. If a function is missing, the error names it.
        """
        code, given = _split(functions)
        model = RerankModel.load(path, code)
        unused = code.keys() - {name for function in model.functions for name in _code_names(function)}
        if unused:
            raise ConfigError(f"{path}: the reranker has no feature '{min(unused)}'")
        if given:
            model = model.with_functions(given)
        model.check_code()
        made = cls.__new__(cls)
        made._functions, made._model, made._training = model.functions, model, None
        made._method = str(model.made_with.get("method", "expected-bleu"))
        made._learner, made._options = None, RerankOptions()
        return made

    def report(self) -> Page:
        """An HTML page with weights and learning curve: ``reranker.report().write("page.html")``."""
        if self._training is not None:
            return training_page(self._method.partition(":")[0], self._training)
        return model_page(self.model)

    @property
    def weights(self) -> dict[str, float]:
        """Weights by name: dense weights on scaled features, and nonzero sparse weights."""
        return self.model.weights()

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The dense features in order: those of the list, then the computed ones."""
        return self.model.feature_names

    @property
    def training(self) -> RerankTraining | None:
        """Results of training; None if the reranker was loaded or is not trained yet."""
        return self._training

    @property
    def model(self) -> RerankModel:
        """The trained model."""
        if self._model is None:
            raise NotTrainedError("the reranker has not been trained; call fit, or load a trained one")
        return self._model

    def __repr__(self) -> str:
        state = "not trained" if self._model is None else f"{len(self._model.feature_names)} features"
        return f"Reranker(method={self._method!r}; {state})"


def _split(
    functions: str | Iterable[FeatureSpec] | Mapping[str, Code] | None,
) -> tuple[dict[str, Code], list[FeatureFunction]]:
    """Code by name, and features that are named by their files."""
    if functions is None:
        return {}, []
    if isinstance(functions, Mapping):
        return dict(functions), []
    if isinstance(functions, str):
        return {}, as_functions(functions)
    items = list(functions)
    code = {
        name_of(item): item
        for item in items
        if callable(item) and not isinstance(item, str | FeatureFunction)
    }
    return code, as_functions([item for item in items if isinstance(item, str | FeatureFunction)])


def _code_names(function: FeatureFunction) -> tuple[str, ...]:
    return (function.name, str(getattr(function, "function", "")))
