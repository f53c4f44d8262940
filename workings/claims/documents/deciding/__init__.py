"""The verdict on one claim of a document: its readings, doubts and advice."""
