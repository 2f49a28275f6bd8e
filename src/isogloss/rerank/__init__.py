"""Reranking the n-best lists of any system."""
