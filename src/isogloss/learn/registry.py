"""The registry of learners, one line each. All verbs and functions use these names.

A learner is a frozen dataclass of its options with a method ``learn`` (from a list to weights) or, if it
needs a decoder, ``tune`` (see ``isogloss.tuning.job``). To add one, write its file and a line in the table
below, or call ``register`` from your own code.

Wherever a method is named, its options may follow: ``NAME[:KEY=VALUE,...]``, such as
``batch-mira:iterations=30,decay=0.99``. Separate several numbers with ``+``.
"""

from __future__ import annotations

import importlib
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from isogloss.io.errors import ConfigError

if TYPE_CHECKING:
    from isogloss.learn.learner import Learner

__all__ = [
    "LearnerEntry",
    "canonical_method",
    "configured",
    "find_learner",
    "learner_names",
    "learner_options",
    "make_learner",
    "register",
    "split_method",
]

Warn = Callable[[str], None]


def _silent(message: str) -> None:
    """Ignores warnings."""


@dataclass(frozen=True, slots=True)
class LearnerEntry:
    """The description of a learner, available without importing its module."""

    name: str
    place: str | type
    """Its class, as ``module:Class`` or itself."""
    summary: str
    """One sentence for help texts."""
    sparse: bool = True
    """Whether it learns weights of sparse features."""
    needs_decoder: bool = False
    """Whether it decodes while it learns, so that a list alone is not enough."""
    gives_weights: bool = True
    """Whether its weights can be used in a decoder; otherwise it only reranks lists."""

    def load(self) -> Any:
        """Its class."""
        if isinstance(self.place, type):
            return self.place
        module, _, name = self.place.partition(":")
        return getattr(importlib.import_module(module), name)


def _entry(name: str, place: str, summary: str, **facts: bool) -> LearnerEntry:
    return LearnerEntry(name, f"isogloss.{place}", f"{summary}.", **facts)


_TABLE = (
    _entry(
        "auto",
        "tuning.choice:AutoOptions",
        "batch-mira, and online-mira as far as it gains on text that was not learned from",
        needs_decoder=True,
    ),
    _entry(
        "online-mira",
        "tuning.online:OnlineOptions",
        "Large margins, learned while decoding a few sentences at a time (Watanabe et al. 2007)",
        needs_decoder=True,
    ),
    _entry(
        "relevant-set",
        "tuning.relevant_set:RelevantSetOptions",
        "Sparse features, learned from the training text itself (Tillmann and Zhang 2006)",
        needs_decoder=True,
    ),
    _entry("mert", "learn.mert:Mert", "Exact line searches on the metric itself (Och 2003)", sparse=False),
    _entry("batch-mira", "learn.batch_mira:BatchMira", "Hope against fear on lists (Cherry and Foster 2012)"),
    _entry("pro", "learn.pro:Pro", "Logistic regression on pairs of candidates (Hopkins and May 2011)"),
    _entry("expected-bleu", "learn.expected:ExpectedScore", "The metric of the document to expect"),
    _entry(
        "splitting", "learn.splitting:Splitting", "The best candidates against the worst (Shen et al. 2004)"
    ),
    _entry(
        "ordinal", "learn.ordinal:OrdinalRegression", "Candidates of distant ranks in order (Shen et al.)"
    ),
    _entry("perceptron", "learn.perceptron:Perceptron", "The best candidate against the model's choice"),
    _entry("voted-perceptron", "learn.voted:VotedPerceptron", "All misordered pairs vote (Watanabe 2007)"),
    _entry("mbr", "learn.mbr:Mbr", "What agrees best with the rest", sparse=False, gives_weights=False),
)

_LEARNERS = {entry.name: entry for entry in _TABLE}

_OLD_NAMES = {
    "mira": "online-mira",
    "kbmira": "batch-mira",
    "expected": "expected-bleu",
    "voted": "voted-perceptron",
}


def register(entry: LearnerEntry) -> None:
    """Register your own learner for all verbs; replaces one with the same name."""
    if not entry.name or set(entry.name) & set(":,= \t\n") or entry.name in _OLD_NAMES:
        raise ConfigError(f"a learner cannot be called '{entry.name}'")
    _LEARNERS[entry.name] = entry


def learner_names(*, decoder: bool) -> tuple[str, ...]:
    """The names of learners for use with a decoder, or with a list only.

    >>> learner_names(decoder=False)[:3]
    ('mert', 'batch-mira', 'pro')
    """
    return tuple(name for name, entry in _LEARNERS.items() if _usable(entry, decoder))


def _usable(entry: LearnerEntry, decoder: bool) -> bool:
    return entry.gives_weights if decoder else not entry.needs_decoder


