"""Which side of a sentence pair a joint model predicts, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from isogloss.io.errors import ModelFormatError
from isogloss.io.streams import StrPath

__all__ = ["JointReading", "Order", "Predicted"]

Predicted = Literal["target", "source"]
Order = Literal["left-to-right", "right-to-left"]
Words = Sequence[str]
Links = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class JointReading:
    """How a joint model reads sentence pairs. A search needs the default; a reranker can use all four.

    >>> reading = JointReading(predict="source", order="right-to-left")
    >>> reading.arranged(["das", "alte", "Haus"], ["the", "house"], [(0, 0), (2, 1)])
    (['house', 'the'], ['Haus', 'alte', 'das'], [(1, 2), (0, 0)])
    """

    predict: Predicted = "target"
    order: Order = "left-to-right"

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any], path: StrPath) -> JointReading:
        """The reading of a stored model; models of earlier versions have the default."""
        found = facts.get("reading", {})
        known = {"predict": get_args(Predicted), "order": get_args(Order)}
        if not isinstance(found, dict) or any(
            value not in known.get(key, ()) for key, value in found.items()
        ):
            raise ModelFormatError(
                f"reads sentences in a way that this version does not know: {found}", path, "train it again"
            )
        return cls(**found)

    def check_search(self, path: StrPath) -> None:
        """Raise an error if a search cannot use a model that reads so."""
        if self != JointReading():
            raise ModelFormatError(
                "predicts the source or from right to left, which only a reranker can use",
                path,
                "train one that predicts the target from left to right",
            )

    def to_facts(self) -> dict[str, Any]:
        """What a stored model says of it."""
        return {"reading": asdict(self)}

    def arranged(
        self, source: Words, target: Words, links: Links
    ) -> tuple[list[str], list[str], list[tuple[int, int]]]:
        """A sentence pair as the model sees it: what is given, what is predicted, and their links."""
        given, predicted, points = list(source), list(target), list(links)
        if self.predict == "source":
            given, predicted = predicted, given
            points = [(t, s) for s, t in points]
        if self.order == "right-to-left":
            points = [(len(given) - 1 - g, len(predicted) - 1 - p) for g, p in points]
            given.reverse()
            predicted.reverse()
        return given, predicted, points
