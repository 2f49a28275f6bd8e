"""Features that neural systems lack, against their definitions on lists small enough to count by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from isogloss.align import AlignmentModel
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.metric.interface import FloatArray
from isogloss.nbest import NbestStore
from isogloss.rerank.features import FeatureContext, computed
from isogloss.rerank.naming import parse_features
from support.rerank_lists import store_of


def column(
    spec: str, store: NbestStore, source: list[str] | None = None, *, training: bool = True
) -> tuple[list[str], FloatArray]:
    context = FeatureContext(store=store, source=source, training=training)
    groups, values, _ = computed(store, parse_features([spec]), context)
    return [group.name for group in groups], values


def test_preserved_counts_what_is_lost_and_what_is_added() -> None:
    source = ["%s kaufte 1.000 iPhone am 3. Mai"]
    store = store_of(
        {0: ["%s bought 1,000 iPhone on May 3", "bought 1000 phones on May 4", "%s %s bought iPhone"]}
    )
    names, values = column("preserved", store, source)
    assert names == ["LostNumbers", "LostPlaceholders", "LostNames", "LostAdded"]
    assert values.tolist() == [[0, 0, 0, 0], [-1, -1, -1, -1], [-2, 0, 0, -1]]


def test_repetition_is_relative_to_the_source() -> None:
    store = store_of({0: ["a b a b a b c", "the the cat", "x y z"]})
    names, values = column("repetition:order=2", store)
    assert names == ["RepeatedWords", "RepeatedPhrases", "RepeatedRun"]
    # "a b" three times and "b a" twice: three phrases are repetitions.
    assert values.tolist() == [[0, -3, -4], [-1, 0, -1], [0, 0, 0]]
    _, relative = column("repetition:order=2", store, ["sehr sehr gut"])
    assert relative.tolist() == [[0, -3, -3], [0, 0, 0], [0, 0, 0]]


def test_copying_ignores_numbers_and_punctuation() -> None:
    store = store_of({0: ["das Haus ist 3 .", "the house is 3 ."]})
    names, values = column("copying", store, ["Das Haus ist 3 ."])
    assert names == ["Copied", "CopiedRow"]
    assert values.tolist() == [[-3, -3], [0, 0]]


def test_terms_may_have_several_translations_and_words(tmp_path: Path) -> None:
    file = tmp_path / "terms.tsv"
    file.write_text("Festplatte\thard disk\nFestplatte\thard drive\nLinux\n", "utf-8")
    store = store_of({0: ["a Hard Disk with linux", "the hard drive", "a hardest diskette"], 1: ["no terms"]})
    _, values = column(f"terms:{file}", store, ["eine Festplatte mit Linux", "nichts"])
    assert values[:, 0].tolist() == [0, -1, -2, 0]


def test_length_model_is_normal_in_the_log_ratio(tmp_path: Path) -> None:
    source, target = tmp_path / "s", tmp_path / "t"
    pairs = [(n, m) for n in range(5, 9) for m in range(n, n + 12)]
    source.write_text("".join("x " * n + "\n" for n, _ in pairs), "utf-8")
    target.write_text("".join("y " * m + "\n" for _, m in pairs), "utf-8")
    ratios = np.log([(m + 1) / (n + 1) for n, m in pairs])
    mean, deviation = ratios.mean(), ratios.std()
    store = store_of({0: ["a b c", "a b c d e f g h i j"]})
    _, values = column(f"length-model:{source},target={target}", store, ["x x x x x x"])
    expected = [
        -0.5 * ((math.log((size + 1) / 7) - mean) / deviation) ** 2 - math.log(deviation) for size in (3, 10)
    ]
    assert values[:, 0].tolist() == pytest.approx(expected)
    target.write_text("y\n", "utf-8")
    with pytest.raises(DataFormatError, match=r"1 lines found, but .* has 48"):
        column(f"length-model:{source},target={target}", store, ["x"])


def test_language_tells_words_of_one_language_from_another(tmp_path: Path) -> None:
    english, german = tmp_path / "en", tmp_path / "de"
    english.write_text("the thing that they think of this\n" * 5, "utf-8")
    german.write_text("das ding das sie von diesem schönen denken\n" * 5, "utf-8")
    store = store_of({0: ["the thing", "the ding", "das ding", "12 ."]})
    names, values = column(f"language:{english},other={german}", store)
    assert names == ["Language", "LanguageWorst"]
    assert values[0, 0] > values[1, 0] > values[2, 0]
    assert values[0, 1] == 0 > values[1, 1]
    assert values[3].tolist() == [0, 0]


def test_memory_prefers_what_similar_sentences_were_translated_to(tmp_path: Path) -> None:
    source, target = tmp_path / "s", tmp_path / "t"
    source.write_text("der rote hund schläft\nein haus\nder hund bellt laut\n", "utf-8")
    target.write_text("the red dog sleeps\na house\nthe dog barks loudly\n", "utf-8")
    store = store_of({0: ["the red dog runs", "the scarlet hound runs"], 1: ["a house", "one home"]})
    spec = f"memory:{source},target={target},matches=2"
    names, values = column(spec, store, ["der rote hund rennt", "ein haus"])
    assert names == ["MemoryWords", "MemoryBigrams", "MemoryMean"]
    assert values[0, 0] > values[1, 0]
    assert values[0, 1] > values[1, 1] == 0
    # In training, the sentence itself is not in the memory; later, an exact match is worth most.
    assert values[2].tolist() == values[3].tolist() == [0, 0, 0]
    _, applied = column(spec, store, ["der rote hund rennt", "ein haus"], training=False)
    assert applied[2].tolist() == pytest.approx([1, 1, 0.5])  # the second match has nothing in common
    assert applied[3, 0] == 0


def test_coverage_sums_the_best_links_of_both_sides(tmp_path: Path) -> None:
    pairs = [("das haus", "the house"), ("das buch", "the book"), ("ein buch", "a book")] * 5
    AlignmentModel.train(pairs).save(tmp_path / "align")
    align = AlignmentModel.load(tmp_path / "align")
    store = store_of({0: ["the house", "the the", "the house tree", ""]})
    names, values = column(f"coverage:{tmp_path / 'align'},floor=0.01", store, ["das haus"])
    assert names == ["CoverageSource", "CoverageTarget"]
    nulls = {w: float(p) for w, p in zip(align.encoder.source.words(), align.source_null, strict=True)}
    own = {w: float(p) for w, p in zip(align.encoder.target.words(), align.target_null, strict=True)}
    for row, text in enumerate(store.texts()):
        words = text.split()
        source = sum(
            math.log(max(0.01, nulls[f], *(align.probability(f, e)[1] for e in words)))
            for f in ("das", "haus")
        )
        target = sum(
            math.log(max(0.01, own.get(e, 0), *(align.probability(f, e)[0] for f in ("das", "haus"))))
            for e in words
        )
        assert values[row].tolist() == pytest.approx([source, target], abs=1e-6)
    assert values[0, 0] > values[1, 0]


def test_crosses_have_a_weight_for_each_bin() -> None:
    store = store_of({0: ["a", "b"], 1: ["c", "d"]}, {"LM": [-1, -2, -3, -5]})
    names, values = column("cross:LM,edges=3+9", store, ["x x", "x x x x"])
    assert names == ["LMByLength1", "LMByLength2"]
    assert values.tolist() == [[0, 0], [0, 0], [0, 0], [-2, 0]]
    names, values = column("cross:LM,by=difficulty,edges=0.75", store)
    assert names == ["LMBySpread1"]
    assert values[:, 0].tolist() == [0, 0, 0, -2]
    with pytest.raises(ConfigError, match="needs the column 'TM'; the list has LM"):
        column("cross:TM", store, ["x", "y"])
    with pytest.raises(ConfigError, match="by must be one of source-length, difficulty, got 'x'"):
        column("cross:LM,by=x", store, ["x", "y"])
    with pytest.raises(ConfigError, match="needs the source text"):
        column("cross:LM", store)
