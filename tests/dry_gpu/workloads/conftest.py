# SPDX-License-Identifier: Apache-2.0
"""A server with transformers and torchvision loaded, and cards as `strata` passes them to a
program."""

import functools
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
MODULES = [
    *(f"transformers.models.{name}.modeling_{name}" for name in ("bert", "distilbert", "gpt2", "llama")),
    "torchvision.models",
]


@pytest.fixture(scope="session")
def server(serve):
    with serve("torch._dynamo", *MODULES, HF_HUB_OFFLINE="1") as process:
        yield process


@pytest.fixture(scope="session")
def profile_text(strata):
    """A function that returns the profile text that a program on that card gets, with that cuDNN
    workspace if given."""

    @functools.cache
    def of(card, cudnn_workspace=None):
        options = ["--cudnn-workspace", cudnn_workspace] if cudnn_workspace else []
        command = [strata, "exec", "--plugins", "none", "--dry", card, *options, "--", "sh", "-c", 'cat "$STRATA_DRY_GPU"']
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    return of


@pytest.fixture
def train(on_dry_gpu, profile_text):
    """A function that runs a workload's program with its arguments on a card and returns its
    output."""

    def run(words, card, cudnn_workspace=None):
        return on_dry_gpu(str(HERE / words[0]), *words[1:], profile_text=profile_text(card, cudnn_workspace))

    return run
