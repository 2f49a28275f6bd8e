"""Small parallel texts in many scripts, made of a few words of ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

__all__ = ["ENGLISH", "LANGUAGES", "SmallLanguage", "write_pair"]


@dataclass(frozen=True)
class SmallLanguage:
    """Words for who, does what, to what, and how they are put together."""

    who: Sequence[str]
    does: Sequence[str]
    what: Sequence[str]
    form: str = "{who} {does} {what}."

    def lines(self) -> list[str]:
        """All sentences, in the same order in every language."""
        return [
            self.form.format(who=who, does=does, what=what)
            for who, does, what in product(self.who, self.does, self.what)
        ]


ENGLISH = SmallLanguage(
    ("The man", "The woman", "The child", "A teacher", "A friend"),
    ("reads", "buys", "sees", "loses", "draws"),
    ("the book", "the house", "the letter", "the picture", "the garden"),
)
LANGUAGES = {
    "ar": SmallLanguage(
        ("الرجل", "المرأة", "الطفل", "معلم", "صديق"),
        ("يقرأ", "يشتري", "يرى", "يفقد", "يرسم"),
        ("الكتاب", "البيت", "الرسالة", "الصورة", "الحديقة"),
        "{who} {does} {what}",  # as in verses: no punctuation
    ),
    "he": SmallLanguage(
        ("האיש", "האישה", "הילד", "מורה", "חבר"),
        ("קורא", "קונה", "רואה", "מאבד", "מצייר"),
        ("את הספר", "את הבית", "את המכתב", "את התמונה", "את הגינה"),
    ),
    "ja": SmallLanguage(
        ("男は", "女は", "子供は", "先生は", "友達は"),
        ("読む", "買う", "見る", "失う", "描く"),
        ("本を", "家を", "手紙を", "写真を", "庭を"),
        "{who}{what}{does}。",
    ),
    "ka": SmallLanguage(
        ("კაცი", "ქალი", "ბავშვი", "მასწავლებელი", "მეგობარი"),
        ("კითხულობს", "ყიდულობს", "ხედავს", "კარგავს", "ხატავს"),
        ("წიგნს", "სახლს", "წერილს", "სურათს", "ბაღს"),
        "{who} {what} {does}.",
    ),
    "ur": SmallLanguage(
        ("مرد", "عورت", "بچہ", "استاد", "دوست"),
        ("پڑھتا ہے", "خریدتا ہے", "دیکھتا ہے", "کھوتا ہے", "بناتا ہے"),
        ("کتاب", "گھر", "خط", "تصویر", "باغ"),
        "{who} {what} {does}۔",
    ),
    "zh": SmallLanguage(
        ("男人", "女人", "孩子", "老师", "朋友"),
        ("读", "买", "看见", "丢", "画"),
        ("书", "房子", "信", "照片", "花园"),
        "{who}{does}{what}。",
    ),
}


def write_pair(folder: Path, source: str, target: str, *, endings: bool = True) -> tuple[Path, Path]:
    """Write two sides, with names that end in the language or do not; ``en`` is English."""
    sides = {**LANGUAGES, "en": ENGLISH}
    paths = []
    for name, language in (("source", source), ("target", target)):
        path = folder / (f"text.{language}" if endings else f"{name}.txt")
        path.write_text("".join(f"{line}\n" for line in sides[language].lines()), encoding="utf-8")
        paths.append(path)
    return paths[0], paths[1]
