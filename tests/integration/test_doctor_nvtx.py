# SPDX-License-Identifier: Apache-2.0
"""`strata doctor` reports in advance what nvtx_markers will be able to do."""

import json

import pytest


def checks(workspace, **environment):
    without = {"NVTX_INJECTION64_PATH": "", "NSYS_PROFILING_SESSION_ID": ""}
    result = workspace.strata("doctor", "--json", **{**without, **environment})
    assert result.returncode == 0, result.stderr
    return {check["name"]: check for check in json.loads(result.stdout)["checks"]}


def test_without_a_tool(workspace):
    found = checks(workspace)
    assert found["plugin nvtx_markers"]["verdict"] == "ok"
    assert found["NVTX tool"]["verdict"] == "missing"
    assert "nsys profile" in found["NVTX tool"]["remedy"]
    assert not found["NVTX tool"]["needed"]


def test_under_a_tool(workspace):
    tool = workspace.write("tool.so", "")
    found = checks(workspace, NVTX_INJECTION64_PATH=str(tool))
    assert (found["NVTX tool"]["verdict"], found["NVTX tool"]["detail"]) == ("ok", str(tool))


def test_under_nsight_systems(workspace):
    tool = workspace.write("libToolsInjection64.so", "")
    found = checks(workspace, NVTX_INJECTION64_PATH=str(tool), NSYS_PROFILING_SESSION_ID="77")
    assert found["NVTX tool"]["detail"] == f"Nsight Systems, session 77: {tool}"
    without_nvtx = checks(workspace, NSYS_PROFILING_SESSION_ID="77")
    assert without_nvtx["NVTX tool"]["remedy"] == "nsys profile --trace=nvtx"


def test_a_tool_that_is_not_there(workspace):
    found = checks(workspace, NVTX_INJECTION64_PATH="/nowhere/tool.so")
    assert found["NVTX tool"]["verdict"] == "warning"
    assert "/nowhere/tool.so" in found["NVTX tool"]["detail"]


def test_what_this_build_can_do(workspace):
    found = checks(workspace)
    assert found["NVTX memory"]["detail"] == "counters if the tool supports them, otherwise marks"
    if found["GPU driver"]["verdict"] == "missing":
        assert "cuda_profiler_api captures nothing" in found["NVTX capture"]["detail"]


@pytest.mark.parametrize("option", ["capture", "layers", "memory", "heaps"])
def test_the_plugins_options_are_printed(workspace, option):
    result = workspace.strata("plugins", "nvtx_markers")
    assert f"\n  {option}: " in result.stdout
