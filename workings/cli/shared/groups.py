"""`workings --help`: the commands in groups, one line each, and three examples."""

from typing import TYPE_CHECKING

import typer.core

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter

# Of each command its line: one that fits into a terminal of 80 columns.
GROUPS = {
    "Train and use": {
        "train": "train a model, in a run folder of its own",
        "resume": "go on with a run that was stopped, bit for bit",
        "eval": "the metrics of a run on its test split, or your own data",
        "generate": "text from a language model",
        "predict": "what a model says of your images, nodes or pairs",
        "transcribe": "what is said in sound files",
        "embed": "learned vectors as a file; what is near to what",
        "export": "the model as ONNX, or a folder that needs torch alone",
        "summarise": "functions of a file, or texts, in a few words",
    },
    "Compare": {
        "study": "variants side by side, beside published figures",
        "report": "runs or a study as one page, with charts and samples",
        "runs": "list, compare, draw, prune and remove runs",
        "page": "all of it in a browser: runs live, models to try",
    },
    "Check and cost": {
        "check": "formulas, counts and costs against the live model",
        "cost": "what a model costs, as exact formulas in its sizes",
        "graph": "how far information goes in a graph, and smoothing",
        "bench": "our speed against the ordinary PyTorch loop",
    },
    "Data and machine": {
        "data": "named data sets: list, download, look at your own",
        "cache": "what is kept to be faster next time; clear it",
        "doctor": "versions, devices, disk, where data is looked for",
        "mcp": "the checker and the costs as tools for an assistant",
    },
}
EXAMPLES = (
    ("workings train language --data novel.txt", "a language model of your own text"),
    ("workings check paper.tex", "every equation of a document, checked"),
    ("workings study ptb-rnn --rows 1,2 --plan", "what a study would run, and how long"),
)


class GroupedCommands(typer.core.TyperGroup):
    """The commands of the help under the headings of `GROUPS`."""

    def format_commands(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write each group's commands; one that is in no group comes last."""
        names = [name for name in self.list_commands(ctx) if not self.commands[name].hidden]
        grouped = {name for group in GROUPS.values() for name in group}
        others = {
            name: self.commands[name].get_short_help_str(limit=60)
            for name in names
            if name not in grouped
        }
        for heading, group in {**GROUPS, "Others": others}.items():
            rows = [(name, line) for name, line in group.items() if name in names]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write the examples."""
        with formatter.section("Examples"):
            formatter.write_dl(EXAMPLES)
        formatter.write_text("`workings COMMAND --help` shows the options of a command.")
