# SPDX-License-Identifier: Apache-2.0
"""The dry GPU's counts of what it did not compute, read from within a program."""

import ctypes


class Counts(ctypes.Structure):
    """strata_dry_gpu_counts of strata/dry_gpu.h, field by field."""

    _fields_ = [
        (name, ctypes.c_uint64)
        for name in (
            "launches",
            "library_calls",
            "unknown_reads",
            "unknown_bytes",
            "unknown_times",
            "answered_reads",
            "assumed_reads",
            "communicators",
            "unknown_workspaces",
            "asked_workspaces",
            "fitted_workspaces",
            "bounded_workspaces",
        )
    ]


_count = ctypes.CDLL(None).strata_dry_gpu_count
_count.restype = Counts


def counts():
    now = _count()
    return {name: getattr(now, name) for name, _ in Counts._fields_}
