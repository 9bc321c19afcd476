"""What the kernel raises. To the caller of `prove` come ShapeError, RuleError and WrongType; the others are verdicts.

KernelError
  +-- ShapeError       the statement is ill-typed: two sizes that had to agree do not
  +-- OutOfFragment    a term that the value domains do not carry; never answered by a guess
  |     +-- FormsDiffer    matrices in forms that do not meet; a point can still refute
  +-- LimitReached     a budget of terms or steps ran out
  +-- RuleError        an inference rule was given premises that it does not accept
  +-- WrongType        an argument, or a part of a term, is not of the type that it must be
  +-- SealError        somebody tried to make, copy or change a Theorem outside the kernel
"""

from __future__ import annotations


class KernelError(Exception):
    """Any refusal of the kernel."""


class ShapeError(KernelError):
    """Two sizes that had to agree do not: the expression means nothing. Check the transposes and the declared sizes."""


class OutOfFragment(KernelError):
    """A term has no value in the domains of the kernel. State the identity differently, or extend the fragment."""


class FormsDiffer(OutOfFragment):
    """Matrices in forms that do not meet, as blocks of different layouts: the statement has a meaning, and a point."""


class LimitReached(KernelError):
    """A budget of terms or steps ran out before an answer. Split the statement into steps."""


class RuleError(KernelError):
    """An inference rule does not accept these premises. The message names the premise and the form that was wanted."""


class WrongType(KernelError, TypeError):
    """An argument is of another type than it must be. The message names the argument and both types."""


class SealError(KernelError, TypeError):
    """Theorems are made by the kernel alone and never change."""
