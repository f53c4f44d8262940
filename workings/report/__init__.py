"""Reports: a study's or a run's summary as a table, a page, figures."""
