# SPDX-License-Identifier: Apache-2.0
"""The shape and dtype of a block are those that its owner registered, and no other tensor's."""

import csv
import io
import math

from test_attribution import CHECKED


def blocks_of(workspace):
    done = workspace.strata("export", "out", "--format", "csv", "--what", "blocks", "--out", "blocks.csv")
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO((workspace.folder / "blocks.csv").read_text())))


def test_they_are_those_of_the_store(workspace):
    workspace.write("checked.yaml", CHECKED)
    assert workspace.strata("run", "checked.yaml", "--out", "out").returncode == 0
    blocks = blocks_of(workspace)
    registered = {
        name: (dtype, shape) for name, dtype, shape in workspace.query("out", "SELECT name, dtype, shape FROM tensor WHERE role = 1")
    }
    parameters = {block["owner"]: block for block in blocks if block["kind"] == "parameter"}
    assert parameters.keys() == registered.keys() and len(registered) > 10
    for name, block in parameters.items():
        assert (block["dtype"], block["shape"]) == registered[name]
        assert math.prod(map(int, block["shape"].split("x"))) * 4 == int(block["bytes"])
    # A gradient and a state have their parameter's shape; tokens are integers.
    for block in blocks:
        if block["kind"] == "state" and block["shape"] not in ("", "1"):
            assert block["shape"] == parameters[block["owner"].rsplit(".", 1)[0]]["shape"]
    assert {(block["dtype"], block["shape"]) for block in blocks if block["category"] == "Input"} == {("int64", "2x32")}
    assert {block["shape"] for block in blocks if block["category"] == "Temporary" and not block["owner"]} == {""}


def test_the_table_names_them_where_it_is_wide(workspace):
    workspace.write("checked.yaml", CHECKED)
    assert workspace.strata("run", "checked.yaml", "--out", "out").returncode == 0
    wide, narrow = (workspace.strata("report", "out", COLUMNS=columns).stdout for columns in ("130", "80"))
    assert "shape and dtype" in wide and "256x32 float32" in wide
    assert "shape and dtype" not in narrow
