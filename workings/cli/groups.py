"""`workings --help`: the commands in groups, one line each, and three examples."""

from typing import Any

import typer.core

GROUPS = {
    "Train and use": ("train", "resume", "eval", "generate", "predict", "transcribe"),
    "Compare": ("study", "report", "runs"),
    "Check and cost": ("check", "cost", "graph", "bench"),
    "Data and machine": ("data", "cache", "doctor", "mcp"),
}
EXAMPLES = (
    ("workings train language --data novel.txt", "a language model of your own text"),
    ("workings check paper.tex", "every equation of a document, checked"),
    ("workings study ptb-rnn --rows 1,2 --plan", "what a study would run, and how long"),
)


class GroupedCommands(typer.core.TyperGroup):
    """The commands of the help under the headings of `GROUPS`."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each group's commands; one that is in no group comes last."""
        names = [name for name in self.list_commands(ctx) if not self.commands[name].hidden]
        grouped = {name for group in GROUPS.values() for name in group}
        groups = {**GROUPS, "Others": tuple(name for name in names if name not in grouped)}
        for heading, group in groups.items():
            rows = [
                (name, self.commands[name].get_short_help_str(limit=70))
                for name in group
                if name in names
            ]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        with formatter.section("Examples"):
            formatter.write_dl(EXAMPLES)
        formatter.write_text("`workings COMMAND --help` shows the options of a command.")
