# SPDX-License-Identifier: Apache-2.0
"""The wheel of `./dev wheel` with only Python and glibc: no library that Strata links, no compiler.
Tested with each torch release that has an environment here: the tests' own, and those of `./dev
torch RELEASE`.

STRATA_WHEEL names a wheel to test instead of building one.
"""

import json
import os
import pathlib
import re
import sys

import pytest
from bare_root import BareRoot
from installed_strata import REPOSITORY, TORCH, VERSION, run

pytestmark = pytest.mark.long

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "strata/torch"
SITES = {stamp.parent.name: next(stamp.parent.glob("lib/python3.11/site-packages")) for stamp in sorted(CACHE.glob("*/stamp"))}
SITES["2.11.0"] = TORCH.parent
TRAIN = """
import torch
model = torch.nn.Linear(256, 256).to("cuda" if torch.cuda.is_available() else "cpu")
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    model(torch.randn(64, 256, device=model.weight.device)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
print("trained with", torch.__version__.split("+")[0])
"""
BUDGET = """
import pytest, torch

@pytest.mark.strata_max_memory("1 MiB")
def test_too_much():
    torch.ones(1 << 20)
"""
CONFIG = """
name: small
model: {name: transformer, size: small, layers: 2, context: 64}
data: {source: synthetic, batch_size: 2}
optimizer: {name: adamw}
schedule: {wait: 1, warmup: 0, active: 1}
plugins: [allocator_tracer]
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if named := os.environ.get("STRATA_WHEEL"):
        return pathlib.Path(named)
    folder = tmp_path_factory.mktemp("made")
    run(sys.executable, "-B", REPOSITORY / "tools/wheel", "--torch", *SITES, "--out", folder, timeout=1200)
    [wheel] = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def bare(wheel, tmp_path_factory):
    """Python, its standard library and the wheel in /env; /site has torch."""
    bare = BareRoot(tmp_path_factory.mktemp("bare"), "python3", "libstdc++6", "coreutils", "dash")
    if not bare.namespaces_work("/usr/bin/python3"):
        pytest.skip("no namespaces here: neither root nor a user's own")
    bare.mount(TORCH.parent, "/site")
    bare.mount(wheel.parent, "/wheels")
    bare("/usr/bin/python3", "-m", "venv", "--without-pip", "/env")
    bare("/env/bin/python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", f"/wheels/{wheel.name}", PYTHONPATH="/site")
    for name, text in {"train.py": TRAIN, "test_budget.py": BUDGET, "small.yaml": CONFIG}.items():
        (bare.root / "tmp" / name).write_text(text)
    return bare


def strata(bare, *words, site="/site", **options):
    return bare("/env/bin/strata", *words, PATH="/env/bin:/usr/bin:/bin", PYTHONPATH=site, **options)


def test_it_is_for_old_systems_and_small(wheel):
    assert wheel.name == f"strata_profiler-{VERSION}-py3-none-manylinux_2_35_x86_64.whl"
    assert wheel.stat().st_size < 25e6


def test_nothing_that_it_links_is_there(bare):
    there = {path.name for path in (bare.root / "usr/lib").rglob("*.so*")}
    assert not [name for name in there if name.startswith(("libcairo", "libyaml-cpp", "libfmt", "libspdlog", "libdw", "libarchive"))]
    assert not (bare.root / "etc/fonts").exists()


def test_without_torch_it_starts_and_says_what_is_missing(bare):
    assert strata(bare, "--version", site="").stdout.split()[-1] == VERSION
    refused = strata(bare, "run", "/tmp/small.yaml", "--out", "/tmp/none", site="", status=2)
    assert "python3 in PATH has no torch" in refused.stderr and "pip install torch==" in refused.stderr


@pytest.mark.parametrize("release", sorted(SITES))
def test_with_torch_of_each_release(bare, release):
    bare.mount(SITES[release], "/site")
    at = f"/tmp/{release}"
    recorded = strata(bare, "exec", "--dry", "h100-80gb", "--out", f"{at}/exec", "--", "python", "/tmp/train.py")
    assert f"trained with {release}" in recorded.stdout
    assert "building" not in recorded.stderr, "the source of events came with the wheel"
    summary = json.loads((bare.root / f"tmp/{release}/exec/summary.json").read_text())
    assert summary["categories"]["Optimizer_State"]["max"] >= 2 * 256 * 257 * 4
    assert summary["categories"]["Unknown"]["max"] == 0
    strata(bare, "run", "/tmp/small.yaml", "--dry", "h100-80gb", "--out", f"{at}/run")
    assert "Optimizer_State" in strata(bare, "report", f"{at}/run").stdout
    fits = json.loads(strata(bare, "fit", "configs/first_run.yaml", "--at-most", "8", "--device", "a100-40gb", "--json").stdout)
    assert fits["largest"] == 8
    failed = bare("/env/bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "/tmp/test_budget.py", PYTHONPATH="/site", status=1)
    assert "1 failed" in failed.stdout and "above the budget of 1.000 MiB" in failed.stdout


def test_without_a_compiler_an_unknown_torch_is_said(bare):
    """This proves that the test above does not pass by building what is missing."""
    assert not any((bare.root / "usr/bin" / name).exists() for name in ("cc", "gcc", "g++", "c++", "clang++"))


def test_figures_have_text_without_the_systems_fonts(bare):
    strata(bare, "exec", "--dry", "h100-80gb", "--out", "/tmp/plotted", "--", "python", "/tmp/train.py")
    drawn = strata(bare, "plot", "/tmp/plotted", "--what", "memory", "--format", "svg", "--out", "/tmp/pictures")
    assert "Fontconfig" not in drawn.stderr
    [picture] = (bare.root / "tmp/pictures").glob("*.svg")
    outlines = re.findall(r'id="glyph[^>]*>\s*<path[^>]* d="([^"]*)"', picture.read_text())
    assert len([outline for outline in outlines if len(outline) > 20]) > 10
