"""Fuzz targets: one for each parser of text, with seeds that are valid and a dictionary of what matters in it."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import zstandard

from isogloss._engine import RuleFormat, RuleImport, Vocabulary
from isogloss.align.gold import read_gold
from isogloss.align.links import Alignments
from isogloss.catalog.checks import fault
from isogloss.catalog.fill import open_catalog
from isogloss.catalog.icu import icu_parts
from isogloss.catalog.messages import Draft
from isogloss.catalog.options import FillOptions
from isogloss.classes import WordClasses
from isogloss.corpus.formats import FORMATS
from isogloss.corpus.placeholders import ALL_KINDS, Protector, restore
from isogloss.corpus.po import decoded_lines
from isogloss.corpus.term_lists import read_terms
from isogloss.decoder import parse_markup, parse_plf, read_weights
from isogloss.decoder.terms import Terms
from isogloss.features.columns import TokenColumn
from isogloss.grammar import import_rules
from isogloss.grammar.storage import steps
from isogloss.io.config import read_description
from isogloss.io.streams import naming_file, read_lines
from isogloss.lm.arpa import read_arpa
from isogloss.nbest import read_nbest
from isogloss.pipeline.train_options import TrainOptions
from isogloss.rerank.options import RerankOptions

__all__ = ["PARSERS", "Target"]


@dataclass(frozen=True, slots=True)
class Target:
    """Reads what it is given; a mistake of the user's is a ``UserError``, everything else a finding."""

    name: str
    run: Callable[[bytes, Path], object]
    """Gets the input, and a folder for files that it needs."""
    seeds: tuple[bytes, ...]
    words: tuple[bytes, ...] = field(default=(), repr=False)
    """What mutations insert: keywords, and numbers at the edges of their types."""


# Made once: a target runs a million times.
_FILL = FillOptions()
_PROTECTORS = (Protector(ALL_KINDS), Protector(("printf", "tags")))


def _from_file(read: Callable[[Path], object], name: str) -> Callable[[bytes, Path], object]:
    path = Path(name)

    def run(data: bytes, folder: Path) -> object:
        nonlocal path
        if path.parent.parent != folder:
            path = folder / "text" / name
            path.parent.mkdir(exist_ok=True)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.write(file, data)
        os.close(file)
        found = read(path)
        return list(found) if isinstance(found, Iterable) and not isinstance(found, str | bytes) else found

    return run


def _pairs(format: str) -> Callable[[Path], object]:
    return lambda path: list(FORMATS[format].read([path]))


def _filled(path: Path) -> None:
    """Fill a catalog, and see that it is a catalog in which nothing is left to fill."""
    catalog = open_catalog(path, _FILL, target_language="de")
    messages = catalog.messages()
    drafts = [None if catalog.refuses(message) else Draft(message, 0.5) for message in messages]
    path.write_bytes(catalog.filled(drafts))
    again = open_catalog(path, _FILL, target_language="de")
    left = sum(draft is None for draft in drafts)
    assert len(again.messages()) <= left + sum(not message.strip() for message in messages), "not filled"


def _rules(path: Path, format: str) -> None:
    """Read a table; store one in fifty of them, which takes most of the time."""
    if zlib.crc32(path.read_bytes()) % 50 == 0:
        import_rules(path, path.with_name("rules"), format=format)
        return
    scratch = path.with_name("scratch")  # one for all: its sorted runs are removed with the importer
    scratch.mkdir(exist_ok=True)
    with naming_file(path):
        rules = RuleImport(str(scratch), memory=1 << 20)
        rules.add("\n".join(read_lines(path)).encode(), line=1, format=RuleFormat[format])
        for _ in steps(rules.merge, 1 << 16):
            pass


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _protect(data: bytes, folder: Path) -> None:
    text = _text(data)
    for protector in _PROTECTORS:
        marked, placeholders = protector.protect(text)
        restore(marked, placeholders)
        fault(text, text[::-1], protector, {"c-format"})


