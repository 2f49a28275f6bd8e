"""The engines of a service, by name: loaded once, loaded again when they were trained again."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from isogloss.decoder import Decoder, Sentence, Source, System, Terms, load
from isogloss.decoder.beside import beside
from isogloss.io.errors import ConfigError
from isogloss.io.streams import StrPath
from isogloss.serve.examples import NearestExamples
from isogloss.serve.refusals import RefusedError
from isogloss.serve.stored_terms import StoredTerms

__all__ = ["Engine", "Engines", "engine_names"]

_WEIGHTED = 4  # decoders with weights of their own that are kept
_TAG = re.compile(r"<t(?:\s+translation\s*=\s*\"([^\"<]*)\")?\s*>([^<]*)</t\s*>")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&"}


def engine_names(folders: Sequence[StrPath]) -> dict[str, Path]:
    """A name for each folder: its own, unless ``NAME=FOLDER`` gives another.

    >>> list(engine_names(["engines/de", "french=engines/fr"]))
    ['de', 'french']
    """
    found: dict[str, Path] = {}
    for given in map(str, folders):
        name, equals, folder = given.partition("=")
        path = Path(folder if equals else given)
        name = name if equals else path.resolve().name
        if not re.fullmatch(r"[\w][\w.-]{0,63}", name):
            raise ConfigError(f"'{name}' is not the name of an engine; give one: NAME={path}")
        if name in found:
            raise ConfigError(f"two engines are called '{name}'; give one of them a name: NAME={path}")
        found[name] = path
    return found


class Engine:
    """An engine, with what the service keeps for it. Threads may share it."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self._lock = threading.Lock()
        self._system = load(folder, corrections=True, matches=True)
        self._stamp = self._stamped()
        self.examples = NearestExamples(self._system)
        self.terms = StoredTerms(beside(self._system.path, "terms.tsv"))
        self._terms: tuple[object, Terms | None] = (None, None)
        self._weighted: OrderedDict[tuple[tuple[str, float], ...], System] = OrderedDict()

    def system(self) -> System:
        """The system as it is stored now."""
        stamp = self._stamped()
        if stamp != self._stamp:
            with self._lock:
                if stamp != self._stamp:
                    self._system = load(self.folder, corrections=True, matches=True)
                    self.examples = NearestExamples(self._system)
                    self._weighted.clear()
                    self._terms = (None, None)
                    self._stamp = stamp
        return self._system

    def _stamped(self) -> tuple[int, int]:
        facts = (self._system.path / "system.json").stat()
        return facts.st_mtime_ns, facts.st_ino

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target language; ``und`` if unknown."""
        text = self._system.text
        if text is None:
            return "und", "und"
        return text.source.options.language or "und", text.target.options.language or "und"

    def weighted(self, weights: Mapping[str, float]) -> System:
        """The system with other weights for some dense features."""
        system = self.system()
        unknown = sorted(weights.keys() - system.weights.keys())
        if unknown:
            raise RefusedError(422, "unknown_feature", f"the engine has no feature '{unknown[0]}'")
        key = tuple(sorted(weights.items()))
        with self._lock:
            found = self._weighted.pop(key, None)
            if found is None:
                decoder: Decoder = system.decoder.copy()
                decoder.set_weights({**system.weights, **weights}, system.decoder.sparse_weights)
                found = system.with_decoder(decoder)
            self._weighted[key] = found
            while len(self._weighted) > _WEIGHTED:
                self._weighted.popitem(last=False)
        return found

    def known_terms(self) -> Terms | None:
        """The terms that are stored with the engine."""
        stamp, rows = self.terms.read()
        if self._terms[0] != stamp:
            made = Terms.of(rows, self.system().text, where=f"terms of {self.name}") if rows else None
            self._terms = stamp, made
        return self._terms[1]

    def set_term(self, term: str, translation: str | None) -> None:
        """Store a term, if the engine can use it along with the others."""
        others = [row for row in self.terms.read()[1] if row[0] != term]
        Terms.of([*others, (term, translation)], self.system().text, where="terms")
        self.terms.set(term, translation)

    def source(
        self, text: str, *, tokenized: bool = False, markup: bool = False, terms: Sequence[Terms] = ()
    ) -> Source:
        """A text as the system reads it; ``markup`` gives translations of some of its words."""
        processing = None if tokenized else self.system().text
        if markup:
            text, given = _without_markup(text)
            if given:
                terms = [Terms.of(given, processing, where="markup"), *terms]
        if not terms:
            return text
        sentence = Sentence.of(text if processing is None else processing.tokenize(text), text=text)
        for some in terms:
            sentence = some.apply(sentence)
        return sentence if sentence.fixed else text


class Engines:
    """All engines of the service."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._engines = {name: Engine(name, folder) for name, folder in folders.items()}

    def __iter__(self) -> Iterator[Engine]:
        return iter(self._engines.values())

    def named(self, name: str | None) -> Engine:
        """The engine with a name, or the first."""
        if name is None:
            return next(iter(self._engines.values()))
        if name not in self._engines:
            raise RefusedError(404, "unknown_system", f"there is no system '{name}'")
        return self._engines[name]

    def between(self, source: str, target: str) -> Engine:
        """The first engine between two languages; ``auto`` stands for any source."""
        for engine in self._engines.values():
            own = [code.split("-")[0] for code in engine.languages]
            if source in ("auto", engine.languages[0], own[0]) and target in (engine.languages[1], own[1]):
                return engine
        raise RefusedError(400, "unknown_language", f"{source} to {target} is not supported")


def _without_markup(text: str) -> tuple[str, list[tuple[str, str | None]]]:
    """The text without its tags, and the translations that they give."""
    given: list[tuple[str, str | None]] = []

    def plain(part: str) -> str:
        for entity, character in _ENTITIES.items():
            part = part.replace(entity, character)
        return part

    out, done = "", 0
    for match in _TAG.finditer(text):
        words = plain(match[2])
        if words.strip():
            given.append((words.strip(), None if match[1] is None else plain(match[1])))
        out += plain(text[done : match.start()]) + words
        done = match.end()
    if "<t>" in (left := text[done:]) or "</t" in left or "<t " in left:
        raise RefusedError(422, "bad_markup", "a <t> is not closed, or has other tags inside")
    return out + plain(left), given
