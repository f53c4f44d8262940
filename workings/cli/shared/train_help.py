"""`workings train TASK --help`: the config fields of the task, below the options."""

from typing import TYPE_CHECKING, Literal, get_args, get_origin

import typer.core

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from typer._click import Context, HelpFormatter


class TrainCommand(typer.core.TyperCommand):
    """`workings train TASK --help` shows the task's config fields below the options."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        if any(arg in ctx.help_option_names for arg in args):
            ctx.meta["what"] = next((arg for arg in args if _is_config(arg)), None)
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        from workings.run import config as configs
        from workings.tasks import TASKS

        what = ctx.meta.get("what")
        if what is None:
            lines = [("tasks", ", ".join(TASKS)), ("shipped configs", ", ".join(configs.shipped()))]
            with formatter.section("TASK|CONFIG"):
                formatter.write_dl(lines)
            formatter.write_text("`workings train TASK --help` shows the config fields of a task.")
            return
        values = configs.load(what, trust=True)  # only its fields are shown
        task = configs.task_of(values)
        sections = {"data": task.Data, "train": task.Train}
        for kind, model in task.MODELS.items():
            sections[f"model (kind = {kind})"] = model
        for name, fields in sections.items():
            with formatter.section(f"--set {name.partition(' ')[0]}.KEY=VALUE, {name}"):
                formatter.write_dl(
                    [
                        (f"{key} = {_default(field.default)}", _describe(field))
                        for key, field in fields.model_fields.items()
                        if key != "kind"
                    ]
                )


def _is_config(arg: str) -> bool:
    from workings.run import config as configs
    from workings.tasks import TASKS

    return arg in TASKS or arg in configs.shipped() or arg.endswith(".toml")


def _describe(field: "FieldInfo") -> str:
    choices = " | ".join(map(str, get_args(field.annotation)))
    chosen = f" [{choices}]" if get_origin(field.annotation) is Literal else ""
    return (field.description or "") + chosen


def _default(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')
