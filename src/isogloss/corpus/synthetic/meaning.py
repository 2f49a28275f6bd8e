"""Meanings of synthetic sentences, and how they are drawn at random."""

from __future__ import annotations

from dataclasses import dataclass, field

from isogloss.corpus.synthetic.lexicon import Dice, Entry, lexicon

__all__ = ["PRONOUNS", "Clause", "Date", "Key", "MeantSentence", "Phrase", "Word", "draw_sentence"]

Key = tuple[int, str]
"""A part of a meaning: words of the two languages with the same key are aligned."""

Word = tuple[str, Key | None]
"""A word and the part of the meaning it expresses; ``None`` for a word without a counterpart."""

TOPICS = ("home", "town", "field", "sea")
PRONOUNS = (
    ("I", "me", "my", "mo"),
    ("you", "you", "your", "tu"),
    ("he", "him", "his", "lu"),
    ("she", "her", "her", "lu"),
    ("we", "us", "our", "nos"),
    ("they", "them", "their", "los"),
)
_SINGULAR_PRONOUNS = (2, 3)
_DEEPEST = 2
_NOW = 2007


@dataclass(eq=False, slots=True, kw_only=True)
class Phrase:
    """A noun, name or pronoun with its modifiers; exactly one of the first three fields is set."""

    noun: Entry | None = None
    name: str = ""
    pronoun: int | None = None
    plural: bool = False
    article: str = ""
    possessor: int | None = None
    owner: Phrase | None = None
    owner_first: bool = False
    """Whether English uses ``the king 's dog`` instead of ``the dog of the king``."""
    adjectives: list[Entry] = field(default_factory=list)
    count: Entry | str | None = None
    relative: Clause | None = None

    def key(self, part: str) -> Key:
        """Return the key of a part of this phrase."""
        return id(self), part

    @property
    def takes_s(self) -> bool:
        """Whether a present-tense English verb ends in ``s`` after this subject."""
        return not self.plural if self.pronoun is None else self.pronoun in _SINGULAR_PRONOUNS


@dataclass(frozen=True, slots=True)
class Date:
    """A day such as 14 March 1987."""

    day: int
    month: Entry
    year: int


@dataclass(eq=False, slots=True, kw_only=True)
class Clause:
    """A subject with a verb, or without one, a subject that is something or somewhere."""

    subject: Phrase
    tense: str
    verb: Entry | None = None
    negated: bool = False
    object: Phrase | None = None
    said: Clause | None = None
    predicate: Entry | None = None
    places: list[tuple[Entry, Phrase]] = field(default_factory=list)
    adverb: Entry | None = None
    time: Entry | Date | None = None
    time_first: bool = False

    def key(self, part: str) -> Key:
        """Return the key of a part of this clause."""
        return id(self), part


@dataclass(eq=False, slots=True, kw_only=True)
class MeantSentence:
    """A main clause, an optional second clause, and the final punctuation."""

    main: Clause
    second: Clause | None = None
    join: Entry | None = None
    """Conjunction that makes the second clause dependent (``because``); without it, ``and`` joins them."""
    join_first: bool = False
    end: str = "."

    def key(self, part: str) -> Key:
        """Return the key of a part of this sentence."""
        return id(self), part


def _tense_at(time: Entry | Date) -> str:
    if isinstance(time, Entry):
        return time.type
    return "past" if time.year < _NOW else "future"


def draw_sentence(dice: Dice) -> MeantSentence:
    """Draw the meaning of a sentence."""
    return _Drawing(dice).sentence()


