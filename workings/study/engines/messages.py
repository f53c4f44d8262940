"""What a worker tells the study about its job, as it is sent through the pipe between them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Progressed:
    """How far the job is: `done` of `of` epochs where that is known, and in words."""

    words: str
    done: float | None = None
    of: int | None = None


@dataclass(frozen=True)
class EpochEnded:
    """The validation metric after an epoch."""

    epoch: int
    of: int
    metric: str
    value: float

    @property
    def words(self) -> str:
        """The news in a line."""
        return f"epoch {self.epoch} of {self.of}: {self.metric} {self.value:.4g}"


@dataclass(frozen=True)
class Warned:
    """Something that the user should know, while the job goes on."""

    text: str


@dataclass(frozen=True)
class Ended:
    """The job is done (no error), failed, or was stopped."""

    error: str = ""
    stopped: bool = False


News = Progressed | EpochEnded | Warned
Message = News | Ended
