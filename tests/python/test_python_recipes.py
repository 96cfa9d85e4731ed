# SPDX-License-Identifier: Apache-2.0
"""The recipes of docs/integrations, with small configurations, each with the real library."""

import json
import os
import re
import sys

import pytest

from program_folder import PACKAGE, REPOSITORY, STRATA, ProgramFolder
from recipe_inputs import make_inputs
from recipe_packages import CannotInstall, folder_of

pytestmark = pytest.mark.long
EXAMPLES = REPOSITORY / "examples/python"
# Run only on request: Axolotl, whose many pins make it expensive, and torchtune, which gets no new
# releases.
rarely = pytest.mark.skipif(os.environ.get("STRATA_RECIPES") != "all", reason="half a minute and 300 MB: STRATA_RECIPES=all runs it")
OFFLINE = {"HF_HUB_OFFLINE": "1", "WANDB_MODE": "disabled", "AXOLOTL_DO_NOT_TRACK": "1"}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recipes")
    make_inputs(folder)
    return ProgramFolder(folder)


def beside(name):
    """An environment that finds the trainer first."""
    try:
        folder = folder_of(name)
    except CannotInstall as reason:
        pytest.skip(f"{name} cannot be installed here: {reason}")
    paths = [str(folder), ".", str(PACKAGE), os.environ.get("PYTHONPATH", "")]
    return {**OFFLINE, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}


def record(programs, name, words, environment, options=("--dry", "h100-80gb")):
    done = programs.call(STRATA, "exec", *options, "--out", name, "--", *words, **environment)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    summary = programs.summary(name)
    assert summary["device"] == "cuda:0" and programs.steps(name) == [0, 1, 2]
    categories = summary["peak"]["categories"]
    assert categories["Unknown"] <= 0.02 * summary["peak"]["allocated_bytes"], categories
    assert min(categories[known] for known in ("Parameter", "Optimizer_State", "Activation")) > 0, categories
    check_peaks(programs, name, done.stdout)
    return summary


def check_peaks(programs, name, printed):
    """The ranks that print their peak are those that ran, and it equals torch's own."""
    told = {int(rank): int(peak) for rank, peak in re.findall(r"^rank (\d+): (\d+) bytes$", printed, re.MULTILINE)}
    if told:
        shown = json.loads(programs.call(STRATA, "report", name, "--ranks", "--json").stdout)
        assert {rank["rank"]: rank["peak"]["allocated_bytes"] for rank in shown["ranks"]} == told


def test_trl(programs):
    record(programs, "trl", [sys.executable, EXAMPLES / "trl_sft.py"], OFFLINE)
    assert "model.layers.0.mlp.up_proj.weight" in programs.owners(1, "trl") and "model.layers.1.self_attn" in programs.layers("trl")


def test_deepspeeds_launcher(programs):
    environment = beside("deepspeed")
    record(programs, "deepspeed", ["deepspeed", "--num_gpus", "1", EXAMPLES / "deepspeed_loop.py"], environment)
    # Owners have the names with which they were attached. A dry run names modules from the
    # outermost on, which is DeepSpeed's engine.
    assert {"0.weight", "2.bias"} <= programs.owners(1, "deepspeed") and {"module.0", "module.2"} <= programs.layers("deepspeed")


def as_one_rank(program, *words):
    """The launch command for a node of eight GPUs; `--world 8` runs one of its ranks."""
    return [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "8", EXAMPLES / program, *words]


CPU, CUDA = 1, 2
ONE_OF_EIGHT = ("--layers", "--dry", "h100-80gb", "--world", "8")


@pytest.mark.parametrize(
    ("stage", "offload", "launch"),
    [
        ("1", [], as_one_rank),
        ("2", [], as_one_rank),
        ("3", [], lambda program, *words: ["deepspeed", "--num_gpus", "8", EXAMPLES / program, *words]),
        ("2", ["--offload", "optimizer"], as_one_rank),
        ("3", ["--offload", "parameters"], as_one_rank),
    ],
)
def test_deepspeed_as_one_rank_of_many(programs, stage, offload, launch):
    name = f"stage{stage}{len(offload)}"
    words = launch("deepspeed_llama.py", "--stage", stage, *offload)
    done = programs.call(STRATA, "exec", *ONE_OF_EIGHT, "--out", name, "--", *words, **beside("deepspeed"))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert programs.steps(name) == [0, 1, 2] and "module.model.layers.1.mlp" in programs.layers(name)
    assert "rank 0: " in done.stdout
    check_peaks(programs, name, done.stdout)
    place = CPU if offload else CUDA
    assert programs.query("SELECT DISTINCT device_type FROM tensor WHERE role = 5 AND name LIKE 'exp_avg%'", name) == [(place,)]


