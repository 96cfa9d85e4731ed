# SPDX-License-Identifier: Apache-2.0
"""An allocation that fails: the request, what filled the device, what the recording shows of it,
and how to continue."""

import json
import re
import subprocess
import sys

import pytest

GPT2 = """\
model: {name: gpt2, size: small}
data: {batch_size: 64}
optimizer: {name: adamw, impl: foreach}
schedule: {wait: 0, warmup: 1, active: 2}
plugins: [allocator_tracer]
"""
MIB = 1 << 20


def failed(workspace, *overrides):
    workspace.write("run.yaml", GPT2)
    result = workspace.strata("run", "run.yaml", "--dry", "a100-40gb", "--out", "out", "--json", *overrides)
    assert result.returncode == 3, result.stderr
    summary = json.loads(result.stdout)
    (failure,) = summary["out_of_memory"]
    return result, failure


@pytest.mark.smoke
def test_a_failure_in_forward_says_what_pytorch_does_and_more(workspace):
    result, failure = failed(workspace)
    said = re.search(
        r"Tried to allocate ([\d.]+) MiB.*of which ([\d.]+) MiB is free.*and ([\d.]+) MiB is reserved by PyTorch but unallocated",
        result.stderr,
    )
    asked, free, unallocated = (float(number) for number in said.groups())
    assert failure["requested_bytes"] == asked * MIB
    assert failure["device_free_bytes"] / MIB == pytest.approx(free, abs=0.01)
    assert (failure["reserved_bytes"] - failure["allocated_bytes"]) / MIB == pytest.approx(unallocated, abs=0.01)
    assert failure["largest_gap_bytes"] < failure["requested_bytes"]
    assert (failure["step"], failure["phase"]) == (0, "forward")
    assert re.fullmatch(r"h\.\d+\.mlp", failure["layer"])
    assert failure["op"].startswith("aten::")
    assert sum(failure["categories"].values()) == failure["allocated_bytes"]
    assert failure["categories"]["Unknown"] == 0
    # While the exception unwound, it freed memory that backward would have needed.
    assert failure["categories"]["Activation"] > 0.95 * failure["allocated_bytes"]
    assert failure["by_layer"][0]["bytes"] >= failure["by_layer"][1]["bytes"]
    assert failure["largest_blocks"][0]["op"] == "aten::_softmax"


def test_a_failure_in_the_optimizer_names_its_temporaries(workspace):
    """With few tokens, the step that updates all parameters at once needs the most memory."""
    overrides = ["model={name: gpt2, size: xl, layers: 75, context: 8}", "data.batch_size=1", "optimizer.init_state=dummy"]
    _, failure = failed(workspace, *overrides)
    assert failure["phase"] == "optimizer"
    assert failure["op"].startswith("aten::_foreach")
    assert any(share["label"] == "Temporary/optimizer_temp" for share in failure["by_kind"])


def test_the_terminal_and_the_page_tell_of_it(workspace):
    failed(workspace)
    text = workspace.strata("report", "out").stdout
    assert "Out of memory" in text
    assert "384.0 MiB asked for by aten::add in h." in text
    assert all(len(line) <= 120 for line in text.splitlines())
    assert text.splitlines()[-2] == "What would make it fit: strata advise out/config.yaml --device a100-40gb"
    page = (workspace.folder / "out/report.html").read_text()
    assert "384.0 MiB asked for by aten::add" in page
    assert f'"advise":"strata advise {workspace.folder}/out/config.yaml --device a100-40gb"' in page


def test_a_failure_on_the_cpu_is_recorded_too(workspace):
    workspace.write("run.yaml", GPT2)
    scores = "model={name: gpt2, size: custom, layers: 1, d_model: 16, d_ff: 16, heads: 16, vocab: 8, context: 2048, positions: 2048}"
    command = workspace.command("run", "run.yaml", "--out", "out", "--json", scores, "data.batch_size=64")
    # A limit of 8 GiB of addresses, so that the test does not fill the machine's memory.
    limited = ["bash", "-c", 'ulimit -v 8388608; exec "$@"', "bash", *command]
    result = subprocess.run(limited, cwd=workspace.folder, capture_output=True, text=True)
    assert result.returncode == 3, result.stderr
    (failure,) = json.loads(result.stdout)["out_of_memory"]
    assert failure["device_free_bytes"] is None
    assert failure["requested_bytes"] == 64 * 16 * 2048 * 2048 * 4
    assert failure["layer"] == "h.0.attn"
    assert failure["reserved_bytes"] == failure["allocated_bytes"]


def test_a_run_that_had_room_has_no_failure(finished):
    assert json.loads((finished.folder / "out/summary.json").read_text())["out_of_memory"] == []
    assert "Out of memory" not in finished.strata("report", "out").stdout


LAYERS = """
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(*[torch.nn.Linear(4096, 4096, device="cuda") for _ in range({layers})])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for rows in {batches}:
    try:
        model(torch.randn(rows, 4096, device="cuda")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    except torch.cuda.OutOfMemoryError:
        if {raises}: raise
"""



