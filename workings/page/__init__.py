"""The page: runs seen live, models tried, formulas checked, costs drawn, in a browser.

`serve` (which address, which folders) → `app` (the routes) behind `guard` (who may ask, what a
browser may load). Heavy work is done by a `worker`: a process that answers one request at a time.
The browser's side is `static/`: plain ES modules and one style sheet, nothing from elsewhere.
"""

from workings.page.app import make_app
from workings.page.folders import Folders
from workings.page.serve import serve

__all__ = ["Folders", "make_app", "serve"]
