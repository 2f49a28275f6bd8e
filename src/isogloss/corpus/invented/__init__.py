"""A small English and an invented language that say the same things, for the synthetic corpus.

A sentence begins as a meaning drawn at random (``meaning``); ``english`` and ``tavri`` each put it into
words, and every word remembers which part of the meaning it came from: the word alignment is exact.
"""
