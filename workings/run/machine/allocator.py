"""Keep freed memory: on glibc every large tensor is otherwise given back and page-faulted anew."""

import ctypes
import platform

# From malloc.h; all three are about when memory goes back to the system.
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX = -1, -2, -4
KEEP = ((M_MMAP_MAX, 0), (M_TOP_PAD, 256 << 20), (M_TRIM_THRESHOLD, 2**31 - 1))
USUAL = ((M_MMAP_MAX, 65536), (M_TOP_PAD, 128 << 10), (M_TRIM_THRESHOLD, 128 << 10))


def keep_memory() -> bool:
    """Set it for this process; False where the C library is another one."""
    return _set(KEEP)


def give_back_memory() -> bool:
    """As the C library does by itself, what is free now included."""
    return _set(USUAL) and ctypes.CDLL(None).malloc_trim(0) >= 0


def _set(settings: tuple[tuple[int, int], ...]) -> bool:
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return all(mallopt(option, value) == 1 for option, value in settings)
