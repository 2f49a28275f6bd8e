"""A synthetic bilingual corpus with a known word alignment, for tests, examples and first steps.

Each sentence begins as a random meaning (``meaning``), which ``english`` and ``tavri``, an invented language,
put into words. Each word records which part of the meaning it expresses, so the word alignment is exact.
"""

from isogloss.corpus.synthetic.text import SyntheticCorpus, as_text, make_corpus, write_corpus

__all__ = ["SyntheticCorpus", "as_text", "make_corpus", "write_corpus"]
