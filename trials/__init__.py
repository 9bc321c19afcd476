"""Trials of the kernel: random identities, true or with one defect, judged by oracles that share no code with it.

The kernel claims that what it proves is true and that what it refutes is false at the point that it names. A trial
draws an identity that is true by construction, spoils it in four cases of five, asks the kernel, and lets arithmetic
that was written independently judge the answer.

    python -m trials                      a million near-identities, resumed where the last run stopped
    python -m trials replay values/17     one case in plain text, with the answer and the opinion of the oracle
"""
