"""The command `tokenloom`, also as `python -m tokenloom`."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line and end the process; see `tokenloom.cli.main` for the exit codes."""
    try:
        from tokenloom.cli.main import run  # typer and rich take their time: Ctrl-C may come meanwhile

        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        print("stopped.", file=sys.stderr)
        status = 130
    sys.exit(status)


if __name__ == "__main__":
    main()
