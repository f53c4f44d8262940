"""Trying trained models, in a worker's process: what each task can show of itself on the page.

`opened` keeps the models that were used last; `language`, `images`, `graph` (nodes), `graph_set`
(whole graphs), `links` (edges that may come), `speech` and `summary` each give what its view in the
browser draws.
"""

from workings.page.trying.opened import about, run_at

__all__ = ["about", "run_at"]
