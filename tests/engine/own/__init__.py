"""Code as its users write it: right, wrong, and badly behaved."""
