"""Filled XLIFF files and memories: well-formed, and with nothing changed but what was empty."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from isogloss.catalog import Draft, FillOptions, fill_catalog
from isogloss.catalog.inline import Inline
from isogloss.corpus.tmx import read_tmx
from isogloss.corpus.xliff import read_xliff
from isogloss.io.errors import ConfigError, DataFormatError

pytest.importorskip("defusedxml")

SEGMENT = '<ph id="0">&lt;br></ph>A <g id="1">b &amp; <x id="2"/>c</g><bpt i="1">{</bpt> d <ept i="1">}</ept>'

XLIFF1 = f"""<?xml version="1.0" encoding="UTF-8"?>
<!-- kept --><x:xliff version="1.2" xmlns:x="urn:oasis:names:tc:xliff:document:1.2">
<x:file source-language="en" target-language="tv"><x:body>
  <x:trans-unit id="1">
    <x:source>{SEGMENT.replace("<", "<x:").replace("<x:/", "</x:")}</x:source>
    <x:note>kept</x:note>
  </x:trans-unit>
  <x:trans-unit id="2"><x:source>done</x:source><x:target state="final">fertig</x:target></x:trans-unit>
  <x:trans-unit id="3" translate="no"><x:source>never</x:source></x:trans-unit>
  <x:trans-unit id="4"><x:source>E</x:source><x:target state="new" xml:lang='tv'/></x:trans-unit>
</x:body></x:file></x:xliff>
"""
XLIFF2 = """<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="tv">
<file id="f"><unit id="1"><segment state="initial"><source>A <pc id="1">b</pc></source></segment>
<segment><source>done</source><target>fertig</target></segment></unit></file></xliff>
"""
TMX = """<?xml version="1.0" encoding="ISO-8859-1"?>
<tmx version="1.4"><header srclang="en"/><body>
<tu>
  <tuv xml:lang="en"><seg>Á <hi>b</hi></seg></tuv>
