"""Nested values that hold tensors: mapped over, and taken apart for a checkpoint."""

from collections.abc import Callable

from torch import Tensor


def map_tensors(f: Callable[[Tensor], Tensor], value: object) -> object:
    """The same nesting of lists, tuples and dicts, with f of every tensor."""
    if isinstance(value, Tensor):
        return f(value)
    if isinstance(value, (list, tuple)):
        parts = [map_tensors(f, part) for part in value]
        # A named tuple takes its fields one by one, and has this to take them as a list.
        make = getattr(value, "_make", type(value))
        return make(parts)
    if isinstance(value, dict):
        return {key: map_tensors(f, part) for key, part in value.items()}
    return value


def flatten(value: object, path: str, tensors: dict[str, Tensor]) -> object:
    """Put every tensor into `tensors` under its path; return the rest, which JSON can hold."""
    if isinstance(value, Tensor):
        if path in tensors:
            raise TypeError(f"{path}: two tensors have this path")
        tensors[path] = value.detach().contiguous()
        return {"tensor": path}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        parts = [flatten(part, f"{path}.{i}", tensors) for i, part in enumerate(value)]
        return {"tuple" if isinstance(value, tuple) else "list": parts}
    if isinstance(value, dict):
        parts = [[key, flatten(part, f"{path}.{key}", tensors)] for key, part in value.items()]
        return {"dict": parts}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{path}: a {type(value).__name__} cannot be kept in a checkpoint")


def unflatten(rest: object, tensors: dict[str, Tensor]) -> object:
    """What `flatten` took apart; each tensor has one place in it, or it is a KeyError."""
    left = dict(tensors)

    def whole(rest: object) -> object:
        if not isinstance(rest, dict):
            return rest
        ((kind, content),) = rest.items()
        if kind == "tensor":
            return left.pop(content).clone()
        if kind == "dict":
            return {key: whole(part) for key, part in content}
        parts = (whole(part) for part in content)
        return tuple(parts) if kind == "tuple" else list(parts)

    return whole(rest)