def of_a_script(workspace, layers, batches, raises=True, **environment):
    workspace.write("layers.py", LAYERS.format(layers=layers, batches=batches, raises=raises))
    words = ("exec", "--dry", "t4", "--detail", "--out", "out", "--", sys.executable, "layers.py")
    result = workspace.strata(*words, **environment)
    return result, json.loads((workspace.folder / "out/summary.json").read_text())


def test_a_script_whose_model_does_not_fit_is_told_that_no_forward_had_run(workspace):
    """Unwinding frees the model. The report does not call that a temporary need of its setup."""
    result, summary = of_a_script(workspace, 400, "[8]")
    assert result.returncode == 1
    assert "end      out_of_memory" in result.stderr
    (failure,) = summary["out_of_memory"]
    assert failure["categories"]["Temporary"] == 0
    assert failure["categories"]["Unknown"] == failure["allocated_bytes"]
    told = " ".join(result.stderr.split())
    assert "no forward was seen before: what is there is what the program set up" in told
    assert f"What would make it fit: strata advise --device t4 -- {sys.executable} layers.py" in told
    assert "no forward was seen, neither" not in told


def test_what_a_scripts_failed_forward_lets_go_was_kept_for_backward(workspace):
    result, summary = of_a_script(workspace, 8, "[4096, 4096, 150000]")
    assert result.returncode == 1
    (failure,) = summary["out_of_memory"]
    held = failure["categories"]
    assert held["Parameter"] == 8 * (4096 * 4096 + 4096) * 4
    assert held["Unknown"] <= 0.01 * failure["allocated_bytes"]
    assert held["Activation"] > 0 and held["Activation"] + held["Input"] > 0.9 * (failure["allocated_bytes"] - held["Parameter"])


@pytest.mark.parametrize("backend", ["native", "cudaMallocAsync"])
def test_what_cublas_computes_in_is_told_where_the_first_forward_fails(workspace, backend):
    """No step begins after the failure, and none ends."""
    result, summary = of_a_script(workspace, 8, "[150000]", PYTORCH_ALLOC_CONF=f"backend:{backend}")
    assert result.returncode == 1
    (failure,) = summary["out_of_memory"]
    workspaces = workspace.query(
        "out",
        "SELECT tensor.name, sum(bytes) FROM tensor JOIN allocator_tracer_event USING (address) WHERE action = 1 AND tensor.name LIKE 'cuBLAS%' GROUP BY 1",
    )
    assert [name for name, _ in workspaces] == ["cuBLAS workspace", "cuBLASLt workspace"]
    assert failure["categories"]["Temporary"] == sum(size for _, size in workspaces) > 8 * MIB
    assert failure["categories"]["Unknown"] == 0


def test_a_script_that_goes_on_frees_what_it_means_to(workspace):
    result, summary = of_a_script(workspace, 8, "[4096, 150000, 4096, 4096]", raises=False)
    assert result.returncode == 0, result.stderr
    assert "end      done" in result.stderr
    assert len(summary["out_of_memory"]) == 1
    assert summary["categories"]["Unknown"]["max"] <= 0.01 * summary["peak"]["allocated_bytes"]


HALVES = """
import torch
from torch import nn
blocks = [nn.Sequential(nn.Linear(4096, 4096), nn.GELU()) for _ in range(8)]
model = nn.Sequential(*blocks).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
rows, steps = 1 << 16, 0
while steps < 2:
    try:
        model(torch.randn(rows, 4096, device="cuda")).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        steps += 1
    except torch.OutOfMemoryError:
        if {raises}: raise
        rows //= 2
"""


def test_a_failure_that_a_script_catches_is_told_as_one_that_ends_it(workspace):
    """Memory that the failed forward made was for backward, whether the script retries with half
    the batch or not."""
    told = {}
    for raises in (True, False):
        workspace.write("halves.py", HALVES.format(raises=raises))
        result = workspace.strata("exec", "--layers", "--dry", "t4", "--out", f"out-{raises}", "--", sys.executable, "halves.py")
        assert result.returncode == raises, result.stderr
        told[raises] = json.loads((workspace.folder / f"out-{raises}/summary.json").read_text())
    failure = told[False]["out_of_memory"][0]
    ended_it = told[True]["out_of_memory"][0]
    assert failure["categories"] == ended_it["categories"]
    assert max(failure["categories"], key=failure["categories"].get) == "Activation"
    assert failure["findings"] == ended_it["findings"]
    assert told[False]["peak"]["categories"]["Temporary"] == failure["categories"]["Temporary"] < failure["categories"]["Activation"]


def test_a_program_that_aborts_ran_out_of_memory(workspace):
    """A C++ program that does not catch the exception aborts so."""
    text = LAYERS.format(layers=8, batches="[4096, 150000]", raises=True).replace(": raise\n", ": import os; os.abort()\n")
    workspace.write("aborts.py", text)
    result = workspace.strata("exec", "--dry", "t4", "--out", "out", "--", sys.executable, "aborts.py")
    assert result.returncode == 134
    assert "\nOut of memory\n" in result.stderr and "ended:" not in result.stderr, result.stderr


