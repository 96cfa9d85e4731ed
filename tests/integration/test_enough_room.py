# SPDX-License-Identifier: Apache-2.0
"""What is said to be enough where a first step ran out of memory, held against trainings that do it."""

import json
import re
import sys

import pytest

GPT2 = """\
model: {name: gpt2, size: medium}
data: {batch_size: 16}
optimizer: {name: adamw, impl: fused}
schedule: {wait: 0, warmup: 1, active: 2}
plugins: [allocator_tracer]
"""
HALF, CHECKPOINTS = ("data.batch_size=8", "accumulation=2"), ("checkpointing=block",)


@pytest.mark.parametrize(("room", "half_is_enough"), [("16GiB", False), ("20GiB", False), ("23GiB", True)])
def test_what_is_enough_leaves_room_for_head_and_state_too(workspace, room, half_is_enough):
    """In a first forward logits, gradients and moments are still to come; what is said to be enough has room for them."""
    workspace.write("medium.yaml", GPT2)
    words = ("run", "medium.yaml", "--dry", "a100-40gb", "--device-memory", room, "--json", "--out")
    whole = workspace.strata(*words, "whole")
    assert whole.returncode == 3, whole.stderr
    (failure,) = json.loads(whole.stdout)["out_of_memory"]
    tokens = 16 * 512
    assert failure["head_to_come_bytes"] == 3 * tokens * 50257 * 4
    assert failure["adam_to_come_bytes"] == 2 * failure["categories"]["Parameter"]
    told = " ".join(workspace.strata("report", "whole").stdout.split())
    assert "if each of 8,192 tokens gets 50,257 logits; no optimizer has stepped yet" in told
    enough = {remedy["change"].split(",")[0].split(" (")[0]: remedy["enough"] for remedy in failure["remedies"]}
    assert enough["checkpointed blocks"] and enough["half the batch"] == half_is_enough
    assert workspace.strata(*words, "checkpointed", *CHECKPOINTS).returncode == 0
    assert workspace.strata(*words, "half", *HALF).returncode == (0 if half_is_enough else 3)


LLAMA = """
import sys
import torch, transformers
config = transformers.LlamaConfig(hidden_size=1024, intermediate_size=2816, num_hidden_layers=12, num_attention_heads=16, num_key_value_heads=4, vocab_size=32000)
model = transformers.LlamaForCausalLM(config).cuda()
if "checkpoints" in sys.argv: model.gradient_checkpointing_enable()
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(2):
    tokens = torch.randint(0, 32000, (16, 1024), device="cuda")
    model(tokens, labels=tokens).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"""


@pytest.mark.parametrize(("room", "verdict", "fits"), [("10400MiB", "is not", False), ("12GiB", "may be", True)])
def test_no_block_is_computed_again_beside_the_logits(workspace, room, verdict, fits):
    """The program keeps its loss alone, so that its logits go before backward: nobody knows that before."""
    workspace.write("llama.py", LLAMA)
    words = ("exec", "--dry", "rtx-4090", "--device-memory", room, "--layers", "--out")
    assert workspace.strata(*words, "whole", "--", sys.executable, "llama.py").returncode == 1
    (failure,) = json.loads((workspace.folder / "whole/summary.json").read_text())["out_of_memory"]
    assert failure["head_to_come_bytes"] == 4 * 16 * 1024 * 32000 * 4
    (remedy,) = (remedy for remedy in failure["remedies"] if re.fullmatch(r"checkpointed blocks \([^+]*", remedy["change"]))
    assert verdict == ("is" if remedy["enough"] else "may be" if remedy["may_be_enough"] else "is not")
    checkpointed = workspace.strata(*words, "checkpointed", "--", sys.executable, "llama.py", "checkpoints")
    assert (checkpointed.returncode == 0) == fits


ADAPTED = LLAMA.replace("num_key_value_heads=4", "num_key_value_heads=16").replace(
    'optimizer =', 'model.requires_grad_(False)\nfor layer in model.model.layers: layer.self_attn.q_proj.requires_grad_(True)\noptimizer ='
).replace("(16, 1024)", "(8 if 'half' in sys.argv else 16, 1024)")


def test_what_is_frozen_gets_no_gradient_and_no_moments(workspace):
    """In a first step nothing has a gradient yet: the program says what will have one."""
    workspace.write("adapted.py", ADAPTED)
    words = ("exec", "--dry", "rtx-4090", "--device-memory", "15GiB", "--layers", "--out")
    assert workspace.strata(*words, "whole", "--", sys.executable, "adapted.py").returncode == 1
    (failure,) = json.loads((workspace.folder / "whole/summary.json").read_text())["out_of_memory"]
    assert failure["step"] == 0 and failure["adam_to_come_bytes"] == 2 * 12 * 1024 * 1024 * 4
    (half,) = (remedy for remedy in failure["remedies"] if remedy["change"].startswith("half the batch, "))
    assert half["enough"]
    assert workspace.strata(*words, "half", "--", sys.executable, "adapted.py", "half").returncode == 0


WIDE = """
import sys
import torch
layers = [layer for _ in range(20) for layer in (torch.nn.Linear(4096, 4096, device="cuda"), torch.nn.ReLU())]
model = torch.nn.Sequential(*layers)
optimizer = torch.optim.AdamW(model.parameters(), foreach="fused" not in sys.argv, fused="fused" in sys.argv)
for _ in range(2):
    model(torch.randn({rows}, 4096, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


@pytest.mark.parametrize(("rows", "fits"), [(4096, True), (12288, False)])
def test_a_fused_optimizer_is_enough_where_the_next_step_has_room_too(workspace, rows, fits):
    """An optimizer's first step runs out of memory for its temporaries; its state is beside the next one's activations."""
    workspace.write("wide.py", WIDE.format(rows=rows))
    words = ("exec", "--dry", "rtx-4090", "--device-memory", "6700MiB", "--out")
    assert workspace.strata(*words, "whole", "--", sys.executable, "wide.py").returncode == 1
    (failure,) = json.loads((workspace.folder / "whole/summary.json").read_text())["out_of_memory"]
    assert (failure["step"], failure["phase"]) == (0, "AdamW.step")
    (remedy,) = (remedy for remedy in failure["remedies"] if remedy["change"].startswith("a fused optimizer"))
    assert (remedy["enough"], remedy["may_be_enough"]) == (fits, fits)
    told = " ".join(workspace.strata("report", "whole").stdout.split())
    assert ("the next step goes forward and backward beside the optimizer's state" in told) != fits
    assert (workspace.strata(*words, "fused", "--", sys.executable, "wide.py", "fused").returncode == 0) == fits
    roomy = workspace.strata("exec", "--dry", "rtx-4090", "--out", "roomy", "--", sys.executable, "wide.py", "fused")
    assert roomy.returncode == 0, roomy.stderr
    steps = json.loads((workspace.folder / "roomy/summary.json").read_text())["steps"]
    assert failure["next_step_bytes"] == pytest.approx(steps[1]["peak_allocated_bytes"], rel=0.03)
