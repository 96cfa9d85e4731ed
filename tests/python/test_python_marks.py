# SPDX-License-Identifier: Apache-2.0
"""strata.step() and strata.phase(), under `strata exec` and without a recording."""

import pytest
from training_programs import BEGIN

from program_folder import STRATA

STEPS = {
    "at the top": "for index in range(4):\n    strata.step()\n    train(model, optimizer, *batch())\n",
    "at the end": "for index in range(4):\n    train(model, optimizer, *batch())\n    strata.step(loss=1.5, tokens=32)\n",
    "behind a loader": """
data = torch.utils.data.TensorDataset(torch.randn(128, 64), torch.randint(0, 10, (128,)))
for inputs, targets in torch.utils.data.DataLoader(data, batch_size=32):
    strata.step()
    train(model, optimizer, inputs.to(device), targets.to(device))
""",
    "two optimizers": """
for index in range(4):
    strata.step()
    train(model, optimizer, *batch())
    train(model, optimizer, *batch())
""",
}


@pytest.mark.parametrize("where", STEPS)
def test_each_call_is_a_step_wherever_it_stands(programs, where):
    programs.write("train.py", BEGIN + "model, optimizer = make()\n" + STEPS[where])
    programs.exec("train.py")
    assert programs.steps() == [0, 1, 2, 3]
    assert programs.query("SELECT count(*) FROM step WHERE optimizer_ran = 1") == [(4,)]


@pytest.mark.smoke
def test_what_a_step_is_told_belongs_to_the_one_that_ends(programs):
    programs.write("train.py", BEGIN + "model, optimizer = make()\n" + STEPS["at the end"])
    programs.exec("train.py")
    assert programs.query("SELECT DISTINCT loss, tokens FROM step") == [(1.5, 32)]


def test_a_step_takes_what_is_a_number_and_says_what_is_none(programs):
    programs.write(
        "train.py",
        BEGIN
        + """
model, optimizer = make()
for loss, tokens in ((torch.tensor(1.5), torch.tensor(32)), (2, 3.5), ("low", 4), (1.0, -1), (None, 5)):
    train(model, optimizer, *batch())
    strata.step(loss=loss, tokens=tokens)
""",
    )
    said = programs.exec("train.py").stderr
    assert programs.query("SELECT loss, tokens FROM step ORDER BY step") == [(1.5, 32), (2, 3), (None, 0), (None, 0), (None, 5)]
    assert said.count("strata.step(loss='low', tokens=4)") == said.count("strata.step(") == 1


def test_marked_phases_win_over_inferred_ones(programs):
    programs.write(
        "train.py",
        BEGIN
        + """
model, optimizer = make()
@strata.phase("clip")
def clip():
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
for index in range(3):
    inputs, targets = batch()
    with strata.phase("forward"):
        loss = entropy(model(inputs), targets)
    loss.backward()
    clip()
    optimizer.step()
    optimizer.zero_grad()
""",
    )
    programs.exec("train.py")
    assert programs.steps() == [0, 1, 2]
    of_step = [(name, inferred) for name, inferred, step in programs.phases() if step == 1]
    assert of_step == [("forward", 0), ("backward", 1), ("clip", 0), ("AdamW.step", 1), ("zero_grad", 1)]


def test_an_exception_ends_a_phase(programs):
    programs.write(
        "train.py",
        BEGIN
        + """
model, optimizer = make()
for index in range(2):
    strata.step()
    try:
        with strata.phase("validate"):
            raise ValueError
    except ValueError:
        pass
    train(model, optimizer, *batch())
""",
    )
    programs.exec("train.py")
    assert programs.query("SELECT count(*) FROM phase WHERE name = 'validate' AND end_ns IS NOT NULL") == [(2,)]
    names = [name for name, _, step in programs.phases() if step == 1]
    assert names == ["validate", "zero_grad", "forward", "backward", "AdamW.step"]


def test_marks_do_nothing_where_nothing_records(programs):
    programs.write(
        "marks.py",
        """
import sys, strata_profiler as strata
for _ in range(1000):
    strata.step(loss=1.0)
    with strata.phase("forward"):
        pass
assert "torch" not in sys.modules and "pandas" not in sys.modules
assert strata.session._library is None, "no library is opened for them"
""",
    )
    done = programs.python("marks.py")
    assert done.returncode == 0, done.stderr
    assert (done.stdout, done.stderr) == ("", "")


def test_marks_cost_little_where_nothing_records():
    """The limit is loose because the machine may be busy: a mark that opened anything would be a
    thousand times slower."""
    import timeit

    import strata_profiler as strata

    def phase():
        with strata.phase("forward"):
            pass

    for mark in (strata.step, phase):
        assert min(timeit.repeat(mark, number=10_000, repeat=5)) / 10_000 < 10e-6


def test_a_forked_child_leaves_its_parents_run_alone(programs):
    programs.write(
        "train.py",
        BEGIN
        + """
import os
model, optimizer = make()
strata.attach(model, optimizer)
for index in range(3):
    strata.step()
    train(model, optimizer, *batch())
    child = os.fork()
    if child == 0:
        strata.step()
        with strata.phase("child"):
            torch.ones(10).sum()
        os._exit(0)
    os.waitpid(child, 0)
""",
    )
    programs.exec("train.py")
    assert programs.steps() == [0, 1, 2]
    assert "child" not in {name for name, _, _ in programs.phases()}


def test_a_package_of_another_release_says_once_that_its_marks_are_lost(programs):
    """`strata exec` may name a library that lacks the functions this package calls."""
    other = str(STRATA.parents[1] / "lib/libstrata.so")
    programs.write("marks.py", "import strata_profiler as strata\nfor _ in range(3):\n    strata.step()\n    with strata.phase('forward'):\n        print('on')\n")
    done = programs.python("marks.py", STRATA_ATTACH=other)
    assert (done.returncode, done.stdout) == (0, "on\n" * 3), done.stderr
    [said] = done.stderr.splitlines()
    assert said.startswith("strata: this program's marks are not recorded: ") and other in said


def test_without_its_native_parts_the_package_says_so(tmp_path, programs):
    import shutil

    from program_folder import PACKAGE

    shutil.copytree(PACKAGE / "strata_profiler", tmp_path / "elsewhere/strata_profiler")
    done = programs.python("-c", "import strata_profiler as strata; strata.step(); strata.run().__enter__()", PYTHONPATH=str(tmp_path / "elsewhere"))
    assert done.returncode == 1
    assert "NativePartsMissing" in done.stderr and "pip install ." in done.stderr


def test_an_evaluation_behind_the_loop_is_no_step(programs):
    """The loader's last look for a batch seems to begin a step, and the evaluation comes after
    it."""
    programs.write(
        "behind.py",
        """
import torch, strata_profiler as strata
model = torch.nn.Linear(8, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch, in torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(12, 8)), batch_size=4):
    optimizer.zero_grad()
    model(batch).sum().backward()
    optimizer.step()
with strata.phase("evaluation"), torch.no_grad():
    model(torch.randn(4, 8))
""",
    )
    programs.exec("behind.py", out="behind")
    assert programs.steps("behind") == [0, 1, 2]
    assert "evaluation" in {name for name, _, _ in programs.phases("behind")}


@pytest.mark.parametrize("name", [3, None, b"forward", len])
def test_a_phases_name_is_text(name):
    import strata_profiler as strata

    with pytest.raises(TypeError, match=f"strata.phase: name: expected a str, got {type(name).__name__}$"):
        strata.phase(name)
