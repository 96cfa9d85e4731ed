# SPDX-License-Identifier: Apache-2.0
"""Workspaces of convolutions, queried from the installed torch's cuDNN without a device, compared
with an H200.

tests/data/card-h200/workspaces.jsonl has the measured allocations in the order requested: a
convolution's result and then its workspace, if it has one. The program performs the same operations
on the dry H200.
"""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
MEASURED = REPOSITORY / "tests/data/card-h200/workspaces.jsonl"
PROGRAM = pathlib.Path(__file__).parent / "programs/convolution_workspaces.py"
MIB = 1 << 20


def measured_rows():
    return [row for row in map(json.loads, MEASURED.read_text().splitlines()) if row["kind"] == "conv"]


@pytest.fixture
def performed(strata, tmp_path):
    """A function that performs rows under `strata exec --dry h200` with options; returns its
    output, its standard error and the account."""
    cache = tmp_path / "cache"

    def run(rows, *options, **environment):
        file, account = tmp_path / "rows.json", tmp_path / "account.json"
        file.write_text(json.dumps(rows))
        command = [strata, "exec", "--plugins", "none", "--account", account, "--dry", "h200", *options, "--", sys.executable, PROGRAM, file]
        variables = {"XDG_CACHE_HOME": str(cache), **environment}
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables})
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), done.stderr, json.loads(account.read_text())

    return run


