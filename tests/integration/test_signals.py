# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and SIGTERM end a run with its report; a second signal ends it at once."""

import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

ENDLESS = ("schedule.active=1000000", "--out", "out")


def started(workspace, *words):
    """Return the program, once it has finished a step."""
    process = workspace.start("run", "tiny.yaml", *ENDLESS, *words)
    said = []
    for line in process.stderr:
        said.append(line)
        if line.startswith("step 1/"):
            return process
    process.wait()
    raise AssertionError("".join(said))


def is_pending(pid, number):
    """Whether the signal was sent, but no thread has received it yet."""
    fields = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    return any(int(fields[kind], 16) >> (number - 1) & 1 for kind in ("SigPnd", "ShdPnd"))


@pytest.mark.smoke
@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_first_signal_ends_the_run_with_its_report(tiny, number, code):
    process = started(tiny, "--json")
    process.send_signal(number)
    out, err = process.communicate(timeout=300)
    assert process.returncode == code, err
    assert "interrupted after" in err
    assert json.loads(out)["steps"]
    manifest = (tiny.folder / "out/manifest.json").read_text()
    assert "interrupted" in manifest
    assert (tiny.folder / "out/report.html").exists()


def test_the_second_signal_ends_the_run_at_once_and_the_report_can_be_had_later(tiny):
    # The first signal waits for this micro-batch, which lasts seconds. Between two micro-batches it
    # would not wait.
    process = started(tiny, "model.context=1024", "data.batch_size=16")
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    while is_pending(process.pid, signal.SIGINT):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=120)
    # The program died of the signal that was handled second. Two threads may swap the order. The
    # first signal alone ends it with 130.
    assert process.returncode in (-signal.SIGTERM, -signal.SIGINT)
    assert not (tiny.folder / "out/summary.json").exists()
    result = tiny.strata("report", "out", timeout=300)
    assert result.returncode == 0, result.stderr


def test_an_interrupt_ends_the_step_before_the_model_is_freed(tiny):
    process = started(tiny, "schedule.wait=0", "schedule.warmup=0", "--json")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    categories = json.loads(out)["categories"]
    assert categories["Parameter"]["min"] == categories["Parameter"]["max"] > 0
    assert categories["Unknown"]["max"] == 0


def test_a_signal_that_was_ignored_stays_ignored(tiny):
    """A script's background job ignores SIGINT, because Ctrl-C is not meant for it."""
    tiny.write("in_background.sh", f"{' '.join(tiny.command('run', 'tiny.yaml', 'schedule.active=20', '--out', 'out'))} & wait $!")
    process = subprocess.Popen(
        ["bash", "in_background.sh"], cwd=tiny.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    said = ""
    for line in process.stderr:
        said += line
        if line.startswith("step 1/"):
            break
    (child,) = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
    os.kill(int(child), signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, said + err


def test_a_killed_run_can_be_reported(tiny):
    process = started(tiny)
    process.kill()
    process.communicate(timeout=120)
    assert not (tiny.folder / "out/summary.json").exists()
    result = tiny.strata("report", "out", "--json", timeout=300)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["steps"]
