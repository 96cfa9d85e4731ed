# SPDX-License-Identifier: Apache-2.0
"""On a machine with a GPU: every case of parity.py. `./dev parity` runs the same, and writes docs/parity.md."""

import pathlib
import subprocess
import sys

import parity
import pytest

pytestmark = pytest.mark.long


@pytest.fixture(scope="session")
def profile():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no GPU that PyTorch can use: the dry GPU is compared with a card by `./dev parity` on a machine that has one")
    found = parity.profile_of(torch.cuda.get_device_name())
    if found is None:
        pytest.skip(f"configs/devices has no profile of a card named '{torch.cuda.get_device_name()}'")
    return found


@pytest.mark.parametrize("case", parity.CASES)
def test_the_allocator_does_on_the_dry_card_what_it_does_on_the_card(profile, tmp_path, case):
    card, dry = parity.run_case(case, profile, pathlib.Path(tmp_path))
    difference = parity.first_difference(card["events"], dry["events"])
    assert difference is None, "\n".join(parity.explained(difference))


def test_without_a_gpu_the_command_says_so_and_fails(tmp_path):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    done = subprocess.run([sys.executable, parity.__file__, "--report", tmp_path / "parity.md"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "no GPU that PyTorch can use" in done.stderr
    assert not (tmp_path / "parity.md").exists()
