"""Tuning: loops that drive a decoder to find weights."""
