# SPDX-License-Identifier: Apache-2.0
"""torch.compile with Strata: its graphs are the same with and without."""

import pytest
from compiled_programs import GRAPHS

from program_folder import STRATA


@pytest.fixture(scope="module")
def graphs(module_programs):
    """The program's output about its graphs, without Strata."""
    module_programs.write("graphs.py", GRAPHS)
    done = module_programs.python("graphs.py", "plain")
    assert done.returncode == 0, done.stderr
    frames = int(done.stdout.split()[0])
    assert frames >= 3
    return done.stdout


def test_not_recorded(module_programs, graphs):
    assert module_programs.python("graphs.py", "attached").stdout == graphs


def test_attached(module_programs, graphs):
    done = module_programs.exec("graphs.py", "attached", out="attached")
    assert done.stdout == graphs
    assert "global hooks" not in done.stderr
    assert module_programs.steps("attached") == list(range(6))


def test_found_by_the_walk(module_programs, graphs):
    assert module_programs.exec("graphs.py", "plain", options=["--layers"], out="walked").stdout == graphs


def test_the_state_of_a_compiled_step_has_its_names(module_programs):
    """A compiled step is no range and runs no hook, so the state is reported at the next mark or
    search."""
    module_programs.write(
        "state.py",
        """
import torch, strata_profiler as strata
model = torch.nn.Linear(8, 8)
optimizer = torch.optim.AdamW(model.parameters())
strata.attach(model, optimizer)
step = torch.compile(optimizer.step, backend="eager")
for index in range(3):
    strata.step()
    model(torch.randn(4, 8)).sum().backward()
    step()
    optimizer.zero_grad()
""",
    )
    module_programs.exec("state.py", out="state")
    assert {"exp_avg", "exp_avg_sq"} <= module_programs.owners(5, "state")


def test_help_tells_of_layers(module_programs):
    assert "--layers" in module_programs.call(STRATA, "exec", "--help").stdout
