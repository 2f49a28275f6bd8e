"""Reading, writing, checking and preparing text."""
