"""Feature functions against their definitions, on lists small enough to count by hand."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from isogloss.align import AlignmentModel
from isogloss.classes import WordClasses
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.learn.mbr import expected_utility, posterior
from isogloss.lm import LanguageModel
from isogloss.nbest import NbestList, NbestStore, Ragged, write_nbest
from isogloss.nbest.store import SparseFeatures
from isogloss.neural import JointOptions, source_positions
from isogloss.rerank.features import FeatureContext, computed
from isogloss.rerank.functions import FUNCTIONS
from isogloss.rerank.functions.brackets import unmatched
from isogloss.rerank.naming import parse_features
from support.exhaustive import Arc, Lattice, Match, Rule, Step
from support.joint_oracle import JointOracle
from support.rerank_lists import ARPA, store_of
from support.sparse_oracle import TokenTypes, events, feature_counts


def column(spec: str, store: NbestStore, source=None, **options):
    context = FeatureContext(store=store, source=source, **options)
    groups, values, sparse = computed(store, parse_features([spec]), context)
    return [group.name for group in groups], values, sparse


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    pairs = [("das haus", "the house"), ("das buch", "the book"), ("ein buch", "a book")] * 5
    path = tmp_path_factory.mktemp("models") / "align"
    AlignmentModel.train(pairs).save(path)
    return str(path)


def test_model1_is_the_product_of_sums_over_words(model: str) -> None:
    store = store_of({0: ["the house", "the new book", ""], 1: ["a book"]})
    source = [["das", "haus"], ["ein", "buch"]]
    names, values, _ = column(f"model1:{model},floor=1e-9", store, source)
    assert names == ["Model1Forward", "Model1Backward"]
    align = AlignmentModel.load(model)
    null_source = {w: float(p) for w, p in zip(align.encoder.source.words(), align.source_null, strict=True)}
    null_target = {w: float(p) for w, p in zip(align.encoder.target.words(), align.target_null, strict=True)}
    for row, (there, here) in enumerate([*[(0, text) for text in store.texts()][:3], (1, "a book")]):
        words, given = here.split(), source[there]
        forward = [
            (null_target.get(e, 0) + sum(align.probability(f, e)[0] for f in given)) / (len(given) + 1)
            for e in words
        ]
        backward = [
            (null_source.get(f, 0) + sum(align.probability(f, e)[1] for e in words)) / (len(words) + 1)
            for f in given
        ]
        for found, factors in zip(values[row], (forward, backward), strict=True):
            assert found == pytest.approx(sum(math.log(max(p, 1e-9)) for p in factors), rel=1e-5)


def test_the_joint_model_scores_words_where_they_are_aligned(model: str, tmp_path: Path) -> None:
    options = JointOptions(window=3, history=2, embedding=16, hidden=16)
    oracle = JointOracle(["das", "haus"], ["the", "house"], options, seed=1)
    oracle.model().save(tmp_path / "joint")
    source, texts = [["das", "haus"]], ["the house", "house the", ""]
    store = store_of({0: texts})

    def expected(links: list[list[tuple[int, int]]]) -> list[float]:
        positions = [
            source_positions(points, 2, len(text.split())) for text, points in zip(texts, links, strict=True)
        ]
        return [
            sum(oracle.sentence(source[0], text.split(), at))
            for text, at in zip(texts, positions, strict=True)
        ]

    with pytest.raises(ConfigError, match="needs word alignments"):
        column(f"joint:{tmp_path / 'joint'}", store, source)
    links = [[(0, 0), (1, 1)], [(1, 0), (0, 1)], []]
    flat = np.array([position for points in links for link in points for position in link], np.uint16)
    aligned = replace(store, alignment=Ragged(np.array([0, 4, 8, 8]), flat))
    names, values, _ = column(f"joint:{tmp_path / 'joint'}", aligned, source)
    assert names == ["Joint"]
    assert values[:, 0] == pytest.approx(expected(links), abs=1e-4)
    _, values, _ = column(f"joint:{tmp_path / 'joint'},aligner={model}", store, source)
    found = [AlignmentModel.load(model).align("das haus", text) for text in texts]
    assert values[:, 0] == pytest.approx(expected(found), abs=1e-4)


def test_missing_words_have_no_likely_translation(model: str) -> None:
    store = store_of({0: ["the house", "the book", ""]})
    _, values, _ = column(f"missing:{model}", store, [["das", "haus", "unbekannt"]])
    assert values[:, 0].tolist() == [0, -1, -2]


def test_language_models_over_words_classes_and_tags(tmp_path: Path) -> None:
    arpa, classes, tags = tmp_path / "lm.arpa", tmp_path / "classes", tmp_path / "tags"
    arpa.write_text(ARPA)
    classes.write_text("x\t2\ny\t3\n")
    tags.write_text("b c\nc z\n")
    lm = LanguageModel.load(arpa)
    _, words, _ = column(f"lm:{arpa}", store_of({0: ["b c", "c z"]}))
    np.testing.assert_allclose(words[:, 0], [lm.score(t) * math.log(10) for t in ("b c", "c z")])
    assert words[:, 1].tolist() == [0, -1]
    _, factors, _ = column(f"factor-lm:{arpa},tags={tags}", store_of({0: ["x y", "y y"]}))
    np.testing.assert_allclose(factors[:, 0], words[:, 0])
    class_arpa = tmp_path / "class.arpa"
    class_arpa.write_text(ARPA.replace("b", "2").replace("c", "3").replace("un3", "unc"))
    _, by_class, _ = column(f"class-lm:{class_arpa},classes={classes}", store_of({0: ["x y", "y unseen"]}))
    np.testing.assert_allclose(by_class[:, 0], words[:, 0])
    assert WordClasses.load(classes)["unseen"] == 0
    tags.write_text("b\nc z\n")
    with pytest.raises(DataFormatError, match=r"tags:1: 1 tags for the 2 words of the candidate"):
        column(f"factor-lm:{arpa},tags={tags}", store_of({0: ["x y", "y y"]}))


def test_brackets_and_quotation_marks() -> None:
    store = store_of({0: ["a ( b )", "a ( b", 'say " so "', 'say " so', "“ so", "plain"]})
    assert column("brackets", store)[1][:, 0].tolist() == [0, -1, 0, 0, 0, 0]
    assert column("quotes", store)[1][:, 0].tolist() == [0, 0, 0, -1, -1, 0]
    assert unmatched(list(")(")) == 2
    assert unmatched(list("([)]")) == 2


def test_lengths_score_and_columns(tmp_path: Path) -> None:
    store = store_of({0: ["a b c", ""], 2: ["a"]})
    names, values, _ = column("lengths:ratio=2", store, [["x"], ["x", "y"]])
    assert names == ["Length", "LengthRatio", "LengthDifference"]
    np.testing.assert_allclose(values[0], [3, math.log(3), -1])
    np.testing.assert_allclose(values[1], [0, math.log(0.5), -2])
    np.testing.assert_allclose(values[2], [1, math.log(0.5), -3])
    assert column("score", store)[1][:, 0].tolist() == [0, -1, -2]
    given = tmp_path / "numbers"
    given.write_text("1\n2\n3.5\n")
    assert column(f"column:{given},label=Comet", store)[1][:, 0].tolist() == [1, 2, 3.5]


def test_popularity_and_consensus_are_shares_of_the_list() -> None:
    store = store_of({0: ["a b", "a c", "a a"], 1: ["", "x"]})
    third = 1 / 3
    expected = [(1 + third) / 2, (1 + third) / 2, 1, 0, 0.5]
    np.testing.assert_allclose(column("popularity", store)[1][:, 0], expected)
    names, values, _ = column("consensus:scale=0,order=2", store)
    assert names == ["Consensus1", "Consensus2"]
    np.testing.assert_allclose(values[:, 0], expected)
    np.testing.assert_allclose(values[:, 1], [third, third, third, 0, 0])
    weighed = posterior(store.scores, store.sentence_offsets)
    bigram = column("consensus:order=2", store)[1][:, 1]
    np.testing.assert_allclose(bigram[:3], weighed[:3])


def test_samples_without_scores_count_as_often_as_they_were_drawn() -> None:
    drawn = [["a b", "a b", "a b", "c d"], ["x", "y"]]
    nbest = NbestList.from_outputs([{"samples": lines} for lines in drawn])
    assert np.isnan(nbest.scores).all()
    for spec in ("consensus:scale=0,order=1", "consensus:Count,scale=0,order=1"):
        np.testing.assert_allclose(column(spec, nbest.store)[1][:, 0], [3 / 4, 1 / 4, 1 / 2, 1 / 2])
    expected = column("expected:chrf,scale=0", nbest.store)[1][:, 0]
    np.testing.assert_allclose(expected, [3 / 4, 1 / 4, 1 / 2, 1 / 2])
    with pytest.raises(ConfigError, match="use scale=0 to give all samples the same weight"):
        column("expected:chrf", nbest.store)


@pytest.mark.parametrize(
    ("utility", "metric"), [("bleu", BLEU(tokenize="none", effective_order=True)), ("chrf", CHRF())]
)
def test_expected_utility_is_that_of_sacrebleu(utility: str, metric) -> None:
    texts = ["the cat sat on the mat", "a cat sat there", "the mat", "cat", ""]
    store = store_of({0: texts, 3: ["one"]})
    probabilities = posterior(store.scores / 3, store.sentence_offsets)
    pairs = np.array([[metric.sentence_score(h, [r]).score / 100 for r in texts] for h in texts])
    found = expected_utility(store, probabilities, utility=utility)
    np.testing.assert_allclose(found[:5], pairs @ probabilities[:5], atol=1e-12)
    assert found[5] == 1
    by_function = expected_utility(
        store, probabilities, utility=lambda h, r: metric.sentence_score(h, [r]).score / 100
    )
    np.testing.assert_allclose(by_function, found, atol=1e-12)
    two = expected_utility(store, probabilities, utility=utility, references=2)
    np.testing.assert_allclose(
        two[:5], pairs[:, :2] @ probabilities[:2] / probabilities[:2].sum(), atol=1e-12
    )
    again = expected_utility(store, probabilities, utility=utility, threads=2)
    np.testing.assert_array_equal(found, again)
    label = f"Expected{utility.capitalize()}"
    assert column(f"expected:{utility}", store)[0] == [label]


def test_agreement_with_another_list(tmp_path: Path) -> None:
    metric = BLEU(tokenize="none", effective_order=True)
    store = store_of({0: ["the cat sat", "a dog"], 2: ["x y"]})
    other = store_of({0: ["the cat sat down", "the dog"], 1: ["skipped"], 2: ["y z w", "x"]})
    write_nbest(other, tmp_path / "other", format="moses")
    names, values, _ = column(f"agreement:{tmp_path / 'other'}", store)
    assert names == ["AgreementBleu", *(f"Agreement{n}" for n in range(1, 5))]
    shares = posterior(other.scores, other.sentence_offsets)
    for row, rows in ((0, [0, 1]), (1, [0, 1]), (2, [3, 4])):
        scores = [metric.sentence_score(store.text(row), [other.text(r)]).score / 100 for r in rows]
        assert values[row, 0] == pytest.approx(np.dot(scores, shares[rows]))
    assert values[0, 1] == pytest.approx((1 + 2 * shares[0]) / 3)
    assert values[2, 1] == pytest.approx((shares[4] + shares[3]) / 2)
    write_nbest(other.select([0, 1]), tmp_path / "other", format="moses")
    with pytest.raises(DataFormatError, match="there are no candidates for sentence 2"):
        column(f"agreement:{tmp_path / 'other'}", store)


def with_phrases(store: NbestStore, *rows: list[list[int]]) -> NbestStore:
    from dataclasses import replace

    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    values = np.array([span for row in rows for span in row], np.uint16).reshape(-1, 4)
    return replace(store, segmentation=Ragged(offsets, values))


def test_segmentation_and_right_continuity() -> None:
    store = store_of({0: ["a b c d", "a b c d"]})
    phrases = with_phrases(store, [[0, 1, 0, 1], [2, 3, 2, 3]], [[0, 0, 1, 1], [1, 1, 0, 0], [2, 3, 2, 3]])
    assert column("segmentation", phrases)[1][:, 0].tolist() == [-0.5, -0.75]
    assert column("continuity", phrases)[1][:, 0].tolist() == [1.0, 0.0]
    with pytest.raises(ConfigError, match="needs the segmentation of every candidate"):
        column("continuity", store)


def with_links(store: NbestStore, *rows: list[list[int]]) -> NbestStore:
    from dataclasses import replace

    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    values = np.array([link for row in rows for link in row], np.uint16).reshape(-1, 2)
    return replace(store, alignment=Ragged(offsets, values))


def test_wrong_noun_positions(tmp_path: Path) -> None:
    tags = tmp_path / "tags"
    tags.write_text("NN NN V\nNN NN V\n")
    store = with_links(store_of({0: ["x y z", "y x z"]}), [[0, 0], [1, 1]], [[1, 0], [0, 1]])
    assert column(f"nouns:{tags}", store)[1][:, 0].tolist() == [0, -1]
    with pytest.raises(ConfigError, match="needs word alignments, and the list has none"):
        column(f"nouns:{tags}", store_of({0: ["x y z", "y x z"]}))


def named(features: SparseFeatures, row: int) -> dict[str, float]:
    names = features.names.words()
    begin, end = features.events.offsets[row : row + 2]
    return {
        names[column]: float(value)
        for column, value in zip(
            features.events.values[begin:end].tolist(), features.event_counts[begin:end], strict=True
        )
    }


def test_sparse_templates(model: str) -> None:
    store = with_links(store_of({0: ["a b b", "a c"]}), [[0, 0], [1, 1]], [[0, 0]])
    source = [["f", "g|h"]]
    spec = "sparse:pair+target_bigram+insertion+deletion,min_sentences=1"
    _, dense, (features,) = column(spec, store, source)
    assert dense.shape == (2, 0)
    # What all candidates share, such as the pair of a and f, tells nothing apart.
    assert named(features, 0) == {
        r"pair:b|g\|h": 1,
        "target_bigram:a|b": 1,
        "target_bigram:b|b": 1,
        "target_bigram:b|</s>": 1,
        "insertion:b|f": 1,
        r"insertion:b|g\|h": 1,
    }
    assert named(features, 1) == {
        "target_bigram:a|c": 1,
        "target_bigram:c|</s>": 1,
        "insertion:c|f": 1,
        r"insertion:c|g\|h": 1,
        r"deletion:a|g\|h": 1,
        r"deletion:c|g\|h": 1,
    }
    assert len(column("sparse:target_bigram", store, source)[2][0].names) == 0  # in one sentence only
    assert len(column("sparse:target_bigram", store, source, training=False)[2][0].names) == 5
    aligned = column(
        f"sparse:pair,path={model},min_sentences=1",
        store_of({0: ["the house", "the book"]}),
        [["das", "haus"]],
    )
    assert "pair:house|haus" in named(aligned[2][0], 0)


@pytest.mark.parametrize("phrases", [False, True], ids=["links only", "with phrases"])
@pytest.mark.parametrize("seed", range(6))
def test_sparse_templates_are_those_of_the_search(seed: int, phrases: bool, tmp_path: Path) -> None:
    """Against the slow reading of the templates' definitions, off the same steps."""
    rng = random.Random(seed)
    words = ["a", "b|", "longer", "<s>", "1999"]
    tags = {"a": ("N", "V"), "longer": ("A",)}
    (tmp_path / "tags").write_text("".join(f"{word}\t{' '.join(values)}\n" for word, values in tags.items()))
    source = rng.choices(words, k=rng.randint(2, 5))
    texts, links, segments, expected = {}, [], [], []
    types = ("surface", "suffix", "tag")
    oracle = TokenTypes(types, types[:2], {"tag": tags}, {})
    arcs = tuple(Arc(i, i + 1, word) for i, word in enumerate(source))
    templates = ["pair", "pair_bigram", "target_bigram", "insertion", "deletion"]
    if phrases:
        templates += ["rule", "source_phrase", "target_phrase", "shape", "distortion", "orientation"]
    while len(texts) < 4:
        cuts = sorted(rng.sample(range(1, len(source)), rng.randint(0, len(source) - 1))) if phrases else []
        spans = list(itertools.pairwise([0, *cuts, len(source)]))
        rng.shuffle(spans)
        target: list[str] = []
        steps, own_links, own_segments = [], [], []
        for begin, end in spans:
            made = rng.choices(words, k=rng.randint(1, 3))
            inner = [(s, t) for s in range(end - begin) for t in range(len(made)) if rng.random() < 0.4]
            rule = Rule(tuple(source[begin:end]), tuple(made), links=tuple(inner))
            steps.append(Step("phrase", (begin, end), Match(rule, 0, begin, end, arcs[begin:end], ()), ()))
            own_links += [[begin + s, len(target) + t] for s, t in inner]
            own_segments.append([begin, end - 1, len(target), len(target) + len(made) - 1])
            target += made
        if " ".join(target) in texts:
            continue
        texts[" ".join(target)] = None
        rng.shuffle(own_links)
        links.append(own_links)
        segments.append(own_segments)
        fired = events(Lattice(len(source), arcs), steps, hierarchical=False)
        expected.append(feature_counts(oracle, templates, fired))
    store = with_links(store_of({0: list(texts)}), *links)
    store = replace(
        store, segmentation=Ragged(_offsets(segments), np.array(list(itertools.chain(*segments)), np.uint32))
    )
    spec = f"sparse:{'+'.join(templates)},types=surface+suffix,source_column=tag={tmp_path / 'tags'}"
    [found] = column(f"{spec},min_sentences=1", store, [source])[2]
    shared = {n for n, c in expected[0].items() if all(other[n] == c for other in expected)}
    for row, counts in enumerate(expected):
        assert named(found, row) == {name: c for name, c in counts.items() if name not in shared}


