# SPDX-License-Identifier: Apache-2.0
"""Inductor's autotuner in a job: it compiles one candidate, and measures as on a card."""

import json
import sys

import pytest

PROGRAM = """
import json, torch
from torch._dynamo.utils import counters

x = torch.randn(2048, 2048, device="cuda", dtype=torch.bfloat16)
torch.cuda.synchronize()
torch.cuda.reset_peak_memory_stats()
torch.compile(lambda x: torch.relu(x @ x), mode="max-autotune-no-cudagraphs")(x)
print(json.dumps([counters["inductor"]["select_algorithm_autotune"], torch.cuda.max_memory_allocated()]))
"""


@pytest.mark.long
def test_one_candidate_is_compiled_and_measuring_has_its_memory(workspace):
    workspace.write("tuned.py", PROGRAM)

    def run(name, *job):
        caches = {"TORCHINDUCTOR_CACHE_DIR": str(workspace.folder / name), "TRITON_CACHE_DIR": str(workspace.folder / name / "triton")}
        words = ("exec", "--dry", "h100-80gb", "--out", f"{name}-run", *job, "--", sys.executable, "tuned.py")
        done = workspace.strata(*words, **caches, timeout=900)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[0]), len(list((workspace.folder / name / "triton").rglob("triton_mm*.cubin")))

    (times, peak), compiled = run("alone")
    assert times == 1 and compiled > 4
    assert run("job", "--world", "8") == ([1, peak], 1)
