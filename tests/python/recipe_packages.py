# SPDX-License-Identifier: Apache-2.0
"""Libraries that are large or whose pins differ from the tests' environment. Each is installed in
its own folder, which comes first on the path, without its dependencies.

They are not in requirements-workloads.txt because transformers and accelerate import DeepSpeed
wherever it is installed, and because each needs other releases than the rest of the tests:
torchtitan 0.3.0 needs torch 2.12, so it is 0.2.2; torchtune 0.6.1 needs torchao up to 0.13; Axolotl
0.19.0 needs TRL up to 1.9; megatron-core 0.16.1 is the last for Python 3.11. Ray unpacks to 240 MB,
for one test file.
"""

import hashlib
import pathlib
import shutil
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PINS = {
    "deepspeed": "deepspeed==0.19.8 einops==0.8.2 hjson==3.1.0 msgpack==1.2.4 py-cpuinfo==9.0.0",
    "megatron": "megatron-core==0.16.1",
    "automodel": "nemo-automodel==0.7.0 torchao==0.18.0 torchdata==0.11.0",
    "torchtitan": "torchtitan==0.2.2 docstring_parser==0.18.0 torchdata==0.11.0 typeguard==4.6.1 tyro==1.0.17",
    "torchtune": "torchtune==0.6.1 blobfile==3.3.0 kagglehub==1.0.3 kagglesdk==0.1.38 lxml==6.1.3 pycryptodomex==3.24.2 sentencepiece==0.2.3 "
    "tiktoken==0.14.0 torchao==0.13.0 torchdata==0.11.0",
    "axolotl": "axolotl==0.19.0 addict==2.4.0 axolotl-contribs-lgpl==0.0.7 axolotl-contribs-mit==0.0.6 colorama==0.4.6 distro==1.9.0 einops==0.8.2 "
    "evaluate==0.4.6 fastcore==2.2.41 fire==0.7.1 httpcore==1.0.9 httpx==0.28.1 llvmlite==0.50.0 numba==0.68.1 posthog==7.91.1 py-cpuinfo==9.0.0 "
    "termcolor==3.3.0 trl==1.9.0",
    "ray": "ray==2.60.0 msgpack==1.2.4",
}


class CannotInstall(Exception):
    """pip's error message."""


def folder_of(name):
    """Return the folder that has the library, installed once for these pins."""
    pins = PINS[name].split()
    place = REPOSITORY / ".cache/recipes" / f"{name}-{hashlib.sha256(' '.join(pins).encode()).hexdigest()[:8]}"
    if not place.exists():
        begun = place.with_name(place.name + ".begun")
        shutil.rmtree(begun, ignore_errors=True)
        words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(begun), *pins]
        done = subprocess.run(words, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            raise CannotInstall(done.stderr.strip().splitlines()[-1])
        begun.rename(place)
    return place
