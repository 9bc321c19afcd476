"""Symbolic execution of Torch code: an exported graph becomes a program over real numbers, which domains then read.

trace(function, arguments) exports; execute(traced, program, inputs) runs the graph on symbols.
"""
