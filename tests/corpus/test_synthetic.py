from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.corpus.synthetic.text import SyntheticCorpus, as_text, make_corpus, write_corpus
from isogloss.io.errors import ConfigError, OutputError
from support.properties import examples


@pytest.fixture(scope="module")
def corpus() -> SyntheticCorpus:
    return make_corpus(pairs=2000, seed=7, references=3)


def test_the_same_seed_gives_the_same_corpus_and_another_seed_another() -> None:
    assert make_corpus(50, seed=3) == make_corpus(50, seed=3)
    assert make_corpus(50, seed=3) != make_corpus(50, seed=4)


def test_it_never_changes() -> None:
    corpus = make_corpus(pairs=2, seed=1)
    assert as_text(corpus.source[1]) == (
        "The miller of the woman feeds the bad goats if a hungry farmer loses the light."
    )
    assert as_text(corpus.target[1]) == (
        "Agralo famo ga luzon gube esli, sela nu molaro va kozlarin mava nutre."
    )


def test_more_references_change_nothing_else(corpus: SyntheticCorpus) -> None:
    one = make_corpus(pairs=2000, seed=7)
    assert (one.source, one.target, one.alignment) == (corpus.source, corpus.target, corpus.alignment)
    assert all(len(side) == len(corpus) for side in corpus.references)


def test_references_agree_in_most_words_but_not_in_all(corpus: SyntheticCorpus) -> None:
    first, second = corpus.references[:2]
    differing = sum(a != b for a, b in zip(first, second, strict=True))
    assert 0.3 < differing / len(corpus) < 0.7
    shared = sum((Counter(a) & Counter(b)).total() for a, b in zip(first, second, strict=True))
    assert shared / sum(map(len, first)) > 0.9


@examples(20)
@given(seed=st.integers(0, 2**40))
def test_every_link_is_inside_its_sentences(seed: int) -> None:
    corpus = make_corpus(20, seed)
    for source, target, links in zip(corpus.source, corpus.target, corpus.alignment, strict=True):
        assert all(0 <= at < len(source) and 0 <= other < len(target) for at, other in links)
        assert links == sorted(set(links))
        assert all(token and not token.isspace() and " " not in token for token in source + target)


def test_numbers_names_and_ends_are_aligned_with_themselves(corpus: SyntheticCorpus) -> None:
    for source, target, links in zip(corpus.source, corpus.target, corpus.alignment, strict=True):
        assert (len(source) - 1, len(target) - 1) in links
        for at, other in links:
            if source[at][0].isdigit():
                assert source[at] == target[other]


def test_it_is_hard_where_translation_is_hard(corpus: SyntheticCorpus) -> None:
    crossing = sum(any(a < c and b > d for a, b in links for c, d in links) for links in corpus.alignment)
    assert crossing / len(corpus) > 0.6
    unaligned_source = sum(
        len(sentence) - len({at for at, _ in links})
        for sentence, links in zip(corpus.source, corpus.alignment, strict=True)
    )
    unaligned_target = sum(
        len(sentence) - len({other for _, other in links})
        for sentence, links in zip(corpus.target, corpus.alignment, strict=True)
    )
    assert unaligned_source > 0.05 * sum(map(len, corpus.source))
    assert unaligned_target > 0.05 * sum(map(len, corpus.target))
    counts = Counter(token for sentence in corpus.source for token in sentence)
    assert sum(count == 1 for count in counts.values()) > 0.2 * len(counts)
    train, _, test = corpus.split(dev=100, test=500)
    known = {token for sentence in train.source for token in sentence}
    words = [token for sentence in test.source for token in sentence]
    assert 0.005 < sum(word not in known for word in words) / len(words) < 0.05


def test_homographs_have_several_translations(corpus: SyntheticCorpus) -> None:
    found: Counter[str] = Counter()
    for source, target, links in zip(corpus.source, corpus.target, corpus.alignment, strict=True):
        found.update(target[other][:4] for at, other in links if source[at] == "crane")
    assert found["zhur"] > 2
    assert found["levi"] > 2


def test_split_keeps_sentences_apart() -> None:
    twice = make_corpus(300, seed=1)
    twice = SyntheticCorpus(
        source=twice.source * 2,
        references=[twice.target * 2],
        alignment=twice.alignment * 2,
    )
    train, dev, test = twice.split(dev=40, test=60)
    parts = [{tuple(sentence) for sentence in part.source} for part in (train, dev, test)]
    assert (len(dev), len(test)) == (40, 60)
    assert not parts[0] & parts[1]
    assert not parts[0] & parts[2]
    assert not parts[1] & parts[2]
    assert len(train) == 2 * 200
    with pytest.raises(ConfigError, match="600 pairs are too few for 400 dev and 300 test sentences"):
        twice.split(dev=400, test=300)


def test_written_files_are_parallel(tmp_path: Path) -> None:
    written = write_corpus(tmp_path / "new", pairs=120, seed=5, references=2)
    lines = {path.name: path.read_text(encoding="utf-8").splitlines() for path in written}
    assert {name: len(text) for name, text in lines.items()} == {
        "train.src": 120,
        "train.tgt": 120,
        "train.align": 120,
        "dev.src": 12,
        "dev.tgt.0": 12,
        "dev.tgt.1": 12,
        "test.src": 12,
        "test.tgt.0": 12,
        "test.tgt.1": 12,
    }
    assert not set(lines["train.src"]) & set(lines["dev.src"] + lines["test.src"])
    assert not set(lines["dev.src"]) & set(lines["test.src"])
    for links in lines["train.align"]:
        assert all(len(link.split("-")) == 2 for link in links.split())


def test_raw_text_looks_like_text(tmp_path: Path) -> None:
    write_corpus(tmp_path, pairs=50, seed=5, raw=True)
    text = (tmp_path / "train.src").read_text(encoding="utf-8")
    assert " ." not in text
    assert all(line[0].isupper() or line[0].isdigit() for line in text.splitlines())
    assert not (tmp_path / "train.align").exists()


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(OutputError, match=r"not empty \(it holds 'mine\.txt'\)"):
        write_corpus(tmp_path, pairs=10, seed=1)
    with pytest.raises(OutputError):
        write_corpus(tmp_path / "mine.txt", pairs=10, seed=1)


@pytest.mark.parametrize(("pairs", "references"), [(0, 1), (1, 0), (-3, 1)])
def test_impossible_sizes(pairs: int, references: int) -> None:
    with pytest.raises(ConfigError, match="at least 1 pair"):
        make_corpus(pairs, seed=1, references=references)
