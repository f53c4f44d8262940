"""The `workings` command, and `python -m workings`: Ctrl-C is understood before anything else."""

import sys

from workings import interrupts, openmp


def main() -> None:
    """Import the command and run it."""
    try:
        interrupts.remember()
        openmp.wait_asleep()
        from workings.cli import main as command

        command()
    except KeyboardInterrupt:  # while typer was imported
        print("workings: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
