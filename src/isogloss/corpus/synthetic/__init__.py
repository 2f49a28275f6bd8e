"""A bilingual corpus made from a seed, with a known word alignment: for tests, examples and first steps.

A sentence begins as a meaning drawn at random (``meaning``). ``english`` and ``tavri``, an invented language,
put it into words; each word remembers which part of the meaning it came from, so the word alignment is exact.
"""

from isogloss.corpus.synthetic.text import SyntheticCorpus, as_text, make_corpus, write_corpus

__all__ = ["SyntheticCorpus", "as_text", "make_corpus", "write_corpus"]
