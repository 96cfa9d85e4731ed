# SPDX-License-Identifier: Apache-2.0
"""A grid over the user's own program: each cell is what `strata exec` of its command measures."""

import json
import shlex
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.long

# A job whose model is sharded over `tp` ranks and whose memory also depends on its batch.
PROGRAM = """
import argparse, os, torch, torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
parser = argparse.ArgumentParser()
parser.add_argument("--tp", type=int)
parser.add_argument("--batch", type=int)
settings = parser.parse_args()
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
mesh = init_device_mesh("cuda", (dist.get_world_size() // settings.tp, settings.tp), mesh_dim_names=("dp", "tp"))
if settings.batch == 13:
    raise ValueError("thirteen is refused")
model = torch.nn.Sequential(torch.nn.Linear(4096, 16384), torch.nn.GELU(), torch.nn.Linear(16384, 4096)).cuda()
model = parallelize_module(model, mesh["tp"], {"0": ColwiseParallel(), "2": RowwiseParallel()})
optimizer = torch.optim.AdamW(model.parameters())
for step in range(3):
    model(torch.randn(settings.batch, 4096, device="cuda")).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
if dist.get_rank() == 0:
    print("most allocated", torch.cuda.max_memory_allocated())
dist.destroy_process_group()
"""
GRID = f"""\
grid: 1
name: layouts
program: {sys.executable} -m torch.distributed.run --nproc-per-node 8 train.py --tp {{tp}} --batch {{batch}}
device: {{dry: t4, clock: modelled}}
world: 16
axes:
  tp: [1, 4]
  batch: [64, 65536]
"""


def cells(workspace, folder="out"):
    done = workspace.strata("grid", "status", folder, "--json")
    assert done.returncode == 0, done.stderr
    return {tuple(cell["settings"].values()): cell for cell in json.loads(done.stdout)["cells"]}


@pytest.fixture(scope="module")
def layouts(tmp_path_factory):
    from workspaces import Workspace

    workspace = Workspace(tmp_path_factory.mktemp("layouts"))
    workspace.write("train.py", PROGRAM)
    workspace.write("layouts.yaml", GRID)
    workspace.result = workspace.strata("grid", "run", "layouts.yaml", "--out", "out")
    return workspace


def test_each_cell_is_what_exec_measures(layouts):
    assert layouts.result.returncode == 0, layouts.result.stderr
    found = cells(layouts)
    statuses = {("1", "64"): "ok", ("4", "64"): "ok", ("1", "65536"): "oom", ("4", "65536"): "ok"}
    assert {key: cell["status"] for key, cell in found.items()} == statuses
    one = layouts.folder / "out/cells" / found[("4", "64")]["id"]
    said = (one / "output.txt").read_text()
    most = int(said.split("most allocated ")[1].split()[0])
    assert found[("4", "64")]["measures"]["peak_allocated"] == most, "torch's own counter"
    assert found[("1", "64")]["measures"]["peak_allocated"] > 3 * most
    assert found[("4", "64")]["measures"]["modelled_step_time"] < found[("1", "64")]["measures"]["modelled_step_time"]
    assert "MiB" in found[("1", "65536")]["reason"] and "aten::" in found[("1", "65536")]["reason"]


def test_the_report_has_a_heat_map_and_a_front(layouts):
    done = layouts.strata("grid", "report", "out", "--heat", "tp,batch", "--of", "peak_allocated")
    assert done.returncode == 0, done.stderr
    names = {file.name for file in (layouts.folder / "out/report").iterdir()}
    assert "report.html" in names and any(name.startswith("heat") for name in names) and any(name.startswith("pareto") for name in names), names


def test_the_plan_predicts_nothing(layouts):
    done = layouts.strata("grid", "plan", "layouts.yaml")
    assert done.returncode == 0 and "4 cells" in done.stdout and "is not predicted" in done.stdout, done.stdout + done.stderr
    assert "parameters" not in layouts.strata("grid", "report", "out").stdout


def test_resumed_from_elsewhere_in_the_folder_where_it_began(layouts):
    (layouts.folder / "elsewhere").mkdir()
    key = cells(layouts)[("4", "64")]["id"]
    cell = layouts.folder / "out/cells" / key
    (cell / "state.json").unlink()
    shutil.rmtree(cell / "run-1")
    words = layouts.command("grid", "cell", layouts.folder / "out", key)
    done = subprocess.run(words, cwd=layouts.folder / "elsewhere", capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stderr
    assert cells(layouts)[("4", "64")]["status"] == "ok"


def test_a_cell_that_fails_says_its_error(layouts):
    done = layouts.strata("grid", "run", "layouts.yaml", "--out", "failed", "tp=1", "batch=13")
    assert done.returncode == 1
    (cell,) = cells(layouts, "failed").values()
    assert cell["status"] == "failed" and cell["reason"] == "ValueError: thirteen is refused", cell


def test_the_commands_line_by_line(layouts):
    done = layouts.strata("grid", "run", "layouts.yaml", "--out", "lines", "--engine", "manifest", "batch=64")
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 2, done.stderr
    words = shlex.split(done.stdout.splitlines()[0])
    assert words[1:3] == ["grid", "cell"]
