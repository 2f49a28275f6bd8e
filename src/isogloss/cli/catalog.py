"""What ``isogloss translate`` does with a catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.cli import console

if TYPE_CHECKING:
    from isogloss.decoder import System, Terms

__all__ = ["translate_catalog"]

_UNSURE = 0.3


def translate_catalog(
    system: System,
    path: str,
    output: str,
    *,
    confidence: str | None,
    terms: Terms | None,
    threads: int,
    languages: tuple[str, str],
) -> None:
    """Fill a catalog and say how sure that is."""
    from isogloss.catalog import MessageTranslator, fill_catalog
    from isogloss.io.streams import atomic_output

    translator = MessageTranslator(system, threads=threads, terms=terms)
    own = system.text.target.options.language if system.text is not None else ""
    filled = fill_catalog(
        path,
        output,
        translator,
        source_language=languages[0],
        target_language=languages[1] or own,
        track=console.track,
    )
    if confidence is not None:
        rows = zip(filled.lines, filled.messages, filled.drafts, strict=True)
        with atomic_output(confidence) as stream:
            stream.write("line\tconfidence\tmessage\ttranslation\n")
            for line, message, draft in sorted(rows, key=lambda row: (row[2].confidence, row[0])):
                texts = (" ".join(text.split()) for text in (message, draft.text))
                stream.write("\t".join([str(line), f"{draft.confidence:.3f}", *texts]) + "\n")
    unsure = sum(draft.confidence < _UNSURE for draft in filled.drafts)
    console.note(
        f"{output}: {len(filled.drafts):,} filled as drafts, {filled.translated:,} left as they were; "
        f"mean confidence {filled.confidence:.2f}, {unsure:,} below {_UNSURE}"
    )
