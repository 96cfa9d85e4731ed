# SPDX-License-Identifier: Apache-2.0
"""A context in parts: the device memory used outside the allocator, row by row as measured on an
H200."""

import json
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
MEASURED = json.loads((HERE.parents[1] / "tests/data/card-h200/context.json").read_text())
MIB = 1 << 20


def on_card(strata, *words):
    program = [sys.executable, HERE / "programs/context_parts.py"]
    done = subprocess.run([strata, "exec", "--plugins", "none", *words, "--", *program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return {row["after"]: row["outside_bytes"] for row in json.loads(done.stdout)["steps"]}


@pytest.fixture(scope="module")
def told(strata):
    return on_card(strata, "--dry", "h200")


def test_every_row_is_there(told):
    assert list(told) == [row["after"] for row in MEASURED["steps"]]


@pytest.mark.parametrize("row", MEASURED["steps"], ids=lambda row: row["after"].replace(" ", "_"))
def test_as_much_is_taken_as_on_the_card(told, row):
    assert told[row["after"]] == row["outside_bytes"]


def test_a_communicator_takes_what_is_asked_for(strata, told):
    other = on_card(strata, "--dry", "h200", "--nccl-memory", "100MiB")
    assert other["second communicator"] - other["nccl init"] == 100 * MIB
    assert other["flash attention"] == told["flash attention"]


def test_the_account_names_the_parts(strata, tmp_path):
    """The account has exactly the parts that the program touched."""
    account = tmp_path / "account.json"
    program = "import torch; x = torch.ones(8, 8, device='cuda'); x @ x"
    subprocess.run(
        [strata, "exec", "--plugins", "none", "--dry", "h200", "--account", account, "--", sys.executable, "-c", program],
        capture_output=True,
        check=True,
    )
    dry = json.loads(account.read_text())
    dry = dry.get("dry", dry)
    steps = {row["after"]: row["outside_bytes"] for row in MEASURED["steps"]}
    parts = {part["part"]: part["bytes"] for part in dry["context_parts"]}
    assert parts == {"kernels": steps["one kernel"] - steps["init"], "cublas": steps["cublas fp32"] - steps["randn"]}
    assert dry["context_bytes"]["used"] == dry["context_bytes"]["init"] + sum(parts.values()) == steps["cublas fp32"]
    calls = [part["after_calls"] for part in dry["context_parts"]]
    assert calls == sorted(calls) and calls[0] == 1, "after torch's first allocation"
