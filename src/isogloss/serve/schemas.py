"""Requests and answers of the service; the OpenAPI page is made from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

__all__ = [
    "Alternative",
    "CatalogEdit",
    "CatalogRow",
    "CatalogRows",
    "CatalogSave",
    "CheckAnswer",
    "CheckRequest",
    "CompleteAnswer",
    "CompleteRequest",
    "CorrectionList",
    "CorrectionRequest",
    "CorrectionRow",
    "ErrorAnswer",
    "EvaluateAnswer",
    "EvaluateRequest",
    "ExplainAnswer",
    "ExplainRequest",
    "Health",
    "MemoryAnswer",
    "MemoryRequest",
    "Ready",
    "RerankAnswer",
    "RerankRequest",
    "SystemFacts",
    "SystemList",
    "SystemSummary",
    "TermEntry",
    "TermList",
    "TermRequest",
    "TranslateAnswer",
    "TranslateRequest",
    "TranslatedText",
]

SystemName = Annotated[
    str | None, Field(description="Name of a system; by default the first one.", max_length=64)
]
Span = tuple[int, int] | None
MatchName = Literal["", "correction", "training", "near"]


class _Strict(BaseModel):
    """A request: an unknown field is an error."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ErrorDetail(BaseModel):
    """What went wrong."""

    code: str = Field(description="For programs.", examples=["too_long"])
    message: str = Field(description="For people.")


class ErrorAnswer(BaseModel):
    """The answer to a request that failed."""

    error: ErrorDetail


class Health(BaseModel):
    """The service runs."""

    status: Literal["ok"]


class Ready(BaseModel):
    """Whether every byte of every system was verified and the service translates."""

    ready: bool
    verified: bool
    systems: list[str]
    message: str = ""


class TermEntry(_Strict):
    """A term and the translation it must get; without one the term stays as it is."""

    term: str = Field(min_length=1, max_length=500, examples=["Old Town"])
    translation: str | None = Field(default=None, max_length=500, examples=["Altstadt"])


class TranslateRequest(_Strict):
    """Texts to translate, and how."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {"text": "Delete %s?"},
                {
                    "text": ["Open the file.", "Close the window."],
                    "nbest": 3,
                    "details": True,
                    "terms": [{"term": "file", "translation": "Datei"}],
                },
            ]
        },
    )
    system: SystemName = None
    text: str | list[str] = Field(description="A text, or several. A text is a sentence or a line.")
    nbest: int = Field(default=1, ge=1, le=100, description="Number of different translations of each text.")
    details: bool = Field(
        default=False,
        description="Also return tokens, their places in the texts, word alignment and unknown words.",
    )
    tokenized: bool = Field(default=False, description="The texts are tokens separated by spaces.")
    markup: bool = Field(
        default=False,
        description='`<t translation="Altstadt">old town</t>` gives a translation, `<t>` keeps the words.',
    )
    terms: list[TermEntry] | None = Field(
        default=None, max_length=1000, description="Instead of the terms that are stored with the system."
    )
    ignore_case: bool = Field(default=False, description="Ignore case when looking for `terms`.")
    weights: dict[str, FiniteFloat] | None = Field(
        default=None, max_length=1000, description="Weights of dense features, instead of the system's own."
    )
    time_limit: float | None = Field(
        default=None, gt=0, le=60, description="Seconds per text after which the search takes shortcuts."
    )
    matches: bool = Field(
        default=True, description="Return known translations (corrections, training text) as they are."
    )


class CandidateText(BaseModel):
    """One of several translations."""

    text: str
    score: float


class TranslationDetails(BaseModel):
    """Words of source and translation, and what belongs together."""

    source_tokens: list[str]
    tokens: list[str]
    source_spans: list[Span] = Field(description="Begin and end of each token in the source text.")
    spans: list[Span] = Field(description="Begin and end of each token in the translation.")
    alignment: list[tuple[int, int]] = Field(description="Pairs of source token and token, from 0.")
    unknown: list[str]


class TranslatedText(BaseModel):
    """A translation."""

    source: str
    text: str
    confidence: float = Field(
        description="From 0 to 1: the expected chrF divided by 100, if the engine has learned it."
    )
    score: float
    match: MatchName = Field(description="Where a known translation comes from; empty if the search made it.")
    candidates: list[CandidateText] | None = Field(default=None, description="The best `nbest` translations.")
    details: TranslationDetails | None = None


class TranslateAnswer(BaseModel):
    """Translations, in the order of the texts."""

    system: str
    translations: list[TranslatedText]


class ExplainRequest(_Strict):
    """A text whose translation is to be explained."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"text": "Open the file."}]}
    )
    system: SystemName = None
    text: str
    tokenized: bool = False
    strongest: int = Field(
        default=40, ge=1, le=1000, description="Features in each list, the strongest first."
    )


