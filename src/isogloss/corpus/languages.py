"""Language codes: normalize them, and detect a language from a file, its name or its script.

A code is a BCP 47 tag (``fr``, ``pt-BR``, ``sr-Latn``). Gettext and POSIX locales write the same codes in
another form (``pt_BR``, ``sr@latin``), and some files use names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from isogloss.corpus.profile import scripts_in
from isogloss.io.errors import ConfigError
from isogloss.io.streams import StrPath

__all__ = [
    "UNDETERMINED",
    "base_language",
    "checked_language",
    "declared_language",
    "is_english_name",
    "is_known",
    "language_in_name",
    "language_name",
    "language_of_script",
    "language_tag",
]

UNDETERMINED = "und"
"""The code of an unknown language."""

# A primary language, then extended languages, a script, a region, variants, extensions, private use. BCP 47
# allows primary languages of more than three letters, but none exist.
_TAG = re.compile(
    r"[a-z]{2,3}(?:-[a-z]{3}){0,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?"
    r"(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[0-9a-wy-z](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?"
    r"|x(?:-[a-z0-9]{1,8})+",
    re.IGNORECASE,
)
_MODIFIERS = {"latin": "Latn", "latn": "Latn", "cyrillic": "Cyrl", "cyrl": "Cyrl", "arabic": "Arab"}
_MODIFIERS |= {
    "devanagari": "Deva",
    "valencia": "valencia",
    "ijekavian": "ijekavsk",
    "abegede": "",
    "euro": "",
}

_NAMES = """
aa Afar; ab Abkhazian, Abkhaz; ae Avestan; af Afrikaans; ak Akan; am Amharic; an Aragonese; ar Arabic; as
Assamese; av Avaric; ay Aymara; az Azerbaijani, Azeri; ba Bashkir; be Belarusian; bg Bulgarian; bi Bislama; bm
Bambara; bn Bengali, Bangla; bo Tibetan; br Breton; bs Bosnian; ca Catalan, Valencian; ce Chechen; ch
Chamorro; co Corsican; cr Cree; cs Czech; cu Church Slavic; cv Chuvash; cy Welsh; da Danish; de German,
Deutsch; dv Divehi, Maldivian; dz Dzongkha; ee Ewe; el Greek; en English; eo Esperanto; es Spanish, Castilian,
Español; et Estonian; eu Basque; fa Persian, Farsi; ff Fulah; fi Finnish; fj Fijian; fo Faroese; fr French,
Français; fy Western Frisian, Frisian; ga Irish; gd Scottish Gaelic, Gaelic; gl Galician; gn Guarani; gu
Gujarati; gv Manx; ha Hausa; he Hebrew; hi Hindi; ho Hiri Motu; hr Croatian; ht Haitian, Haitian Creole; hu
Hungarian; hy Armenian; hz Herero; ia Interlingua; id Indonesian; ie Interlingue; ig Igbo; ii Sichuan Yi; ik
Inupiaq; io Ido; is Icelandic; it Italian, Italiano; iu Inuktitut; ja Japanese; jv Javanese; ka Georgian; kg
Kongo; ki Kikuyu; kj Kuanyama; kk Kazakh; kl Kalaallisut, Greenlandic; km Khmer, Central Khmer; kn Kannada; ko
Korean; kr Kanuri; ks Kashmiri; ku Kurdish; kv Komi; kw Cornish; ky Kyrgyz, Kirghiz; la Latin; lb
Luxembourgish; lg Ganda; li Limburgish; ln Lingala; lo Lao; lt Lithuanian; lu Luba-Katanga; lv Latvian; mg
Malagasy; mh Marshallese; mi Maori; mk Macedonian; ml Malayalam; mn Mongolian; mr Marathi; ms Malay; mt
Maltese; my Burmese; na Nauru; nb Norwegian Bokmål, Norwegian Bokmal; nd North Ndebele; ne Nepali; ng Ndonga;
nl Dutch, Flemish, Nederlands; nn Norwegian Nynorsk; no Norwegian; nr South Ndebele; nv Navajo; ny Chichewa,
Nyanja; oc Occitan; oj Ojibwa; om Oromo; or Odia, Oriya; os Ossetian; pa Punjabi, Panjabi; pi Pali; pl Polish,
Polski; ps Pashto; pt Portuguese, Português; qu Quechua; rm Romansh; rn Rundi; ro Romanian, Moldavian; ru
Russian; rw Kinyarwanda; sa Sanskrit; sc Sardinian; sd Sindhi; se Northern Sami; sg Sango; si Sinhala; sk
Slovak; sl Slovenian, Slovene; sm Samoan; sn Shona; so Somali; sq Albanian; sr Serbian; ss Swati; st Southern
Sotho, Sotho; su Sundanese; sv Swedish, Svenska; sw Swahili; ta Tamil; te Telugu; tg Tajik; th Thai; ti
Tigrinya; tk Turkmen; tl Tagalog; tn Tswana; to Tonga; tr Turkish, Türkçe; ts Tsonga; tt Tatar; tw Twi; ty
Tahitian; ug Uyghur, Uighur; uk Ukrainian; ur Urdu; uz Uzbek; ve Venda; vi Vietnamese; vo Volapük; wa Walloon;
wo Wolof; xh Xhosa; yi Yiddish; yo Yoruba; za Zhuang; zh Chinese, Mandarin; zu Zulu; ace Acehnese; arz
Egyptian Arabic; ary Moroccan Arabic; ast Asturian; awa Awadhi; bho Bhojpuri; ceb Cebuano; chr Cherokee; ckb
Central Kurdish, Sorani; cmn Mandarin Chinese; crh Crimean Tatar; csb Kashubian; dsb Lower Sorbian; eng; deu;
fra; spa; ita; por; rus; fil Filipino; frp Arpitan; fur Friulian; gsw Swiss German, Alsatian; haw Hawaiian;
hne Chhattisgarhi; hsb Upper Sorbian; ilo Iloko; jbo Lojban; kab Kabyle; kmr Northern Kurdish, Kurmanji; lij
Ligurian; lmo Lombard; ltg Latgalian; mai Maithili; mni Manipuri; nds Low German; nap Neapolitan; new Newari;
nqo N'Ko; nso Northern Sotho; pap Papiamento; pms Piedmontese; sah Yakut; sat Santali; scn Sicilian; sco
Scots; shn Shan; szl Silesian; tet Tetum; tpi Tok Pisin; tzm Tamazight; vec Venetian; war Waray; yue
Cantonese; zgh Moroccan Tamazight; und
"""
_CALENDAR = frozenset(
    word
    for name in (
        *("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
        *("January", "February", "March", "April", "May", "June", "July", "August"),
        *("September", "October", "November", "December"),
    )
    for word in (name, name[:3], name[:4])
)
_OLD_CODES = {"iw": "he", "in": "id", "ji": "yi", "sh": "sr-Latn", "jw": "jv"}
_SCRIPTS = {
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "HANGUL": "ko",
    "CJK": "zh",
    "THAI": "th",
    "LAO": "lo",
    "KHMER": "km",
    "MYANMAR": "my",
    "TIBETAN": "bo",
    "GEORGIAN": "ka",
    "ARMENIAN": "hy",
    "GREEK": "el",
    "HEBREW": "he",
}
"""Scripts that identify a language; kana come first, because Japanese also uses Chinese characters."""
_SHARE_OF_SCRIPT = 0.2


@cache
def _tables() -> tuple[frozenset[str], dict[str, str]]:
    """Return the known codes, and the codes by language name."""
    codes: set[str] = set()
    names: dict[str, str] = {}
    for entry in _NAMES.split(";"):
        code, _, known_as = " ".join(entry.split()).partition(" ")
        codes.add(code)
        names |= {_folded(name): code for name in known_as.split(",") if name}
    return frozenset(codes), names


def language_name(tag: str) -> str:
    """Return the English name of a language, with what else its code says; the code if it has no name.

    >>> language_name("fr"), language_name("pt-BR"), language_name("und")
    ('French', 'Portuguese (BR)', 'und')
    """
    base, _, rest = tag.partition("-")
    for entry in _NAMES.split(";"):
        code, _, known_as = " ".join(entry.split()).partition(" ")
        if code == base and known_as:
            return known_as.split(",")[0] + (f" ({rest})" if rest else "")
    return tag


def _folded(name: str) -> str:
    letters = unicodedata.normalize("NFD", name.casefold())
    return "".join(c for c in letters if c.isalpha())


def language_tag(code: str) -> str:
    """Normalize a code to BCP 47; return an empty string if it is not a language code.

    >>> language_tag("pt_BR.UTF-8"), language_tag("sr@latin"), language_tag("Turkish")
    ('pt-BR', 'sr-Latn', '')
    """
    code, _, modifier = code.strip().partition("@")
    code = code.partition(".")[0].replace("_", "-")
    if not _TAG.fullmatch(code):
        return ""
    first, *rest = code.split("-")
    if script := _MODIFIERS.get(modifier.lower(), ""):
        rest.insert(0, script)
    parts = [_OLD_CODES.get(first.lower(), first.lower())]
    for part in rest:
        private = any(len(before) == 1 for before in parts)
        if private or len(part) not in (2, 4) or not part.isalpha():
            parts.append(part.lower())
        else:
            parts.append(part.upper() if len(part) == 2 else part.title())
    return "-".join(parts)


def checked_language(code: str, name: str) -> str:
    """Normalize a code that the user gave to BCP 47; ``name`` is the option, for the error message.

    >>> checked_language("de_at", "source_language")
    'de-AT'
    """
    tag = language_tag(code)
    if tag:
        return tag
    if meant := _tables()[1].get(_folded(code)):
        raise ConfigError(f"{name} is a code, not a name: for '{code}', give {meant}")
    raise ConfigError(f"{name}: '{code}' is not the code of a language; such codes are de, pt-BR, zh-Hant")


def declared_language(text: str) -> str:
    """Return the code for a language as a file declares it, by code or name; empty if there is none.

    >>> declared_language("fr_FR"), declared_language("Turkish"), declared_language("LANGUAGE")
    ('fr-FR', 'tr', '')
    """
    return language_tag(text) or _tables()[1].get(_folded(text), "")


@cache
def base_language(tag: str) -> str:
    """Return the language without script, region and other subtags.

    >>> base_language("pt-BR")
    'pt'
    """
    return tag.partition("-")[0].lower()


def is_known(tag: str) -> bool:
    """Whether the language is in the table of known languages."""
    return base_language(tag) in _tables()[0]


def is_english_name(word: str) -> bool:
    """Whether English capitalizes a word that other languages may not: days, months, languages.

    >>> is_english_name("Monday"), is_english_name("Turkish"), is_english_name("File")
    (True, True, False)
    """
    return word in _CALENDAR or (word[:1].isupper() and _folded(word) in _tables()[1])


def language_in_name(path: StrPath) -> str:
    """Return the language in the name of a file or its folders, such as ``de`` for ``train.de.gz``.

    >>> language_in_name("train.pt_BR"), language_in_name("locale/fr/LC_MESSAGES/django.po")
    ('pt-BR', 'fr')
    """
    place = Path(path)
    parts = place.name.split(".")
    candidates = [*reversed(parts[1:][-3:])]
    if place.suffix in (".po", ".pot") or ".po." in place.name:
        stem = parts[0]
        candidates = [*reversed(parts[1:][-3:]), stem, re.split(r"[-.]", stem)[-1]]
        if place.parent.name == "LC_MESSAGES":
            candidates.insert(0, place.parent.parent.name)
    for candidate in candidates:
        tag = language_tag(candidate)
        # Language extensions are lowercase; .TXT or .Src are not languages.
        if tag and is_known(tag) and tag != UNDETERMINED and candidate[:2].islower():
            return tag
    return ""


def language_of_script(lines: Iterable[str]) -> str:
    """Guess the language from the script of a text, if only one language uses it; otherwise empty.

    >>> language_of_script(["我来到北京。"]), language_of_script(["東京に行く。"])
    ('zh', 'ja')
    """
    counts = scripts_in("".join(lines))
    total = counts.total()
    for script, language in _SCRIPTS.items():
        if counts[script] > _SHARE_OF_SCRIPT * total:
            return language
    return ""
