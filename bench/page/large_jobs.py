#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One rank of large jobs of four unchanged trainers: its peak, and the cost of finding it.

    bench/page/large_jobs.py --quick
"""

import dataclasses
import json
import os
import sys

from command import run
from settings import REPOSITORY, say
from table import Table, run_alone

GIB = 1 << 30
PYTHON_TESTS = REPOSITORY / "tests/python"
SHAPE = ["--layers", "32", "--heads", "32", "--groups", "8", "--vocabulary", "128256", "--sequence", "8192"]
TITAN_405B = {
    'name = "llama3"\nflavor = "debugmodel"': 'name = "llama3"\nflavor = "405B"',
    "local_batch_size = 2\nseq_len = 128\nsteps = 3": "local_batch_size = 8\nseq_len = 8192\nsteps = 2",
    'mode = "none"': 'mode = "full"',
}
TITAN_671B = ("--model.name", "deepseek_v3", "--model.flavor", "671B", "--training.seq_len", "4096", "--training.local_batch_size", "4")
LORA_8B = {
    "hidden_size: 64\n    intermediate_size: 128\n    num_hidden_layers: 2\n    num_attention_heads: 4": "hidden_size: 4096\n    intermediate_size: 14336\n"
    "    num_hidden_layers: 32\n    num_attention_heads: 32\n    num_key_value_heads: 8",
    "vocab_size: 128": "vocab_size: 128256",
    "seq_len: 128": "seq_len: 4096",
    "global_batch_size: 16, local_batch_size: 2": "global_batch_size: 8, local_batch_size: 1",
}


@dataclasses.dataclass(frozen=True)
class Job:
    title: str
    package: str  # in tests/python/recipe_packages.py
    world: int
    words: tuple  # after torchrun's own options
    file: tuple = ()  # in recipe_inputs: its name, and replacements in it


JOBS = (
    Job(
        "Llama 3.1 405B, torchtitan, TP 8, PP 8, 1F1B, 8 sequences of 8,192, first stage",
        "torchtitan",
        512,
        ("-m", "torchtitan.train", "--job.config_file", "titan.toml", "--parallelism.tensor_parallel_degree", "8", "--parallelism.pipeline_parallel_degree", "8"),
        ("titan.toml", TITAN_405B),
    ),
    Job(
        "DeepSeek-V3 671B, torchtitan, EP 64, PP 4, 1F1B, 4 sequences of 4,096, first stage",
        "torchtitan",
        512,
        ("-m", "torchtitan.train", "--job.config_file", "titan.toml", *TITAN_671B, *("--activation_checkpoint.mode", "full"))
        + ("--parallelism.expert_parallel_degree", "64", "--parallelism.pipeline_parallel_degree", "4"),
    ),
    Job(
        "8B, DeepSpeed ZeRO 3, one sequence of 8,192",
        "deepspeed",
        64,
        (REPOSITORY / "examples/python/deepspeed_llama.py", "--stage", "3", "--width", "4096", "--feed_forward", "14336", *SHAPE),
    ),
    Job(
        "8B, Megatron Core, TP 8, sequence parallel, distributed optimizer, one sequence of 8,192",
        "megatron",
        64,
        (REPOSITORY / "examples/python/megatron_loop.py", "--tensor", "8", "--hidden", "4096", "--ffn", "14336", *SHAPE),
    ),
    Job(
        "LoRA of an 8B, NeMo AutoModel, FSDP2, one sequence of 4,096", "automodel", 8, ("-m", "nemo_automodel.cli.app", "lora.yaml"), ("lora.yaml", LORA_8B)
    ),
)


def inputs(folder, job):
    import recipe_inputs

    recipe_inputs.make_inputs(folder)
    if job.file:
        name, changes = job.file
        text = (folder / name).read_text()
        for old, new in changes.items():
            assert old in text, old
            text = text.replace(old, new)
        (folder / name).write_text(text)


def measured(settings, number, job):
    from recipe_packages import folder_of

    folder = settings.folder(f"job-{number}")
    inputs(folder, job)
    packages = folder_of(job.package)
    environment = {"PYTHONPATH": os.pathsep.join([str(packages), "."]), "HF_HUB_OFFLINE": "1", "WANDB_MODE": "disabled"}
    launch = [settings.python, "-m", "torch.distributed.run", "--nproc-per-node", "8"]
    exec_words = [settings.strata, "exec", "--dry", "h100-80gb", "--world", job.world, "--out", "run", "--", *launch, *job.words]
    used = run(exec_words, folder, environment)
    peak = json.loads((folder / "run/summary.json").read_text())["peak"]
    return {
        "title": job.title,
        "world": job.world,
        "allocated_bytes": peak["allocated_bytes"],
        "reserved_bytes": peak["reserved_bytes"],
        "seconds": used.seconds,
        "host_bytes": used.peak_bytes,
    }


def measure(settings):
    sys.path.insert(0, str(PYTHON_TESTS))
    found = []
    for number, job in enumerate(JOBS[2:4] if settings.quick else JOBS):
        found.append(measured(settings, number, job))
        say(f"large-jobs: {found[-1]}")
    return {"jobs": found}


HEADER = ["job", "ranks", "allocated, GiB", "reserved at the peak, GiB", "time, s", "memory of the largest process, GiB"]


def write(result):
    lines = ["| " + " | ".join(HEADER) + " |", "| --- |" + " ---: |" * (len(HEADER) - 1)]
    for job in result["jobs"]:
        sizes = [f"{job['allocated_bytes'] / GIB:.2f}", f"{job['reserved_bytes'] / GIB:.2f}", f"{job['seconds']:.0f}", f"{job['host_bytes'] / GIB:.2f}"]
        lines.append("| " + " | ".join([job["title"], str(job["world"]), *sizes]) + " |")
    return "\n".join([*lines, "", "Rank 0 on a dry H100 with 80 GB, run once, with its report. 671B includes compiling its attention for five micro-batches. Nothing here was compared with a card."])


def tables():
    return [Table("large-jobs", "One rank of a large job", measure, write, ["./dev bench page large-jobs", "strata exec --dry h100-80gb --world 512 -- torchrun --nproc-per-node 8 ..."])]


if __name__ == "__main__":
    sys.exit(run_alone(__doc__, tables()))
