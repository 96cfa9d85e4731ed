# SPDX-License-Identifier: Apache-2.0
"""The GitHub Action .github/actions/memory-budget: under and above a budget, against a base, and
its job summary."""

import json
import shutil
import subprocess
import sys

import pytest
from action_runner import ActionRunner
from workspaces import REPOSITORY, STRATA

pytestmark = pytest.mark.long
ACTION = REPOSITORY / ".github/actions/memory-budget"
TRAIN = """
import sys, torch
width = int(sys.argv[1])
model = torch.nn.Sequential(torch.nn.Linear(256, width), torch.nn.GELU(), torch.nn.Linear(width, 256)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    model(torch.randn(64, 256, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""
CHECK = ["Check"]  # checks existing runs


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """A job's folder with a pull request that trains a model four times as wide."""
    folder = tmp_path_factory.mktemp("job")
    (folder / "train.py").write_text(TRAIN)
    return ActionRunner(ACTION, folder)


@pytest.fixture(scope="module")
def both(job):
    train = f"{sys.executable} train.py"
    words = {"command": f"{train} 4096", "base_command": f"{train} 1024", "dry": "a100-40gb", "strata": str(STRATA)}
    return words, job.run(**words, budget="1GiB", fail_if="peak_allocated>+500%")


def peak_mib(run):
    return round(json.loads((run / "summary.json").read_text())["peak"]["allocated_bytes"] / (1 << 20))


def test_within_the_budget(both, job):
    _, (code, summary, outputs, printed) = both
    assert code == 0, printed
    assert outputs == {"peak-mib": str(peak_mib(job.folder / "memory/new")), "report": "memory/new/report.html"}
    assert (job.folder / outputs["report"]).is_file()
    assert f"Peak: {outputs['peak-mib']} MiB" in summary and "within the budget of 1,024.0 MiB" in summary
    assert "| Peak of the window, MiB | base | new | change | |" in summary
    assert "- pass `peak_allocated>+500%`" in summary and "::error" not in printed


def test_above_the_budget_the_job_fails_and_its_summary_says_why(both, job):
    words, _ = both
    code, summary, _, printed = job.run(CHECK, **words, budget="24MiB")
    assert code == 4 and "::error title=Memory budget::the run needs more than the budget of 24MiB" in printed
    assert "above the budget of 24.0 MiB" in summary and "strata advise --device a100-40gb --device-memory 24MiB -- " in summary
    assert "| Optimizer_State |" in summary, "the comparison is there all the same"


def test_a_gate_of_the_base_fails_the_job(both, job):
    words, _ = both
    code, summary, _, printed = job.run(CHECK, **words, fail_if="peak_allocated>+2%\n\ncategory.Activation>+1GiB\n")
    assert code == 4 and "more than its base allows" in printed
    assert "- **FAIL** `peak_allocated>+2%`" in summary and "- pass `category.Activation>+1GiB`" in summary


def test_a_run_from_elsewhere_can_be_the_base(both, job):
    words, _ = both
    code, summary, _, printed = job.run(CHECK, **{**words, "base_command": ""}, base_run="memory/new", fail_if="peak_allocated>+0%")
    assert code == 0 and "- pass `peak_allocated>+0%`" in summary, printed


@pytest.mark.parametrize(
    ("inputs", "code", "message"),
    [
        ({"budget": "much"}, 2, "--budget"),
        ({"fail_if": "peak_alocated>+2%"}, 2, "peak_alocated"),
        ({"base_command": "", "fail_if": "peak_allocated>+2%"}, 2, "give base-command or base-run"),
        ({"base_run": "nowhere"}, 2, "nowhere"),
    ],
)
def test_what_cannot_be_checked_is_no_pass(both, job, inputs, code, message):
    words, _ = both
    found, _, _, printed = job.run(CHECK, **{**words, **inputs})
    assert found == code and message in printed, printed


def test_a_command_that_fails_or_records_nothing_fails_the_job(tmp_path):
    job = ActionRunner(ACTION, tmp_path)
    code, _, _, _ = job.run(command="exit 7", strata=str(STRATA))
    assert code == 7
    shutil.rmtree(tmp_path / "memory", ignore_errors=True)
    code, _, _, printed = job.run(command="true", strata=str(STRATA))
    assert code == 1 and "nothing was recorded" in printed
    shutil.rmtree(tmp_path / "memory", ignore_errors=True)
    on_the_cpu = f"{sys.executable} -c 'import torch; torch.ones(1 << 20)'"
    code, _, _, printed = job.run(command=on_the_cpu, dry="t4", budget="1GiB", strata=str(STRATA))
    assert code == 1 and "allocated nothing on the dry t4, only on cpu" in printed


def test_memory_that_runs_out_is_in_the_summary(tmp_path):
    job = ActionRunner(ACTION, tmp_path)
    command = f"{sys.executable} -c 'import torch; torch.ones(64 << 30, dtype=torch.uint8, device=0)'"
    code, summary, _, printed = job.run(command=command, dry="t4", budget="1GiB", strata=str(STRATA))
    assert code == 1 and "the command of 'new' ended with 1" in printed
    assert "65,536.0 MiB" in summary and summary.count("```") == 2


def test_it_is_an_action_by_githubs_schema():
    pytest.importorskip("check_jsonschema", reason="check-jsonschema: third_party/requirements-workloads.txt")
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", str(ACTION / "action.yml")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
