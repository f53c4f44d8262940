"""The images task: image files, preprocessing, augmentation, training, predicting classes."""

from workings.tasks.images.config import ImageConfig, ImageTrain
from workings.tasks.images.dataset import Images, ImageSet, load
from workings.tasks.images.files import read
from workings.tasks.images.preprocessing import Preprocessing
from workings.tasks.images.splits import stratified
from workings.tasks.images.task import ImageTask

__all__ = [
    "ImageConfig",
    "ImageSet",
    "ImageTask",
    "ImageTrain",
    "Images",
    "Preprocessing",
    "load",
    "read",
    "stratified",
]
