# SPDX-License-Identifier: Apache-2.0
"""A step captured as a CUDA graph on a dry card, and the contents of the graph's pool."""

import collections
import pathlib

from workspaces import STRATA
from exported import export, table

RECORDER = pathlib.Path(STRATA).resolve().parents[1] / "tests/record_graph_capture"
MATRIX, ROW_SUMS, SMALL = 256 * 1024 * 4, 256 * 4, 512


def test_what_a_captured_step_leaves_is_its_owners_or_the_pools(workspace):
    result = workspace.strata("exec", "--plugins", "none", "--dry", "h100-80gb", "--", RECORDER, "out")
    assert result.returncode == 0, result.stderr
    blocks = table(export(workspace, "out", "csv", "--what", "blocks"))
    kinds = collections.Counter()
    left = collections.Counter()
    for block in blocks:
        if block["phase"] in ("forward", "backward"):
            kinds[block["category"], block["kind"]] += int(block["bytes"])
            left[block["kind"]] += int(block["bytes"]) if not block["death_sequence"] else 0
    assert kinds == {
        ("Temporary", "op_temp"): MATRIX + 2 * SMALL,  # the product, and the workspace of two sums
        ("Activation", "saved"): MATRIX,
        ("Temporary", "graph_pool"): ROW_SUMS,
        ("Activation", "loss"): SMALL,
        ("Gradient", "gradient"): MATRIX + SMALL,
        ("Autograd_Detail", "flowing"): MATRIX,
        # The capture's random seed and offset: outside its pool, in a block
        # whose owner is not reported.
        ("Activation", "forward_residue"): 2 * SMALL,
    }
    assert +left == {"graph_pool": ROW_SUMS, "loss": SMALL, "gradient": MATRIX, "forward_residue": 2 * SMALL}
    assert not any(block["phase"] == "replay" for block in blocks)
