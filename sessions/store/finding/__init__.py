"""Hypotheses and places that hold some words, or mean much the same."""
