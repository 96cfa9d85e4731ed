"""Ctrl-C and SIGTERM end a run with its report; a second one ends it at once."""

import json
import signal

import pytest

ENDLESS = ("schedule.active=1000000", "--out", "out")


def started(workspace, *words):
    """The program, once it has finished a step."""
    process = workspace.start("run", "tiny.yaml", *ENDLESS, *words)
    said = []
    for line in process.stderr:
        said.append(line)
        if line.startswith("step 1/"):
            return process
    process.wait()
    raise AssertionError("".join(said))


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
    process = started(tiny)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=120)
    assert process.returncode in (130, 143)
    result = tiny.strata("report", "out", timeout=300)
    assert result.returncode == 0, result.stderr


def test_a_killed_run_can_be_reported(tiny):
    process = started(tiny)
    process.kill()
    process.communicate(timeout=120)
    assert not (tiny.folder / "out/summary.json").exists()
    result = tiny.strata("report", "out", "--json", timeout=300)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["steps"]
