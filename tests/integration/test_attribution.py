# SPDX-License-Identifier: Apache-2.0
"""Real runs compared with PyTorch's own data: every byte has a category, every sum is right, every
label matches autograd's."""

import json

import pytest

CHECKED = """\
model: {size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
data: {source: synthetic, batch_size: 2}
schedule: {wait: 1, warmup: 1, active: 3}
backend: {threads: 2}
plugins: [allocator_tracer]
trace: {cross_check: true, saved_tensors: true}
"""

RUNS = {
    "adamw": [],
    "sgd": ["optimizer.name=sgd"],
    "sgd_with_momentum": ["optimizer.name=sgd", "optimizer.momentum=0.9"],
    "accumulated": ["accumulation=3"],
    "gradients_kept": ["zero_grad.set_to_none=false"],
    "gradients_cleared_before_backward": ["zero_grad.at=before_backward", "accumulation=2"],
    "gradients_cleared_at_the_end": ["zero_grad.at=step_end"],
    "one_layer_one_thread": ["model.layers=1", "backend.threads=1"],
    "forward_only": ["mode=forward"],
    "forward_with_a_graph": ["mode=forward_grad"],
}


def run(workspace, overrides):
    workspace.write("checked.yaml", CHECKED)
    result = workspace.strata("run", "checked.yaml", "--out", "out", "--json", *overrides)
    assert result.returncode == 0, result.stderr
    return result, json.loads(result.stdout)


@pytest.mark.parametrize("overrides", RUNS.values(), ids=RUNS.keys())
def test_every_byte_has_a_category_that_pytorch_agrees_with(workspace, overrides):
    _, summary = run(workspace, overrides)
    assert summary["categories"]["Unknown"]["max"] == 0

    check = summary["checks"]["cross_check"]
    assert check["events"] > 100
    assert check["events_compared"] == check["events"]
    assert (check["reports_without_event"], check["mismatches"]) == (0, 0)

    truth = summary["checks"]["saved_tensors"]
    if "mode=forward" in overrides:
        assert truth is None  # there is no graph
    else:
        assert truth["saved_blocks"] > 10
        assert truth["blocks_labelled_differently"] == 0


def test_the_report_tells_what_the_checks_found(workspace):
    run(workspace, [])
    text = workspace.strata("report", "out").stdout
    assert "sums equal c10's own count" in text
    assert "0 blocks labelled unlike autograd" in text


def test_a_report_that_was_tampered_with_is_noticed(workspace):
    run(workspace, [])
    workspace.query(
        "out",
        "UPDATE torch_memory_report SET allocated_bytes = allocated_bytes + 64"
        " WHERE sequence = (SELECT max(sequence) FROM torch_memory_report)",
    )
    result = workspace.strata("report", "out", "--json")
    assert json.loads(result.stdout)["checks"]["cross_check"]["mismatches"] == 1
    assert "1 of" in workspace.strata("report", "out").stdout


def test_without_the_checks_there_is_nothing_to_say(finished):
    summary = json.loads((finished.folder / "out/summary.json").read_text())
    assert summary["checks"] == {"cross_check": None, "saved_tensors": None, "device_stats": None}
