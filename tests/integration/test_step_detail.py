# SPDX-License-Identifier: Apache-2.0
"""`trace.detail: auto` records operators only in some steps; the results for the other steps are
the same as with operators."""

import json
import sys

import pytest
from workspaces import Workspace

PROGRAM = """
import sys, torch
from torch import nn
torch.manual_seed(0)
kind = sys.argv[1]
model = nn.Sequential(nn.Embedding(500, 64), *(nn.TransformerEncoderLayer(64, 2, 128, batch_first=True) for _ in range(2)), nn.Linear(64, 500)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for index in range(24):
    words = torch.randint(0, 500, (4, 32 + (index * 7 % 5 if kind == "lengths" else 0)), device="cuda")
    with torch.autocast("cuda", dtype=torch.bfloat16, enabled=kind == "autocast"):
        loss = nn.functional.cross_entropy(model(words).flatten(0, 1), words.flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if kind == "evaluation" and index % 5 == 4:
        with torch.no_grad(): held = [model(words) for _ in range(8)]
"""


@pytest.fixture(scope="module")
def module_workspace(tmp_path_factory):
    return Workspace(tmp_path_factory.mktemp("step_detail"))


@pytest.fixture(scope="module")
def recorded(module_workspace):
    module_workspace.write("program.py", PROGRAM)

    def record(kind, detail):
        out = f"{kind}-{detail}"
        words = ("--set", f"trace.detail={detail}", "--out", out, "--", sys.executable, "program.py", kind)
        result = module_workspace.strata("exec", "--dry", "a100-40gb", *words)
        assert result.returncode == 0, result.stderr
        summary = json.loads(module_workspace.strata("report", out, "--json").stdout)
        events = module_workspace.query(out, "SELECT sum(op != 0), count(*) FROM allocator_tracer_event")
        return summary, events[0], out

    return record


@pytest.mark.parametrize("kind", ["plain", "autocast", "lengths"])
def test_other_steps_are_what_they_would_be_with_operators(module_workspace, recorded, kind):
    some, (named, events), out = recorded(kind, "auto")
    whole, (all_named, all_events), whole_out = recorded(kind, "all")
    assert events == all_events
    assert named < 0.6 * all_named
    assert some["step_detail"] == {"recorded": 10, "named": 14, "without": 0}
    assert whole["step_detail"] == {"recorded": 24, "named": 0, "without": 0}
    assert some["peak"] == whole["peak"]
    assert {name: (of["min"], of["median"], of["max"]) for name, of in some["categories"].items()} == {
        name: (of["min"], of["median"], of["max"]) for name, of in whole["categories"].items()
    }
    assert [shape["kind"] for shape in some["shapes"]] == [shape["kind"] for shape in whole["shapes"]]
    assert [step["peak_allocated_bytes"] for step in some["steps"]] == [step["peak_allocated_bytes"] for step in whole["steps"]]
    said, whole_said = (module_workspace.strata("report", each, "--steps").stdout.replace(each, "") for each in (out, whole_out))
    assert said == whole_said
    assert "operators of 10 of 24 steps; 14 with the same allocations take their names from them" in module_workspace.strata("report", out).stdout.replace("\n           ", " ")


def test_a_step_like_no_other_says_so(module_workspace, recorded):
    some, _, out = recorded("evaluation", "auto")
    assert some["step_detail"]["recorded"] == 10
    assert some["step_detail"]["named"] + some["step_detail"]["without"] == 14
    whole, _, _ = recorded("evaluation", "all")
    assert some["peak"]["allocated_bytes"] == whole["peak"]["allocated_bytes"]
    assert some["categories"]["Unknown"] == whole["categories"]["Unknown"]


@pytest.mark.parametrize(("words", "recorded_steps"), [(("--plugins", "allocator_tracer,warmup_analyzer"), 13), (("--set", "trace.saved_tensors=true"), 13), ((), 10)])
def test_what_needs_operators_has_them_in_every_step(module_workspace, words, recorded_steps):
    module_workspace.write("short.py", PROGRAM.replace("range(24)", "range(13)"))
    out = f"short-{len(words)}-{recorded_steps}-{words[-1][:20].replace(',', '-') if words else ''}"
    result = module_workspace.strata("exec", "--dry", "a100-40gb", *words, "--out", out, "--", sys.executable, "short.py", "plain")
    assert result.returncode == 0, result.stderr
    assert json.loads(module_workspace.strata("report", out, "--json").stdout)["step_detail"]["recorded"] == recorded_steps
