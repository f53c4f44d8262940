"""The machine a run is on: threads, precision, memory, signals and random numbers."""