@pytest.mark.parametrize(("split", "options"), [("tensor", []), ("pipeline", []), ("expert_ranks", ["--experts", "16"])])
def test_megatron_as_one_rank_of_many(programs, split, options):
    """Gradients are in Megatron's buffer; a pipeline's other stage is started."""
    ranks = ("--ranks", "representative") if split == "pipeline" else ()
    summary = record(programs, split, as_one_rank("megatron_loop.py", f"--{split}", "2", *options), beside("megatron"), (*ONE_OF_EIGHT, *ranks))
    assert summary["peak"]["categories"]["Gradient"] > 0 and "module.decoder.layers.0.mlp" in programs.layers(split)
    assert "module.embedding.word_embeddings.weight.main_grad" in programs.owners(4, split)
    shown = json.loads(programs.call(STRATA, "report", split, "--ranks", "--json").stdout)
    assert [rank["rank"] for rank in shown["ranks"]] == ([0, 4] if ranks else [0])


@pytest.mark.parametrize("world", [pytest.param(1, marks=rarely), 8])
def test_automodel(inputs, world):
    launch = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "8"] if world == 8 else [sys.executable]
    options = ("--world", "8") if world == 8 else ()
    name = f"automodel{world}"
    words = [*launch, "-m", "nemo_automodel.cli.app", "lora.yaml"]
    done = inputs.call(STRATA, "exec", "--layers", "--dry", "h100-80gb", *options, "--out", name, "--", *words, **beside("automodel"))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    summary = inputs.summary(name)
    assert inputs.steps(name) == [0, 1, 2] and "model.layers.1.mlp.gate_proj" in inputs.layers(name)
    # In the first step Triton's autotuner has its buffer of 256 MiB, before the optimizer has any
    # state.
    assert summary["peak"]["allocated_bytes"] > 256 * 2**20 and summary["peak"]["categories"]["Unknown"] < 2**20
    trained = {key for key in inputs.owners(4, name) if key != "grad"}
    assert "model.layers.1.mlp.gate_proj.lora_A.weight.grad" in trained and all(".lora_" in key for key in trained)
    assert {"exp_avg", "exp_avg_sq"} <= inputs.owners(5, name)


def test_torchtitan(inputs):
    words = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "1", "-m", "torchtitan.train", "--job.config_file", "titan.toml"]
    record(inputs, "torchtitan", words, beside("torchtitan"), ("--layers", "--dry", "h100-80gb"))
    assert "layers.5.feed_forward.w1" in inputs.layers("torchtitan")


def test_torchtitan_as_one_rank_of_many(inputs):
    launch = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "4", "--nproc-per-node", "8", "-m", "torchtitan.train"]
    words = [*launch, "--job.config_file", "titan.toml", "--parallelism.tensor_parallel_degree", "2"]
    record(inputs, "torchtitan-rank", words, beside("torchtitan"), ("--layers", "--dry", "h100-80gb", "--world", "32"))
    assert "layers.5.feed_forward.w1" in inputs.layers("torchtitan-rank")


@rarely
def test_torchtitans_experts_on_several_ranks(inputs):
    launch = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "8", "-m", "torchtitan.train", "--job.config_file", "titan.toml"]
    words = [*launch, "--model.name", "deepseek_v3", "--parallelism.expert_parallel_degree", "4"]
    record(inputs, "torchtitan-experts", words, beside("torchtitan"), ("--layers", "--dry", "h100-80gb", "--world", "8"))
    layers = inputs.layers("torchtitan-experts")
    assert any(layer.startswith("layers.1.moe") for layer in layers), layers


@rarely
def test_torchtune(inputs):
    environment = beside("torchtune")
    assert inputs.python("weights.py", **environment).returncode == 0
    words = ["tune", "run", "full_finetune_single_device", "--config", "tune.yaml"]
    record(inputs, "torchtune", words, environment, ("--layers", "--dry", "h100-80gb"))
    assert "layers.1.attn.q_proj" in inputs.layers("torchtune")


@rarely
def test_axolotl(inputs):
    record(inputs, "axolotl", [sys.executable, "-m", "axolotl.cli.train", "axolotl.yml"], beside("axolotl"), ("--layers", "--dry", "h100-80gb"))
    assert "model.layers.1.mlp" in inputs.layers("axolotl")
