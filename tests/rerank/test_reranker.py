"""Rerankers as users hold them: any form of list in, strings out, nothing taken on trust."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from isogloss.io.errors import ConfigError, DataFormatError, NotTrainedError
from isogloss.learn.expected import ExpectedScore
from isogloss.metric import Metric
from isogloss.nbest import NbestList, make_nbest
from isogloss.rerank import FeatureContext, FeatureFunction, Reranker, RerankOptions
from support.rerank_lists import ARPA, sentences

LINES = sentences(30)
SOURCE = [line.upper() for line in LINES]


def small(seed: int = 1) -> NbestList:
    store = make_nbest([line.split() for line in LINES], candidates=6, seed=seed)
    return NbestList.from_store(store, source=SOURCE, references=LINES)


def shares_words(source: str, candidate: str) -> float:
    """How many words the candidate has in common with the source."""
    return float(len(set(source.lower().split()) & set(candidate.split())))


@dataclass(frozen=True, slots=True, kw_only=True)
class Words(FeatureFunction):
    name: ClassVar[str] = "test-words"
    most: int = 5
    label: str = "Words"

    def compute(self, context: FeatureContext) -> np.ndarray:
        return np.minimum(context.lengths(), self.most)


def test_every_form_of_list_source_and_references_gives_the_same(tmp_path: Path) -> None:
    nbest = small()
    nbest.write(tmp_path / "list")
    (tmp_path / "source").write_text("\n".join(SOURCE) + "\n")
    (tmp_path / "references").write_text("\n".join(LINES) + "\n")
    table = nbest.to_dict()
    forms = [
        (nbest, None, None),
        (nbest.store, LINES, SOURCE),
        (tmp_path / "list", tmp_path / "references", tmp_path / "source"),
        (str(tmp_path / "list"), [tmp_path / "references"], str(tmp_path / "source")),
        (table, [[line] for line in LINES], [line.split() for line in SOURCE]),
    ]
    trained = [
        Reranker("lengths:label=L consensus").fit(form, references, source=source)
        for form, references, source in forms
    ]
    for reranker in trained[1:]:
        assert reranker.weights == trained[0].weights
    chosen = [
        reranker.rerank(form, source=source).best()
        for reranker, (form, _, source) in zip(trained, forms, strict=True)
    ]
    assert all(best == chosen[0] for best in chosen)
    decoder = sum(a == b for a, b in zip(nbest.best(), LINES, strict=True))
    assert sum(a == b for a, b in zip(chosen[0], LINES, strict=True)) > decoder


def test_what_rerank_gives_is_ordered_by_scores() -> None:
    nbest = small()
    reranker = Reranker().fit(nbest)
    scores = reranker.scores(nbest)
    assert scores.shape == nbest.scores.shape
    reordered = reranker.rerank(nbest)
    assert reordered.source == SOURCE
    for own in reordered:
        assert [c.score for c in own] == sorted((c.score for c in own), reverse=True)
    assert reordered.best() == [own[0].text for own in reordered]
    assert sorted(reordered.scores.tolist()) == sorted(scores.tolist())
    np.testing.assert_array_equal(reranker.scores(nbest, threads=2), scores)


def test_saved_and_loaded_it_chooses_the_same(tmp_path: Path) -> None:
    nbest = small()
    (tmp_path / "lm.arpa").write_text(ARPA)
    reranker = Reranker([f"lm:{tmp_path / 'lm.arpa'}"], "splitting:iterations=3").fit(nbest)
    reranker.save(tmp_path / "model", force=True, bundle=False)
    loaded = Reranker.load(tmp_path / "model")
    assert loaded.weights == reranker.weights
    assert loaded.feature_names == reranker.feature_names
    assert loaded.rerank(nbest).best() == reranker.rerank(nbest).best()
    assert repr(loaded) == repr(reranker) == "Reranker(method='splitting:iterations=3'; 8 features)"
    assert loaded.training is None
    with pytest.raises(ConfigError, match="a loaded reranker cannot be trained again"):
        loaded.fit(nbest)
    (tmp_path / "lm.arpa").write_text(ARPA.replace("-0.5", "-0.4"))
    with pytest.raises(ConfigError, match=r"is not the file that .* functions=\['lm:"):
        loaded.rerank(nbest)
    again = Reranker.load(tmp_path / "model", functions=[f"lm:{tmp_path / 'lm.arpa'}"])
    assert len(again.rerank(nbest).best()) == 30


def test_a_list_without_the_sparse_features_of_training_is_refused(tmp_path: Path) -> None:
    lines = [
        "0 ||| a b ||| LM= 1 x=1 ||| 1",
        "0 ||| b a ||| LM= 2 y=1 ||| 1",
        "1 ||| c d ||| LM= 1 x=1 ||| 1",
    ]
    (tmp_path / "sparse").write_text("\n".join([*lines, "1 ||| d ||| LM= 3 y=1 ||| 1"]) + "\n")
    plain = NbestList([["a b", "b a"], ["c d", "d"]], features={"LM": [1, 2, 1, 3]})
    # Also beside a function that makes sparse features itself.
    for features in ("", "sparse:target_bigram,min_sentences=1"):
        reranker = Reranker(features).fit(tmp_path / "sparse", ["a b", "c d"], source=["x", "y"])
        reranker.save(tmp_path / "model")
        for one in (reranker, Reranker.load(tmp_path / "model")):
            with pytest.raises(
                DataFormatError, match="the list has no sparse features, the model learned from"
            ):
                one.scores(plain, source=["x", "y"])
    own = Reranker("sparse:target_bigram,min_sentences=1").fit(plain, ["a b", "c d"], source=["x", "y"])
    assert len(own.rerank(plain, source=["x", "y"]).best()) == 2


def test_given_qualities_as_lists_arrays_and_files(tmp_path: Path) -> None:
    nbest = small()
    quality = nbest.store.dense[:, 0]
    (tmp_path / "quality").write_text("\n".join(map(repr, quality.tolist())) + "\n")
    ragged = [
        [float(value) for value in own] for own in np.split(quality, nbest.store.sentence_offsets[1:-1])
    ]
    found = [Reranker().fit(nbest, quality=form) for form in (quality, ragged, tmp_path / "quality")]
    assert found[0].weights == found[1].weights == found[2].weights
    assert max(found[0].weights, key=lambda name: found[0].weights[name]) == "Missing"
    assert found[0].training is not None
    assert found[0].training.metric == "quality"
    with pytest.raises(ConfigError, match=r"give either references .* or the quality"):
        Reranker().fit(nbest, LINES, quality=quality)
    with pytest.raises(ConfigError, match=r"give either references .* or the quality"):
        Reranker().fit(nbest.store)
    with pytest.raises(ConfigError, match="quality: 3 values for 180 candidates"):
        Reranker().fit(nbest, quality=[1, 2, 3])


def test_training_tells_what_was_reached() -> None:
    lines = [*LINES, "no candidates"]
    nbest = NbestList.from_store(small().store, references=lines, name="dev.nbest").with_features(
        {"Same": np.ones(180)}
    )
    reranker = Reranker(method="splitting:iterations=4", held_out_share=0.2).fit(nbest)
    training = reranker.training
    assert training is not None
    assert training.score != training.decoder_score
    assert training.validated_score is not None
    assert training.held_out_score is not None
    assert len(training.curve) == len(training.to_dict()["curve"]) > 1
    assert training.constant == ("Same",)
    assert [(row["feature"], row["weight"]) for row in training] == list(reranker.weights.items())
    assert training.warnings == (
        "dev.nbest: 1 of 31 sentences have no candidates; they play no part",
        "these features are constant within every sentence and are not used: Same",
    )
    page = reranker.report().html()
    assert "A reranker learned by splitting" in page
    assert "<svg" in page
    assert "<td dir=auto>Missing</td>" in page


def test_a_loaded_reranker_reports_how_it_was_made(tmp_path: Path) -> None:
    Reranker("popularity", "pro", metric="chrf", tokenize="none").fit(small()).save(tmp_path / "model")
    page = Reranker.load(tmp_path / "model").report().html()
    for text in ("method</td><td dir=auto>pro</td>", "metric</td><td dir=auto>chrf</td>", "Popularity</td>"):
        assert text in page


@pytest.mark.parametrize("metric", ["chrf", "ter", "nist"])
def test_other_metrics_by_name_and_as_objects(metric: str) -> None:
    by_name = Reranker(metric=metric).fit(small())
    assert by_name.weights == Reranker(metric=Metric.named(metric)).fit(small()).weights
    assert by_name.training is not None
    gain = by_name.training.score - by_name.training.decoder_score
    assert gain < 0 if metric == "ter" else gain > 0


def test_options_are_keywords_or_an_object() -> None:
    options = RerankOptions(start="decoder", columns=("Order", "Missing"))
    one = Reranker(options=options).fit(small())
    assert one.weights == Reranker(start="decoder", columns=["Order", "Missing"]).fit(small()).weights
    assert Reranker(method=ExpectedScore(), start="decoder").fit(small()).training is not None
    with pytest.raises(ConfigError, match="give either options or its fields"):
        Reranker(start="decoder", options=options)
    # What can be set, and to what by default, is declared once.
    parameters = inspect.signature(Reranker).parameters
    for field in fields(RerankOptions):
        if field.name != "mbr":
            assert parameters[field.name].default == getattr(RerankOptions(), field.name)


def test_progress_sees_features_and_learning() -> None:
    seen = []

    def track(items, description, total=None, /):
        seen.append(description)
        return items

    reranker = Reranker("popularity", metric="ter").fit(small(), progress=track)
    assert seen[:2] == ["computing features", "learning"]
    assert "cross-validating" in seen
    seen.clear()
    reranker.rerank(small(), progress=track)
    assert seen == ["computing features"]


def test_texts_of_a_tokenized_list_stay_as_they_are() -> None:
    def quoted(candidate: str) -> float:
        return float('"' in candidate)

    nbest = NbestList(
        [['He said "no".', "He said no."], ['Say "yes"!', "Say yes!"]] * 4,
        references=['He said "no".', 'Say "yes"!'] * 4,
        tokenizer="moses",
    )
    reranker = Reranker([quoted]).fit(nbest)
    assert reranker.rerank(nbest).best() == ['He said "no".', 'Say "yes"!'] * 4
    assert reranker.training is not None
    assert reranker.training.score == pytest.approx(100)


def test_functions_of_users_are_stored_by_name_only(tmp_path: Path) -> None:
    nbest = small()
    reranker = Reranker([shares_words, Words(most=7)]).fit(nbest)
    assert reranker.feature_names[-2:] == ("shares_words", "Words")
    expected = reranker.rerank(nbest).best()
    reranker.save(tmp_path / "model", force=True)
    manifest = (tmp_path / "model" / "manifest.json").read_text()
    assert __file__ not in manifest
    assert "test_reranker" not in manifest
    with pytest.raises(ConfigError, match="the feature 'test-words' is a class that is unknown"):
        Reranker.load(tmp_path / "model")
    with pytest.raises(ConfigError, match="the feature function 'shares_words' is unknown in this process"):
        Reranker.load(tmp_path / "model", functions=[Words])
    for functions in ([Words, shares_words], {"test-words": Words, "shares_words": shares_words}):
        loaded = Reranker.load(tmp_path / "model", functions=functions)
        assert loaded.rerank(nbest).best() == expected
        loaded.save(tmp_path / "copy")
        assert Reranker.load(tmp_path / "copy", functions=functions).weights == reranker.weights
    with pytest.raises(ConfigError, match="the reranker has no feature 'small'"):
        Reranker.load(tmp_path / "model", functions=[Words, shares_words, small])


def test_python_files_must_be_named_again(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text("def feature(source, candidate):\n    return len(candidate)\n")
    reranker = Reranker(f"python:{script}").fit(small())
    expected = reranker.rerank(small()).best()  # named in this process already
    reranker.save(tmp_path / "model", force=True)
    with pytest.raises(ConfigError, match=r"which is never run automatically; .* functions=\['python:"):
        Reranker.load(tmp_path / "model")
    loaded = Reranker.load(tmp_path / "model", functions=f"python:{script}")
    assert loaded.rerank(small()).best() == expected


def test_what_was_not_trained_cannot_choose() -> None:
    assert repr(Reranker(method="pro")) == "Reranker(method='pro'; not trained)"
    for use in (
        lambda: Reranker().rerank(small()),
        lambda: Reranker().weights,
        lambda: Reranker().report(),
        lambda: Reranker().save("nowhere"),
    ):
        with pytest.raises(NotTrainedError, match="has not been trained; call fit"):
            use()
    with pytest.raises(ConfigError, match="there are no features to learn from"):
        Reranker().fit([["a", "b"]], ["a"])
