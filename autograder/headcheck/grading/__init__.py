"""Runs the hidden graders on a submission and turns the outcomes into a verdict."""
