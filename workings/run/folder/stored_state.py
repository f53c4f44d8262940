"""Whether the nested tensors of a checkpoint are what the run that takes them up expects."""

from torch import Tensor

from workings.json_files import WrongJson
from workings.tree import unflatten


def unflatten_stored(rest: object, tensors: dict[str, Tensor], key: str) -> object:
    """What `flatten` took apart; WrongJson where it was not `flatten` that did."""
    try:
        return unflatten(rest, tensors)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise WrongJson(f"{key}: is not a nesting of tensors ({error!r})") from error


def require_alike(value: object, like: object, key: str) -> None:
    """WrongJson where two nestings differ in shape, or in the type and shape of a tensor.

    Numbers may differ in value, and whether an option is set (None) is left to its reader.
    """
    if isinstance(like, Tensor):
        if not isinstance(value, Tensor):
            raise WrongJson(f"{key}: a tensor is missing")
        if (value.shape, value.dtype) != (like.shape, like.dtype):
            raise WrongJson(
                f"{key}: is {tuple(value.shape)} of {value.dtype}, "
                f"not {tuple(like.shape)} of {like.dtype}"
            )
    elif isinstance(like, dict):
        if not isinstance(value, dict) or value.keys() != like.keys():
            raise WrongJson(f"{key}: does not have the parts {', '.join(map(str, like))}")
        for name, part in like.items():
            require_alike(value[name], part, f"{key}.{name}")
    elif isinstance(like, (list, tuple)):
        if type(value) is not type(like) or len(value) != len(like):
            raise WrongJson(f"{key}: is not a {type(like).__name__} of {len(like)}")
        for position, (ours, theirs) in enumerate(zip(value, like, strict=True)):
            require_alike(ours, theirs, f"{key}.{position}")
    elif _kind(value) != _kind(like) and None not in (value, like):
        raise WrongJson(f"{key}: is {value!r}, not a {type(like).__name__}")


def is_alike(value: object, like: object) -> bool:
    """Whether two nestings have the same shape, and their tensors the same types and shapes."""
    try:
        require_alike(value, like, "")
    except WrongJson:
        return False
    return True


def _kind(value: object) -> type:
    """1 and 1.0 are both numbers; True is none."""
    return float if type(value) is int else type(value)
