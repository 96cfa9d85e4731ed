# SPDX-License-Identifier: Apache-2.0
"""`strata exec`: programs that do not use Strata, recorded unchanged."""

import json
import re
import subprocess
import sys

import drop_in_programs
import pytest
from workspaces import REPOSITORY, Workspace

DEVICES = {"cpu": [], "cuda": ["--dry", "h100-80gb"]}
STEPS = {"loop": 5, "workers": 5, "accumulated": 3, "checkpointed": 4, "reentrant": 4, "closure": 3, "by_hand": 5, "ends_after_step": 4, "clipped": 3}
CASES = [(name, device) for name in drop_in_programs.PROGRAMS for device in DEVICES]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A function that returns the workspace of a program that ran on a device, the run's summary,
    and the program's output; each runs once."""
    known = {}

    def run(name, device):
        if (name, device) not in known:
            workspace = Workspace(tmp_path_factory.mktemp(name))
            workspace.write("program.py", drop_in_programs.PROGRAMS[name])
            result = workspace.strata("exec", *DEVICES[device], "--out", "out", "--", sys.executable, "program.py", device)
            assert result.returncode == 0, result.stderr
            summary = json.loads((workspace.folder / "out/summary.json").read_text())
            known[name, device] = workspace, summary, result
        return known[name, device]

    return run


each_case = pytest.mark.parametrize(("name", "device"), CASES)


def phases(workspace):
    """Return (depth 0 kind, name) of each phase of the run, in order."""
    return workspace.query("out", "SELECT kind, (SELECT text FROM string WHERE id = name), parent, inferred, step FROM host_phase_begin ORDER BY sequence")


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The output of each program without Strata; they run one after the other in one process."""
    folder = tmp_path_factory.mktemp("bare")
    for name, text in drop_in_programs.PROGRAMS.items():
        (folder / f"{name}.py").write_text(text)
    each = f"import runpy, sys\nfor name in {list(drop_in_programs.PROGRAMS)}:\n    print('program', name)\n    runpy.run_path(name + '.py')\n"
    done = subprocess.run([sys.executable, "-c", each, "cpu"], cwd=folder, capture_output=True, text=True, check=True)
    return {part.split("\n", 1)[0]: part.split("\n", 1)[1] for part in done.stdout.split("program ")[1:]}


@pytest.mark.smoke
@pytest.mark.parametrize("name", [name for name in drop_in_programs.PROGRAMS])
def test_the_program_prints_what_it_prints_without(recorded, bare, name):
    _, _, result = recorded(name, "cpu")
    assert result.stdout == bare[name]


@pytest.mark.parametrize("name", [name for name in drop_in_programs.PROGRAMS])
def test_the_peak_is_torchs_own(recorded, name):
    _, summary, result = recorded(name, "cuda")
    assert summary["device"] == "cuda:0"
    assert summary["peak"]["allocated_bytes"] == int(result.stdout.splitlines()[-1])


@each_case
def test_steps_are_those_of_the_loop(recorded, name, device):
    _, summary, _ = recorded(name, device)
    assert [step["index"] for step in summary["steps"]] == list(range(STEPS[name]))


@each_case
def test_little_is_unknown(recorded, name, device):
    _, summary, _ = recorded(name, device)
    assert summary["categories"]["Unknown"]["max"] <= 0.05 * summary["peak"]["allocated_bytes"], summary["categories"]


@each_case
def test_every_phase_says_that_it_is_inferred(recorded, name, device):
    workspace, _, _ = recorded(name, device)
    found = phases(workspace)
    assert found and all(inferred == 1 for _, _, _, inferred, _ in found)


def names_of_step(workspace, step):
    return [name for _, name, _, _, at in phases(workspace) if at == step]


def test_the_phases_of_a_step(recorded):
    for device in DEVICES:
        workspace, _, _ = recorded("loop", device)
        assert names_of_step(workspace, 2) == ["data", "zero_grad", "forward", "backward", "AdamW.step"]


def test_each_micro_batch_has_its_forward_and_backward(recorded):
    workspace, _, _ = recorded("accumulated", "cuda")
    assert names_of_step(workspace, 1) == ["data", "forward", "backward", "data", "forward", "backward", "SGD.step", "zero_grad"]
    batches = workspace.query("out", "SELECT DISTINCT micro_batch FROM host_phase_begin WHERE kind = 6 ORDER BY 1")
    assert batches == [(0,), (1,)]


def test_what_checkpointing_repeats_lies_in_backward(recorded):
    workspace, _, _ = recorded("checkpointed", "cuda")
    assert "recompute" in names_of_step(workspace, 1)


def test_a_layers_input_is_no_parameter(recorded):
    """Reentrant checkpointing detaches the input, and accumulates its gradient in a backward of its
    own."""
    for device in DEVICES:
        workspace, _, _ = recorded("reentrant", device)
        assert "recompute" in names_of_step(workspace, 1)
        assert {name.removesuffix(".weight").removesuffix(".bias") for name in owners(workspace, 1)} == {"0", "1.0", "2.0", "3.0", "4"}
        assert "grad" not in owners(workspace, 4)


def test_the_last_step_takes_no_longer_than_its_work(workspace):
    """Only the program's end ends it, and the program continues after its loop."""
    loop = drop_in_programs.LOOP.replace("batches(5)", "list(batches(5))")
    workspace.write("program.py", loop + "import time\ntime.sleep(2)\n")
    result = workspace.strata("exec", "--out", "out", "--", sys.executable, "program.py", "cpu")
    assert result.returncode == 0, result.stderr
    steps = json.loads((workspace.folder / "out/summary.json").read_text())["steps"]
    assert len(steps) == 5
    assert 0 < steps[-1]["duration_ns"] < 2e9


