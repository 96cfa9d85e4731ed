# SPDX-License-Identifier: Apache-2.0
"""Formulas for workspaces compared with an H200: the memory that decompositions, transforms and
recurrences requested from PyTorch's allocator.

tests/data/card-h200/workspaces.jsonl has the measured allocations, in the order requested and
including outputs. The program performs the same operations on the dry H200. A measured row has one
workspace or several; the rest is PyTorch's own.
"""

import json
import pathlib

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
MEASURED = REPOSITORY / "tests/data/card-h200/workspaces.jsonl"
MIB = 1 << 20
# The values of configs/devices/h200.yaml that the sizes depend on; the memory is enough for each
# row.
H200 = {"multiprocessors": 132, "shared_bytes_per_multiprocessor": 233472, "shared_bytes_per_block_optin": 232448, "memory_bytes": 150_109_880_320}
FOREIGN = 7_654_320  # a size that no row requests, and a multiple of each element's


def rows_of(kind):
    rows = [json.loads(line) for line in MEASURED.read_text().splitlines()]
    return [row for row in rows if kind_of(row) == kind]


def kind_of(row):
    if row["kind"] == "solver":
        return "fft" if "fft" in row["op"] else "solver"
    return row["kind"]


def name_of(row):
    return " ".join(str(row[key]) for key in ("op", "cls", "shape", "kw", "dtype") if key in row)


def series(row):
    """Return a row's allocations, one list for each part of it."""
    return [row[part] for part in ("allocs", "fwd", "bwd") if part in row]


@pytest.fixture
def performed(on_dry_gpu, tmp_path):
    def run(rows, **card):
        file = tmp_path / "rows.json"
        file.write_text(json.dumps(rows))
        facts = on_dry_gpu("solver_workspaces.py", str(file), **{**H200, **card})
        assert facts["messages"] == [], "nothing is refused"
        return facts

    return run


def bytes_off(measured, ours):
    """Return the sum of the differences, allocation by allocation. A different number of them means
    that the program took another path."""
    assert len(measured) == len(ours), (measured, ours)
    return sum(abs(size - other) for size, other in zip(measured, ours, strict=True))


def check(rows, facts, workspaces):
    """The sum of differences must be within 1% of all workspaces, and no row may be off by more
    than 8 MiB."""
    assert len(rows) == len(facts["rows"])
    off = {}
    for row, ours in zip(rows, facts["rows"], strict=True):
        of_row = sum(bytes_off(measured, mine) for measured, mine in zip(series(row), series(ours), strict=True))
        off[name_of(row)] = max(of_row, off.get(name_of(row), 0))
    assert {name: bytes for name, bytes in off.items() if bytes > 8 * MIB} == {}
    assert sum(off.values()) <= 0.01 * workspaces, off
    assert facts["counts"]["fitted_workspaces"] > 0
    assert facts["counts"]["unknown_workspaces"] == 0
    return off


def test_decompositions(performed):
    rows = rows_of("solver")
    assert len(rows) >= 50
    # With a size that the user chooses, all workspaces have that size, which shows which
    # allocations they are.
    places = [[size == FOREIGN for size in row["allocs"]] for row in performed(rows, cusolver_workspace_bytes=FOREIGN)["rows"]]
    workspaces = [sum(size for size, is_workspace in zip(row["allocs"], place, strict=True) if is_workspace) for row, place in zip(rows, places, strict=True)]
    off = check(rows, performed(rows), sum(workspaces))
    assert sum(off.values()) == 0, "every measured size comes out to the byte"


# Allocations before a transform's work area: its result, and for some its input as complex numbers
# and a copy of that.
BEFORE_WORK_AREA = {"fft": 1, "rfft": 1, "fft2": 2, "irfft": 3}


def test_transforms(performed):
    rows = rows_of("fft")
    assert len(rows) >= 25
    workspaces = sum(sum(row["allocs"][BEFORE_WORK_AREA[row["op"].removeprefix("first ")] :]) for row in rows)
    off = check(rows, performed(rows), workspaces)
    assert sum(off.values()) == 0, "every measured size comes out to the byte"


def test_recurrences(performed):
    rows = rows_of("rnn")
    assert len(rows) >= 7
    # In forward, the workspace and the reserve space come last; in backward there are two
    # workspaces of forward's size.
    workspaces = sum(3 * row["fwd"][-2] + row["fwd"][-1] for row in rows)
    off = check(rows, performed(rows), workspaces)
    assert sum(off.values()) == 0, "every measured size comes out to the byte"


def test_a_network_that_drops_has_a_generator_for_each_thread(performed):
    """This is the only size that depends on the card's multiprocessors."""
    rows = [row for row in rows_of("rnn") if "dropout" in row["kw"]]
    halved = performed(rows, multiprocessors=66)["rows"][0]["fwd"]
    measured = rows[0]["fwd"]
    assert [(size, other) for size, other in zip(measured, halved, strict=True) if size != other] == [(6_488_064, 3_244_032)]
