# SPDX-License-Identifier: Apache-2.0
"""Memory that is reserved but not allocated: its cause, and whether expandable segments would
reserve less."""

import json
import pathlib
import re
import sys

import pytest
from workspaces import Workspace

MIB = 1 << 20
# Prints the bytes that torch's allocator reserved. "mended" follows the finding's advice.
PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "examples/python/reserved_memory.py"
KINDS = {"streams": "stream_caches", "frees": "deferred_frees", "pools": "private_pools", "pieces": "fragmentation"}


def run(workspace, *words):
    """Return the run's folder, the reserved bytes, and the shapes of reserved memory."""
    out = "-".join(words)
    done = workspace.strata("exec", "--out", out, "--dry", "a100-40gb", "--clock", "modelled", "--", sys.executable, PROGRAM, *words)
    assert done.returncode == 0, done.stderr
    shapes = json.loads(workspace.strata("report", out, "--shapes", "--json").stdout)["shapes"]
    return out, int(done.stdout.split()[0]), {shape["kind"]: shape for shape in shapes if shape["kind"] in KINDS.values()}


def if_expandable(shape):
    return float(re.search(r"in expandable segments take ([\d,.]+) MiB", shape["evidence"])[1].replace(",", ""))


def replayed_if_expandable(workspace, out):
    done = workspace.strata("replay", out, "--json", "--alloc-conf", "expandable_segments:True")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["replays"][1]["peak_reserved_bytes"] / MIB


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return Workspace(tmp_path_factory.mktemp("reserved"))


@pytest.mark.parametrize("way", ["streams", "frees", "pools"])
def test_it_is_named_and_its_remedy_gains_what_it_says(workspace, way):
    _, reserved, found = run(workspace, way)
    _, mended, rest = run(workspace, way, "mended")
    assert list(found) == [KINDS[way]] and rest == {}
    shape = found[KINDS[way]]
    assert "expandable_segments:True" not in shape["remedy"]
    # Shared memory is also cut into pieces, so a part of it may remain.
    assert 0.65 * shape["bytes"] < reserved - mended < 1.1 * shape["bytes"]


def test_expandable_segments_are_advised_where_they_gain(workspace):
    out, reserved, found = run(workspace, "pieces")
    assert list(found) == ["fragmentation"]
    shape = found["fragmentation"]
    assert "expandable_segments:True" in shape["remedy"]
    assert if_expandable(shape) == pytest.approx(replayed_if_expandable(workspace, out), abs=0.1)
    assert if_expandable(shape) < reserved / MIB / 2