PO = (
    b'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\nPlural-Forms: nplurals=2; plural=n != 1;\\n"\n\n'
    b'#. note\n#, c-format, fuzzy\n#| msgid "old"\nmsgctxt "menu"\nmsgid "Delete %s?"\nmsgstr "L\xc3\xb6sche %s?"\n\n'
    b'msgid "one file"\nmsgid_plural "%d files"\nmsgstr[0] ""\nmsgstr[1] ""\n\n#~ msgid "a"\n#~ msgstr "b"\n',
    b'msgid ""\nmsgstr "Content-Type: text/plain; charset=latin-1\\n"\n\nmsgid "a\\x41\\n"\n"b"\nmsgstr "\xe9"\n',
)
XLIFF = (
    b'<?xml version="1.0"?>\n<xliff version="1.2"><file source-language="en" target-language="de"><body><group>'
    b'<trans-unit id="1" resname="x"><source>a <g id="1">b</g><x id="2"/></source><target state="new">c</target>'
    b'<note from="isogloss">draft</note></trans-unit></group></body></file></xliff>',
    b'<xliff version="2.0" srcLang="en" trgLang="de"><file id="f"><unit id="u"><segment><source>a<pc id="1">b</pc>'
    b"</source></segment><segment><source>c</source><target/></segment></unit></file></xliff>",
)
TMX = (
    b'<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body><tu tuid="1"><prop type="x-context">m</prop>'
    b'<tuv xml:lang="en"><seg>a <bpt i="1">&lt;b></bpt>b<ept i="1"/></seg></tuv><tuv xml:lang="de"><seg>c</seg></tuv>'
    b"</tu></body></tmx>",
)
TBX = (
    b'<martif type="TBX"><text><body><termEntry><langSet xml:lang="en"><tig><term>river</term></tig></langSet>'
    b'<langSet xml:lang="de"><tig><term>Fluss</term></tig></langSet></termEntry></body></text></martif>',
)
XML_WORDS = (
    b"<!ENTITY a 'b'>",
    b"<![CDATA[",
    b"]]>",
    b"<!--",
    b"&#x0;",
    b"&amp;",
    b"</",
    b"/>",
    b"encoding='utf-16'",
)
NUMBERS = (
    b"1e308",
    b"-1e308",
    b"nan",
    b"inf",
    b"-0",
    b"4294967296",
    b"18446744073709551616",
    b"1e-320",
    b"\xff",
    b"\0",
)
ARPA = (
    b"\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\t-0.3\n-0.5\ta\t-0.2\n-0.7\t</s>\n\n\\2-grams:\n"
    b"-0.1\t<s> a\n-0.2\ta </s>\n\n\\end\\\n",
)
MOSES = (
    b"0 ||| a b ||| lm= -1.5 tm= 1 2 ||| -3.5\n0 ||| a c ||| lm= -2 tm= 1 0 ||| -4\n1 ||| d ||| lm= 0 tm= 0 0 ||| 0\n",
)
JSONL = (
    b'{"sentence":0,"text":"a b","score":-1.5,"features":{"lm":-1,"pair:a|b":2}}\n{"sentence":0,"text":"c"}\n',
    b'{"choices":[{"message":{"content":"a"},"logprobs":{"content":[{"token":"a","logprob":-0.5}]}}]}\n',
    b'[{"outputs":[{"text":"a","cumulative_logprob":-1.0}],"prompt":"b"}]',
    b'{"sentence_id": 0, "translations": ["a b"], "scores": [[-0.5]], "translation": "a b"}\n',
)
FAIRSEQ = (b"S-0\ta b\nT-0\tc\nH-0\t-0.5\tc d\nP-0\t-0.1 -0.4\nH-0\t-0.7\tc\nP-0\t-0.7\n",)
PHRASES = (b"a ||| b ||| 0.5 0.5 0.5 0.5 ||| 0-0 ||| 1 2 1\na c ||| b d ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1\n",)
HIERO = (b"[X] ||| a [X,1] ||| b [X,1] ||| 0.5 0.5 ||| 0-0\n",)