</tu>
<tu><tuv xml:lang="en"><seg>done</seg></tuv><tuv xml:lang="tv"><seg>fertig</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>E</seg></tuv><tuv xml:lang="tv"><seg></seg></tuv></tu>
</body></tmx>
"""


class Shouter:
    """Translates by capitals, but for tags."""

    target_language = ""

    def translate(self, messages: Sequence[str], **_: Any) -> list[Draft]:
        return [Draft(message.upper().replace("IG", "ig") + "<", 0.5) for message in messages]


def fill(text: str, tmp_path: Path, name: str, **languages: str) -> tuple[str, Any]:
    source, target = tmp_path / f"in.{name}", tmp_path / f"out.{name}"
    source.write_bytes(text.encode("latin-1" if "8859" in text else "utf-8"))
    result = fill_catalog(source, target, Shouter(), FillOptions(**languages))  # type: ignore[arg-type]
    filled = target.read_bytes().decode("latin-1" if "8859" in text else "utf-8")
    ElementTree.fromstring(target.read_bytes())
    return filled, result


def without(text: str, added: Sequence[str]) -> str:
    for part in added:
        assert text.count(part) == 1, part
        text = text.replace(part, "")
    return text


def test_xliff_1(tmp_path: Path) -> None:
    filled, result = fill(XLIFF1, tmp_path, "xlf")
    state = 'state="needs-review-translation" state-qualifier="mt-suggestion"'
    notes = re.findall('<x:note from="isogloss">confidence 0.50, draft [0-9a-f]{8}</x:note>', filled)
    segment = SEGMENT.replace("<", "<x:").replace("<x:/", "</x:")
    for small in ("b &", "c<", " d "):
        segment = segment.replace(small, small.upper())
    first = f"\n    <x:target {state}>{segment}&lt;</x:target>\n    {notes[0]}"
    second = f"<x:target xml:lang='tv' {state}>E&lt;</x:target>{notes[1]}"
    restored = filled.replace(second, "<x:target state=\"new\" xml:lang='tv'/>")
    assert without(restored, [first]) == XLIFF1
    assert (len(result.drafts), result.translated, list(result.lines)) == (2, 1, [4, 10])
    assert [pair.target for pair in read_xliff([tmp_path / "out.xlf"])] == ["fertig"]  # drafts are no text


def test_xliff_2(tmp_path: Path) -> None:
    filled, result = fill(XLIFF2, tmp_path, "xlf")
    state = 'state="translated" subState="isogloss:draft-0.50-[0-9a-f]{8}"'
    restored = re.sub(state, 'state="initial"', filled)
    assert without(restored, ['<target>A <pc id="1">B</pc>&lt;</target>']) == XLIFF2
    assert (len(result.drafts), result.translated) == (1, 1)


@pytest.mark.parametrize("empty", [False, True])
def test_a_missing_target_language_is_declared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty: bool
) -> None:
    """XLIFF 2 requires ``trgLang`` as soon as there is a target; a file without drafts stays as it is."""
    monkeypatch.setattr(Shouter, "target_language", "tv_BR")
    for whole, name in ((XLIFF1, "target-language"), (XLIFF2, "trgLang")):
        none = whole.replace(f' {name}="tv"', f" {name}=''" if empty else "")
        assert none != whole
        filled, result = fill(none, tmp_path, "xlf")
        declared = whole.replace(f' {name}="tv"', f' {name}="tv-BR"')
        at = whole.index(name)
        if not empty and name == "target-language":  # the last attribute: the tag is as if it had been there
            assert filled[: at + 24] == declared[: at + 24]
        assert filled.count(f'{name}="tv-BR"') == 1
        assert f"{name}=''" not in filled
        assert result.other_language == ""
        (tmp_path / "out.xlf").rename(tmp_path / "again.xlf")
        fill_catalog(tmp_path / "again.xlf", tmp_path / "out.xlf", Shouter())
        assert (tmp_path / "out.xlf").read_bytes() == (tmp_path / "again.xlf").read_bytes()
        kept, _ = fill(whole, tmp_path, "xlf")
        assert f'{name}="tv"' in kept
        assert "tv-BR" not in kept


def test_tmx(tmp_path: Path) -> None:
    filled, result = fill(TMX, tmp_path, "tmx", target_language="tv")
    props = re.findall('<prop type="x-isogloss">draft [0-9a-f]{8}, confidence 0.50</prop>', filled)
    first = f'\n  <tuv xml:lang="tv">{props[0]}<seg>Á <hi>B</hi>&lt;</seg></tuv>'
    second = f"{props[1]}<seg>E&lt;</seg>"
    restored = filled.replace(second, "<seg></seg>")
    assert without(restored, [first]) == TMX
    assert (len(result.drafts), result.translated) == (2, 1)
    assert [pair.target for pair in read_tmx([tmp_path / "out.tmx"])] == ["fertig"]


def one_line(units: str) -> str:
    return (
        '<xliff version="1.2"><file source-language="en" target-language="tv"><body>'
        f"{units}</body></file></xliff>"
    )


def test_a_suggestion_is_not_the_translation_of_a_unit(tmp_path: Path) -> None:
    alternative = "<alt-trans><source>b</source><target>old</target></alt-trans>"
    filled, result = fill(
        one_line(f'<trans-unit id="1"><source>a</source>{alternative}</trans-unit>'), tmp_path, "xlf"
    )
    assert list(result.messages) == ["a"]
    assert alternative in filled
    assert ">A&lt;</target>" in filled
    matches = '<m:matches xmlns:m="m"><m:match><source>b</source><target>old</target></m:match></m:matches>'
    text = XLIFF2.replace('<unit id="1">', f'<unit id="1">{matches}')
    filled, result = fill(text, tmp_path, "xlf")
    assert (len(result.drafts), matches in filled) == (1, True)


def test_units_on_one_line_do_not_stop_each_other(tmp_path: Path) -> None:
    units = "".join(
        f'<trans-unit id="{text}"><source>{text}</source></trans-unit>' for text in ("a", "b", "c %s")
    )
    source, target = tmp_path / "in.xlf", tmp_path / "out.xlf"
    source.write_text(one_line(units))
    result = fill_catalog(source, target, Shouter(), FillOptions())  # type: ignore[arg-type]
    assert [item.message for item in result.unfilled] == ["c %s"]  # %S is no %s
    assert list(result.messages) == ["a", "b"]
    assert target.read_text().count("<target") == 2


def test_divisions_of_a_unit_come_back(tmp_path: Path) -> None:
    divided = '<mrk mtype="seg" mid="1">a.</mrk> <mrk mtype="seg" mid="2">b</mrk>'
    unit = f"<source>a. b</source><seg-source>{divided}</seg-source>"
    for target in (
        "",
        "<target/>",
        '<target><mrk mtype="seg" mid="1"/> <mrk mtype="seg" mid="2"> </mrk></target>',
    ):
        filled, _ = fill(one_line(f'<trans-unit id="1">{unit}{target}</trans-unit>'), tmp_path, "xlf")
        assert f">{divided.replace('a.', 'A.').replace('>b<', '>B<')}&lt;</target>" in filled
        assert filled.count("<target") == 1


def test_groups_may_be_nested_deeper_than_python_calls_itself(tmp_path: Path) -> None:
    inside = '<trans-unit id="1"><source>a</source></trans-unit>'
    text = one_line("<group>" * 3000 + inside + "</group>" * 3000)
    (tmp_path / "in.xlf").write_text(text)
    result = fill_catalog(tmp_path / "in.xlf", tmp_path / "out.xlf", Shouter(), FillOptions())  # type: ignore[arg-type]
    assert list(result.messages) == ["a"]


def test_files_in_utf_16_come_back_in_utf_16(tmp_path: Path) -> None:
    for code in ("utf-16-le", "utf-16-be", "utf-16"):
        text = f'<?xml version="1.0" encoding="{code}"?>\r\n' + one_line(
            '<trans-unit id="1"><source>á</source></trans-unit>'
        )
        source, target = tmp_path / "in.xlf", tmp_path / "out.xlf"
        source.write_bytes(text.encode(code))
        result = fill_catalog(source, target, Shouter(), FillOptions())  # type: ignore[arg-type]
        assert list(result.messages) == ["á"]
        filled = target.read_bytes().decode(code)
        assert (filled[:60], filled[-30:]) == (text[:60], text[-30:])
        assert "Á&lt;</target>" in filled


@pytest.mark.parametrize(
    "raw",
    [
        'a <bpt i="1"><bpt i="2">&lt;b></bpt> x</bpt>bold<ept i="1"/>',
        "plain &lt;b&gt; &amp; text",
        SEGMENT,
        "<![CDATA[a < b]]>",
        "<!-- note -->x<sub>y<x/></sub>",
        "like ours: &lt;ig1&gt; <g id='1'>a</g>",
        "<ept i='9'>lost</ept> end",
    ],
)
def test_inline_elements_come_back(raw: str) -> None:
    inline = Inline.read(raw)
    written = inline.write(inline.text)
    assert ElementTree.tostring(ElementTree.fromstring(f"<a>{written}</a>"), method="text") == (
        ElementTree.tostring(ElementTree.fromstring(f"<a>{raw}</a>"), method="text").replace(
            b"<ig1>", b"<ig 1>"
        )
    )
    for tag, element in inline.tags.items():
        assert tag in inline.text
        assert element in raw


def test_what_cannot_be_filled_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--target-language"):
        fill(TMX, tmp_path, "tmx")
    with pytest.raises(DataFormatError, match="well-formed"):
        fill(XLIFF2[:-20], tmp_path, "xlf")
    with pytest.raises(
        DataFormatError, match="no unit has a text in 'en-GB'; the file's languages are en, tv"
    ):
        fill(TMX.replace('srclang="en"', 'srclang="en-GB"'), tmp_path, "tmx", target_language="tv")
    with pytest.raises(ConfigError, match="neither"):
        fill("some text", tmp_path, "txt")
