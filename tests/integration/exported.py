# SPDX-License-Identifier: Apache-2.0
"""Exported runs, and their snapshots read as memory_viz reads them."""

import csv
import io
import pickle
import pickletools
import subprocess

import pytest
from workspaces import TINY, Workspace

CATEGORIES = ["Parameter", "Optimizer_State", "Input", "Temporary", "Activation", "Gradient", "Autograd_Detail", "Unknown"]

# Opcodes that every version of MemoryViz.js reads and that read_narrowly reads.
KNOWN_OPCODES = {
    *("PROTO", "STOP", "MARK", "BINPUT", "LONG_BINPUT", "BINGET", "LONG_BINGET", "EMPTY_DICT", "SETITEMS", "EMPTY_LIST", "APPENDS"),
    *("TUPLE2", "BININT", "BININT1", "BININT2", "LONG1", "NEWTRUE", "NEWFALSE", "BINUNICODE"),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A workspace with a CPU run and two dry runs: one with fixed-size segments, one with
    expandable segments."""
    workspace = Workspace(tmp_path_factory.mktemp("runs"))
    workspace.write("tiny.yaml", TINY + "accumulation: 2\n")
    for out, words, environment in (
        ("cpu", [], {}),
        ("dry", ["--dry", "h100-80gb"], {}),
        ("expandable", ["--dry", "h100-80gb"], {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}),
    ):
        result = workspace.strata("run", "tiny.yaml", *words, "--out", out, **environment)
        assert result.returncode == 0, result.stderr
    return workspace


RUNS = pytest.mark.parametrize("run", ["cpu", "dry", "expandable"])


def export(workspace, run, form, *words, out="-", **options):
    """Return the command's standard output as bytes."""
    done = subprocess.run(
        workspace.command("export", run, "--format", form, "--out", out, *words),
        cwd=workspace.folder,
        capture_output=True,
        check=False,
        timeout=400,
        **options,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def snapshot_of(workspace, run):
    return pickle.loads(export(workspace, run, "memory_viz"))


def table(text):
    return list(csv.DictReader(io.StringIO(text.decode())))


def replay(snapshot):
    """Return (categories, allocated) after each event. Checks that each free has its allocation and
    each block a segment."""
    trace = snapshot["device_traces"][-1]
    mapped = {}
    for segment in snapshot["segments"]:
        mapped[segment["address"]] = segment["address"] + segment["total_size"]
    # memory_viz knows the segments at the end and works backwards from there.
    for entry in reversed(trace):
        begin, end = entry["addr"], entry["addr"] + entry["size"]
        if entry["action"] == "free_completed":
            assert any(start <= begin and end <= stop for start, stop in mapped.items()), entry
        elif entry["action"] == "segment_alloc":
            assert mapped.pop(begin) == end
        elif entry["action"] == "segment_free":
            mapped[begin] = end
    alive, sums = {}, dict.fromkeys((name.lower() for name in CATEGORIES), 0)
    for entry in trace:
        if entry["action"] == "alloc":
            assert entry["addr"] not in alive
            alive[entry["addr"]] = entry
            sums[entry["category"]] += entry["size"]
        elif entry["action"] == "free_completed":
            sums[alive.pop(entry["addr"])["category"]] -= entry["size"]
        else:
            continue
        yield list(sums.values())


def read_narrowly(pickled):
    """Read a pickle as strictly as MemoryViz.js does: only its opcodes, numbers of 8 bytes, at most
    1,000 items at once."""
    stack, marks, memo = [], [], {}
    for opcode, argument, _ in pickletools.genops(pickled):
        name = opcode.name
        assert name in KNOWN_OPCODES, name
        if name == "PROTO":
            assert argument <= 4
        elif name == "MARK":
            marks.append(len(stack))
        elif name in ("BINPUT", "LONG_BINPUT"):
            memo[argument] = stack[-1]
        elif name in ("BINGET", "LONG_BINGET"):
            stack.append(memo[argument])
        elif name in ("APPENDS", "SETITEMS"):
            mark = marks.pop()
            items = stack[mark:]
            del stack[mark:]
            assert len(items) <= 1000
            if name == "APPENDS":
                stack[-1].extend(items)
            else:
                stack[-1].update(zip(items[::2], items[1::2], strict=True))
        elif name == "TUPLE2":
            stack[-2:] = [tuple(stack[-2:])]
        elif name != "STOP":
            if name == "LONG1":
                assert -(2**63) <= argument < 2**63
            stack.append({"EMPTY_LIST": list, "EMPTY_DICT": dict, "NEWTRUE": lambda: True, "NEWFALSE": lambda: False}.get(name, lambda: argument)())
    (value,) = stack
    return value