class RuleStep(BaseModel):
    """A rule of the derivation."""

    kind: str
    origin: str
    source: str
    target: str
    source_span: tuple[int, int]
    gaps: list[tuple[int, int]]
    target_span: tuple[int, int]


class FeaturePoints(BaseModel):
    """What a feature contributed to the score, and how much more than in the second-best translation."""

    name: str
    value: float
    weight: float
    points: float
    advantage: float


class ExplainAnswer(BaseModel):
    """Why a text got its translation from the search."""

    system: str
    source: str
    translation: str
    text: str
    score: float
    match: MatchName = Field(description="Where the translation comes from that is returned instead, if any.")
    used: str = Field(description="That translation; empty if the one of the search is returned.")
    derivation: list[RuleStep]
    groups: dict[str, float]
    dense: list[FeaturePoints]
    sparse: list[FeaturePoints]
    second: str | None
    second_text: str | None
    second_score: float | None


class CompleteRequest(_Strict):
    """A source and what a translator has typed of its translation so far."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"source": "Open the file.", "typed": "Öffnen Sie die D"}]},
    )
    system: SystemName = None
    source: str
    typed: str = Field(
        default="", description="The beginning of the translation; the last word may be half typed."
    )
    alternatives: int = Field(default=5, ge=0, le=20, description="Other ways to go on.")


class Alternative(BaseModel):
    """A way to go on."""

    text: str = Field(description="The next words.")
    completion: str = Field(description="All that follows.")
    score: float


class CompleteAnswer(BaseModel):
    """How the translation goes on."""

    system: str
    completion: str = Field(description="What follows the typed text, a space included where one is needed.")
    text: str = Field(description="The typed text with its completion.")
    next_word: str = Field(description="The completion up to the end of its first word.")
    match: str = Field(description="`correction` or `training` if the whole translation is known already.")
    edits: int = Field(description="Typed words that the search could not produce itself.")
    alternatives: list[Alternative]


class CorrectionRequest(_Strict):
    """A translation that the source must get from now on."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"source": "Open the file.", "target": "Öffnen Sie die Datei."}]},
    )
    system: SystemName = None
    source: str = Field(min_length=1)
    target: str = Field(min_length=1)


class CorrectionRow(BaseModel):
    """A correction."""

    number: int
    source: str
    target: str
    date: int = Field(description="Seconds since 1970.")


class CorrectionList(BaseModel):
    """Corrections, the newest first."""

    system: str
    total: int
    note: str = Field(description="Why corrections hold for the same source only; empty if they do not.")
    corrections: list[CorrectionRow]


class MemoryRequest(_Strict):
    """A text for which similar examples are wanted."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"text": "Open the file.", "size": 3}]}
    )
    system: SystemName = None
    text: str
    size: int = Field(default=10, ge=1, le=100)
    min_similarity: float = Field(default=0.2, ge=0, le=1)


class MemoryRow(BaseModel):
    """An example."""

    source: str
    target: str
    similarity: float
    origin: Literal["training", "correction"]
    number: int | None
    differences: list[tuple[Literal["same", "more", "less"], str]]


class MemoryAnswer(BaseModel):
    """Examples, the most similar first."""

    system: str
    examples: list[MemoryRow]


class TermRequest(TermEntry):
    """A term to store with a system."""

    system: SystemName = None


class TermList(BaseModel):
    """The terms that are stored with a system."""

    system: str
    terms: list[TermEntry]


class EvaluateRequest(_Strict):
    """Translations of one or several systems, and references."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "systems": {"old": ["a cat sits"], "new": ["the cat sat"]},
                    "references": ["the cat sat"],
                    "metrics": ["bleu", "chrf"],
                }
            ]
        },
    )
    systems: dict[str, list[str]] = Field(
        min_length=1, max_length=10, description="The first one is the baseline of the tests."
    )
    references: list[str | list[str]] = Field(min_length=1)
    metrics: list[Literal["bleu", "nist", "chrf", "ter"]] = Field(
        default=["bleu", "chrf"], min_length=1, max_length=4
    )
    worst: int = Field(default=10, ge=0, le=100, description="Sentences that differ most.")


