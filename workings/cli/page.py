"""`workings page`: a local web page to see runs, try models, check formulas and draw costs."""

import sys
import webbrowser
from typing import Annotated

import typer

from workings.cli.shared.options import Runs
from workings.cli.study import Studies


def add_to(app: typer.Typer) -> None:
    """Put the command on the app."""
    app.command()(page)


def page(
    runs: Runs = None,
    studies: Studies = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; this machine alone if not given.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="8765 or the next free one if not given.")
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Import the classes (package.module:Class) that are named."),
    ] = False,
) -> None:
    """Serve a local web page: runs live, models to try, formulas to check, costs drawn.

    Only this machine can open it, and only with the link that is printed. Trainings that are
    started there go on when the page is closed. Ctrl-C ends the server.
    """
    from workings.page.folders import Folders
    from workings.page.serve import serve
    from workings.run.folder import listing
    from workings.study.where import root

    def opened(link: str) -> None:
        print(f"the page is at {link}\nCtrl-C ends it; trainings started there go on", flush=True)
        if browser and sys.stdout.isatty():
            webbrowser.open(link)

    serve(Folders(listing.root(runs), root(studies)), host, port, trust, opened)
