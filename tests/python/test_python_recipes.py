# SPDX-License-Identifier: Apache-2.0
"""The recipes of docs/integrations, on small configurations, each with the real library."""

import os
import sys

import pytest

from program_folder import PACKAGE, REPOSITORY, STRATA, ProgramFolder
from recipe_inputs import make_inputs
from recipe_packages import CannotInstall, folder_of

pytestmark = pytest.mark.long
EXAMPLES = REPOSITORY / "examples/python"
# What pins too much to be cheap (Axolotl), and what gets no new release (torchtune), is tried where somebody asks for it.
rarely = pytest.mark.skipif(os.environ.get("STRATA_RECIPES") != "all", reason="half a minute and 300 MB: STRATA_RECIPES=all runs it")
OFFLINE = {"HF_HUB_OFFLINE": "1", "WANDB_MODE": "disabled", "AXOLOTL_DO_NOT_TRACK": "1"}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recipes")
    make_inputs(folder)
    return ProgramFolder(folder)


def beside(name):
    """An environment in which the trainer comes first."""
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
    return summary


def test_trl(programs):
    record(programs, "trl", [sys.executable, EXAMPLES / "trl_sft.py"], OFFLINE)
    assert "model.layers.0.mlp.up_proj.weight" in programs.owners(1, "trl") and "model.layers.1.self_attn" in programs.layers("trl")


def test_deepspeeds_launcher(programs):
    environment = beside("deepspeed")
    record(programs, "deepspeed", ["deepspeed", "--num_gpus", "1", EXAMPLES / "deepspeed_loop.py"], environment)
    # Owners are named as they are attached; a dry run tells modules from the outermost on, which is DeepSpeed's engine.
    assert {"0.weight", "2.bias"} <= programs.owners(1, "deepspeed") and {"module.0", "module.2"} <= programs.layers("deepspeed")


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
