"""The speech-to-text network: one encoder, two decoders."""
