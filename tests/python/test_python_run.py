# SPDX-License-Identifier: Apache-2.0
"""strata.run(): runs that a program opens itself."""

import json
import subprocess

import pytest
from training_programs import BEGIN

from program_folder import STRATA

RUN = (
    BEGIN
    + """
with strata.run("out", OPTIONS) as run:
    model, optimizer = make()
    strata.attach(model, optimizer)
    for index in range(4):
        strata.step()
        train(model, optimizer, *batch())
    LAST
print(run.directory)
"""
)


def opened(options="", last=""):
    return RUN.replace("OPTIONS", options).replace("LAST", last)


def test_a_run_is_what_the_program_makes_of_one(programs):
    programs.write("train.py", opened("", ""))
    done = programs.python("train.py")
    assert done.returncode == 0, done.stderr
    assert programs.steps() == [0, 1, 2, 3]
    assert done.stdout.splitlines()[-1] == str(programs.folder / "out")
    assert "Peak" in done.stderr and "report.html" in done.stderr
    assert (programs.folder / "out/report.html").stat().st_size > 100_000
    manifest = json.loads((programs.folder / "out/manifest.json").read_text())
    assert (manifest["state"], manifest["end"]) == ("closed", "done")
    summary = programs.summary()
    again = subprocess.run([STRATA, "report", programs.folder / "out", "--json"], capture_output=True, text=True, check=True)
    assert json.loads(again.stdout) == summary


def test_what_it_says_of_plugins_window_and_settings(programs):
    options = (
        'plugins=["allocator_tracer", {"warmup_analyzer": {}}], name="mine", wait=1, warmup=1, active=1,'
        ' settings={"trace.memory_samples": "step"}, quiet=True'
    )
    programs.write("train.py", opened(options, ""))
    done = programs.python("train.py")
    assert (done.returncode, done.stderr) == (0, "")
    summary = programs.summary()
    assert summary["window"] == {"first_step": 2, "last_step": 2}
    assert [plugin["id"] for plugin in summary["plugins"] if plugin["status"] == "ok"][-3:] != []
    assert {"allocator_tracer", "warmup_analyzer"} <= {plugin["id"] for plugin in summary["plugins"]}
    assert json.loads((programs.folder / "out/manifest.json").read_text())["name"] == "mine"


@pytest.mark.parametrize(
    ("last", "end"), [("raise ValueError", "failed"), ("raise KeyboardInterrupt", "interrupted"), ("raise MemoryError", "out_of_memory")]
)
def test_how_the_run_ends(programs, last, end):
    programs.write("train.py", opened("quiet=True", last))
    assert programs.python("train.py").returncode != 0
    assert json.loads((programs.folder / "out/manifest.json").read_text())["end"] == end
    assert programs.steps() == [0, 1, 2, 3]


def test_several_runs_in_one_process(programs):
    programs.write(
        "train.py",
        BEGIN
        + """
model, optimizer = make()
strata.attach(model, optimizer)
for name in ("one", "two"):
    with strata.run(name, quiet=True):
        for index in range(2):
            strata.step()
            train(model, optimizer, *batch())
    train(model, optimizer, *batch())  # in neither
""",
    )
    done = programs.python("train.py")
    assert done.returncode == 0, done.stderr
    for name in ("one", "two"):
        assert programs.steps(name) == [0, 1]
        assert programs.layers(name) == {"", "0", "1", "2"}


def test_within_exec_the_run_that_is_open_has_it_all(programs):
    programs.write("train.py", opened("", ""))
    done = programs.exec("train.py", out="outer")
    assert done.stdout.splitlines()[-1] == "None"
    assert not (programs.folder / "out").exists()
    assert programs.steps("outer") == [0, 1, 2, 3]


def test_within_exec_torch_may_come_with_the_run(programs):
    """Its import opens the session of `strata exec`, between the run's look for one and its own."""
    programs.write("late.py", "import strata\nwith strata.run('inner') as run:\n    import torch\n    torch.zeros(8)\n    print(run.directory)\n")
    assert programs.exec("late.py", out="late").stdout.splitlines()[-1] == "None"
    assert not (programs.folder / "inner").exists()


def test_a_killed_run_is_recovered_by_whoever_opens_it(programs):
    import strata

    programs.write("train.py", opened("", "import os; os.kill(os.getpid(), 9)"))
    assert programs.python("train.py").returncode == -9
    assert [step["index"] for step in strata.open(programs.folder / "out").summary["steps"]] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ('plugins=["allocator_tracr"]', "allocator_tracer"),
        ('settings={"optimizer.lr": 1}', "optimizer.lr"),
        ('active=-1', "active"),
    ],
)
def test_what_cannot_be_is_one_message_and_no_folder(programs, options, message):
    programs.write("train.py", opened(options, ""))
    done = programs.python("train.py")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("strata.recording.RecordingError: ") or message in done.stderr
    assert message in done.stderr
    assert not (programs.folder / "out").exists()


def test_a_folder_that_is_not_empty_is_refused(programs):
    programs.write("out/mine.txt", "mine")
    programs.write("train.py", opened("", ""))
    done = programs.python("train.py")
    assert done.returncode == 1 and "is not empty" in done.stderr
    assert [path.name for path in (programs.folder / "out").iterdir()] == ["mine.txt"]


def test_where_nothing_was_allocated_it_says_so(programs):
    programs.write("idle.py", 'import strata\nwith strata.run("out"):\n    pass\n')
    done = programs.python("idle.py")
    assert done.returncode == 0, done.stderr
    assert "nothing was recorded" in done.stderr
