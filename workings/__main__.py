"""`python -m workings` is the `workings` command."""

from workings.cli import main

if __name__ == "__main__":
    main()
