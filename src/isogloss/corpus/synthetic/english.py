"""Generate simple English from a meaning: subject, verb, object; adjectives and owners before nouns."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.corpus.synthetic.lexicon import Entry
from isogloss.corpus.synthetic.meaning import PRONOUNS, Clause, Date, MeantSentence, Phrase, Word

__all__ = ["speak_english"]

_BEFORE_VERB = ("often", "always", "never")
_COPULA = {("present", True): "is", ("present", False): "are", ("past", True): "was", ("past", False): "were"}


def speak_english(sentence: MeantSentence) -> list[Word]:
    """Say a sentence in English, without a capital at its start."""
    words = list(_sentence(sentence))
    return [_article(word, words[at + 1][0]) if word[0] == "a" else word for at, word in enumerate(words)]


def _article(word: Word, following: str) -> Word:
    return ("an", word[1]) if following[0].lower() in "aeiou" else word


def _sentence(sentence: MeantSentence) -> Iterator[Word]:
    main, second = sentence.main, sentence.second
    if sentence.end == "?":
        yield from _question(main)
    elif second is None:
        yield from _clause(main)
    elif sentence.join is None:
        yield from _clause(main)
        yield ",", sentence.key("comma")
        yield "and", sentence.key("join")
        yield from _clause(second)
    elif sentence.join_first:
        yield sentence.join.english, sentence.key("join")
        yield from _clause(second)
        yield ",", sentence.key("comma")
        yield from _clause(main)
    else:
        yield from _clause(main)
        yield sentence.join.english, sentence.key("join")
        yield from _clause(second)
    yield sentence.end, sentence.key("end")


def _clause(clause: Clause) -> Iterator[Word]:
    if clause.time is not None and clause.time_first:
        yield from _time(clause)
        if isinstance(clause.time, Date):
            yield ",", None
    yield from _phrase(clause.subject)
    yield from _predicate(clause)
    if clause.time is not None and not clause.time_first:
        yield from _time(clause)


def _predicate(clause: Clause) -> Iterator[Word]:
    yield from _verb(clause)
    yield from _after_verb(clause)


def _after_verb(clause: Clause) -> Iterator[Word]:
    if clause.predicate is not None:
        yield clause.predicate.english, clause.key("predicate")
    if clause.object is not None:
        yield from _phrase(clause.object, as_object=True)
    for at, (relation, place) in enumerate(clause.places):
        for word in relation.english.split():
            yield word, clause.key(f"place{at}")
        yield from _phrase(place, as_object=True)
    if clause.adverb is not None and clause.adverb.english not in _BEFORE_VERB:
        yield clause.adverb.english, clause.key("adverb")
    if clause.said is not None:
        yield "that", clause.key("that")
        yield from _clause(clause.said)


def _early_adverb(clause: Clause) -> Iterator[Word]:
    if clause.adverb is not None and clause.adverb.english in _BEFORE_VERB:
        yield clause.adverb.english, clause.key("adverb")


def _verb(clause: Clause) -> Iterator[Word]:
    key = clause.key("verb")
    if clause.tense == "future":
        yield "will", key
        if clause.negated:
            yield "not", clause.key("not")
        yield from _early_adverb(clause)
        yield from ((word, key) for word in _infinitive(clause))
    elif clause.verb is None:
        yield _copula(clause), key
        if clause.negated:
            yield "not", clause.key("not")
    elif clause.negated:
        yield _do(clause), key
        yield "not", clause.key("not")
        yield from ((word, key) for word in _infinitive(clause))
    else:
        yield from _early_adverb(clause)
        yield from ((word, key) for word in _finite(clause.verb, clause))


def _question(clause: Clause) -> Iterator[Word]:
    key = clause.key("verb")
    if clause.tense == "future":
        yield "will", key
    else:
        yield (_copula(clause) if clause.verb is None else _do(clause)), key
    yield from _phrase(clause.subject)
    if clause.negated:
        yield "not", clause.key("not")
    yield from _early_adverb(clause)
    if clause.verb is not None or clause.tense == "future":
        yield from ((word, key) for word in _infinitive(clause))
    yield from _after_verb(clause)
    if clause.time is not None:
        yield from _time(clause)


def _infinitive(clause: Clause) -> list[str]:
    return clause.verb.english.split() if clause.verb else ["be"]


def _do(clause: Clause) -> str:
    return "did" if clause.tense == "past" else "does" if clause.subject.takes_s else "do"


def _copula(clause: Clause) -> str:
    if clause.subject.pronoun == 0:
        return "am" if clause.tense == "present" else "was"
    return _COPULA[clause.tense, clause.subject.takes_s]


def _finite(verb: Entry, clause: Clause) -> list[str]:
    first, *rest = verb.english.split()
    if clause.tense == "past":
        return verb.other.split() if verb.other else [_past(first), *rest]
    return [_with_s(first) if clause.subject.takes_s else first, *rest]


def _past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if verb[-1] == "y" and verb[-2] not in "aeiou" else verb + "ed"


def _with_s(word: str) -> str:
    if word[-1] == "y" and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "sh", "ch", "x", "z")) else "s")


def _time(clause: Clause) -> Iterator[Word]:
    time = clause.time
    if isinstance(time, Date):
        yield "on", clause.key("time")
        yield str(time.day), clause.key("day")
        yield time.month.english, clause.key("month")
        yield str(time.year), clause.key("year")
    elif time is not None:
        yield from ((word, clause.key("time")) for word in time.english.split())


def _phrase(phrase: Phrase, as_object: bool = False) -> Iterator[Word]:
    if phrase.pronoun is not None:
        yield PRONOUNS[phrase.pronoun][1 if as_object else 0], phrase.key("head")
        return
    if phrase.noun is None:
        yield phrase.name, phrase.key("head")
        return
    if phrase.owner is not None and phrase.owner_first:
        yield from _phrase(phrase.owner)
        yield "'s", phrase.key("of")
    if phrase.article:
        yield phrase.article, None
    if phrase.possessor is not None:
        yield PRONOUNS[phrase.possessor][2], phrase.key("possessor")
    if isinstance(phrase.count, Entry):
        yield from ((word, phrase.key("count")) for word in phrase.count.english.split())
    elif phrase.count:
        yield phrase.count, phrase.key("count")
    for at, adjective in enumerate(phrase.adjectives):
        yield adjective.english, phrase.key(f"adjective{at}")
    yield (
        (phrase.noun.other or _with_s(phrase.noun.english)) if phrase.plural else phrase.noun.english,
        (phrase.key("head")),
    )
    if phrase.owner is not None and not phrase.owner_first:
        yield "of", phrase.key("of")
        yield from _phrase(phrase.owner)
    if phrase.relative is not None:
        yield "who" if phrase.noun.type == "person" else "that", phrase.key("who")
        yield from _predicate(phrase.relative)
