"""The language task: text files, its vocabulary, training, generating."""
