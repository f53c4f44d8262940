"""Which images are read, and how; how an image classifier is trained."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from workings.data import sources
from workings.schema import Count, NonNegative, Probability, Share, Size
from workings.tasks import split_files
from workings.tasks.config import TrainConfig
from workings.tasks.split_files import SplitFiles


class ImageConfig(SplitFiles):
    """Where the images are and how they are read."""

    name: str = ""
    """a named data set (see `workings data list`); mnist-5k when no file is given either"""
    train: tuple[str, ...] = ()
    """training images: an .npz (its own splits are taken), IDX images and labels, a .csv with the
    label last, or a folder of class folders with pictures"""
    valid: tuple[str, ...] = ()
    """validation images; when there are none, a part of the training images is cut off"""
    test: tuple[str, ...] = ()
    """test images; when there are none, a part of the training images is cut off"""
    valid_share: Share = 0.1
    """share of each class cut off for validation"""
    test_share: Share = 0.1
    """share of each class cut off for test"""
    split_seed: Count = 1
    """of the cut, apart from the run's seed: runs with other seeds have the same splits"""
    subset: Literal["", "course"] = ""
    """course: of octmnist's test images the first 182, 55, 42, 250 of its classes: 529"""
    classes: tuple[str, ...] = ()
    """names of the classes 0, 1, …, for files that have numbers only"""
    channels: Literal[0, 1, 3] = 0
    """1: grey; 3: colour; 0: as the training images are"""
    resize: Literal["auto"] | Annotated[int, Field(ge=0, le=16_384)] = "auto"
    """height and width, in pixels, to which every image is brought; 0: as they are; auto: as they
    are if they have one size of at most 96 pixels, else the median of their shorter sides, at most
    96; what is not square is stretched or shrunk to it, and nothing is cut off"""
    skip_bad: bool = False
    """leave out pictures that cannot be read, and list them; otherwise they are an error"""
    normalise: Literal["unit", "standard"] = "unit"
    """unit: pixel/255; standard: then less the training images' mean, over their standard
    deviation, channel by channel"""
    allow_label_features: bool = False
    """train although single pixels tell the class"""

    @model_validator(mode="before")
    @classmethod
    def _defaults(cls, values: object) -> object:
        if not isinstance(values, dict):
            return values
        given = split_files.settle(values, "mnist-5k", "images")
        if isinstance(given.get("classes"), list):
            given["classes"] = tuple(values["classes"])
        name = given.get("name")
        if isinstance(name, str) and name:
            sources.source(name, "images")
            given.setdefault("resize", 0)
        return given

    @property
    def size(self) -> tuple[int, int] | None:
        """Height and width to resize to, if any."""
        return (self.resize, self.resize) if isinstance(self.resize, int) and self.resize else None


class ImageTrain(TrainConfig):
    """Training of an image classifier."""

    batch: Size = 32
    """images in a step"""
    eval_batch: Size = 500
    """images evaluated at a time; it changes the memory, not the value"""
    epochs: Size = 30
    """most passes over the training split"""
    patience: Count = 5
    """stop when the epoch is more than this past the best one"""
    shift: Count = 0
    """augmentation: move each image by up to so many pixels each way"""
    test_shifts: Annotated[int, Field(ge=0, le=8)] = 0
    """after training, also test on images moved by 1 to so many pixels, the mean over left, right,
    up and down: test.accuracy_shifted_1 and so on"""
    flip: bool = False
    """augmentation: mirror each image left to right with probability 1/2"""
    rotate: float = Field(default=0.0, ge=0, le=180)
    """augmentation: turn each image by up to so many degrees either way"""
    select: Literal["score", "loss"] = "score"
    """what decides which weights are best: the validation accuracy or loss; if not given, the loss
    where few images are for validation"""
    cutout: Count = 0
    """augmentation: a square of so many pixels a side is blanked somewhere in each image"""
    mixup: NonNegative = 0.0
    """augmentation: each batch is mixed with itself in another order, images and labels alike, by a
    share drawn from Beta(mixup, mixup); 0: not"""
    smoothing: Probability = 0.0
    """label smoothing: this much of the target probability is spread over all classes alike"""
