# SPDX-License-Identifier: Apache-2.0
"""Runs programs of tests/dry_gpu/programs with real PyTorch on the dry GPU."""

import contextlib
import json
import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
REPOSITORY = HERE.parents[1]
STRATA = pathlib.Path(os.environ.get("STRATA", REPOSITORY / "build/release/bin/strata")).resolve()

# The properties of the card that tests depend on: cuBLAS's workspace follows from the architecture,
# and memory limits what fits.
CARD = {
    "key": "h100-80gb",
    "name": "NVIDIA H100 80GB HBM3",
    "memory_bytes": 85_017_624_576,
    "context_bytes": 545_259_520,
    "compute_major": 9,
    "compute_minor": 0,
    "multiprocessors": 132,
    "threads_per_multiprocessor": 2048,
    "blocks_per_multiprocessor": 32,
    "shared_bytes_per_multiprocessor": 233_472,
    "shared_bytes_per_block_optin": 232_448,
    "l2_bytes": 52_428_800,
    "memory_bus_bits": 5120,
    "memory_clock_khz": 2_619_000,
    "clock_khz": 1_980_000,
    "devices": 1,
    "span_bytes": 1 << 40,
}


@pytest.fixture(scope="session")
def dry_gpu_folder():
    folder = STRATA.parents[1] / "lib/strata/dry_gpu"
    assert (folder / "cudart.facade.so").is_file(), f"{folder} holds no dry GPU: run ./dev build"
    return folder


@pytest.fixture(scope="session")
def strata():
    return STRATA


@pytest.fixture(scope="session")
def serve(dry_gpu_folder, python3):
    """A function that returns the context of a server with these modules loaded and these variables
    in its environment."""

    @contextlib.contextmanager
    def started(*modules, **environment):
        with subprocess.Popen(
            [*python3, HERE / "programs/server.py", dry_gpu_folder, *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        ) as process:
            yield process
            process.stdin.close()

    return started


@pytest.fixture(scope="session")
def server(serve):
    # Optimizers, checkpoints and the memory's history import torch._dynamo when first used, which
    # takes a child five seconds.
    with serve("torch._dynamo") as process:
        yield process


@pytest.fixture
def on_dry_gpu(server, tmp_path):
    """A function that runs a program with its arguments and returns its JSON output. The card is
    CARD with some values replaced and with answers, or the one of a profile's text."""

    def run(program, *words, environment=None, answers=(), profile_text=None, **card):
        profile = tmp_path / "profile"
        lines = [f"{key} {value}\n" for key, value in {**CARD, **card}.items()]
        profile.write_text(profile_text or "".join(lines + [f"answer {answer}\n" for answer in answers]))
        request = {
            "program": str(HERE / "programs" / program),
            "words": words,
            "environment": {**(environment or {}), "STRATA_DRY_GPU": str(profile)},
            "output": str(tmp_path / "output"),
        }
        print(json.dumps(request), file=server.stdin, flush=True)
        status = server.stdout.readline().strip()
        errors = (tmp_path / "output.err").read_text()
        assert status == "0", f"{program} ended with {status}: {errors[-4000:]}"
        result = json.loads((tmp_path / "output").read_text())
        result["messages"] = [line for line in errors.splitlines() if line.startswith("strata dry gpu:")]
        return result

    return run