class _Drawing:
    """A sentence being drawn; everything in it belongs to one topic."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._topic = dice.pick(TOPICS)

    def sentence(self) -> MeantSentence:
        dice = self._dice
        if dice.chance(0.12):
            return MeantSentence(main=self._clause(1), end="?")
        sentence = MeantSentence(main=self._clause(0), end="!" if dice.chance(0.05) else ".")
        if sentence.main.said is None and dice.chance(0.25):
            sentence.second = self._clause(_DEEPEST)
            if dice.chance(0.6):
                sentence.join = dice.pick(lexicon().entries["join"])
                sentence.join_first = dice.chance(0.4)
        return sentence

    def _clause(self, depth: int) -> Clause:
        dice = self._dice
        kind = dice.number(1, 100)
        if depth == 0 and kind <= 10:
            clause = self._report()
        elif kind <= 25:
            clause = self._state(depth)
        else:
            clause = self._act(depth, self._subject(depth))
        if depth < _DEEPEST and dice.chance(0.3):
            clause.time = self._time()
            clause.tense = _tense_at(clause.time) or clause.tense
            clause.time_first = dice.chance(0.4)
        return clause

    def _tense(self) -> str:
        return self._dice.pick(("past", "past", "past", "present", "present", "future"))

    def _report(self) -> Clause:
        verb = self._dice.pick(lexicon().entries["say"])
        subject = self._phrase(1, "person")
        return Clause(subject=subject, verb=verb, tense=self._tense(), said=self._clause(_DEEPEST))

    def _state(self, depth: int) -> Clause:
        dice = self._dice
        subject = self._subject(depth)
        clause = Clause(subject=subject, tense=self._tense(), negated=dice.chance(0.15))
        type_ = subject.noun.type if subject.noun else "person"
        if dice.chance(0.65):
            clause.predicate = dice.pick(lexicon().choices("adj", self._topic, type_))
        else:
            clause.places.append(self._place(depth + 1, moving=False))
        return clause

    def _act(self, depth: int, subject: Phrase) -> Clause:
        dice = self._dice
        kind = subject.noun.type if subject.noun else "person"
        verbs = [
            verb
            for verb in lexicon().choices("verb", self._topic)
            if verb.type.split(">")[0] in ("any", kind)
            or (kind not in ("person", "animal") and verb.type == "any>")
        ]
        verb = dice.pick_zipf(verbs) if dice.chance(0.3) else dice.pick(verbs)
        clause = Clause(subject=subject, verb=verb, tense=self._tense())
        wanted = verb.type.split(">")[1]
        if wanted:
            clause.object = self._object(depth + 1, wanted, but_not=subject.pronoun)
        if depth < _DEEPEST and dice.chance(0.4 if wanted else 0.7):
            clause.places.append(self._place(depth + 1))
        if dice.chance(0.2):
            clause.adverb = dice.pick(lexicon().entries["adverb"])
        elif dice.chance(0.15):
            clause.negated = True
        return clause

    def _time(self) -> Entry | Date:
        dice = self._dice
        if dice.chance(0.3):
            return Date(dice.number(1, 28), dice.pick(lexicon().entries["month"]), dice.number(1890, 2030))
        return dice.pick(lexicon().entries["time"])

    def _place(self, depth: int, moving: bool = True) -> tuple[Entry, Phrase]:
        relations = lexicon().choices("place", self._topic)
        if not moving:
            relations = [relation for relation in relations if relation.english not in ("to", "from")]
        relation = self._dice.pick(relations)
        if relation.type == "place" and self._dice.chance(0.12):
            return relation, Phrase(name=self._name(place=True))
        return relation, self._phrase(depth, relation.type)

    def _subject(self, depth: int) -> Phrase:
        if self._dice.chance(0.22):
            return Phrase(pronoun=self._dice.number(0, len(PRONOUNS) - 1))
        return self._phrase(depth, self._dice.pick(("person", "person", "person", "animal")))

    def _object(self, depth: int, type_: str, but_not: int | None) -> Phrase:
        if type_ == "any":
            type_ = self._dice.pick(("person", "animal", "thing", "thing", "place", "text"))
        if type_ == "person" and self._dice.chance(0.25):
            number = self._dice.number(0, len(PRONOUNS) - 1)
            if number != but_not:
                return Phrase(pronoun=number)
        return self._phrase(depth, type_)

    def _name(self, place: bool) -> str:
        names = lexicon().names
        half = len(names) // 2
        return self._dice.pick_zipf(names[half:] if place else names[:half])

    def _noun(self, type_: str) -> Entry:
        dice = self._dice
        if dice.chance(0.1):
            while True:
                noun = dice.pick_zipf(lexicon().rare_nouns)
                if noun.type == type_:
                    return noun
        return dice.pick(lexicon().choices("noun", self._topic, type_))

    def _phrase(self, depth: int, type_: str) -> Phrase:
        dice = self._dice
        if type_ == "person" and dice.chance(0.2):
            return Phrase(name=self._name(place=False))
        noun = self._noun(type_)
        phrase = Phrase(noun=noun, plural=noun.other != "-" and dice.chance(0.25))
        if dice.chance(0.35):
            phrase.adjectives.append(dice.pick(lexicon().choices("adj", self._topic, type_)))
        self._determine(phrase, depth)
        if depth < _DEEPEST and type_ in ("person", "animal") and not phrase.owner and dice.chance(0.12):
            phrase.relative = self._act(_DEEPEST, Phrase(noun=noun, plural=phrase.plural))
        return phrase

    def _determine(self, phrase: Phrase, depth: int) -> None:
        dice = self._dice
        if phrase.plural and dice.chance(0.45):
            if dice.chance(0.35):
                phrase.count = f"{dice.number(1, 9)},{dice.number(0, 999):03}" if dice.chance(0.1) else ""
                phrase.count = phrase.count or str(dice.number(13, 400))
            else:
                phrase.count = dice.pick(lexicon().entries["count"])
        elif dice.chance(0.14):
            phrase.possessor = dice.number(0, len(PRONOUNS) - 1)
        elif depth < _DEEPEST + 1 and dice.chance(0.16):
            phrase.owner = self._phrase(_DEEPEST + 1, dice.pick(("person", "place")))
            phrase.owner_first = dice.chance(0.4)
            phrase.article = "" if phrase.owner_first else "the"
        else:
            uncounted = phrase.plural or (phrase.noun is not None and phrase.noun.other == "-")
            phrase.article = "the" if uncounted or dice.chance(0.7) else "a"
