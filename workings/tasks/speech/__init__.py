"""The speech task: recordings, features, training, transcribing."""