def test_a_graph_of_gradients_is_no_recomputation(workspace):
    """Its backward records a graph, as a checkpointed layer's forward within backward does."""
    workspace.write("program.py", drop_in_programs.penalty)
    result = workspace.strata("exec", "--out", "out", "--", sys.executable, "program.py", "cpu")
    assert result.returncode == 0, result.stderr
    names = [name for _, name, _, _, _ in phases(workspace)]
    assert names.count("backward") == 6 and "recompute" not in names


def test_a_closures_forward_lies_in_the_optimizer(recorded):
    workspace, _, _ = recorded("closure", "cuda")
    parents = workspace.query(
        "out",
        "SELECT DISTINCT p.kind FROM host_phase_begin AS f JOIN host_phase_begin AS p ON p.phase = f.parent"
        " WHERE (SELECT text FROM string WHERE id = f.name) = 'forward'",
    )
    assert parents == [(9,)]


def test_an_optimizer_without_a_name_is_found(recorded):
    for device in DEVICES:
        workspace, _, _ = recorded("by_hand", device)
        assert names_of_step(workspace, 2)[-1] == "optimizer"


@each_case
def test_owners_are_found(recorded, name, device):
    _, summary, _ = recorded(name, device)
    parameters = sum(bytes_of for bytes_of in [summary["categories"]["Parameter"]["max"]])
    assert parameters > 0
    if name in ("loop", "workers", "ends_after_step", "accumulated", "checkpointed", "reentrant", "by_hand"):
        assert summary["categories"]["Gradient"]["max"] >= parameters
        assert summary["categories"]["Optimizer_State"]["max"] >= parameters


def owners(workspace, role):
    """Return the names of the tensors with this STRATA_TENSOR_* role."""
    statement = f"SELECT DISTINCT text FROM host_tensor JOIN string ON string.id = name WHERE role = {role}"
    return {text for (text,) in workspace.query("out", statement)}


@pytest.mark.parametrize("name", [name for name in drop_in_programs.PROGRAMS if name != "by_hand"])
def test_the_state_is_the_optimizers_alone(recorded, name):
    for device in DEVICES:
        workspace, _, _ = recorded(name, device)
        assert not [text for text in owners(workspace, 5) if text.startswith("optimizer state")]


def test_owners_have_the_names_that_python_gives_them(recorded):
    workspace, _, _ = recorded("loop", "cpu")
    assert owners(workspace, 1) == {"0.weight", "0.bias", "2.weight", "2.bias"}
    assert owners(workspace, 4) == {"0.weight.grad", "0.bias.grad", "2.weight.grad", "2.bias.grad"}
    assert owners(workspace, 5) == {"exp_avg", "exp_avg_sq", "step"}
    assert owners(workspace, 8) >= {"TensorDataset.tensors.0", "TensorDataset.tensors.1", "batch"}


FROZEN = """
import torch
base, adapter = torch.nn.Linear(64, 64), torch.nn.Linear(64, 1)
base.requires_grad_(False)
base.register_buffer("mask", torch.ones(64))
model = torch.nn.ModuleDict({"base": base, "adapter": adapter})
average = torch.optim.swa_utils.AveragedModel(model)
table = torch.randn(100, 64)
class Refuses(torch.nn.Module):
    def __getattr__(self, name):
        raise RuntimeError("not to be asked")
refuses = Refuses()
optimizer = torch.optim.SGD(adapter.parameters(), lr=0.1)
for row in range(3):
    optimizer.zero_grad()
    (adapter(base(table[row]) * base.mask)).sum().backward()
    optimizer.step()
"""


