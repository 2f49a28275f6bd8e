"""The experiments of the five papers, to run on any data, and the demo."""
