"""Generate Tavri, an invented language, from a meaning.

Tavri differs from English where translation is hard. The verb comes last in its clause, and its ending marks
the tense: ``-e`` present, ``-ai`` past, ``-ur`` future. ``mi`` before the verb negates it, ``ka`` after it
marks a question. There are no articles, but ``va`` marks a known subject and ``ga`` a new one. Nouns end in
``-a`` or ``-o``; ``-ri`` marks the plural and a final ``-n`` the object; names take the word ``no`` instead.
Adjectives follow their noun and share its vowel; numbers and possessive pronouns follow too. Other owners
precede what they own, with ``nu`` in between. Adpositions of place follow their noun. Dependent clauses come
first, closed by ``ke``, ``to`` or the conjunction.
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.corpus.synthetic.lexicon import Dice, Entry
from isogloss.corpus.synthetic.meaning import PRONOUNS, Clause, Date, Key, MeantSentence, Phrase, Word

__all__ = ["speak_tavri"]

_TENSES = {"present": "e", "past": "ai", "future": "ur"}
_SYNONYM = 0.3
_MOVED = 0.12


def speak_tavri(sentence: MeantSentence, dice: Dice) -> list[Word]:
    """Put a sentence into Tavri; the dice choose between synonyms and between free word orders."""
    return list(_Speaker(dice).sentence(sentence))


class _Speaker:
    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._vowels: dict[Phrase, str] = {}

    def _translation(self, entry: Entry) -> str:
        return entry.tavri[1 if len(entry.tavri) > 1 and self._dice.chance(_SYNONYM) else 0]

    def _words(self, entry: Entry, key: Key) -> Iterator[Word]:
        yield from ((word, key) for word in self._translation(entry).split())

    def sentence(self, sentence: MeantSentence) -> Iterator[Word]:
        main, second = sentence.main, sentence.second
        if second is None:
            yield from self._clause(main)
        elif sentence.join is None:
            yield from self._clause(main)
            yield ",", sentence.key("comma")
            yield "eda", sentence.key("join")
            yield from self._clause(second)
        else:
            yield from self._clause(second)
            yield from self._words(sentence.join, sentence.key("join"))
            yield ",", sentence.key("comma")
            yield from self._clause(main)
        if sentence.end == "?":
            yield "ka", None
        yield sentence.end, sentence.key("end")

    def _clause(self, clause: Clause) -> Iterator[Word]:
        time = list(self._time(clause))
        moved = self._dice.chance(_MOVED)
        if not moved:
            yield from time
        yield from self._phrase(clause.subject)
        if clause.subject.pronoun is None:
            yield "ga" if clause.subject.article == "a" else "va", None
        if moved:
            yield from time
        yield from self._predicate(clause)

    def _predicate(self, clause: Clause) -> Iterator[Word]:
        if clause.said is not None:
            yield from self._clause(clause.said)
            yield "to", clause.key("that")
        for at, (relation, place) in enumerate(clause.places):
            yield from self._phrase(place)
            yield from self._words(relation, clause.key(f"place{at}"))
        if clause.object is not None:
            yield from self._phrase(clause.object, as_object=True)
        if clause.predicate is not None:
            stem = self._translation(clause.predicate)
            yield stem + self._vowels.get(clause.subject, "o"), clause.key("predicate")
        if clause.adverb is not None:
            yield from self._words(clause.adverb, clause.key("adverb"))
        if clause.negated:
            yield "mi", clause.key("not")
        stem = self._translation(clause.verb) if clause.verb else "s"
        yield stem + _TENSES[clause.tense], clause.key("verb")

    def _time(self, clause: Clause) -> Iterator[Word]:
        time = clause.time
        if isinstance(time, Date):
            yield str(time.year), clause.key("year")
            yield from self._words(time.month, clause.key("month"))
            yield str(time.day), clause.key("day")
            yield "ge", clause.key("time")
        elif time is not None:
            yield from self._words(time, clause.key("time"))

    def _phrase(self, phrase: Phrase, as_object: bool = False) -> Iterator[Word]:
        if phrase.pronoun is not None:
            stem = PRONOUNS[phrase.pronoun][3]
            yield (stem + ("n" if stem[-1] in "aou" else "en") if as_object else stem), phrase.key("head")
            return
        if phrase.noun is None:
            yield phrase.name, phrase.key("head")
            if as_object:
                yield "no", None
            return
        if phrase.relative is not None:
            yield from self._predicate(phrase.relative)
            yield "ke", phrase.key("who")
        if phrase.owner is not None:
            yield from self._phrase(phrase.owner)
            yield "nu", phrase.key("of")
        yield from self._noun(phrase, phrase.noun, as_object)

    def _noun(self, phrase: Phrase, noun: Entry, as_object: bool) -> Iterator[Word]:
        *before, stem = self._translation(noun).split()
        self._vowels[phrase] = stem[-1]  # a predicate may follow, and must agree with this very word
        yield from ((word, phrase.key("head")) for word in before)
        yield stem + ("ri" if phrase.plural else "") + ("n" if as_object else ""), phrase.key("head")
        for at, adjective in enumerate(phrase.adjectives):
            yield self._translation(adjective) + stem[-1], phrase.key(f"adjective{at}")
        if isinstance(phrase.count, Entry):
            yield from self._words(phrase.count, phrase.key("count"))
        elif phrase.count:
            yield phrase.count, phrase.key("count")
        if phrase.possessor is not None:
            yield PRONOUNS[phrase.possessor][3] + "sa", phrase.key("possessor")
