"""The console script: imports nothing itself, so that Ctrl-C ends it cleanly also while the rest is being imported."""


def run() -> None:
    """Run the command line and exit with its code; 130 after Ctrl-C at any moment."""
    try:
        from tui.cli.main import run as run_command_line  # noqa: PLC0415 - an interrupt during this import is caught here

        run_command_line()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