def test_what_does_not_train_has_its_name_too(workspace):
    workspace.write("frozen.py", FROZEN)
    result = workspace.strata("exec", "--out", "out", "--", sys.executable, "frozen.py")
    assert result.returncode == 0, result.stderr
    names = owners(workspace, 1)
    assert {name.removeprefix("ModuleDict.") for name in names} == {"base.weight", "base.bias", "adapter.weight", "adapter.bias"}
    assert {name.removeprefix("ModuleDict.") for name in owners(workspace, 2)} == {"base.mask"}
    assert len(owners(workspace, 3)) == 6  # the averaged model's, its count and its mask
    assert "table" in owners(workspace, 8)
    frozen = workspace.query("out", "SELECT DISTINCT text FROM host_tensor JOIN string ON string.id = name WHERE is_frozen = 1")
    assert {name.removeprefix("ModuleDict.") for (name,) in frozen} == {"base.weight", "base.bias"}
    assert "are not available" not in result.stderr


# nn.Module registers the parent as a submodule of its child.
HOLDS_ITS_PARENT = """
import sys, torch
class Child(torch.nn.Module):
    def __init__(self, parent):
        super().__init__()
        self.inner = torch.nn.Linear(64, 64)
        self.parent = parent
class Parent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.outer = torch.nn.Linear(64, 64)
        self.register_buffer("mask", torch.ones(64))
        self.child = Child(self)
    def forward(self, batch):
        return self.outer(batch * self.mask) + self.child.inner(batch)
model = Parent()
if sys.argv[1] == "wrapped":
    model = torch.nn.Sequential(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.randn(8, 64)).sum().backward()
    optimizer.step()
"""


@pytest.mark.parametrize("how", ["alone", "wrapped"])
def test_modules_that_hold_their_parent_have_their_names(workspace, how):
    workspace.write("cycle.py", HOLDS_ITS_PARENT)
    result = workspace.strata("exec", "--layers", "--out", "out", "--", sys.executable, "cycle.py", how)
    assert result.returncode == 0, result.stderr
    within = "0." if how == "wrapped" else ""
    names = {f"{within}{layer}.{kind}" for layer in ("outer", "child.inner") for kind in ("weight", "bias")}
    assert owners(workspace, 1) == names
    assert owners(workspace, 2) == {f"{within}mask"}
    assert {path for (path,) in workspace.query("out", "SELECT DISTINCT path FROM module")} >= {f"{within}outer", f"{within}child.inner"}
    assert "are not available" not in result.stderr


def test_nothing_that_has_no_name_is_kept_by_the_look_for_names():
    """Another thread may drop the tensor meanwhile, and must then be able to free it."""
    files = (REPOSITORY / "sources/torch/training" / name for name in ("name_models.cpp", "find_owners.cpp"))
    program = "".join(re.search(r'R"python\((.*)\)python"', file.read_text(), re.DOTALL)[1] for file in files)
    program += """
import torch, weakref
data, model = torch.zeros(100), torch.nn.Linear(2, 2)
activation = torch.relu(torch.randn(10, requires_grad=True))
lives = weakref.ref(activation)
lines, trainer, optimized, rank, kept = find_owners(True)
del activation
assert lives() is None
data = weakref.ref(data)
assert data() is not None and len(kept) == len(lines.splitlines()) == 3 and trainer == optimized == ""
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=100)


ADAPTED = """
import torch
base = torch.nn.Sequential(torch.nn.Embedding(100, 64), torch.nn.Linear(64, 256), torch.nn.GELU())
base.requires_grad_(False)
adapter = torch.nn.Linear(256, 1)
optimizer = torch.optim.Adam(adapter.parameters())
for _ in range(3):
    hidden = base(torch.randint(0, 100, (64,)))
    adapter(hidden).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    del hidden
