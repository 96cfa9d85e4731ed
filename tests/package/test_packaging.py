# SPDX-License-Identifier: Apache-2.0
"""The Dockerfile and the conda recipe, as far as a machine without images and channels can test
them: each takes the wheel of `./dev wheel` by its name, and runs what tests/package/test_wheel.py
runs.
"""

import fnmatch
import re
import subprocess

import yaml
from installed_strata import REPOSITORY, VERSION

WHEEL = f"build/release/packages/strata_profiler-{VERSION}-py3-none-manylinux_2_35_x86_64.whl"
DOCKERFILE = (REPOSITORY / "packaging/docker/Dockerfile").read_text()
INSTRUCTIONS = [line.split(maxsplit=1) for line in DOCKERFILE.splitlines() if line and not line.startswith("#")]


def test_the_image_has_the_wheel():
    [copied] = [words for name, words in INSTRUCTIONS if name == "COPY"]
    source, target = copied.split()
    assert fnmatch.fnmatch(WHEEL, source) and target == "/tmp/"
    assert {name for name, _ in INSTRUCTIONS} <= {"FROM", "ARG", "RUN", "COPY", "WORKDIR", "ENTRYPOINT", "CMD"}


def run_with_stubs(folder, script, **variables):
    """Run the script with stubs of pip, rm and strata that only print their arguments."""
    for name in ("pip", "rm", "strata"):
        stub = folder / name
        stub.write_text(f'#!/bin/sh\necho "{name} $*"\n')
        stub.chmod(0o755)
    done = subprocess.run(["/bin/sh", "-euc", script], env={"PATH": str(folder), **variables}, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_the_image_takes_torch_from_pypi_or_from_an_index(tmp_path):
    torch, strata = [words for name, words in INSTRUCTIONS if name == "RUN"]
    assert run_with_stubs(tmp_path, torch, TORCH="2.11.0", TORCH_INDEX="") == ["pip install --no-cache-dir torch==2.11.0 numpy"]
    assert run_with_stubs(tmp_path, torch, TORCH="2.15.0", TORCH_INDEX="an/index") == ["pip install --no-cache-dir torch==2.15.0 numpy --index-url an/index"]
    assert run_with_stubs(tmp_path, strata)[-1] == "strata --version"


def test_the_recipe_takes_the_wheel():
    text = (REPOSITORY / "packaging/conda/recipe.yaml").read_text()
    recipe = yaml.safe_load(text)
    assert recipe["context"]["version"] == VERSION

    def filled(value):
        return re.sub(r"\$\{\{ version \}\}", VERSION, value)

    folder = REPOSITORY / "packaging/conda"
    assert (folder / filled(recipe["source"]["path"])).resolve() == REPOSITORY / WHEEL
    assert filled(recipe["build"]["script"]).split()[-1] == WHEEL.rsplit("/", 1)[1]
    assert all((folder / file).is_file() for file in recipe["about"]["license_file"])
