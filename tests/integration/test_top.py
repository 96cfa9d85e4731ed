# SPDX-License-Identifier: Apache-2.0
"""`strata top`: a run while it is active, after it ended, and after it was killed."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

ENDLESS = ("schedule.active=1000000", "--out", "out")
MIB = 1 << 20


def started(workspace, *words):
    """Start a run; return when it has ended a step."""
    process = workspace.start("run", "tiny.yaml", *ENDLESS, *words)
    said = []
    for line in process.stderr:
        said.append(line)
        if line.startswith("step 1/"):
            return process
    raise AssertionError("".join(said))


@pytest.fixture
def running(tiny):
    process = started(tiny)
    yield process
    if process.poll() is None:
        process.kill()
    process.communicate()


def looked(workspace, *words):
    result = workspace.strata("top", *words, "--once", "--json")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["schema"] == "strata.top/1"
    return document


def highest(workspace, out):
    """Return the maximum allocated bytes, from the store alone."""
    alive, now, most = {}, 0, 0
    for action, address, size in workspace.query(
        out, "SELECT action, address, bytes FROM allocator_tracer_event ORDER BY sequence"
    ):
        if action == 1 and address:
            now += size - alive.get(address, 0)
            alive[address] = size
        elif action == 2:
            now -= alive.pop(address, 0)
        most = max(most, now)
    return most


@pytest.mark.smoke
def test_a_finished_run_is_said_to_be_over_and_its_peak_is_that_of_the_store(finished):
    (rank,) = looked(finished, "out")["ranks"]
    assert (rank["state"], rank["end"], rank["steps_ended"]) == ("ended", "done", 3)
    assert rank["loss"] > 0 and rank["per_second"] > 0 and rank["caught_up"]
    (device,) = rank["devices"]
    assert device["peak_allocated_bytes"] == highest(finished, "out")
    assert sum(each["bytes"] for each in device["categories"].values()) == device["allocated_bytes"]
    result = finished.strata("top", "out", "--plain")
    assert result.returncode == 0 and "the run is over: done, after 3 steps" in result.stderr


def test_a_running_process_is_followed_and_left_alone(tiny, running):
    first = looked(tiny, "out")["ranks"][0]
    assert first["state"] == "running" and first["pid"] == running.pid
    deadline = time.time() + 60
    while (later := looked(tiny, "out")["ranks"][0])["steps_ended"] <= first["steps_ended"]:
        assert time.time() < deadline
    assert later["median_step_ns"] > 0 and later["resident_bytes"] > MIB
    assert later["devices"][0]["categories"]["Parameter"]["bytes"] > 0
    # A run can also be named by its process.
    assert looked(tiny, "--pid", running.pid)["run"] == str(tiny.folder / "out")
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=300)
    assert running.returncode == 130, err
    (rank,) = looked(tiny, "out")["ranks"]
    assert (rank["state"], rank["end"]) == ("ended", "interrupted")


def test_it_ends_by_itself_and_names_a_run_that_was_killed(tiny, running):
    top = tiny.start("top", "out", "--plain", "--interval", "0.2")
    assert "step" in top.stdout.readline()
    running.kill()
    running.wait()
    out, err = top.communicate(timeout=120)
    assert top.returncode == 0 and f"the run was killed: process {running.pid} of rank 0 is gone" in err
    spools = sorted(path.name for path in (tiny.folder / f"out/rank0/{running.pid}.spool").iterdir())
    assert looked(tiny, "out")["ranks"][0]["state"] == "killed"
    # Looking recovered nothing: it is still possible, and the run still counts as killed.
    assert sorted(path.name for path in (tiny.folder / f"out/rank0/{running.pid}.spool").iterdir()) == spools
    assert tiny.strata("report", "out").returncode == 0
    assert looked(tiny, "out")["ranks"][0]["state"] == "killed"


def test_looking_every_instant_loses_and_delays_nothing(tiny):
    process = tiny.start("run", "tiny.yaml", "schedule.active=300", "--out", "out", "trace.cross_check=true", "--json")
    while not list(tiny.folder.glob("out/rank0/*.sqlite")):
        assert process.poll() is None
        time.sleep(0.02)
    top = tiny.start("top", "out", "--json", "--interval", "0.1")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    looks = [json.loads(line) for line in top.communicate(timeout=120)[0].splitlines()]
    assert looks[-1]["ranks"][0]["state"] == "ended" and looks[-1]["ranks"][0]["steps_ended"] == 301
    assert looks[-1]["ranks"][0]["devices"][0]["peak_allocated_bytes"] == highest(tiny, "out")
    check = json.loads(out)["checks"]["cross_check"]
    assert check["mismatches"] == 0 and check["events"] == check["events_compared"]


def on_terminal(workspace, *words, keys, until, columns=80, lines=40):
    """Return the program's output to a terminal of that size; `keys` are typed once all of `until`
    has appeared."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    before = termios.tcgetattr(slave)

    def take_terminal():
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    process = subprocess.Popen(
        workspace.command(*words),
        cwd=workspace.folder,
        preexec_fn=take_terminal,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    written, typed, deadline = b"", False, time.time() + 120
    while process.poll() is None or select.select([master], [], [], 0)[0]:
        assert time.time() < deadline, written.decode(errors="replace")
        if select.select([master], [], [], 0.05)[0]:
            written += os.read(master, 65536)
        if not typed and all(part in written for part in until):
            os.write(master, keys)
            typed = True
    assert termios.tcgetattr(slave) == before
    os.close(slave)
    os.close(master)
    return process.returncode, written.decode()


def test_on_a_terminal_it_draws_over_itself_in_80_columns_until_q(tiny, running):
    code, text = on_terminal(tiny, "top", "out", "--interval", "0.2", keys=b"xq", until=[b"loss", b"Unknown"])
    assert code == 0
    assert "\x1b[?1049h" in text and text.index("\x1b[?1049l") > text.index("\x1b[?1049h")
    assert "\x1b[?25h" in text
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    for name in ("strata top", "allocated", "peak allocated", "Parameter", "loss", "tokens/s", "q quits"):
        assert name in plain
    assert max(len(line.rstrip("\r")) for line in plain.split("\n")) <= 80
    assert running.poll() is None  # the run continues


def test_ctrl_c_ends_it_and_gives_the_terminal_back(tiny, running):
    code, text = on_terminal(tiny, "top", "out", "--interval", "0.2", keys=b"\x03", until=[b"Optimizer_State"])
    assert code == 0 and text.rindex("\x1b[?1049l") > text.rindex("\x1b[?1049h")
    assert running.poll() is None


@pytest.mark.parametrize("first", [0, 1])
def test_a_window_without_an_end_names_no_last_step(tiny, first):
    process = tiny.start("run", "tiny.yaml", f"schedule={{wait: {first}, warmup: 0, active: 1000000000}}", "--out", "out")
    assert any(line.startswith("step 1/") for line in process.stderr)
    text = tiny.strata("top", "out", "--once").stdout
    process.kill()
    process.communicate()
    assert ("window from step 1" if first else ", all steps") in text and "999999999" not in text


def test_before_the_first_store_it_waits(tiny):
    (tiny.folder / "out").mkdir()
    result = tiny.strata("top", "out", "--once")
    assert result.returncode == 0 and "no process has created a run store yet" in result.stdout
    assert looked(tiny, "out")["ranks"] == []
    top = tiny.start("top", "out", "--plain", "--interval", "0.2")
    assert "no process has created a run store yet" in top.stdout.readline()
    assert tiny.strata("run", "tiny.yaml", "--out", "out").returncode == 0
    out, err = top.communicate(timeout=120)
    assert "the run is over: done" in err


def test_without_a_name_the_newest_run_is_taken_and_one_that_goes_on_before_all(tiny):
    assert tiny.strata("top", "--once").returncode == 2
    assert "no run under" in tiny.strata("top", "--once").stderr
    going_on = tiny.start("run", "tiny.yaml", "name=first", "schedule.active=1000000")
    for line in going_on.stderr:
        if line.startswith("step 1/"):
            break
    assert tiny.strata("run", "tiny.yaml", "name=second").returncode == 0
    assert looked(tiny)["name"] == "first"
    going_on.kill()
    going_on.communicate()
    assert looked(tiny)["name"] == "second"


def test_a_run_of_two_ranks_has_a_row_for_each(tiny):
    assert tiny.strata("run", "tiny.yaml", "--out", "out", "world_size=2").returncode == 0
    assert [rank["rank"] for rank in looked(tiny, "out")["ranks"]] == [0, 1]
    assert [rank["rank"] for rank in looked(tiny, "out", "--rank", "1")["ranks"]] == [1]
    text = tiny.strata("top", "out", "--once").stdout
    assert re.search(r"rank +step +phase", text)
    refused = tiny.strata("top", "out", "--rank", "2", "--once")
    assert refused.returncode == 2 and "the run has ranks 0 to 1" in refused.stderr


def test_a_dry_run_has_the_cards_memory_and_no_rate(tiny):
    assert tiny.strata("run", "tiny.yaml", "--dry", "h100-80gb", "--out", "out").returncode == 0
    (rank,) = looked(tiny, "out")["ranks"]
    assert "H100" in rank["dry"] and rank["per_second"] is None
    device = rank["devices"][0]
    assert device["device"] == "cuda:0" and device["capacity_bytes"] > 70 * 1024 * MIB
    assert device["reserved_bytes"] >= device["allocated_bytes"]
    peak = json.loads((tiny.folder / "out/summary.json").read_text())["peak"]
    assert device["peak_allocated_bytes"] >= peak["allocated_bytes"]


@pytest.mark.parametrize("damage", ["cut", "noise", "empty"])
def test_a_damaged_store_is_named_and_stops_nothing(tiny, damage):
    assert tiny.strata("run", "tiny.yaml", "--out", "out").returncode == 0
    (store,) = (tiny.folder / "out/rank0").glob("*.sqlite")
    whole = store.read_bytes()
    store.write_bytes({"cut": whole[: len(whole) // 2], "noise": b"\x07" * 10000, "empty": b""}[damage])
    (rank,) = looked(tiny, "out")["ranks"]
    assert store.name in rank["problem"]
    assert store.name in tiny.strata("top", "out", "--once").stdout.replace("\n", "").replace(" ", "")


def test_bad_usage_is_refused(tiny):
    assert tiny.strata("top", "nowhere").returncode == 2
    assert "is not a folder" in tiny.strata("top", "nowhere").stderr
    assert "no such process" in tiny.strata("top", "--pid", "999999999").stderr
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    assert "have a visible run store open" in tiny.strata("top", "--pid", sleeper.pid).stderr
    sleeper.kill()
    sleeper.wait()
    help_text = tiny.strata("top", "--help").stdout
    assert "Examples:" in help_text and "--once --json" in help_text
