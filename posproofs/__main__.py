"""`python -m posproofs` is the command."""

from posproofs.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
