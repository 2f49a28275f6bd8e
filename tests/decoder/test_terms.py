"""Lists of terms in the formats that people have."""

from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.corpus.processing import SideOptions, TextProcessing, TextSide
from isogloss.decoder import Sentence, Terms
from isogloss.io.errors import DataFormatError

TBX = """<?xml version="1.0"?><martif type="TBX" xml:lang="en"><text><body>
<termEntry id="1"><langSet xml:lang="fr"><tig><term>rien</term></tig></langSet>
<langSet xml:lang="en-US"><tig><term>pull request</term></tig></langSet>
<langSet xml:lang="de"><tig><term>Änderungsantrag</term></tig><tig><term>PR</term></tig></langSet></termEntry>
<termEntry id="2"><langSet xml:lang="en"><tig><term>only here</term></tig></langSet></termEntry>
</body></text></martif>"""


def found(terms: Terms, text: str) -> list[tuple[str, ...]]:
    return [part.translation for part in terms.apply(Sentence.of(text)).fixed]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", "pull request\tÄnderungsantrag\nGit\n"),
        ("a.csv", 'pull request,Änderungsantrag\n"Git"\n'),
        ("b.csv", "pull request;Änderungsantrag\nGit\n"),
        ("a.txt", "pull request\tÄnderungsantrag\n\nGit\n"),
    ],
)
def test_tables(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    terms = Terms.read(tmp_path / name)
    assert found(terms, "a pull request for Git") == [("Änderungsantrag",), ("Git",)]
    assert found(terms, "Pull request for git") == []
    relaxed = Terms.read(tmp_path / name, ignore_case=True)
    assert found(relaxed, "A Pull Request for GIT") == [("Änderungsantrag",), ("Git",)]


def test_tbx_in_the_languages_of_the_engine(tmp_path: Path) -> None:
    pytest.importorskip("defusedxml")
    (tmp_path / "a.tbx").write_text(TBX, encoding="utf-8")
    sides = [TextSide(SideOptions(language=code)) for code in ("en", "de")]
    terms = Terms.read(tmp_path / "a.tbx", TextProcessing(*sides))
    assert found(terms, "a pull request") == [("Änderungsantrag",)]
    assert len(terms) == 1
    with pytest.raises(DataFormatError, match="no entry has a term in both languages"):
        Terms.read(tmp_path / "a.tbx", TextProcessing(sides[1], TextSide(SideOptions(language="ja"))))


def test_terms_are_tokenized_as_the_engine_tokenizes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"user\'s guide (PDF)","Handbuch (PDF)"\n')
    text = TextProcessing()
    terms = Terms.read(tmp_path / "a.csv", text)
    assert found(terms, text.tokenize("the user's guide (PDF).")) == [("Handbuch", "(", "PDF", ")")]


def test_what_is_wrong_is_told_with_its_line(tmp_path: Path) -> None:
    for content, message in (
        ("a,b\nc,d,e\n", r"a\.csv:2: more than two"),
        ("a,b\na,c\n", "different translation"),
    ):
        (tmp_path / "a.csv").write_text(content)
        with pytest.raises(DataFormatError, match=message):
            Terms.read(tmp_path / "a.csv")
