"""The application that the commands belong to, and how it ends."""

import json
import sys
from typing import Annotated, Any

import typer

from .. import __version__

__all__ = ["AsJson", "app", "main", "print_fact", "print_json"]

app = typer.Typer(
    name="taut",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.", rich_help_panel="Output")]


def main() -> None:
    """Run the command line; what goes wrong ends with one line on the error stream: bad input with 2, a failure with 1."""
    try:
        app()
    except (FileNotFoundError, IsADirectoryError) as error:
        _end(f"{error.filename}: {error.strerror}.", 2)
    except ValueError as error:
        _end(str(error), 2)
    except BrokenPipeError:  # the reader of the output has seen enough
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        _end(str(error), 1)
    except Exception as error:
        _end(f"{type(error).__name__}: {error}", 1)


def _end(message: str, code: int) -> None:
    print(f"taut: {message}", file=sys.stderr)
    sys.exit(code)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"taut {__version__}")
        raise typer.Exit


@app.callback()
def _taut(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Structural SVMs with exact slack rescaling."""


def print_json(record: Any, indent: int | None = 2) -> None:
    """Strict JSON: what is not finite is null."""
    plain = json.loads(json.dumps(record), parse_constant=lambda _: None)
    print(json.dumps(plain, indent=indent, ensure_ascii=False))


def print_fact(name: str, value: Any) -> None:
    """One line of a summary."""
    print(f"{name.replace('_', ' '):<16} {f'{value:.6g}' if isinstance(value, float) else value}")
