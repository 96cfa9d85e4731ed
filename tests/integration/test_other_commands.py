# SPDX-License-Identifier: Apache-2.0
"""The commands report, plugins, doctor, help and version."""

import json
import re
import subprocess

import pytest


def test_report_says_the_same_again(finished):
    out = finished.folder / "out"
    summary = (out / "summary.json").read_text()
    (out / "report.html").unlink()
    (out / "summary.json").unlink()
    result = finished.strata("report", "out")
    assert result.returncode == 0, result.stderr
    assert result.stdout == finished.result.stdout
    assert (out / "summary.json").read_text() == summary
    assert (out / "report.html").exists()
    assert finished.strata("report", "out", "--json").stdout == summary


def test_report_of_a_folder_that_is_no_run(workspace):
    (workspace.folder / "empty").mkdir()
    result = workspace.strata("report", "empty")
    assert result.returncode == 2
    assert result.stdout == ""
    assert "empty" in result.stderr
    assert list((workspace.folder / "empty").iterdir()) == []


def test_plugins_are_listed(workspace):
    result = workspace.strata("plugins")
    assert result.returncode == 0
    assert "allocator_tracer" in result.stdout
    document = json.loads(workspace.strata("plugins", "--json").stdout)
    listed = document["plugins"]
    assert document["schema"] == "strata.plugins/1"
    assert {"allocator_tracer", "torch"} <= {entry["id"] for entry in listed}
    assert all(entry["refused"] == "" for entry in listed)


def test_a_plugin_shows_its_options(workspace):
    [torch] = json.loads(workspace.strata("plugins", "torch", "--json").stdout)["plugins"]
    assert torch["id"] == "torch"
    assert {"ops", "saved_tensors", "cross_check"} <= {option["key"] for option in torch["options"]}
    assert "saved_tensors: " in workspace.strata("plugins", "torch").stdout


def test_devices_are_listed(workspace):
    document = json.loads(workspace.strata("devices", "--json").stdout)
    assert document["schema"] == "strata.devices/1"
    assert {"t4", "h100-80gb"} <= {device["key"] for device in document["devices"]}
    [one] = json.loads(workspace.strata("devices", "t4", "--json").stdout)["devices"]
    assert one in document["devices"]


def test_a_misspelt_plugin_names_the_nearest(workspace):
    assert "did you mean 'allocator_tracer'?" in workspace.strata("plugins", "alocator_tracer").stderr


def test_a_broken_plugin_is_listed_with_its_reason(workspace):
    workspace.write("broken.so", "not a shared object")
    result = workspace.strata("plugins", "--json", STRATA_PLUGIN_PATH=str(workspace.folder))
    (broken,) = [entry for entry in json.loads(result.stdout)["plugins"] if entry["id"] == "broken"]
    assert broken["refused"]


def test_doctor_finds_what_a_run_needs(workspace):
    result = workspace.strata("doctor", "--json")
    assert result.returncode == 0, result.stdout
    checks = {check["name"]: check for check in json.loads(result.stdout)["checks"]}
    for needed in ("trainer", "torch", "folder of runs"):
        assert checks[needed]["verdict"] == "ok", checks[needed]
    assert checks["torch"]["detail"][0].isdigit()
    assert all(check["remedy"] for check in checks.values() if check["verdict"] == "missing")
    assert workspace.names() == []


def test_doctor_says_whether_devices_can_be_recorded(workspace):
    dry = workspace.command("exec", "--plugins", "none", "--dry", "h100-80gb", "--clock", "modelled", "--")
    for command, expected in (
        (workspace.command("doctor", "--json"), r"^13\.\d, \S+: (can record what devices do|there is no device to record)"),
        (dry + workspace.command("doctor", "--json"), r"^13\.0, \S+libstrata_dry_gpu\.so: can record what devices do, but only if no other tool uses CUPTI$"),
    ):
        result = subprocess.run(command, cwd=workspace.folder, capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr
        checks = {check["name"]: check for check in json.loads(result.stdout)["checks"]}
        assert re.match(expected, checks["CUPTI"]["detail"]), checks["CUPTI"]


def test_doctor_prints_a_line_for_each(workspace):
    names = [check["name"] for check in json.loads(workspace.strata("doctor", "--json").stdout)["checks"]]
    text = workspace.strata("doctor").stdout
    assert all(name in text for name in names)


@pytest.mark.parametrize("command", ["run", "report", "plugins", "doctor"])
def test_help_has_examples(workspace, command):
    result = workspace.strata(command, "--help")
    assert result.returncode == 0
    assert "Examples:" in result.stdout and f"strata {command}" in result.stdout


def test_version(workspace):
    result = workspace.strata("--version")
    assert result.returncode == 0
    assert result.stdout.startswith("strata 0.")


def test_help_of_the_configuration(workspace):
    result = workspace.strata("run", "--help-config")
    assert result.returncode == 0
    assert "\n  optimizer.lr\n" in result.stdout
