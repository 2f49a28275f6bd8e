"""Kinds of placeholders, which must not be translated or split, and their patterns."""

from __future__ import annotations

__all__ = ["ACCELERATORS", "ALL_KINDS", "DEFAULT_KINDS", "HINT", "KINDS", "ORDER"]

_EXTENSIONS = (
    "avi|bat|bmp|bz2|cfg|conf|cpp|css|csv|dll|doc|docx|exe|gif|gz|htm|html|ini|jar|java|jpeg|jpg|js|json|log|md|"
    "mo|mp3|mp4|odt|ogg|pdf|php|png|po|pot|ppt|py|rb|rst|rtf|sh|so|sql|svg|tar|tgz|tmx|toml|ts|txt|wav|whl|xlf|"
    "xliff|xls|xlsx|xml|yaml|yml|zip"
)

# All patterns run in linear time: repetitions end at the character that another match could begin with.
KINDS: dict[str, str] = {
    # After a number, as in 20%discount, this is a format only if no letter follows. The other forms: %name%,
    # the numbers of Qt and KDE (%1), and the fields of dates (%Y).
    "printf": r"(?<![0-9])%[A-Za-z_][A-Za-z0-9_.-]{1,40}%(?![A-Za-z0-9%])"
    r"|%(?:%|(?:\([^()\s]+\)|[0-9]{1,2}\$|(?P<number>(?<=[0-9]%))|(?<![0-9]%))[-+#0]{0,4}"
    r"(?:\*|[0-9]{1,4})?(?:\.(?:\*|[0-9]{1,4}))?(?:hh|ll|[hlLqjzt])?[diouxXeEfFgGcrsaA@]"
    r"(?(number)(?![A-Za-z])))"
    r"|(?<![0-9])%(?:L?[1-9][0-9]?(?![0-9$])|[-_#EO]?[A-Za-z](?![A-Za-z]))",
    # {x}, ${x}, {{ x }}, {% x %}, { x }; arguments and formats of ICU and Python: {n, number}, {0:>{width}}
    "braces": r"\$?\{\{[^{}\n]*\}\}|\{%[^%{}\n]{0,200}%\}|[$#%]?\{[^\s{}]*\}|\{[ ]{1,3}[\w.$]{1,60}[ ]{1,3}\}"
    r"|\{[ ]{0,3}\w{1,60}[ ]{0,3},[ ]{0,3}(?:number|date|time|spellout|ordinal|duration)[ ]{0,3}"
    r"(?:,[^{}\n]{0,80})?\}"
    r"|\{\w{0,40}(?:[.!\[][^\s{}:]{0,60})?:(?!\s)(?:[^{}\n]|\{\w{0,40}\}){1,60}\}",
    "tags": r"</?[A-Za-z][A-Za-z0-9:._-]*(?:\s[^<>]*|/)?>",
    "entities": r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});",
    "urls": r"(?:https?|ftp)://[^\s<>\"]*[^\s<>\"'.,;:!?)\]}]",
    "emails": r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}",
    # snake_case, FOO_BAR, __init__, camelCase (but not iOS or eBay, which are words), call() and a.call()
    "identifiers": r"(?<![A-Za-z0-9_])(?:_{0,2}[A-Za-z][A-Za-z0-9]{0,63}(?:_[A-Za-z0-9]{1,63}){1,16}_{0,2}"
    r"|__[A-Za-z][A-Za-z0-9]{0,63}__"
    r"|[a-z]{2,32}[0-9]{0,4}(?:[A-Z][a-z0-9]{1,32}){1,8}[A-Z]{0,8}(?![A-Za-z0-9_]|\(\))"
    r"|[A-Za-z_][A-Za-z0-9_]{0,63}(?:\.[A-Za-z_][A-Za-z0-9_]{0,63}){0,8}\(\))(?![A-Za-z0-9_])",
    # /usr/lib, ~/file, ../file, C:\Windows, src/main.py and main.py; not and/or, nor km/h
    "paths": r"(?<![\w/.~:<-])(?:~|\.{1,2})?/[A-Za-z0-9_.+-]{0,63}[A-Za-z0-9_](?:/[A-Za-z0-9_.+-]{0,63}"
    r"[A-Za-z0-9_]){0,32}/?(?![\w/>])|(?<![A-Za-z0-9])[A-Za-z]:\\[A-Za-z0-9_.\\-]{0,255}[A-Za-z0-9_]"
    r"|(?<![\w/.-])(?:[A-Za-z0-9_.-]{1,63}/){0,16}[A-Za-z0-9_-]{1,63}"
    rf"(?:\.[A-Za-z0-9_-]{{1,63}}){{0,2}}\.(?:{_EXTENSIONS})(?![\w/]|\()",
    # 1.2.3, v2, 2.0.1-rc1; not 1.000.000, nor 24.12.2020
    "versions": r"(?<![\w.,-])(?:v[0-9]{1,9}(?:\.[0-9]{1,9}){0,4}"
    r"|(?![0-9]{1,3}(?:\.[0-9]{3})+(?![\w.]))(?![0-9]{1,2}\.[0-9]{1,2}\.(?:19|20)[0-9]{2}(?!\w))"
    r"[0-9]{1,9}(?:\.[0-9]{1,9}){2,4})(?:-?(?:alpha|beta|rc|dev|post)[.-]?[0-9]{0,9})?(?![\w]|\.[0-9])",
    "escapes": r"\t|\\(?:[abfnrtv\"'\\]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})",
    # &File in a long line or beside others; ``edges`` handles the only one of a label
    "accelerators": r"(?<![^\s(\[\"'])&[^\W\d_]\w*",
}
"""Patterns by kind."""

HINT = r"[ǁ%{<&@_/\\\t]|\(\)|[a-z0-9][A-Z]|\.[a-z]|v[0-9]|[0-9]\.[0-9]"
"""What every placeholder contains, whatever its kind, and few other texts. It is found eight times as fast
as a placeholder."""

DEFAULT_KINDS = ("printf", "braces", "tags", "entities")
"""Kinds that a translation must have as often as its source; otherwise programs break."""
ACCELERATORS = "accelerators"
ALL_KINDS = tuple(KINDS)
"""Kinds that are protected by default."""

ORDER = (
    "urls",
    "emails",
    "tags",
    "entities",
    "braces",
    "printf",
    "paths",
    "escapes",
    "identifiers",
    "versions",
    "accelerators",
)
"""Matching order: addresses come first because they may contain other kinds; identifiers come late because
other kinds contain them."""
