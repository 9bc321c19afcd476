"""Runs proofs and laws, and says what they came to: events, verdicts, known failures, replay."""