def few_rows():
    """Return three rows with a workspace, of three kinds."""
    rows = [row for row in measured_rows() if len(row["allocs"]) == 2 and not row["benchmark"]]
    return [rows[0], rows[len(rows) // 2], rows[-1]]


def workspaces(rows):
    return [sum(allocations[1:]) for allocations in rows]


def bytes_off(rows, facts):
    assert len(rows) == len(facts["rows"])
    for row, ours in zip(rows, facts["rows"], strict=True):
        assert ours[0] == row["allocs"][0], row
    return [abs(ours - measured) for ours, measured in zip(workspaces(facts["rows"]), workspaces(row["allocs"] for row in rows), strict=True)]


def test_every_measured_row(performed):
    """Rows have the card's order: those of benchmark mode came last there and found existing plans.

    The remaining difference is cuBLASLt's workspace on the card, up to 8.3 MiB for a gradient of a
    1 x 1 filter (decision 033).
    """
    rows = measured_rows()
    assert len(rows) >= 312
    facts, errors, account = performed(rows)
    off = bytes_off(rows, facts)
    total = sum(workspaces(row["allocs"] for row in rows))
    print(f"{len(rows)} rows, {off.count(0)} equal, {sum(off) / total:.2%} of {total} bytes off, at most {max(off) / MIB:.1f} MiB")
    assert max(off) <= 8.5 * MIB, [row for row, bytes in zip(rows, off, strict=True) if bytes > 8.5 * MIB]
    large = [row for row, bytes in zip(rows, off, strict=True) if bytes > 4 * MIB]
    assert all(row["op"] == "wgrad" and row["r"] == 1 and row["stride"] == 1 and row["fmt"] == "nhwc" for row in large), large
    assert off.count(0) >= 289
    assert sum(off) <= 0.0095 * total
    assert account["asked_workspaces"] + account["fitted_workspaces"] > 2 * len(rows)
    assert account["fitted_workspaces"] > 100  # a formula used the card's multiprocessors
    assert account["bounded_workspaces"] == account["unknown_workspaces"] == 0
    assert "from cuDNN itself" in errors and "cannot be asked" not in errors


def test_benchmark_mode_is_an_upper_bound_and_says_so(performed):
    rows = [row for row in measured_rows() if row["benchmark"]]
    assert len(rows) >= 38
    facts, errors, account = performed(rows)
    bytes_off(rows, facts)
    pairs = list(zip(workspaces(facts["rows"]), workspaces(row["allocs"] for row in rows), strict=True))
    short = [(row, ours, measured) for row, (ours, measured) in zip(rows, pairs, strict=True) if ours < measured - 8 * MIB]
    assert not short
    assert any(ours > measured for ours, measured in pairs)
    assert account["bounded_workspaces"] > len(rows)
    assert "from an upper bound" in errors


def test_switched_off_they_are_unknown_as_before(performed):
    rows = few_rows()
    facts, errors, account = performed(rows, "--cudnn-workspaces", "off")
    assert workspaces(facts["rows"]) == [0, 0, 0]
    assert account["asked_workspaces"] == 0 and account["unknown_workspaces"] > 0
    assert "unknown (taken as 0)" in errors and "cannot be asked" not in errors


def test_a_size_of_ones_own_goes_before(performed):
    rows = few_rows()
    facts, errors, account = performed(rows, "--cudnn-workspace", "3MiB")
    assert workspaces(facts["rows"]) == [3 * MIB] * 3
    assert account["asked_workspaces"] == 0 and account["unknown_workspaces"] > 0


def library(tmp_path, code):
    source, file = tmp_path / "cudnn.c", tmp_path / "libcudnn.so.9"
    source.write_text(code)
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", file], check=True)
    return str(file)


OLD = "unsigned long cudnnGetVersion(void) { return 90701; }\n"
NONE_OF_IT = "int something_else;\n"
ENDS = "#include <stdlib.h>\nunsigned long cudnnGetVersion(void) { abort(); }\n"
PRINTS = '#include <stdio.h>\n#include <unistd.h>\nunsigned long cudnnGetVersion(void) { puts("from cuDNN"); fflush(stdout); write(1, "x", 1); return 0; }\n'


@pytest.mark.parametrize(
    "code, why",
    [
        (OLD, "is version 9.7.1, and works without a device from 9.8 on"),
        (NONE_OF_IT, "it has no cudnnGetVersion"),
        (ENDS, "its process ended, or did not answer in time"),
        (PRINTS, "is version 0.0.0"),
        (None, "no such file"),
    ],
    ids=["old", "another library", "ends", "prints", "missing"],
)
def test_a_library_that_cannot_be_asked_is_named_once(performed, tmp_path, code, why):
    file = library(tmp_path, code) if code else str(tmp_path / "libcudnn.so.9")
    rows = few_rows()
    facts, errors, account = performed(rows, STRATA_CUDNN_LIBRARY=file)
    assert workspaces(facts["rows"]) == [0, 0, 0]
    (line,) = [line for line in errors.splitlines() if "cannot be asked" in line]
    assert "cuDNN cannot be asked for the workspaces of convolutions" in line and why in line
    assert account["asked_workspaces"] == 0 and account["unknown_workspaces"] > 0


@pytest.fixture
def own_library(tmp_path):
    """A copy of the installed libcudnn.so.9 with its parts, and a function that replaces it by a
    file that looks the same from outside and cannot be opened, or restores it."""
    installed = pathlib.Path(importlib.util.find_spec("nvidia.cudnn").submodule_search_locations[0]) / "lib"
    folder = tmp_path / "library"
    folder.mkdir()
    for part in installed.glob("libcudnn_*.so.9"):
        (folder / part.name).symlink_to(part)
    file = folder / "libcudnn.so.9"
    shutil.copy2(installed / file.name, file)
    times, good = file.stat(), file.read_bytes()

    def put(is_good):
        file.write_bytes(good if is_good else bytes(len(good)))
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    return str(file), put


def test_what_is_kept_needs_no_second_process(performed, own_library, tmp_path):
    rows = few_rows()
    file, put = own_library
    cold, errors, _ = performed(rows, STRATA_CUDNN_LIBRARY=file)
    assert 0 not in workspaces(cold["rows"]), errors
    kept = sorted((tmp_path / "cache/strata/cudnn").iterdir())
    assert kept
    times = [answer.stat().st_mtime_ns for answer in kept]
    put(False)
    warm, errors, account = performed(rows, STRATA_CUDNN_LIBRARY=file)
    assert workspaces(warm["rows"]) == workspaces(cold["rows"])
    assert "cannot be asked" not in errors
    assert account["asked_workspaces"] > 0 and account["unknown_workspaces"] == 0
    assert [answer.stat().st_mtime_ns for answer in kept] == times
    # A damaged answer counts as missing and is queried again.
    for answer in kept:
        answer.write_bytes(answer.read_bytes()[:-9] + b"\0damaged\n")
    damaged, errors, _ = performed(rows, STRATA_CUDNN_LIBRARY=file)
    assert workspaces(damaged["rows"]) == [0, 0, 0] and "cannot be asked" in errors
    put(True)
    again, _, _ = performed(rows, STRATA_CUDNN_LIBRARY=file)
    assert workspaces(again["rows"]) == workspaces(cold["rows"])


def processes_named(name):
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if status.read_bytes().split(b"\0")[0].endswith(name.encode()):
                found.append(int(status.parent.name))
        except OSError:
            pass
    return found


def test_the_process_that_asks_ends_with_the_program(performed):
    before = set(processes_named("strata_real_cudnn"))
    performed(few_rows())
    deadline = time.monotonic() + 20
    while set(processes_named("strata_real_cudnn")) - before and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not set(processes_named("strata_real_cudnn")) - before


def test_a_program_without_convolutions_starts_nothing(strata, tmp_path):
    code = "import torch; a = torch.empty(64, 64, device='cuda'); (a @ a).relu()"
    command = [strata, "exec", "--plugins", "none", "--dry", "h200", "--", sys.executable, "-c", code]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "STRATA_CUDNN_LIBRARY": "/no/such/library"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0 and "cannot be asked" not in done.stderr
    assert not list(tmp_path.iterdir())


FORKS = """
import os, torch
convolution = lambda width: torch.nn.Conv2d(3, width, 3).cuda()(torch.zeros(2, 3, 32, 32, device="cuda")).shape
convolution(8)
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("no child")
if os.fork() == 0:
    os._exit(0)
os.wait()
print(convolution(16)[1])
"""


def test_the_process_that_asks_is_no_child_and_stays_with_its_program(strata, tmp_path):
    account = tmp_path / "account.json"
    command = [strata, "exec", "--plugins", "none", "--account", account, "--dry", "h200", "--", sys.executable, "-c", FORKS]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert done.stdout.splitlines() == ["no child", "16"], done.stderr
    assert "cannot be asked" not in done.stderr
    assert json.loads(account.read_text())["asked_workspaces"] == 2