"""


def test_a_frozen_layers_forward_is_forward(workspace):
    workspace.write("adapted.py", ADAPTED)
    result = workspace.strata("exec", "--out", "out", "--", sys.executable, "adapted.py")
    assert result.returncode == 0, result.stderr
    summary = json.loads((workspace.folder / "out/summary.json").read_text())
    assert len(summary["steps"]) == 3
    assert summary["categories"]["Unknown"]["max"] <= 64 * 8  # the last step's tokens: no loader made them, and no step follows
    assert summary["categories"]["Input"]["max"] <= 2 * 64 * 8


def test_data_loaders_workers_leave_nothing_behind(recorded):
    workspace, _, _ = recorded("workers", "cpu")
    assert len(list((workspace.folder / "out/rank0").glob("*.sqlite"))) == 1


def test_the_exit_code_is_the_programs(workspace):
    workspace.write("fails.py", "import torch\ntorch.ones(3)\nraise SystemExit(7)\n")
    result = workspace.strata("exec", "--out", "out", "--", sys.executable, "fails.py")
    assert result.returncode == 7
    assert json.loads((workspace.folder / "out/manifest.json").read_text())["end"] == "failed"


def test_a_program_without_torch_records_nothing_and_is_told(workspace):
    result = workspace.strata("exec", "--out", "out", "--", "sh", "-c", "echo hello")
    assert (result.returncode, result.stdout) == (0, "hello\n")
    assert "nothing was recorded" in result.stderr


def test_settings_of_a_training_are_refused(workspace):
    result = workspace.strata("exec", "--set", "optimizer.lr=1", "--", "true")
    assert result.returncode == 125
    assert "optimizer.lr" in result.stderr and "schedule" in result.stderr
    assert not (workspace.folder / "runs").exists()


def test_options_behind_the_dashes_are_the_programs(workspace):
    result = workspace.strata("exec", "--set", "store.on_full=drop", "--", "echo", "--option", "--set", "a=b")
    assert (result.returncode, result.stdout) == (0, "--option --set a=b\n"), result.stderr


def test_strata_itself_is_not_recorded_twice(tiny):
    result = tiny.strata("exec", "--out", "outer", "--", *tiny.command("run", "tiny.yaml", "--out", "inner"))
    assert result.returncode == 0, result.stderr
    assert "nothing was recorded" in result.stderr
    assert (tiny.folder / "inner/summary.json").exists() and not (tiny.folder / "outer").exists()


def test_cuda_is_not_initialised_for_our_sake(workspace):
    workspace.write("cpu.py", "import torch\ntorch.ones(3).sum()\nprint(torch.cuda.is_initialized())\n")
    result = workspace.strata("exec", "--dry", "h100-80gb", "--out", "out", "--", sys.executable, "cpu.py")
    assert result.stdout == "False\n", result.stderr


SPARSE = """
import torch
from torch import nn
embedding, head, loss = nn.Embedding(4000, 64, sparse=True), nn.Linear(64, 1), nn.BCEWithLogitsLoss()
optimizers = [torch.optim.SparseAdam(embedding.parameters()), torch.optim.Adagrad(head.parameters())]
for _ in range(3):
    loss(head(embedding(torch.randint(0, 4000, (8192,)))), torch.ones(8192, 1)).backward()
    for optimizer in optimizers:
        optimizer.step()
        optimizer.zero_grad()
"""


def test_a_sparse_gradient_is_one(workspace):
    """A sparse gradient has no storage of its own; its values have one, which used to have no
    owner."""
    workspace.write("program.py", SPARSE)
    result = workspace.strata("exec", "--out", "out", "--", sys.executable, "program.py")
    assert result.returncode == 0, result.stderr
    summary = json.loads((workspace.folder / "out/summary.json").read_text())
    assert summary["categories"]["Gradient"]["max"] >= 8192 * 64 * 4
    assert summary["peak"]["categories"]["Unknown"] <= 0.01 * summary["peak"]["allocated_bytes"]


WITH_LOSS = """
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(256, 256), nn.Linear(256, 1)
    def forward(self, x):
        return self.b(self.a(x))
model, loss = Model(), nn.BCEWithLogitsLoss()
for _ in range(2):
    loss(model(torch.randn(8, 256)), torch.ones(8, 1)).backward()
"""


def test_a_loss_is_no_model_beside_the_model(workspace):
    """The loss's buffers are None. With two models, names would begin with their class."""
    workspace.write("program.py", WITH_LOSS)
    assert workspace.strata("exec", "--layers", "--out", "out", "--", sys.executable, "program.py").returncode == 0
    names = {name for (name,) in workspace.query("out", "SELECT DISTINCT (SELECT text FROM string WHERE id = name) FROM host_tensor")}
    assert {"a.weight", "a.weight.grad", "b.bias.grad"} <= names and not any(name.startswith("Model.") for name in names)