def find_learner(name: str, *, decoder: bool, warn: Warn = _silent) -> LearnerEntry:
    """The learner with this name; ``decoder`` says whether a decoder is available.

    An old name is accepted, and ``warn`` is called with the new one.

    >>> find_learner("kbmira", decoder=False, warn=print).name
    'kbmira' is now called 'batch-mira'
    'batch-mira'
    """
    current = _OLD_NAMES.get(name)
    if current is not None:
        warn(f"'{name}' is now called '{current}'")
    entry = _LEARNERS.get(current or name)
    known = ", ".join(learner_names(decoder=decoder))
    if entry is None:
        raise ConfigError(f"no method is called '{name}'; choose one of: {known}")
    if not _usable(entry, decoder):
        why = (
            "learns while it decodes, so it needs a decoder, and here is only an n-best list"
            if entry.needs_decoder
            else "learns to choose from an n-best list, not weights that a decoder can use"
        )
        raise ConfigError(f"the method '{entry.name}' {why}; choose one of: {known}")
    return entry


def split_method(method: str) -> tuple[str, dict[str, str]]:
    """Split a method into name and options.

    >>> split_method("splitting:margin=0.5,good=10")
    ('splitting', {'margin': '0.5', 'good': '10'})
    """
    name, _, rest = method.partition(":")
    options = {}
    for part in rest.split(",") if rest else []:
        key, equals, value = part.partition("=")
        if not equals:
            raise ConfigError(f"'{method}': KEY=VALUE is expected after the colon, found '{part}'")
        options[key] = value
    return name, options


def canonical_method(method: str, *, decoder: bool, warn: Warn = _silent) -> str:
    """The method with its current name, checked.

    >>> canonical_method("voted:average=yes", decoder=False)
    'voted-perceptron:average=yes'
    """
    configured(method, decoder=decoder)
    name, colon, rest = method.partition(":")
    return f"{find_learner(name, decoder=decoder, warn=warn).name}{colon}{rest}"


def learner_options(name: str, *, decoder: bool = False) -> list[str]:
    """The options of a method."""
    learner = find_learner(name, decoder=decoder).load()
    hints = typing.get_type_hints(learner)
    return [field.name for field in fields(learner) if _kinds(hints[field.name])]


def make_learner(
    method: str,
    options: Mapping[str, object] | None = None,
    *,
    usual: Mapping[str, object] | None = None,
    warn: Warn = _silent,
) -> Learner:
    """Make a list learner from its name, with options after the name or as arguments, as text or as values.

    ``usual`` has default settings that only some learners have, such as ``seed`` and ``threads``.

    >>> made = make_learner("splitting:margin=0.5", {"good": 10}, usual={"seed": 3, "threads": 2})
    >>> made  # doctest: +ELLIPSIS
    Splitting(... seed=3, curve=True, margin=0.5, good=10, bad=0.3)
    """
    learner: Learner = configured(method, options, decoder=False, usual=usual, warn=warn)
    return learner


def configured(
    method: str,
    options: Mapping[str, object] | None = None,
    *,
    decoder: bool,
    usual: Mapping[str, object] | None = None,
    bases: Sequence[object] = (),
    warn: Warn = _silent,
) -> Any:
    """Make a learner of either kind; options that are not given come from ``base``, if it has the same
    class."""
    name, written = split_method(method)
    entry = find_learner(name, decoder=decoder, warn=warn)
    learner = entry.load()
    hints = typing.get_type_hints(learner)
    there = [field.name for field in fields(learner)]
    values = {key: value for key, value in (usual or {}).items() if key in there}
    for key, value in {**written, **(options or {})}.items():
        if key not in there or (isinstance(value, str) and not _kinds(hints[key])):
            known = ", ".join(learner_options(entry.name, decoder=decoder))
            raise ConfigError(f"the method '{entry.name}' has no option '{key}'; it has: {known}")
        values[key] = _converted(entry.name, key, value, hints[key])
    base = next((one for one in bases if isinstance(one, learner)), None)
    return learner(**values) if base is None else replace(base, **values)


def _kinds(kind: Any) -> list[Any]:
    """The plain types among what an option can be."""
    alternatives = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    return [
        one
        for one in alternatives
        if one in (bool, int, float, str) or typing.get_origin(one) in (tuple, typing.Literal)
    ]


def _converted(name: str, key: str, value: Any, kind: Any) -> Any:
    if not isinstance(value, str):
        return value
    for wanted in _kinds(kind):
        if wanted is bool:
            if value.lower() in ("yes", "true", "no", "false"):
                return value.lower() in ("yes", "true")
            continue
        try:
            if typing.get_origin(wanted) is typing.Literal:
                return value  # the learner checks the allowed words
            if typing.get_origin(wanted) is tuple:
                of = typing.get_args(wanted)[0]
                return tuple(of(part) for part in value.split("+"))
            return wanted(value)
        except ValueError:
            continue
    raise ConfigError(f"{key} of the method '{name}' cannot be '{value}'")