PARSERS: tuple[Target, ...] = (
    Target(
        "po",
        _from_file(_pairs("po"), "a.po"),
        PO,
        (b"msgstr[99]", b"charset=utf-16", b"\\x", b'"', b"n/(n-2)"),
    ),
    Target("po-lines", _from_file(decoded_lines, "a.po"), PO, (b"charset=idna", b"charset=CHARSET")),
    Target(
        "po-fill",
        _from_file(_filled, "a.po"),
        PO,
        (b'msgid ""', b"msgid_plural", b"plural=n/(n-2);", b"#, fuzzy"),
    ),
    Target("xliff", _from_file(_pairs("xliff"), "a.xlf"), XLIFF, XML_WORDS),
    Target(
        "xliff-fill", _from_file(_filled, "a.xlf"), XLIFF, (*XML_WORDS, b"<mrk mtype='seg'>", b"<ph id='1'>")
    ),
    Target("tmx", _from_file(_pairs("tmx"), "a.tmx"), TMX, XML_WORDS),
    Target("tmx-fill", _from_file(_filled, "a.tmx"), (TMX[0].replace(b"<seg>c", b"<seg>"),), XML_WORDS),
    Target("tbx", _from_file(read_terms, "a.tbx"), TBX, XML_WORDS),
    Target(
        "terms",
        _from_file(Terms.read, "a.tsv"),
        (b"river\tFluss\nold town\tAltstadt\n", b"a,b\n"),
        (b"\t", b'"'),
    ),
    Target(
        "placeholders",
        _protect,
        (b"Delete %s in {x}? <b>now</b> &amp; at https://a.b/c 1.2.3 foo_bar",),
        (b"%1$s",),
    ),
    Target(
        "icu",
        lambda data, folder: icu_parts(_text(data)),
        (b"In {n, plural, one {# file} other {{x, select, a {b} other {c}} files}}.",),
        (b"{n, plural, ", b"=1 {", b"}", b"'{", b"offset:1"),
    ),
    Target(
        "plf",
        lambda data, folder: parse_plf(_text(data)),
        (b"((('guten', -0.1, 1), ('gutes', -2.3, 2),), (('morgen', 0, 1),),)",),
        (*NUMBERS, b"((", b"'\\'"),
    ),
    Target(
        "markup",
        lambda data, folder: parse_markup(_text(data)),
        (b'das <t translation="Old Town">Alte Stadt</t> von <t>Foo &amp; Bar</t>',),
        (b"<t>", b"</t>", b"&#0;", b"&#x10ffff;"),
    ),
    Target("weights", _from_file(read_weights, "w"), (b"lm\t0.5\npair:a|b\t-1e-3\n",), NUMBERS),
    Target(
        "toml-train",
        _from_file(lambda path: read_description(TrainOptions, path), "a.toml"),
        (b'source = ["a.de"]\ntarget = ["a.en"]\nthreads = 2\n[tune]\nmethod = "mert"\n[lm]\norder = 4\n',),
        (b"[[tune]]", b"=1979-05-27", b"={}", b"=[[1]]", b"='''a'''", b"=nan", b"=true"),
    ),
    Target(
        "toml-rerank",
        _from_file(lambda path: read_description(RerankOptions, path), "a.toml"),
        (b'features = "lm:a.arpa length"\nmethod = "perceptron"\n',),
        (b"=[1]", b"={a=1}", b"=-1", b"=1e400"),
    ),
    Target(
        "nbest",
        _from_file(read_nbest, "list"),
        (*MOSES, *JSONL, *FAIRSEQ),
        (*NUMBERS, b" ||| ", b"F0= ", b"null", b"[]"),
    ),
    *(
        Target(
            f"nbest-{name}",
            _from_file(lambda path, name=name: read_nbest(path, format=name), "list"),
            seeds,
            NUMBERS,
        )
        for name, seeds in (
            ("moses", MOSES),
            ("marian", MOSES),
            ("fairseq", FAIRSEQ),
            ("jsonl", JSONL[:1]),
            ("sockeye", JSONL[3:]),
            ("samples", JSONL[1:3]),
            ("lines", (b"a\nb\n\nc\n",)),
        )
    ),
    Target(
        "arpa",
        _from_file(lambda path: read_arpa(path, Vocabulary()).order, "lm.arpa"),
        ARPA,
        (*NUMBERS, b"\\3-grams:", b"ngram 2=0", b"\\end\\", b"\t0.5\n"),
    ),
    Target(
        "links", _from_file(Alignments.read, "links"), (b"0-0 1-1\n\n2-0\n",), (*NUMBERS, b"65536-0", b"-1-0")
    ),
    Target("gold", _from_file(read_gold, "gold"), (b"0-0 1?1\n0-1\n",), NUMBERS),
    Target("classes", _from_file(WordClasses.load, "classes"), (b"a\t0\nb\t1\n",), NUMBERS),
    Target(
        "column", _from_file(TokenColumn.load, "column"), (b"houses\thouse\nran\trun go\n",), (b"\t\t", b" ")
    ),
    *(
        Target(
            f"rules-{name}",
            _from_file(partial(_rules, format=name), "table"),
            seeds,
            (*NUMBERS, b" ||| ", b"[X,2]", b"9-9"),
        )
        for name, seeds in (("moses", PHRASES), ("hiero", HIERO))
    ),
    Target(
        "compressed",
        _from_file(read_lines, "a"),
        (
            gzip.compress(b"a\nb\n", mtime=0),
            zstandard.compress(b"a\nb\n"),
            b"\x50\x2a\x4d\x18\x01\0\0\0x" + zstandard.compress(b"a"),
        ),
        (b"\x1f\x8b", b"\x28\xb5\x2f\xfd"),
    ),
)
