"""Notes that tell an engine's draft from a person's translation, by a digest of source and draft.

isogloss: confidence 0.52, draft 3f2a91c0 of 1 2, not flagged

If somebody changes the draft, the digest no longer matches. Accepting it unchanged means removing the fuzzy
flag. A draft that was written without a flag says so; accepting it means removing the note.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b

__all__ = ["NOTE", "draft_digest", "draft_note", "untouched_drafts"]

NOTE = re.compile(
    r"isogloss: confidence [0-9.]+(?:, draft (?P<digest>[0-9a-f]{8})(?: of (?P<forms>[0-9 ]+))?"
    r"(?P<unflagged>, not flagged)?)?"
)
"""Pattern of an engine's note; earlier versions wrote only the confidence."""


def draft_digest(source: str, translations: Sequence[str]) -> str:
    """Return eight hexadecimal digits that change when the source or a translation changes."""
    text = "\0".join([source, *translations])
    return blake2b(text.encode(errors="surrogatepass"), digest_size=4).hexdigest()


def draft_note(
    confidence: float, source: str, forms: Mapping[int, str], *, plural: bool, flagged: bool
) -> str:
    """Return the note of an entry in which some forms are drafts."""
    numbers = sorted(forms)
    digest = draft_digest(source, [forms[number] for number in numbers])
    which = f" of {' '.join(map(str, numbers))}" if plural else ""
    return f"isogloss: confidence {confidence:.2f}, draft {digest}{which}{'' if flagged else ', not flagged'}"


def untouched_drafts(comment: str, source: str, forms: Mapping[int, str], *, flagged: bool) -> set[int]:
    """Return the forms of an entry that are drafts and that nobody has changed or accepted.

    >>> note = draft_note(0.5, "Open", {0: "Öffnen"}, plural=False, flagged=True)
    >>> untouched_drafts(note, "Open", {0: "Öffnen"}, flagged=True)
    {0}
    >>> untouched_drafts(note, "Open", {0: "Aufmachen"}, flagged=True)
    set()
    """
    for match in NOTE.finditer(comment):
        if match["digest"] is None or not (flagged or match["unflagged"]):
            continue
        numbers = [int(number) for number in (match["forms"] or "0").split()]
        if match["digest"] == draft_digest(source, [forms.get(number, "") for number in numbers]):
            return set(numbers)
    return set()
