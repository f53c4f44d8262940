"""Keep freed memory: on glibc every large tensor is otherwise given back and page-faulted anew."""

import ctypes
import platform

# From malloc.h; all three are about when memory goes back to the system.
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX = -1, -2, -4


def keep_memory() -> bool:
    """Set it for this process; False where the C library is another one."""
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    settings = ((M_MMAP_MAX, 0), (M_TOP_PAD, 256 << 20), (M_TRIM_THRESHOLD, 2**31 - 1))
    return all(mallopt(option, value) == 1 for option, value in settings)
