"""What stands beside the table: settings, data, machines, simpler methods."""

from tests.report.summaries import row, study
from workings.report import explain


def test_settings_are_told_apart() -> None:
    rows = [row("a", [5.0], config={"x": 1}), row("b", [4.0, 3.0], config={"x": 2, "y": True})]
    found = explain.differences(study(rows))
    assert found["differ"] == [["x", "1", "2"], ["y", "", "true"]]
    assert found["same"] == ['task = "language"', 'model.kind = "rnn"']
    assert found["seeds"] == [["a", "1"], ["b", "1, 2"]]


def test_data_and_machines_are_listed_once_each() -> None:
    other = {"data": {"sha256": "cd" * 32, "about": "another"}, "environment": {"threads": 1}}
    found = explain.environment(study([row("a", [5.0, 6.0]), row("b", [4.0], **other)]))
    assert found["machine"] == [["python", "3.11.0"], ["threads", "2; 1"]]
    assert [(one["about"], one["rows"]) for one in found["data"]] == [
        ("a book", ["a"]),
        ("another", ["b"]),
    ]


def test_simpler_methods_stand_beside() -> None:
    one = row("a", [5.0], baselines={"unigram": {"test.perplexity": 640.0}, "odd": 3})
    assert explain.simpler(study([one])) == ["Simpler methods on the same data: unigram 640.00."]


def test_a_newcomer_is_told_what_a_metric_is() -> None:
    details = {"variants": {"cosine": "of characters as multisets"}}
    asked = study([row("a", [5.0], details=details)], file={"also": ["test.cosine", "valid.loss"]})
    said = explain.explanations(asked)
    assert said[0] == "Test perplexity: lower is better."
    assert said[1].startswith("Perplexity: among how many equally likely words")
    assert said[2] == "Cosine: of characters as multisets."
    assert said[3].startswith("Loss: ")
    assert len(said) == 4