class EvaluateAnswer(BaseModel):
    """Scores, intervals, tests, and the sentences that differ most."""

    sentences: int
    rows: list[dict[str, Any]]
    signatures: dict[str, str]
    differences: dict[str, list[dict[str, Any]]]
    warnings: list[str]


class RerankCandidate(_Strict):
    """A candidate of any system."""

    text: str
    score: FiniteFloat | None = None


class RerankRequest(_Strict):
    """N-best lists of any system."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {"lists": [[{"text": "a big house"}, {"text": "a large house"}, {"text": "big houses"}]]}
            ]
        },
    )
    lists: list[list[RerankCandidate]] = Field(min_length=1)
    utility: Literal["bleu", "chrf"] = "chrf"
    scale: float = Field(default=1.0, ge=0, le=1000, description="P(candidate) ∝ exp(scale · score).")


class RerankedCandidate(BaseModel):
    """A candidate with its expected utility."""

    text: str
    utility: float
    number: int = Field(description="Its place in the list that was given, from 0.")


class RerankAnswer(BaseModel):
    """The lists by minimum Bayes risk, the best candidate first."""

    lists: list[list[RerankedCandidate]]


class SystemSummary(BaseModel):
    """A system of this service."""

    name: str
    source_language: str
    target_language: str
    plain_text: bool = Field(description="Whether it reads and writes text; otherwise tokens.")
    corrections: int
    terms: int
    read_only: bool


class SystemList(BaseModel):
    """All systems."""

    version: str
    systems: list[SystemSummary]
    limits: dict[str, float]


class SystemFacts(SystemSummary):
    """How a system was made, and what it has learned."""

    made_by: str
    bytes: int
    options: dict[str, Any]
    weights: dict[str, float]
    strongest: dict[str, dict[str, float]]
    sparse_features: int
    training: dict[str, Any]
    retrain: dict[str, Any]


class CatalogRow(BaseModel):
    """An entry of a catalog."""

    number: int
    line: int
    source: str
    target: str
    state: Literal["empty", "draft", "fuzzy", "done"]
    confidence: float | None
    draft: str | None = Field(description="The translation of the system, if the entry is not done.")
    match: bool = Field(description="Whether the draft is a known translation.")
    fault: str = Field(description="What would break the program; empty if nothing.")
    context: str = ""


class CatalogRows(BaseModel):
    """A catalog with drafts for what is not translated."""

    system: str
    format: str
    digest: str
    rows: list[CatalogRow]


class CheckRequest(_Strict):
    """A message and its translation."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"source": "Delete %s?", "target": "Löschen?"}]},
    )
    source: str
    target: str
    formats: list[str] = Field(
        default=[], max_length=20, description="Flags of the entry, such as `c-format`."
    )


class CheckAnswer(BaseModel):
    """Whether a program that uses the translation would break."""

    fault: str = Field(description="What is wrong; empty if nothing.", examples=["'%s' is lost"])


class CatalogEdit(_Strict):
    """A change of an entry."""

    number: int = Field(ge=0)
    target: str
    accepted: bool = Field(
        default=True, description="Whether it is finished; otherwise it is marked for review."
    )


class CatalogSave(_Strict):
    """A catalog and its changes."""

    system: SystemName = None
    name: str = Field(max_length=255, examples=["messages.po"])
    content: str = Field(description="The bytes of the file, in base64.")
    edits: list[CatalogEdit]