def test_a_program_without_a_forward_is_told_why_nothing_is_known(workspace):
    workspace.write("inputs.py", "import torch\nkept = [torch.ones(1 << 20, device='cuda') for _ in range(8)]\nraise SystemExit(3)\n")
    result = workspace.strata("exec", "--dry", "t4", "--out", "out", "--", sys.executable, "inputs.py")
    assert result.returncode == 3
    assert "no forward was seen" in " ".join(result.stderr.split())


def test_segments_that_grow_have_no_pieces(workspace):
    workspace.write("layers.py", LAYERS.format(layers=8, batches="[4096, 150000]", raises=True))
    words = ("exec", "--dry", "t4", "--out", "out", "--", sys.executable, "layers.py")
    result = workspace.strata(*words, PYTORCH_ALLOC_CONF="expandable_segments:True")
    assert result.returncode == 1
    manifest = json.loads((workspace.folder / "out/manifest.json").read_text())
    assert manifest["allocator"] == {"settings": "expandable_segments:True"}
    assert "in pieces of at most" not in result.stderr



LARGEST_PIECE = """
import json, sys, torch
MIB = 1 << 20
def taken(mebibytes): return torch.empty(mebibytes * MIB, dtype=torch.uint8, device="cuda")
if "grow" in sys.argv: torch.cuda.memory._set_allocator_settings("expandable_segments:True")
small = torch.ones(8, device="cuda")
wide = [taken(1024) for _ in range(12)]
del wide
kept, gone = [], []
for index in range(150):
    kept.append(taken(10 + index % 3))
    gone.append(taken(40 + index % 24))
del gone
try:
    taken(14000)
except torch.cuda.OutOfMemoryError:
    blocks = [block for segment in torch.cuda.memory_snapshot() for block in segment["blocks"]]
    free = [block["size"] for block in blocks if block["state"] == "inactive"]
    print(json.dumps([max(free), sum(free)]))
"""


@pytest.mark.parametrize(("settings", "words"), [("", []), ("expandable_segments:True", []), ("", ["grow"])])
def test_the_largest_free_piece_is_that_of_torchs_own_snapshot(workspace, settings, words):
    """Fixed segments, segments that grow, and segments that the program itself lets grow."""
    workspace.write("piece.py", LARGEST_PIECE)
    command = ("exec", "--dry", "t4", "--out", "out", "--", sys.executable, "piece.py", *words)
    result = workspace.strata(*command, PYTORCH_ALLOC_CONF=settings)
    assert result.returncode == 0, result.stderr
    largest, free = json.loads(result.stdout)
    (failure,) = json.loads((workspace.folder / "out/summary.json").read_text())["out_of_memory"]
    assert failure["reserved_bytes"] - failure["allocated_bytes"] == free
    assert failure["largest_gap_bytes"] == largest < free
    pieces = [finding["bytes"] for finding in failure["findings"] if finding["kind"] == "fragmentation"]
    assert pieces == ([] if settings or words else [free]), "segments that grow are the remedy"


TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node"]
TOO_LARGE = """
import torch
import torch.distributed as dist
if "ranks" in __import__("sys").argv:
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())
model = torch.nn.Linear(4096, 4096, device="cuda")
model(torch.randn(64, 4096, device="cuda")).sum().backward()
model(torch.randn(1 << 20, 4096, device="cuda")).sum().backward()
"""


@pytest.mark.parametrize(
    ("dry", "command", "advice"),
    [
        (["t4"], [sys.executable, "large.py", "16", "a b"], f"--device t4 -- {sys.executable} large.py 16 'a b'"),
        (["t4", "--device-memory", "10400MiB"], [sys.executable, "large.py"], f"--device t4 --device-memory 10400MiB -- {sys.executable} large.py"),
        (["t4:2"], [*TORCHRUN, "2", "large.py", "ranks"], f"--device t4:2 -- {' '.join(TORCHRUN)} 2 large.py ranks"),
    ],
)
def test_the_last_line_starts_advice_for_this_program(workspace, dry, command, advice):
    workspace.write("large.py", TOO_LARGE)
    result = workspace.strata("exec", "--dry", *dry, "--out", "out", "--", *command)
    assert result.returncode == 1, result.stderr
    said = workspace.strata("report", "out", "--rank", "0").stdout
    for text in (result.stderr, said):
        line = " ".join(text[text.index("What would make it fit:") :].split("\n\n")[0].split("\n"))
        assert " ".join(line.split()).startswith(f"What would make it fit: strata advise {advice}"), text


def test_a_command_that_was_killed_is_told_of_full_memory(workspace):
    workspace.write("killed.py", "import os, torch\ntorch.ones(8)\nos.kill(os.getpid(), 9)\n")
    result = workspace.strata("exec", "--dry", "t4", "--out", "out", "--", sys.executable, "killed.py")
    assert result.returncode == 137
    assert "was killed (SIGKILL): unless somebody killed it, the host's memory was full" in " ".join(result.stderr.split())