def _offsets(rows: list[list[list[int]]]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)


def test_a_users_function(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def feature(source, candidate):\n    return len(candidate) - len(source)\n")
    store = store_of({0: ["a b", "a"]})
    assert column(f"python:{file}", store, [["x"]])[1][:, 0].tolist() == [1, 0]
    for text, message in [
        ("def feature(s, c):\n    return 'many'\n", "gave 'many' for candidate 1; a number is expected"),
        ("def feature(s, c):\n    return float('nan')\n", "is not a finite number for candidate 1"),
        ("x = 1\n", "there is no function 'feature'"),
        ("1 / 0\n", "ZeroDivisionError"),
    ]:
        file.write_text(text)
        with pytest.raises(ConfigError, match=message):
            column(f"python:{file}", store, [["x"]])


def test_what_is_written_wrongly_is_explained(tmp_path: Path) -> None:
    store = store_of({0: ["a"]}, {"LM": [1.0]})
    for spec, message in [
        ("bogus", "no feature function is called 'bogus'; known are: agreement, brackets, class-lm"),
        ("lm", "the feature function 'lm' needs a 'path': write lm:PATH"),
        ("lm:x,size=3", "the feature function 'lm' has no 'size'; it has: path, label"),
        ("lm:x,nonsense", "after a comma KEY=VALUE is expected, found 'nonsense'"),
        ("lm:x,path=y", "'path' is given twice"),
        ("consensus:scale=big", "scale of the feature function 'consensus' cannot be 'big'"),
        ("consensus:scale=inf", "scale of the feature function 'consensus' cannot be 'inf'"),
        ("consensus:NMT", "the list has no column 'NMT'; it has: LM"),
        ("consensus:order=9", "must be between 1 and 8"),
        ("expected:wer", "unknown utility 'wer'"),
        ("sparse:words", "unknown template 'words'"),
        ("sparse:hierarchical", "unknown template 'hierarchical'; choose from: pair, pair_bigram"),
        ("sparse:rule", "needs the segmentation of every candidate"),
        ("sparse:target_bigram,types=tag", "unknown token type 'tag'"),
        ("sparse:target_bigram,source_column=tag", "write NAME=FILE"),
        ("lengths", r"needs the source text: give source= \(--source\)"),
    ]:
        with pytest.raises(ConfigError, match=message):
            column(spec, store, None if spec == "lengths" else [["x"]])
    with pytest.raises(ConfigError, match="two features are called 'Length'"):
        computed(store, parse_features(["lengths", "lengths"]), FeatureContext(store=store, source=[["x"]]))


def test_every_function_can_be_written_and_read_again() -> None:
    given = {
        "class-lm": "path,classes=file",
        "factor-lm": "path,tags=file",
        "language": "path,other=file",
        "length-model": "path,target=file",
        "memory": "path,target=file",
        "nouns": "tags",
    }
    paths = (
        "agreement",
        "column",
        "coverage",
        "cross",
        "function",
        "joint",
        "lexicon",
        "lm",
        "missing",
        "model1",
        "python",
        "terms",
    )
    for name in FUNCTIONS:
        needs = name in paths
        spec = f"{name}:{given.get(name, 'path')}" if needs or name in given else name
        (function,) = parse_features([f"{spec},label=Z" if ":" in spec else f"{spec}:label=Z"])
        assert parse_features([function.written()]) == [function]
