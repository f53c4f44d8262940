"""Engines that do a study's jobs: processes here, or a Ray cluster."""
