# SPDX-License-Identifier: Apache-2.0
"""Runs of tests/allocators/record_device_use.cpp on a simulated GPU."""

import json
import pathlib

from workspaces import STRATA

RECORDER = pathlib.Path(STRATA).resolve().parents[1] / "tests/record_device_use"
MIB = 1 << 20

ALLOCATE, FREE, OUT_OF_MEMORY, RESERVED = 1, 2, 5, 8


def record_use(workspace, what, *words, out="out", settings="", devices=2):
    """Return the count that a plugged-in allocator kept itself, after each of its calls."""
    result = workspace.strata(
        *("exec", "--plugins", "none", "--dry", f"h100-80gb:{devices}", "--", RECORDER, out, what, *words),
        PYTORCH_CUDA_ALLOC_CONF=settings,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout), result.stderr


def report(workspace, *words, out="out"):
    result = workspace.strata("report", out, "--json", *words)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def cuda_events(workspace, *columns, out="out"):
    return workspace.query(
        out, f"SELECT {', '.join(columns)} FROM allocator_tracer_event WHERE device_type = 2 ORDER BY sequence"
    )
