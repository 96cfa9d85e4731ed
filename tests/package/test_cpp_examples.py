# SPDX-License-Identifier: Apache-2.0
"""The worked examples, built as readers build them, against an installed Strata: they print the
same with it and without, and the recording is correct."""

import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess

import pytest
from installed_strata import WITH_TORCH, WITHOUT_TORCH, run

PHASES = {
    "mnist": [("forward", 0), ("backward", 1), ("optimizer", 1)],
    "gpt": [("data", 0), ("forward", 0), ("backward", 0)] * 2 + [("clip", 0), ("optimizer", 0), ("zero_grad", 0)],
    "no_torch": [("data", 0), ("forward", 0), ("backward", 0), ("optimizer", 0)],
}
STEPS = {"mnist": 8, "gpt": 4, "no_torch": 20}
DRY = ("--dry", "h100-80gb")
# Level 0: a program that does not use Strata.
UNMARKED = """
#include <torch/torch.h>
#include <cstdio>
namespace c10::cuda { DeviceIndex device_count() noexcept; }  // as <c10/cuda/CUDAFunctions.h>, which needs CUDA's headers
int main(int, char** words) {
  const torch::Device device(words[1]);
  if (device.is_cuda() && c10::cuda::device_count() == 0) return 1;
  torch::manual_seed(1);
  torch::nn::Sequential model(torch::nn::Conv2d(1, 8, 3), torch::nn::Flatten(), torch::nn::Linear(8 * 26 * 26, 10));
  model->to(device);
  torch::optim::Adam optimizer(model->parameters());
  for (int step = 0; step < 4; ++step) {
    const auto data = torch::randn({16, 1, 28, 28}).to(device);
    optimizer.zero_grad();
    const auto loss = model->forward(data).square().mean();
    loss.backward();
    optimizer.step();
    std::printf("%.9f\\n", loss.item().toDouble());
  }
}
"""
UNMARKED_PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(unmarked LANGUAGES CXX)
find_package(strata REQUIRED COMPONENTS torch)
add_executable(unmarked unmarked.cpp)
target_link_libraries(unmarked PRIVATE strata::torch)
"""
CASES = [("mnist", "cpu"), ("mnist", "cuda"), ("gpt", "cpu"), ("gpt", "cuda")]


@pytest.fixture(scope="module")
def examples(installation, tmp_path_factory):
    """A function that returns an example's program, built once, from a copy outside every source
    tree."""
    folder = tmp_path_factory.mktemp("examples")
    # Compiling torch's headers takes half a minute per program. ccache ignores paths below the
    # tests' folder, whose name changes.
    cached = {"CCACHE_BASEDIR": str(tmp_path_factory.getbasetemp()), "CCACHE_NOHASHDIR": "1", "HOME": os.environ.get("HOME", "/root")}
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []

    def build(name):
        source, made = folder / name, folder / f"{name}-build"
        if not made.exists():
            if name == "unmarked":
                source.mkdir()
                (source / "CMakeLists.txt").write_text(UNMARKED_PROJECT)
                (source / "unmarked.cpp").write_text(UNMARKED)
            else:
                shutil.copytree(installation / f"share/strata/examples/cpp/{name}", source)
            options = (f"-DCMAKE_PREFIX_PATH={installation}", "-DCMAKE_CXX_FLAGS=-O0 -Wall -Wextra -Werror", *launcher)
            run("cmake", "-G", "Ninja", "-S", source, "-B", made, *options, env=WITH_TORCH)
            run("cmake", "--build", made, env={**WITH_TORCH, **cached})
        return made / name

    return build


class Recorded:
    def __init__(self, result, folder):
        self.result = result
        self.folder = folder
        self.summary = json.loads((folder / "summary.json").read_text())
        self.manifest = json.loads((folder / "manifest.json").read_text())

    def query(self, statement):
        (store,) = self.folder.glob("rank0/*.sqlite")
        with sqlite3.connect(store) as database:
            return database.execute(statement).fetchall()

    def phases_of_step(self, step):
        return self.query(
            "SELECT (SELECT text FROM string WHERE id = name), inferred FROM host_phase_begin"
            f" WHERE step = {step} ORDER BY sequence"
        )


@pytest.fixture(scope="module")
def recorded(installation, examples, tmp_path_factory):
    """A function that returns an example's run under the installed `strata exec`; each runs
    once."""
    known = {}

    def record(name, device):
        if (name, device) not in known:
            folder = tmp_path_factory.mktemp(f"{name}-{device}")
            options = DRY if device == "cuda" else ()
            words = (examples(name), *([device] if name != "no_torch" else []))
            result = run(installation / "bin/strata", "exec", *options, "--out", folder / "out", "--", *words, env=WITH_TORCH)
            known[name, device] = Recorded(result, folder / "out")
        return known[name, device]

    return record


def bare(installation, program, device):
    """Run without a recording: alone, or with a dry GPU without plugins."""
    if device == "cpu":
        return run(program, "cpu", env=WITHOUT_TORCH)
    return run(installation / "bin/strata", "exec", *DRY, "--plugins", "none", "--", program, "cuda", env=WITH_TORCH)


each_case = pytest.mark.parametrize(("name", "device"), CASES)


@each_case
def test_it_prints_the_same_with_strata_and_without(installation, examples, recorded, name, device):
    alone = bare(installation, examples(name), device).stdout
    assert len(alone.splitlines()) >= STEPS[name]
    assert recorded(name, device).result.stdout == alone


@each_case
def test_its_steps_are_counted_from_0(recorded, name, device):
    run_of = recorded(name, device)
    assert [step["index"] for step in run_of.summary["steps"]] == list(range(STEPS[name]))
    assert run_of.manifest["faults"] == {}
    assert run_of.manifest["end"] == "done"


@each_case
def test_what_it_marks_is_inferred_no_second_time(recorded, name, device):
    for step in range(STEPS[name]):
        assert recorded(name, device).phases_of_step(step) == PHASES[name], step


@each_case
def test_losses_and_samples_are_those_it_tells(recorded, name, device):
    run_of = recorded(name, device)
    printed = [line for line in run_of.result.stdout.splitlines() if not line.startswith("test")]
    told = run_of.query("SELECT loss, tokens FROM host_step_end ORDER BY sequence")
    assert [f"{loss:.9f}" for loss, _ in told] == printed
    assert {tokens for _, tokens in told} == {64 if name == "mnist" else 2 * 4 * 64}
    assert recorded(name, device).summary["throughput"]["unit"] == "items"


@each_case
def test_the_bytes_of_its_parameters_are_exact(recorded, name, device):
    run_of = recorded(name, device)
    told = int(re.search(r"parameter bytes (\d+)", run_of.result.stderr)[1])
    of_each = run_of.query(
        "SELECT (SELECT text FROM string WHERE id = name), max(storage_bytes), role FROM host_tensor"
        f" WHERE role = 1 AND device_type = {2 if device == 'cuda' else 1} GROUP BY 1 HAVING 1"
    )
    named = {text: size for text, size, _ in of_each if not text.startswith("parameter ")}
    assert sum(named.values()) == told
    assert ("fc1.weight" if name == "mnist" else "blocks.2.qkv.weight") in named
    if device == "cpu":  # on the CPU no allocator rounds sizes
        buffers = 20 * 4 * 2 + 8 if name == "mnist" else 64 * 8
        assert run_of.summary["categories"]["Parameter"]["max"] == told + buffers
        assert run_of.summary["categories"]["Optimizer_State"]["max"] == told * (1 if name == "mnist" else 2)


@each_case
def test_next_to_nothing_is_unknown(recorded, name, device):
    summary = recorded(name, device).summary
    assert summary["categories"]["Unknown"]["max"] < 0.01 * summary["peak"]["allocated_bytes"]


@each_case
def test_owners_have_the_names_of_the_model(recorded, installation, name, device):
    blocks = json.loads(
        run(installation / "bin/strata", "report", recorded(name, device).folder, "--layers", "--json", env=WITHOUT_TORCH).stdout
    )
    text = json.dumps(blocks)
    for layer in ("conv1", "conv2", "fc1") if name == "mnist" else ("blocks.0", "head", "qkv"):
        assert f'"{layer}' in text or f".{layer}" in text, layer


def test_the_first_name_of_a_state_is_the_models(recorded):
    names = recorded("gpt", "cpu").query(
        "SELECT (SELECT text FROM string WHERE id = name) FROM host_tensor WHERE role = 5 ORDER BY sequence LIMIT 4"
    )
    assert [text for (text,) in names] == ["exp_avg", "exp_avg_sq"] * 2


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_a_program_without_marks_is_inferred(installation, examples, recorded, device):
    run_of = recorded("unmarked", device)
    assert run_of.result.stdout == bare(installation, examples("unmarked"), device).stdout
    assert [step["index"] for step in run_of.summary["steps"]] == [0, 1, 2, 3]
    assert run_of.query("SELECT (SELECT text FROM string WHERE id = name) FROM torch_trainer") == [("libtorch",)]
    for step in range(4):
        assert run_of.phases_of_step(step) == [("forward", 1), ("backward", 1), ("optimizer", 1)]
    parameters = 4 * (8 * 9 + 8 + 8 * 26 * 26 * 10 + 10)
    if device == "cpu":
        assert run_of.summary["categories"]["Parameter"]["max"] == parameters
    assert run_of.summary["categories"]["Optimizer_State"]["max"] >= 2 * parameters
    assert run_of.summary["categories"]["Unknown"]["max"] <= 0.05 * run_of.summary["peak"]["allocated_bytes"]
    assert run_of.manifest["end"] == "done"


def test_without_torch_steps_phases_and_warm_up_are_reported(installation, examples, recorded):
    run_of = recorded("no_torch", "cpu")
    assert run_of.result.stdout == run(examples("no_torch"), env=WITHOUT_TORCH).stdout
    assert [step["index"] for step in run_of.summary["steps"]] == list(range(STEPS["no_torch"]))
    assert run_of.phases_of_step(3) == PHASES["no_torch"]
    assert run_of.query("SELECT DISTINCT (SELECT text FROM string WHERE id = path) FROM host_module_begin") == [("layers",)]
    told = run(installation / "bin/strata", "report", run_of.folder, "--warm-up", env=WITHOUT_TORCH).stdout
    assert "Steady state" in told and ("steady from step" in told or "not within 20 steps" in told)  # depends on the machine's noise


def test_without_torch_none_is_loaded(recorded):
    assert [source["id"] for source in recorded("no_torch", "cpu").manifest["sources"]] == []


def test_without_torch_what_the_device_does_is_recorded(installation, examples, tmp_path):
    plugins = ("--plugins", "cupti_timeline,warmup_analyzer,nvtx_markers", "--set", "schedule.active=4")
    words = ("exec", *DRY, "--clock", "modelled", *plugins, "--out", tmp_path / "out", "--", examples("no_torch"), "6")
    run(installation / "bin/strata", *words, env=WITH_TORCH)
    run_of = Recorded(None, tmp_path / "out")
    assert {plugin["id"]: plugin["status"] for plugin in run_of.manifest["plugins"]} == {
        "cupti_timeline": "ok",
        "warmup_analyzer": "ok",
        "nvtx_markers": "ok",
    }
    copied = run_of.query("SELECT bytes FROM cupti_timeline_activity WHERE bytes > 0")
    assert copied == [(256 * 8,)] * 4, "one a step of the window"


def test_a_program_binds_by_itself(installation, examples, tmp_path):
    strata = installation / "bin/strata"
    told = run(strata, "exec", "--environment", "--out", tmp_path / "out", env=WITH_TORCH)
    variables = dict(shlex.split(line)[1].split("=", 1) for line in told.stdout.splitlines() if line.startswith("export "))
    assert set(variables) == {"STRATA_ATTACH", "STRATA_EXEC"}
    run(examples("mnist"), "cpu", env=variables)
    reported = run(strata, "report", tmp_path / "out", env=WITHOUT_TORCH).stdout
    assert "mnist" not in reported and "steps    8 of 8" in reported
    run_of = Recorded(None, tmp_path / "out")
    assert run_of.phases_of_step(2) == PHASES["mnist"]
    assert run_of.manifest["end"] == "done"
    assert run_of.summary["categories"]["Unknown"]["max"] == 0
    assert run_of.query("SELECT count(*) FROM host_tensor WHERE role = 1 AND device_type = 1")[0][0] >= 10


def test_environment_goes_with_no_command(installation, tmp_path):
    result = run(installation / "bin/strata", "exec", "--environment", "--", "true", status=125, env=WITH_TORCH, cwd=tmp_path)
    assert "starts nothing" in result.stderr
    assert not (tmp_path / "runs").exists()


def test_a_run_that_cannot_be_opened_stops_no_program(installation, examples, tmp_path):
    attach = installation / "lib/strata/libstrata_attach.so"
    env = {"STRATA_ATTACH": str(attach), "STRATA_EXEC": str(tmp_path / "gone.json")}
    result = run(examples("no_torch"), "2", env=env)
    assert len(result.stdout.splitlines()) == 2
    assert "no such file" in result.stderr


def test_without_torch_the_component_says_where_it_looked(installation, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\nfind_package(strata REQUIRED COMPONENTS torch)\n"
    )
    cmake = shutil.which("cmake", path=os.environ["PATH"])
    words = [cmake, "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={installation}"]
    result = subprocess.run([*map(str, words)], capture_output=True, text=True, env=WITHOUT_TORCH)
    assert result.returncode != 0
    assert "STRATA_TORCH_ROOT" in result.stderr and "LibTorch was looked for" in " ".join(result.stderr.split())
